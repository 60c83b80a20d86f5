/// What an operation costs at one size.
public struct GrowthPoint: Codable, Hashable, Sendable {
  /// How many there are of what the axis counts.
  public var size: Int
  /// Microseconds of processor time of the server that an operation took.
  public var processor: Double
  /// Microseconds that half of the operations did not exceed, one after the other.
  public var p50: Double

  /// A point from its numbers.
  public init(size: Int, processor: Double, p50: Double) {
    (self.size, self.processor, self.p50) = (size, processor, p50)
  }
}

/// What grows.
public enum GrowthAxis: String, Codable, CaseIterable, Sendable {
  case records
  case subscriptions
  case connections
  case zones

  /// The sizes to measure: decades, and the largest one.
  ///
  /// - Parameter largest: A bound for all axes.
  /// - Returns: Rising sizes.
  public func sizes(largest: Int) -> [Int] {
    let (first, last) =
      switch self {
      case .records: (1_000, 10_000_000)
      case .subscriptions: (1, 1_000_000)
      case .connections: (1, 2_000)
      case .zones: (1, 10_000)
      }
    let bound = min(last, max(largest, first))
    let decades = sequence(first: first) { $0 < bound ? min($0 * 10, bound) : nil }
    return Array(decades)
  }
}

/// What an operation costs as the store or the load grows.
public struct GrowthCurve: Codable, Hashable, Sendable {
  /// The operation, for people.
  public var operation: String
  /// What grows.
  public var axis: GrowthAxis
  /// The operation handles all that the axis counts, so its cost may grow with it.
  public var handlesAll: Bool
  /// In the order of their sizes.
  public var points: [GrowthPoint]

  /// A curve from its parts.
  public init(
    operation: String,
    axis: GrowthAxis,
    handlesAll: Bool = false,
    points: [GrowthPoint] = []
  ) {
    (self.operation, self.axis) = (operation, axis)
    (self.handlesAll, self.points) = (handlesAll, points)
  }

  /// How the processor time grows.
  public var shape: GrowthShape {
    GrowthShape(of: points.map { ($0.size, $0.processor) })
  }

  /// Whether it grows no faster than it may.
  public var isAcceptable: Bool { shape <= (handlesAll ? .linearithmic : .logarithmic) }
}
