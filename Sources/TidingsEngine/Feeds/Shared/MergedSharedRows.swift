/// The rows of several shares of a zone after a position in each, oldest or newest change first, read a few
/// at a time.
struct MergedSharedRows {
  /// Reads the next rows of a share behind a place, at most so many.
  typealias Fetch = (_ share: Int64, _ after: SharedPosition, _ count: Int) throws -> [SharedRow]

  /// Rows of one share that are in memory; `more` may follow.
  private struct Source: Comparable {
    var rows: ArraySlice<SharedRow>
    let first: SharedRow
    var mayHaveMore: Bool
    let isNewestFirst: Bool

    init?(_ rows: ArraySlice<SharedRow>, mayHaveMore: Bool, isNewestFirst: Bool) {
      guard let first = rows.first else { return nil }
      (self.rows, self.first, self.mayHaveMore) = (rows, first, mayHaveMore)
      self.isNewestFirst = isNewestFirst
    }

    static func < (a: Self, b: Self) -> Bool {
      a.isNewestFirst ? b.first < a.first : a.first < b.first
    }
    static func == (a: Self, b: Self) -> Bool { a.first == b.first }
  }

  private static let rowsOfAllMax = 8_192
  private static let rowsMax = 128

  private let fetch: Fetch
  private let batchCount: Int
  private var sources: Heap<Source>

  /// The rows behind these places.
  ///
  /// - Parameters:
  ///   - positions: Where to begin, by share; shares without changes may be omitted.
  ///   - newestFirst: `fetch` reads back from its position, newest change first.
  ///   - fetch: Reads rows.
  /// - Throws: What `fetch` throws.
  init(
    _ positions: [Int64: SharedPosition],
    newestFirst: Bool = false,
    _ fetch: @escaping Fetch
  ) rethrows {
    let count = max(2, min(Self.rowsMax, Self.rowsOfAllMax / max(positions.count, 1)))
    batchCount = count
    self.fetch = fetch
    sources = Heap(
      try positions.compactMap { share, position in
        let rows = try fetch(share, position, count)
        return Source(
          rows[...],
          mayHaveMore: rows.count == count,
          isNewestFirst: newestFirst
        )
      }
    )
  }

  /// The next row; `nil`: there are no more.
  mutating func next() throws -> SharedRow? {
    guard var source = sources.first else { return nil }
    let row = source.first
    source.rows.removeFirst()
    if source.rows.isEmpty, source.mayHaveMore {
      let location = SharedPosition(sequence: row.changed, name: row.name)
      let rows = try fetch(row.share, location, batchCount)
      source.rows = rows[...]
      source.mayHaveMore = rows.count == batchCount
    }
    sources.replaceFirst(
      with: Source(
        source.rows,
        mayHaveMore: source.mayHaveMore,
        isNewestFirst: source.isNewestFirst
      )
    )
    return row
  }
}
