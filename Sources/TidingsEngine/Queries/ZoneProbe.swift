internal import TidingsModel
internal import TidingsSQL

/// Finds out which of many zones have anything, and where it begins: with one statement for many zones.
///
/// There is no index over the zones of a database: each save of each user would pay for it. A seek for each zone in
/// the one that there is takes microseconds; a statement for each zone takes a wait where the store is remote.
final class ZoneProbe {
  /// Zones of a statement.
  static let zonesMax = 512
  /// What no zone has, in place of those that a statement lacks.
  private static let noZone: Int64 = -1

  private let lowest: any SQLStatement
  private let highest: any SQLStatement
  private let named: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    let list = { (first: Int) in
      (first..<first + Self.zonesMax).map { $0 == first ? "(CAST(?\($0) AS BIGINT))" : "(?\($0))" }
        .joined(separator: ", ")
    }
    lowest = try connection.prepare(
      """
      SELECT z.column1, (
        SELECT key FROM index_entries
        WHERE index_id = ?1 AND zone_id = z.column1 AND key >= ?2 AND key < ?3
        ORDER BY key LIMIT 1
      ) FROM (VALUES \(list(4))) AS z
      """
    )
    highest = try connection.prepare(
      """
      SELECT z.column1, (
        SELECT key FROM index_entries
        WHERE index_id = ?1 AND zone_id = z.column1 AND key >= ?2 AND key < ?3
        ORDER BY key DESC LIMIT 1
      ) FROM (VALUES \(list(4))) AS z
      """
    )
    named = try connection.prepare(
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
  ///   - zones: At most `zonesMax`.
  ///   - isDescending: The first key is the highest one.
  /// - Returns: The zones in their order, and the keys.
  /// - Throws: `SQLError`.
  func firstKeys(
    _ index: Int64,
    _ range: KeyRange,
    in zones: ArraySlice<QueryZone>,
    isDescending: Bool = false
  ) throws -> [(zone: QueryZone, key: IndexKey)] {
    let statement = isDescending ? highest : lowest
    statement.bind(index, at: 1)
    statement.bind(range.lower.bytes, at: 2)
    statement.bind(range.upper.bytes, at: 3)
    return try found(by: statement, zones, at: 4) { IndexKey(bytes: statement.bytes(1)) }
  }

  /// The zones that have records, deleted ones too, with names from one up to another.
  func zones(
    _ zones: ArraySlice<QueryZone>,
    havingNamesFrom from: String,
    to: String
  ) throws -> [QueryZone] {
    named.bind(from, at: 1)
    named.bind(to, at: 2)
    return try found(by: named, zones, at: 3) {}.map(\.zone)
  }

  private func found<Value>(
    by statement: any SQLStatement,
    _ zones: ArraySlice<QueryZone>,
    at parameter: Int,
    _ value: () -> Value
  ) throws -> [(zone: QueryZone, key: Value)] {
    precondition(zones.count <= Self.zonesMax, "a statement has so many zones")
    if zones.isEmpty { return [] }
    for offset in 0..<Self.zonesMax {
      let zone = zones.startIndex + offset
      statement.bind(
        zone < zones.endIndex ? zones[zone].number : Self.noZone,
        at: parameter + offset
      )
    }
    var values: [Int64: Value] = [:]
    try statement.forEachRow {
      if !statement.isNull(1) { values[statement.int64(0)] = value() }
    }
    return zones.compactMap { zone in values[zone.number].map { (zone, $0) } }
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
