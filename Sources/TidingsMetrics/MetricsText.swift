/// Metrics as text, in one of the two formats that Prometheus reads.
package enum MetricsText: Hashable, Sendable {
  /// Prometheus' own format, version 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.0.
  case openMetrics

  /// The format that an `Accept` header prefers; Prometheus' own without one.
  ///
  /// - Parameter accept: For example `application/openmetrics-text;version=1.0.0,text/plain;q=0.5`.
  package init(accepting accept: String?) {
    var best = (quality: -1.0, format: Self.prometheus)
    for range in (accept ?? "").prefix(Self.acceptCharactersMax).split(separator: ",").prefix(32) {
      let parts = range.split(separator: ";").map { part in
        part.drop { $0 == " " }.lowercased().filter { $0 != " " }
      }
      guard let type = parts.first else { continue }
      let quality =
        parts.dropFirst().first { $0.hasPrefix("q=") }
        .flatMap { Double($0.dropFirst(2)) } ?? 1
      let version = parts.first { $0.hasPrefix("version=") }?.dropFirst("version=".count)
      let format: Self
      switch type {
      case "application/openmetrics-text":
        guard ["1.0.0", "0.0.1", nil].contains(version) else { continue }
        format = .openMetrics
      case "text/plain", "text/*", "*/*": format = .prometheus
      default: continue
      }
      if quality > best.quality { best = (quality, format) }
    }
    self = best.format
  }

  private static let acceptCharactersMax = 1_000

  /// The value of `Content-Type`.
  package var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// Returns the text; that of OpenMetrics ends with `# EOF`.
  package func encode(_ families: [MetricFamily]) -> String {
    var text = ""
    for family in families where !family.metrics.isEmpty {
      head(family, &text)
      for metric in family.metrics { sample(metric, of: family, &text) }
    }
    if self == .openMetrics { text += "# EOF\n" }
    return text
  }

  private func head(_ family: MetricFamily, _ text: inout String) {
    var name = family.name
    if self == .openMetrics {
      if family.kind == .counter { name = String(name.dropLast("_total".count)) }
      if !family.unit.isEmpty { text += "# UNIT \(name) \(family.unit)\n" }
    }
    text += "# HELP \(name) \(Self.escaped(family.help, quotes: self == .openMetrics))\n"
    text += "# TYPE \(name) \(family.kind.word)\n"
  }

  private func sample(_ metric: Metric, of family: MetricFamily, _ text: inout String) {
    switch metric.value {
    case .number(let value): line(family.name, metric.labels, Self.number(value), &text)
    case .histogram(let histogram):
      var count: UInt64 = 0
      let bounds = histogram.bounds.map { bound($0) } + ["+Inf"]
      for (bound, part) in zip(bounds, histogram.counts) {
        count += part
        line(family.name + "_bucket", metric.labels + [.init("le", bound)], "\(count)", &text)
      }
      line(family.name + "_sum", metric.labels, Self.number(histogram.sum), &text)
      line(family.name + "_count", metric.labels, "\(count)", &text)
    }
  }

  private func line(
    _ name: String,
    _ labels: [Metric.Label],
    _ value: String,
    _ text: inout String
  ) {
    text += name
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
      text += "{\(pairs.joined(separator: ","))}"
    }
    text += " \(value)\n"
  }

  /// OpenMetrics writes bounds as floating-point numbers, also whole ones.
  private func bound(_ value: Double) -> String {
    let rounded = (value * 1e9).rounded() / 1e9
    return self == .openMetrics ? "\(rounded)" : Self.number(rounded)
  }

  /// Whole numbers have no decimal point.
  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}

extension MetricFamily.Kind {
  fileprivate var word: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
