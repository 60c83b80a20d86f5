internal import TidingsModel

/// Which rows of an access by ranges are repetitions: an entry before led to the record already.
struct UnionRepetitions {
  private let ranges: [IndexedRange]
  private let indexes: [Int64: QueryPlanner.ReadyIndex]

  /// The repetitions of an access; `nil`: it has none.
  ///
  /// - Parameters:
  ///   - access: The access.
  ///   - ready: The indexes of the record type.
  init?(of access: QueryAccess, _ ready: [QueryPlanner.ReadyIndex]) {
    switch access {
    case .range(let index, let range): ranges = [IndexedRange(index: index, range: range)]
    case .ranges(let several): ranges = several
    // Of a sort, or merged by name.
    case .scan, .named, .keys, .ordered: return nil
    }
    indexes = Dictionary(uniqueKeysWithValues: ready.map { ($0.number, $0) })
    // A record has one entry of a key.
    if ranges.count == 1, ranges[0].range.key != nil { return nil }
    // A scalar has one key, and no two ranges of one index have it; a list has a key for each member.
    let areScalars = ranges.allSatisfy {
      $0.index == ranges[0].index && $0.range.upper <= .afterScalars
        && indexes[$0.index]?.kind == .ordered
    }
    if areScalars { return nil }
  }

  /// Whether a row is a repetition.
  ///
  /// - Parameters:
  ///   - record: The record as it was when the query began: its entries are looked at as of then.
  ///   - row: What led to it.
  /// - Returns: Whether the record has an entry in a range before that of the row, or before it in the same one.
  func contain(_ record: Record, _ row: VisitedRow) -> Bool {
    let (last, key) = (row.range ?? 0, row.key)
    var keys: [Int64: [IndexKey]] = [:]
    return ranges[...last].indices.contains { number in
      let entries = ranges[number]
      if keys[entries.index] == nil, let index = indexes[entries.index] {
        keys[entries.index] = FieldIndex.keys(
          of: record.predicateValue(index.predicateName),
          index.kind
        )
      }
      let own = keys[entries.index] ?? []
      return own.contains { entries.range.contains($0) && (number < last || $0 < key) }
    }
  }
}
