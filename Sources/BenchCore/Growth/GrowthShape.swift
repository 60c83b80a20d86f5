internal import FoundationEssentials

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// How a cost grows with a size, in words; ordered from slow to fast.
public enum GrowthShape: String, CaseIterable, Comparable, Sendable {
  case constant
  case logarithmic
  case squareRoot = "square root"
  case linear
  case linearithmic = "n log n"
  case quadratic

  /// Two costs that differ by less are the same: processor times on a shared machine vary by that much.
  private static let noise = 1.6
  /// A shape that fits with this relative error needs no better one.
  private static let errorMax = 0.15
  /// A faster shape is named only if it fits so much better than a slower one.
  private static let advantage = 0.7

  /// Names the slowest shape that fits.
  ///
  /// Costs are compared by their ratios, so that a small size counts as much as a large one. A cost that falls is
  /// constant.
  ///
  /// - Parameter costs: Positive costs at rising sizes.
  public init(of costs: [(size: Int, cost: Double)]) {
    let values = costs.map(\.cost)
    guard let least = values.min(), let greatest = values.max(), greatest > least * Self.noise,
      let first = values.first, let last = values.last, last > first
    else {
      self = .constant
      return
    }
    var best = (shape: Self.constant, error: Self.error(of: .constant, costs))
    for shape in Self.allCases.dropFirst() {
      if best.error <= Self.errorMax { break }
      let error = Self.error(of: shape, costs)
      if error < best.error * Self.advantage { best = (shape, error) }
    }
    self = best.shape
  }

  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  private func value(at size: Int) -> Double {
    let size = Double(max(size, 1))
    return switch self {
    case .constant: 0
    case .logarithmic: log(size)
    case .squareRoot: size.squareRoot()
    case .linear: size
    case .linearithmic: size * log(size + 1)
    case .quadratic: size * size
    }
  }

  /// The relative error of the best `a + b · value`, with neither negative.
  private static func error(of shape: Self, _ costs: [(size: Int, cost: Double)]) -> Double {
    // Least squares, each point weighted with 1 / cost².
    var (w, wx, wxx, wy, wxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (size, cost) in costs {
      let (weight, x) = (1 / (cost * cost), shape.value(at: size))
      w += weight
      wx += weight * x
      wxx += weight * x * x
      wy += weight * cost
      wxy += weight * x * cost
    }
    let determinant = w * wxx - wx * wx
    var (a, b) = (wy / w, 0.0)
    if determinant > 0 {
      (a, b) = ((wy * wxx - wxy * wx) / determinant, (w * wxy - wx * wy) / determinant)
      if a < 0 { (a, b) = (0, wxy / wxx) }
      if b < 0 { (a, b) = (wy / w, 0) }
    }
    let squares = costs.map { size, cost in
      let ratio = (a + b * shape.value(at: size)) / cost - 1
      return ratio * ratio
    }
    return (squares.reduce(0, +) / Double(costs.count)).squareRoot()
  }
}
