internal import TidingsModel

/// Which rows of several ranges are repetitions: a range before led to the record already.
struct UnionRepetitions {
  private let ranges: [IndexedRange]
  private let indexes: [Int64: QueryPlanner.ReadyIndex]

  /// The repetitions of an access; `nil`: it has none.
  ///
  /// - Parameters:
  ///   - access: The access.
  ///   - ready: The indexes of the record type.
  init?(of access: QueryAccess, _ ready: [QueryPlanner.ReadyIndex]) {
    guard case .ranges(let ranges) = access else { return nil }
    indexes = Dictionary(uniqueKeysWithValues: ready.map { ($0.number, $0) })
    self.ranges = ranges
    // A value has one key, and no two ranges of one index have it.
    let areDisjoint = ranges.allSatisfy {
      $0.index == ranges[0].index && $0.range.upper <= .afterScalars
        && indexes[$0.index]?.kind == .ordered
    }
    if areDisjoint { return nil }
  }

  /// Whether a row is a repetition.
  ///
  /// - Parameters:
  ///   - record: The record as it was when the query began: its entries are looked at as of then.
  ///   - row: What led to it.
  /// - Returns: Whether a range before that of the row has an entry of the record.
  func contain(_ record: Record, _ row: VisitedRow) -> Bool {
    guard let number = row.range else { return false }
    var keys: [Int64: [IndexKey]] = [:]
    return ranges[..<number].contains { entries in
      if keys[entries.index] == nil, let index = indexes[entries.index] {
        keys[entries.index] = FieldIndex.keys(
          of: record.predicateValue(index.predicateName),
          index.kind
        )
      }
      return keys[entries.index]?.contains(where: entries.range.contains) ?? false
    }
  }
}
