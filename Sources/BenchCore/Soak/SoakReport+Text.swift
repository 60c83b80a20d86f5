extension SoakReport {
  private static let windowsShown = 40
  private static let causesShown = 3

  /// The report for people: calls, windows, what was occupied, and the findings.
  public func text() -> String {
    var lines = [
      "\(machine.processor), \(machine.cores) cores, \(machine.kernel), \(machine.build) build, "
        + "libzmq \(machine.zeroMQ), SQLite \(machine.sqlite), \(machine.date)",
      settings.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        + ", \(Decimal.text(seconds)) s",
      "",
    ]
    lines += TextTable.lines([Self.callTitles] + rows.map(cells)) + [""]
    lines += TextTable.lines([Self.windowTitles] + shownWindows.map(Self.cells)) + [""]
    lines += TextTable.lines([Self.trendTitles] + SoakQuantity.all.compactMap(cells))
    lines += releases.map { release in
      "space: \(Self.mebibytes(release.before)), with the zone \(Self.mebibytes(release.full)), "
        + "\(Decimal.text(release.seconds)) s after its deletion \(Self.mebibytes(release.after))"
    }
    let done = completed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines += ["completed: " + done.joined(separator: ", "), ""]
    lines += findings.map { "FOUND: " + $0 }
    if findings.isEmpty { lines.append("nothing was found") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let callTitles = [
    "call", "during", "calls", "p50 ms", "p99 ms", "p99.9 ms", "max ms", "p99 ×", "most ×", "at s",
    "slowest because of", "p99.9 because of",
  ]

  private func cells(_ row: SoakRow) -> [String] {
    func milliseconds(_ value: Double) -> String { Decimal.text(value / 1000) }
    let (peak, ratios) = (row.slowest, ratios(of: row))
    return [
      row.kind, row.activity?.rawValue ?? "calls alone", Decimal.grouped(Double(row.calls.calls)),
      milliseconds(row.calls.p50), milliseconds(row.calls.p99), milliseconds(row.calls.p999),
      milliseconds(row.calls.max), ratios.map { Decimal.text($0.median) } ?? "-",
      ratios.map { Decimal.text($0.greatest) } ?? "-",
      peak.map { Decimal.grouped($0.second) } ?? "-",
      peak.map { peak in
        peak.causes.map(\.rawValue).joined(separator: ", ")
          + (peak.isOutsideServer ? " (not within the server)" : "")
      } ?? "",
      row.tail.prefix(Self.causesShown)
        .map { "\($0.cause.rawValue) \(Decimal.grouped($0.part * 100)) %" }
        .joined(separator: ", "),
    ]
  }

  private static let windowTitles = [
    "from s", "to s", "calls/s", "save p50 ms", "p99", "p99.9", "max", "memory MiB", "files",
    "threads", "log MiB", "database MiB", "during",
  ]

  /// Of a long run, some of them, evenly.
  private var shownWindows: [SoakWindow] {
    guard windows.count > Self.windowsShown else { return windows }
    return (0..<Self.windowsShown).map { windows[$0 * windows.count / Self.windowsShown] }
  }

  private static func cells(_ window: SoakWindow) -> [String] {
    func mebibytes(_ value: Double) -> String { Decimal.text(value / Double(1 << 20)) }
    let save = window.calls["save"]
    func milliseconds(_ path: KeyPath<Measurement, Double>) -> String {
      save.map { Decimal.text($0[keyPath: path] / 1000) } ?? "-"
    }
    let calls = window.calls.values.reduce(0) { $0 + $1.perSecond }
    return [
      Decimal.grouped(window.begin), Decimal.grouped(window.end), Decimal.grouped(calls),
      milliseconds(\.p50), milliseconds(\.p99), milliseconds(\.p999), milliseconds(\.max),
      mebibytes(window.usage.memoryBytes), Decimal.grouped(window.usage.files),
      Decimal.grouped(window.usage.threads), mebibytes(window.usage.logBytes),
      mebibytes(window.usage.databaseBytes),
      window.activities.map(\.rawValue).joined(separator: ", "),
    ]
  }

  private static let trendTitles = [
    "after the warm-up", "least", "median", "greatest", "growth", "accepted", "",
  ]

  private func cells(_ quantity: SoakQuantity) -> [String]? {
    guard let trend = trends[quantity.name] else { return nil }
    let limit = tolerance[keyPath: quantity.tolerance].limit(trend)
    return [quantity.name]
      + [trend.least, trend.median, trend.greatest, trend.growth, limit]
      .map { Decimal.text($0 / quantity.scale) } + [quantity.unit]
  }
}
