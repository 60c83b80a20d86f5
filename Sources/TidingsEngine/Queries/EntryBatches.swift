internal import TidingsModel
internal import TidingsSQL

/// An entry of an index, without its record.
struct VisitedEntry {
  let key: IndexKey
  let name: String
  /// It is true now, not only as of the query's begin.
  let isCurrent: Bool
}

/// Where entries of a range go on.
enum EntryPosition {
  /// From this key and name on.
  case ascending(IndexKey, String)
  /// At this key, from this name on; then at lower keys, the highest first.
  case descending(IndexKey, String)
  /// At lower keys than this one, the highest first.
  case below(IndexKey)
}

/// Some entries of a range.
struct EntryBatch {
  let entries: [VisitedEntry]
  /// Where the next batch begins; `nil`: this was the last.
  let next: EntryPosition?

  init(_ entries: [VisitedEntry], next: EntryPosition? = nil) {
    (self.entries, self.next) = (entries, next)
  }
}

/// Reads entries a few at a time, so that many sources can be merged.
final class EntryBatches {
  /// Entries of one source that are in memory.
  static let entriesMax = 32
  /// Entries of all sources of an order that are in memory, and at least two of each.
  private static let entriesOfAllMax = 8_192

  /// Entries of one of so many sources.
  static func entries(sources count: Int) -> Int {
    max(2, min(entriesMax, entriesOfAllMax / max(count, 1)))
  }

  private let named: any SQLStatement
  private let forwards: any SQLStatement
  private let backwards: any SQLStatement
  private let countRange: any SQLStatement
  private let selectFirst: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    named = try connection.prepare(
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name >= ?4
        AND since <= ?5 AND (until IS NULL OR until > ?5)
      ORDER BY name LIMIT ?6
      """
    )
    forwards = try connection.prepare(
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND (key, name) >= (?3, ?4) AND key < ?5
        AND since <= ?6 AND (until IS NULL OR until > ?6)
      ORDER BY key, name LIMIT ?7
      """
    )
    backwards = try connection.prepare(
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key < ?3 AND key >= ?4
        AND since <= ?5 AND (until IS NULL OR until > ?5)
      ORDER BY key DESC, name DESC LIMIT ?6
      """
    )
    countRange = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM index_entries
        WHERE index_id = ?1 AND zone_id = ?2 AND key >= ?3 AND key < ?4 LIMIT ?5
      ) AS entries
      """
    )
    selectFirst = try connection.prepare(
      """
      SELECT key FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key >= ?3 AND key < ?4 ORDER BY key LIMIT 1
      """
    )
  }

  /// The next entries of one key, by name.
  func named(
    _ index: Int64,
    _ key: IndexKey,
    in zone: QueryZone,
    from name: String,
    limit: Int = entriesMax
  ) throws -> [VisitedEntry] {
    named.bind(index, at: 1)
    named.bind(zone.number, at: 2)
    named.bind(key.bytes, at: 3)
    named.bind(name, at: 4)
    named.bind(zone.head, at: 5)
    named.bind(Int64(limit), at: 6)
    return try entries(of: named)
  }

  /// The next entries of a range: by key in either direction, those of one key by name.
  func ordered(
    _ index: Int64,
    _ range: KeyRange,
    in zone: QueryZone,
    from location: EntryPosition,
    limit: Int
  ) throws -> EntryBatch {
    switch location {
    case .ascending(let key, let name):
      let entries = try forwards(index, range, in: zone, from: (key, name), limit: limit)
      guard entries.count == limit, let last = entries.last else { return EntryBatch(entries) }
      return EntryBatch(entries, next: .ascending(last.key, last.name.following))
    case .descending(let key, let name):
      let entries = try named(index, key, in: zone, from: name, limit: limit)
      if entries.count == limit, let last = entries.last {
        return EntryBatch(entries, next: .descending(key, last.name.following))
      }
      if !entries.isEmpty { return EntryBatch(entries, next: .below(key)) }
      return try ordered(index, range, in: zone, from: .below(key), limit: limit)
    case .below(let key):
      let entries = try backwards(index, range, in: zone, below: key, limit: limit)
      guard entries.count == limit, let last = entries.last?.key else {
        return EntryBatch(entries.withNamesAscending)
      }
      // Of the last key there may be more, whose names come first.
      guard let whole = entries.last(where: { $0.key != last })?.key else {
        return try ordered(index, range, in: zone, from: .descending(last, ""), limit: limit)
      }
      let complete = Array(entries.prefix { $0.key != last })
      return EntryBatch(complete.withNamesAscending, next: .below(whole))
    }
  }

  private func forwards(
    _ index: Int64,
    _ range: KeyRange,
    in zone: QueryZone,
    from location: (key: IndexKey, name: String),
    limit: Int
  ) throws -> [VisitedEntry] {
    forwards.bind(index, at: 1)
    forwards.bind(zone.number, at: 2)
    forwards.bind(location.key.bytes, at: 3)
    forwards.bind(location.name, at: 4)
    forwards.bind(range.upper.bytes, at: 5)
    forwards.bind(zone.head, at: 6)
    forwards.bind(Int64(limit), at: 7)
    return try entries(of: forwards)
  }

  private func backwards(
    _ index: Int64,
    _ range: KeyRange,
    in zone: QueryZone,
    below key: IndexKey,
    limit: Int
  ) throws -> [VisitedEntry] {
    backwards.bind(index, at: 1)
    backwards.bind(zone.number, at: 2)
    backwards.bind(key.bytes, at: 3)
    backwards.bind(range.lower.bytes, at: 4)
    backwards.bind(zone.head, at: 5)
    backwards.bind(Int64(limit), at: 6)
    return try entries(of: backwards)
  }

  /// Counts entries of a range, ended ones among them, up to a bound.
  func count(
    _ index: Int64,
    _ range: KeyRange,
    in zone: QueryZone,
    upTo limit: Int
  ) throws(SQLError) -> Int {
    countRange.bind(index, at: 1)
    countRange.bind(zone.number, at: 2)
    countRange.bind(range.lower.bytes, at: 3)
    countRange.bind(range.upper.bytes, at: 4)
    countRange.bind(Int64(limit), at: 5)
    defer { countRange.reset() }
    return try countRange.step() ? Int(countRange.int64(0)) : 0
  }

  /// The first key of a range that has an entry, an ended one too.
  func firstKey(
    _ index: Int64,
    _ range: KeyRange,
    in zone: QueryZone
  ) throws(SQLError) -> IndexKey? {
    selectFirst.bind(index, at: 1)
    selectFirst.bind(zone.number, at: 2)
    selectFirst.bind(range.lower.bytes, at: 3)
    selectFirst.bind(range.upper.bytes, at: 4)
    defer { selectFirst.reset() }
    return try selectFirst.step() ? IndexKey(bytes: selectFirst.bytes(0)) : nil
  }

  private func entries(of statement: any SQLStatement) throws -> [VisitedEntry] {
    var entries: [VisitedEntry] = []
    try statement.forEachRow {
      entries.append(
        VisitedEntry(
          key: IndexKey(bytes: statement.bytes(0)),
          name: statement.string(1),
          isCurrent: statement.int64(2) != 0
        )
      )
    }
    return entries
  }
}

extension [VisitedEntry] {
  /// Entries by descending key and name, with the names of each key ascending.
  fileprivate var withNamesAscending: Self {
    var result: Self = []
    result.reserveCapacity(count)
    var rest = self[...]
    while let key = rest.first?.key {
      let group = rest.prefix { $0.key == key }
      result += group.reversed()
      rest = rest.dropFirst(group.count)
    }
    return result
  }
}

extension String {
  /// A text between this name and all that come behind it: names are printable.
  var following: String { self + "\u{1}" }
}
