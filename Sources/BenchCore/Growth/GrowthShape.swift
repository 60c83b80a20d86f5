internal import FoundationEssentials
internal import Glibc

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

  /// Whether `left` grows slower.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  private func value(at size: Int) -> Double {
    let size = Double(max(size, 1))
    return switch self {
    case .constant: 1
    case .logarithmic: log(size)
    case .squareRoot: size.squareRoot()
    case .linear: size
    case .linearithmic: size * log(size + 1)
    case .quadratic: size * size
    }
  }

  /// The relative error of the best sum of this shape, a logarithm and a constant, none of which is negative.
  ///
  /// A cost that is dominated by a slower part at small sizes is thus named by what it becomes at large ones.
  private static func error(of shape: Self, _ costs: [(size: Int, cost: Double)]) -> Double {
    let terms = allCases.filter { $0 <= min(shape, .logarithmic) || $0 == shape }
    // As parts of the cost: the sum is to be 1.
    let columns = terms.map { term in
      let scale = costs.map { term.value(at: $0.size) }.max() ?? 1
      return costs.map { term.value(at: $0.size) / max(scale, .leastNonzeroMagnitude) / $0.cost }
    }
    let subsets = (1..<1 << terms.count).map { mask in
      columns.indices.filter { mask >> $0 & 1 == 1 }.map { columns[$0] }
    }
    return subsets.compactMap { LeastSquares.error(of: $0) }.min() ?? .infinity
  }
}

/// Sums of columns that come close to 1 in each row.
private enum LeastSquares {
  /// Root of the mean square of what the best sum misses; `nil` when it is not unique or needs a negative part.
  static func error(of columns: [[Double]]) -> Double? {
    var rows = columns.map { left in
      columns.map { right in dot(left, right) } + [left.reduce(0, +)]
    }
    for pivot in rows.indices {
      guard
        let best = rows.indices[pivot...].max(by: { abs(rows[$0][pivot]) < abs(rows[$1][pivot]) })
      else { return nil }
      rows.swapAt(pivot, best)
      let largest = columns.map { dot($0, $0) }.max() ?? 1
      guard abs(rows[pivot][pivot]) > largest * 1e-12 else { return nil }
      for row in rows.indices where row != pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in rows[row].indices { rows[row][column] -= factor * rows[pivot][column] }
      }
    }
    let parts = rows.indices.map { rows[$0][columns.count] / rows[$0][$0] }
    guard parts.allSatisfy({ $0 >= 0 }), let count = columns.first?.count else { return nil }
    let squares = (0..<count).map { row in
      let sum = zip(parts, columns).reduce(0) { $0 + $1.0 * $1.1[row] }
      return (sum - 1) * (sum - 1)
    }
    return (squares.reduce(0, +) / Double(count)).squareRoot()
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
