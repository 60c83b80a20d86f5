/// The upper bounds of a histogram's buckets, and what a unit of them is worth.
package struct HistogramBounds: Hashable, Sendable {
  /// Ascending, in the unit in which values are noted; a last bucket has no bound.
  package let bounds: [UInt64]
  /// What a noted unit is of the exported one: 1e-9 for nanoseconds that are exported as seconds.
  package let scale: Double

  /// Bounds of at least one bucket.
  package init(_ bounds: [UInt64], scale: Double = 1) {
    precondition(!bounds.isEmpty && bounds == bounds.sorted(), "bounds ascend")
    (self.bounds, self.scale) = (bounds, scale)
  }

  /// Durations from 50 µs to 10 s, noted in nanoseconds and exported in seconds.
  package static let durations = Self(
    [
      50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
      50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
      10_000_000_000,
    ],
    scale: 1e-9
  )

  /// How many of something there are at a time.
  package static let counts = Self([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024])
}

/// Counts values by size: plain numbers, without a lock, for the one thread that notes them.
package struct Histogram: Sendable {
  private var table: HistogramTable

  /// An empty histogram.
  package init(_ bounds: HistogramBounds) {
    table = HistogramTable(bounds)
    _ = table.addSeries()
  }

  /// Adds values of the same size.
  @inline(__always)
  package mutating func note(_ value: UInt64, count: UInt64 = 1) { table.note(value, count, in: 0) }

  /// What was noted so far.
  package var snapshot: HistogramSnapshot { table.snapshot(0) }
}

/// Histograms with the same bounds, side by side in one piece of memory.
package struct HistogramTable: Sendable {
  /// The bounds of all of them.
  package let bounds: HistogramBounds
  /// Of each series: a count for each bucket, one for what exceeds all bounds, and the sum.
  private var cells: [UInt64] = []
  private let stride: Int

  /// No series.
  package init(_ bounds: HistogramBounds) {
    self.bounds = bounds
    stride = bounds.bounds.count + 2
  }

  /// Adds an empty series.
  ///
  /// - Returns: Its index.
  package mutating func addSeries() -> Int {
    cells.append(contentsOf: repeatElement(0, count: stride))
    return cells.count / stride - 1
  }

  /// Adds values of the same size to a series.
  package mutating func note(_ value: UInt64, _ count: UInt64 = 1, in series: Int) {
    let bounds = bounds.bounds
    var bucket = 0
    while bucket < bounds.count, bounds[bucket] < value { bucket += 1 }
    let first = series * stride
    cells[first + bucket] &+= count
    cells[first + stride - 1] &+= value &* count
  }

  /// What was noted in a series.
  package func snapshot(_ series: Int) -> HistogramSnapshot {
    let first = series * stride
    return HistogramSnapshot(
      bounds: bounds.bounds.map { Double($0) * bounds.scale },
      counts: Array(cells[first..<first + stride - 1]),
      sum: Double(cells[first + stride - 1]) * bounds.scale
    )
  }
}

/// What a histogram counted, in its exported unit.
package struct HistogramSnapshot: Hashable, Sendable {
  /// Ascending upper bounds of the buckets, inclusive.
  package var bounds: [Double]
  /// A count for each bucket, not added up, and one for what exceeds all bounds.
  package var counts: [UInt64]
  /// The sum of all values.
  package var sum: Double

  /// A snapshot; `counts` has one element more than `bounds`.
  package init(bounds: [Double], counts: [UInt64], sum: Double) {
    (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
  }

  /// How many values there were.
  package var count: UInt64 { counts.reduce(0, &+) }
}
