/// How long calls of one kind took in a round, beside an activity and without any.
public struct SoakComparison: Codable, Hashable, Sendable {
  /// Microseconds that 99 % of the calls during the activity did not exceed.
  public var during: Double
  /// Microseconds that 99 % of the calls alone did not exceed.
  public var alone: Double

  /// How many times as long calls took; what a busy processor alone adds does not count.
  func ratio(_ tolerance: SoakTolerance) -> Double {
    max(during, tolerance.leastP99) / max(alone, tolerance.leastP99)
  }
}

/// How many times as long calls of one kind took beside an activity, in each round.
struct SoakRatios {
  /// Ascending; at least one.
  private let sorted: [Double]

  /// `nil`: nothing was compared.
  init?(_ comparisons: [SoakComparison], _ tolerance: SoakTolerance) {
    guard !comparisons.isEmpty else { return nil }
    sorted = comparisons.map { $0.ratio(tolerance) }.sorted()
  }

  var count: Int { sorted.count }
  /// What more than half of the rounds exceed or have; of two, the lesser.
  var median: Double { sorted[(sorted.count - 1) / 2] }
  var greatest: Double { sorted[sorted.count - 1] }
}
