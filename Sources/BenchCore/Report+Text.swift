extension Report {
  private static let titles = [
    "figure", "conn", "in flight", "p50 µs", "p99 µs", "per s", "server µs", "client µs",
    "base p50",
    "base per s", "base µs", "score", "rounds", "", "target", "",
  ]

  /// The report for people: a line for the machine, a line for each figure, then the notes.
  public func text() -> String {
    let machine = machine
    var lines = [
      "\(machine.processor), \(machine.cores) cores, \(machine.kernel), \(machine.build) build, "
        + "libzmq \(machine.zeroMQ), SQLite \(machine.sqlite), \(machine.date)"
    ]
    lines.append(
      settings.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    )
    lines.append("")
    lines += TextTable.lines([Self.titles] + figures.map(\.cells))
    if !notes.isEmpty { lines.append("") }
    lines += notes
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Figure {
  fileprivate var cells: [String] {
    let verdict = score?.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
    return [
      name,
      connections.map(String.init) ?? "-",
      inFlight.map(String.init) ?? "-",
      measured.map { Decimal.text($0.p50) } ?? "-",
      measured.map { Decimal.text($0.p99) } ?? "-",
      measured.map { Decimal.grouped($0.perSecond) } ?? "-",
      measured?.processor?.server.map(Decimal.text) ?? "-",
      (measured?.processor?.client).map(Decimal.text) ?? "-",
      baseline.map { Decimal.text($0.p50) } ?? "-",
      baseline.map { Decimal.grouped($0.perSecond) } ?? "-",
      baseline?.processor?.server.map(Decimal.text) ?? "-",
      score.map { Decimal.text($0.value) } ?? "-",
      score.map { Decimal.text($0.least) + "…" + Decimal.text($0.greatest) } ?? "-",
      score?.unit ?? "",
      score?.target.map { (score?.direction == .atMost ? "≤ " : "≥ ") + Decimal.text($0) } ?? "-",
      verdict,
    ]
  }
}

/// Numbers as text.
package enum Decimal {
  /// With as many places as matter: none from 100, one from 10, two from 0.01, otherwise four.
  package static func text(_ value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    let places = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 0.01 ? 2 : 4
    return places == 0 ? grouped(value) : text(value, places: places)
  }

  /// A whole number with commas.
  package static func grouped(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e18 else { return "\(value)" }
    var digits = String(Int64(abs(value).rounded()))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (value <= -0.5 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  private static func text(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let units = Int64((abs(value) * Double(scale)).rounded())
    let (whole, part) = units.quotientAndRemainder(dividingBy: Int64(scale))
    let fraction = String(part)
    let padding = String(repeating: "0", count: places - fraction.count)
    return (value < 0 && units > 0 ? "-" : "") + "\(whole).\(padding)\(fraction)"
  }
}
