/// Metrics of one name: one for each combination of labels.
package struct MetricFamily: Hashable, Sendable {
  /// What the values mean.
  package enum Kind: Hashable, Sendable {
    /// It only rises, and begins at 0 with the process; the name ends in `_total`.
    case counter
    /// It rises and falls.
    case gauge
    /// Values by size.
    case histogram
  }

  /// With the prefix and the unit, for example `tidings_commit_seconds`.
  package let name: String
  /// One sentence.
  package let help: String
  package let kind: Kind
  package var metrics: [Metric]

  /// A family.
  package init(_ name: String, _ kind: Kind, _ help: String, _ metrics: [Metric]) {
    (self.name, self.kind, self.help, self.metrics) = (name, kind, help, metrics)
  }

  /// A counter without labels.
  package static func counter(_ name: String, _ help: String, _ value: UInt64) -> Self {
    Self(name, .counter, help, [Metric(.number(Double(value)))])
  }

  /// A gauge without labels.
  package static func gauge(_ name: String, _ help: String, _ value: Double) -> Self {
    Self(name, .gauge, help, [Metric(.number(value))])
  }

  /// A gauge without labels.
  package static func gauge(_ name: String, _ help: String, _ value: Int) -> Self {
    gauge(name, help, Double(value))
  }

  /// A histogram without labels.
  package static func histogram(_ name: String, _ help: String, _ value: HistogramSnapshot) -> Self
  {
    Self(name, .histogram, help, [Metric(.histogram(value))])
  }

  /// The unit that the name ends with; empty: none.
  var unit: String {
    let base = name.hasSuffix("_total") ? name.dropLast("_total".count) : name[...]
    return ["seconds", "bytes"].first { base.hasSuffix("_\($0)") } ?? ""
  }
}

/// One metric of a family.
package struct Metric: Hashable, Sendable {
  /// A label: from a fixed set of values, never what a caller chooses.
  package struct Label: Hashable, Sendable {
    package let name: String
    package let value: String

    /// A label.
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// What it says.
  package enum Value: Hashable, Sendable {
    case number(Double)
    case histogram(HistogramSnapshot)
  }

  package var labels: [Label]
  package var value: Value

  /// A metric.
  package init(_ labels: [Label], _ value: Value) { (self.labels, self.value) = (labels, value) }

  /// A metric without labels.
  package init(_ value: Value) { self.init([], value) }

  /// A metric with one label.
  package init(_ name: String, _ label: String, _ value: some BinaryInteger) {
    self.init([Label(name, label)], .number(Double(value)))
  }
}
