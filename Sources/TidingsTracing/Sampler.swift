package import TidingsRPC

/// Decides which traces are recorded.
package enum Sampler: Hashable, Sendable {
  /// By the number of the trace, whatever the caller does.
  case ratio(Double)
  /// As the caller does; of traces that begin here, a part.
  case parentBased(ratio: Double)

  /// Reads `OTEL_TRACES_SAMPLER` and its argument; `nil`: they are not known.
  package init?(name: String, argument: String?) {
    var ratio = 1.0
    if name.hasSuffix("traceidratio"), let argument {
      guard let number = Double(argument), 0...1 ~= number else { return nil }
      ratio = number
    }
    switch name {
    case "always_on": self = .ratio(1)
    case "always_off": self = .ratio(0)
    case "traceidratio": self = .ratio(ratio)
    case "parentbased_always_on": self = .parentBased(ratio: 1)
    case "parentbased_always_off": self = .parentBased(ratio: 0)
    case "parentbased_traceidratio": self = .parentBased(ratio: ratio)
    default: return nil
    }
  }

  /// Whether traces that begin here may be recorded.
  package var samplesOwn: Bool {
    switch self {
    case .ratio(let ratio), .parentBased(let ratio): ratio > 0
    }
  }

  /// Whether a span is recorded.
  ///
  /// - Parameters:
  ///   - trace: The number of its trace.
  ///   - parent: The span of the caller; `nil`: the trace begins here.
  /// - Returns: The decision.
  package func samples(_ trace: TraceID, parent: TraceContext?) -> Bool {
    switch self {
    case .ratio(let ratio): Self.isIn(ratio, trace)
    case .parentBased(let ratio): parent?.isSampled ?? Self.isIn(ratio, trace)
    }
  }

  /// All programs of a trace decide the same.
  private static func isIn(_ ratio: Double, _ trace: TraceID) -> Bool {
    ratio >= 1 || Double(trace.low >> 1) < ratio * Double(UInt64(1) << 63)
  }
}
