/// Latencies in buckets: any number of them in 60 KB, each known to within 0.8 %.
///
/// Up to 255 ns each value has a bucket of its own; from there on each doubling has 128 buckets.
public struct LatencyHistogram: Hashable, Sendable {
  private static let bits = 7
  private static let bucketsPerDoubling = 1 << bits
  private static let bucketCount = (UInt64.bitWidth - bits + 1) * bucketsPerDoubling

  private var buckets = [UInt64](repeating: 0, count: bucketCount)
  /// Latencies that were recorded.
  public private(set) var count = 0
  /// The greatest of them, exactly, in nanoseconds; 0 without any.
  public private(set) var max: UInt64 = 0

  /// A histogram without latencies.
  public init() {}

  /// Adds a latency, in nanoseconds.
  public mutating func record(_ nanoseconds: UInt64) {
    buckets[Self.bucket(of: nanoseconds)] += 1
    count += 1
    max = Swift.max(max, nanoseconds)
  }

  /// Adds all latencies of another histogram.
  public mutating func merge(_ other: Self) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    count += other.count
    max = Swift.max(max, other.max)
  }

  /// The latency that a fraction of the latencies does not exceed (nearest rank), rounded up to its
  /// bucket's end, in nanoseconds.
  public func percentile(_ fraction: Double) -> UInt64 {
    precondition(count > 0 && (0...1).contains(fraction), "a percentile of something")
    // 0.28 × 25 is a little more than 7 in binary, and 7 is meant.
    let rank = Swift.max(1, UInt64((fraction * Double(count) - 1e-6).rounded(.up)))
    var seen: UInt64 = 0
    for (index, bucket) in buckets.enumerated() {
      seen += bucket
      if seen >= rank { return Swift.min(Self.lastValue(ofBucket: index), max) }
    }
    return max
  }

  private static func bucket(of value: UInt64) -> Int {
    let exponent = doubling(of: value)
    return exponent * bucketsPerDoubling + Int(value >> UInt64(exponent))
  }

  /// How often a value is halved until it has at most 8 bits.
  private static func doubling(of value: UInt64) -> Int {
    Swift.max(0, UInt64.bitWidth - value.leadingZeroBitCount - bits - 1)
  }

  private static func lastValue(ofBucket index: Int) -> UInt64 {
    let exponent = Swift.max(0, index / bucketsPerDoubling - 1)
    let mantissa = UInt64(index - exponent * bucketsPerDoubling)
    // The last bucket ends where the numbers do.
    return (mantissa << UInt64(exponent)) | ((1 << UInt64(exponent)) - 1)
  }
}
