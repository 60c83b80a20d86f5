internal import TidingsModel
internal import TidingsSQL

/// Finds out which of many zones have anything, and where it begins: with one statement for many zones.
///
/// There is no index over the zones of a database: each save of each user would pay for it. A seek for each zone in
/// the one that there is takes microseconds; a statement for each zone takes a wait where the store is remote.
final class ZoneProbe {
  /// Zones of a statement.
  static let zonesMax = 512
  /// Statements that are sent together.
  private static let statementsMax = 4
  /// Zones that are looked at together.
  static let zonesTogetherMax = statementsMax * zonesMax
  /// What no zone has, in place of those that a statement lacks.
  private static let noZone: Int64 = -1

  private let connection: any SQLConnection
  private let lowest: SimilarStatements
  private let highest: SimilarStatements
  private let named: SimilarStatements

  init(_ connection: any SQLConnection) throws {
    self.connection = connection
    let list = { (first: Int) in
      (first..<first + Self.zonesMax).map { $0 == first ? "(CAST(?\($0) AS BIGINT))" : "(?\($0))" }
        .joined(separator: ", ")
    }
    lowest = try SimilarStatements(
      connection,
      """
      SELECT z.column1, (
        SELECT key FROM index_entries
        WHERE index_id = ?1 AND zone_id = z.column1 AND key >= ?2 AND key < ?3
        ORDER BY key LIMIT 1
      ) FROM (VALUES \(list(4))) AS z
      """
    )
    highest = try SimilarStatements(
      connection,
      """
      SELECT z.column1, (
        SELECT key FROM index_entries
        WHERE index_id = ?1 AND zone_id = z.column1 AND key >= ?2 AND key < ?3
        ORDER BY key DESC LIMIT 1
      ) FROM (VALUES \(list(4))) AS z
      """
    )
    named = try SimilarStatements(
      connection,
      """
      SELECT z.column1, (
        SELECT 1 FROM records WHERE zone_id = z.column1 AND name >= ?1 AND name < ?2 LIMIT 1
      ) FROM (VALUES \(list(3))) AS z
      """
    )
  }

  /// The first key of a range that has an entry, an ended one too, of each zone that has one.
  ///
  /// - Parameters:
  ///   - index: The number of the index.
  ///   - range: The keys.
  ///   - zones: At most `zonesTogetherMax`.
  ///   - isDescending: The first key is the highest one.
  /// - Returns: The zones in their order, and the keys.
  /// - Throws: `SQLError`.
  func firstKeys(
    _ index: Int64,
    _ range: KeyRange,
    in zones: ArraySlice<QueryZone>,
    isDescending: Bool = false
  ) throws -> [(zone: QueryZone, key: IndexKey)] {
    let (lower, upper) = (range.lower.bytes, range.upper.bytes)
    return try found(by: isDescending ? highest : lowest, zones, at: 4) { statement in
      statement.bind(index, at: 1)
      statement.bind(lower, at: 2)
      statement.bind(upper, at: 3)
    } value: {
      IndexKey(bytes: $0.bytes(1))
    }
  }

  /// The zones that have records, deleted ones too, with names from one up to another.
  func zones(
    _ zones: ArraySlice<QueryZone>,
    havingNamesFrom from: String,
    to: String
  ) throws -> [QueryZone] {
    try found(by: named, zones, at: 3) { statement in
      statement.bind(from, at: 1)
      statement.bind(to, at: 2)
    } value: { _ in
    }
    .map(\.zone)
  }

  private func found<Value>(
    by similar: SimilarStatements,
    _ zones: ArraySlice<QueryZone>,
    at parameter: Int,
    bind: (any SQLStatement) -> Void,
    value: (any SQLStatement) -> Value
  ) throws -> [(zone: QueryZone, key: Value)] {
    precondition(zones.count <= Self.zonesTogetherMax, "more are looked at in parts")
    var statements: [any SQLStatement] = []
    for start in stride(from: zones.startIndex, to: zones.endIndex, by: Self.zonesMax) {
      let statement = try similar[statements.count]
      bind(statement)
      for offset in 0..<Self.zonesMax {
        let zone = start + offset
        statement.bind(
          zone < zones.endIndex ? zones[zone].number : Self.noZone,
          at: parameter + offset
        )
      }
      statements.append(statement)
    }
    if statements.count > 1 { try connection.readAhead(statements) }
    var found: [(zone: QueryZone, key: Value)] = []
    var next = zones.startIndex
    for statement in statements {
      try statement.forEachRow {
        guard !statement.isNull(1) else { return }
        let number = statement.int64(0)
        // Most rows come in the order of the list.
        while next < zones.endIndex, zones[next].number < number { next += 1 }
        if next == zones.endIndex || zones[next].number != number {
          next = zones.firstIndex(from: number)
        }
        found.append((zones[next], value(statement)))
      }
    }
    let isSorted = zip(found, found.dropFirst()).allSatisfy { $0.zone.number < $1.zone.number }
    return isSorted ? found : found.sorted { $0.zone.number < $1.zone.number }
  }
}

extension [IndexedRange] {
  /// Ranges that contain all of these: themselves, unless they are many.
  var spans: [IndexedRange] {
    let spansMax = 8
    guard count > spansMax else { return self }
    var spans: [Int64: KeyRange] = [:]
    for entries in self {
      let known = spans[entries.index] ?? entries.range
      spans[entries.index] = KeyRange(
        lower: Swift.min(known.lower, entries.range.lower),
        upper: Swift.max(known.upper, entries.range.upper)
      )
    }
    return spans.map { IndexedRange(index: $0.key, range: $0.value) }
  }
}
