/// How a quantity develops over a run: a line that a few outliers do not move.
public struct SoakTrend: Codable, Hashable, Sendable {
  /// Most points that are compared; of more, medians of neighbours are.
  private static let pointsMax = 300

  /// The least value.
  public var least: Double
  /// The middle value.
  public var median: Double
  /// The greatest value.
  public var greatest: Double
  /// By how much the line rises over the whole run.
  public var growth: Double

  /// The trend of values over time (Theil and Sen: the median of the slopes between all pairs).
  ///
  /// - Parameter points: When each value was measured, ascending, and the value; at least one.
  public init(_ points: [(second: Double, value: Double)]) {
    precondition(!points.isEmpty, "a trend of something")
    let values = points.map(\.value)
    least = values.min() ?? 0
    greatest = values.max() ?? 0
    median = values.median
    let thinned = Self.thinned(points)
    var slopes: [Double] = []
    for (index, later) in thinned.enumerated() {
      for earlier in thinned[..<index] where later.second > earlier.second {
        slopes.append((later.value - earlier.value) / (later.second - earlier.second))
      }
    }
    let span = points[points.count - 1].second - points[0].second
    growth = slopes.isEmpty ? 0 : slopes.median * span
  }

  private static func thinned(
    _ points: [(second: Double, value: Double)]
  ) -> [(second: Double, value: Double)] {
    guard points.count > pointsMax else { return points }
    let step = (points.count + pointsMax - 1) / pointsMax
    return stride(from: 0, to: points.count, by: step).map { first in
      let part = points[first..<min(first + step, points.count)]
      return (part.map(\.second).median, part.map(\.value).median)
    }
  }
}
