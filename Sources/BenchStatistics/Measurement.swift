/// How long the calls of one measurement took, and how many were done in a second.
public struct Measurement: Codable, Hashable, Sendable {
  /// Calls that were measured.
  public var calls: Int
  /// Microseconds that half of the calls did not exceed.
  public var p50: Double
  /// Microseconds that 90 % of the calls did not exceed.
  public var p90: Double
  /// Microseconds that 99 % of the calls did not exceed.
  public var p99: Double
  /// Microseconds that 99.9 % of the calls did not exceed.
  public var p999: Double
  /// Microseconds of the slowest call.
  public var max: Double
  /// Calls done in a second.
  public var perSecond: Double
  /// Processor time of a call; `nil` where it was not measured.
  public var processor: ProcessorTime?

  /// Sums up the calls of a measurement.
  ///
  /// - Parameters:
  ///   - latencies: Nanoseconds of each call, in any order; at least one.
  ///   - elapsedNanoseconds: From the first call's start to the last one's end.
  ///   - processor: Processor time of a call.
  public init(
    latencies: [UInt64],
    elapsedNanoseconds: UInt64,
    processor: ProcessorTime? = nil
  ) {
    precondition(!latencies.isEmpty, "a measurement has calls")
    let sorted = latencies.sorted()
    func microseconds(_ fraction: Double) -> Double {
      Double(sorted.percentile(fraction)) / 1000
    }
    calls = sorted.count
    p50 = microseconds(0.5)
    p90 = microseconds(0.9)
    p99 = microseconds(0.99)
    p999 = microseconds(0.999)
    max = microseconds(1)
    perSecond = Double(sorted.count) * 1e9 / Double(Swift.max(elapsedNanoseconds, 1))
    self.processor = processor
  }

  /// Sums up the calls of a histogram; `nil` when it has none.
  ///
  /// - Parameters:
  ///   - histogram: Nanoseconds of each call.
  ///   - elapsedNanoseconds: From the first call's start to the last one's end.
  ///   - processor: Processor time of a call.
  public init?(
    _ histogram: LatencyHistogram,
    elapsedNanoseconds: UInt64,
    processor: ProcessorTime? = nil
  ) {
    guard histogram.count > 0 else { return nil }
    func microseconds(_ fraction: Double) -> Double {
      Double(histogram.percentile(fraction)) / 1000
    }
    calls = histogram.count
    p50 = microseconds(0.5)
    p90 = microseconds(0.9)
    p99 = microseconds(0.99)
    p999 = microseconds(0.999)
    max = Double(histogram.max) / 1000
    perSecond = Double(calls) * 1e9 / Double(Swift.max(elapsedNanoseconds, 1))
    self.processor = processor
  }

  /// The medians of several rounds, number by number.
  ///
  /// - Parameter rounds: At least one.
  public init(medianOf rounds: [Measurement]) {
    calls = rounds.reduce(0) { $0 + $1.calls }
    p50 = rounds.map(\.p50).median
    p90 = rounds.map(\.p90).median
    p99 = rounds.map(\.p99).median
    p999 = rounds.map(\.p999).median
    max = rounds.map(\.max).median
    perSecond = rounds.map(\.perSecond).median
    processor = ProcessorTime(medianOf: rounds.compactMap(\.processor))
  }
}

extension [UInt64] {
  /// The value that a fraction of the values does not exceed (nearest rank); `self` is sorted.
  package func percentile(_ fraction: Double) -> UInt64 {
    precondition(!isEmpty && (0...1).contains(fraction), "a percentile of something")
    // 0.28 × 25 is a little more than 7 in binary, and 7 is meant.
    let rank = Int((fraction * Double(count) - 1e-6).rounded(.up))
    return self[Swift.max(rank, 1) - 1]
  }
}

extension [Double] {
  /// The middle value; of an even number of values, the mean of the two in the middle.
  package var median: Double {
    precondition(!isEmpty, "a median of something")
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
