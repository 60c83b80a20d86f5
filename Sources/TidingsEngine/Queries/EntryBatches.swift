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

/// What is read of a range in one zone.
struct EntryRequest {
  let index: Int64
  let range: KeyRange
  let zone: QueryZone
  let position: EntryPosition
  /// Most entries.
  let limit: Int
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

  private let connection: any SQLConnection
  private let named: SimilarStatements
  private let forwards: SimilarStatements
  private let backwards: SimilarStatements
  private let countRange: SimilarStatements
  private let selectFirst: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    self.connection = connection
    named = try SimilarStatements(
      connection,
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name >= ?4
        AND since <= ?5 AND (until IS NULL OR until > ?5)
      ORDER BY name LIMIT ?6
      """
    )
    forwards = try SimilarStatements(
      connection,
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND (key, name) >= (?3, ?4) AND key < ?5
        AND since <= ?6 AND (until IS NULL OR until > ?6)
      ORDER BY key, name LIMIT ?7
      """
    )
    backwards = try SimilarStatements(
      connection,
      """
      SELECT key, name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key < ?3 AND key >= ?4
        AND since <= ?5 AND (until IS NULL OR until > ?5)
      ORDER BY key DESC, name DESC LIMIT ?6
      """
    )
    countRange = try SimilarStatements(
      connection,
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
    from name: String
  ) throws -> [VisitedEntry] {
    let statement = try named[0]
    bind(index, key, zone, from: name, limit: Self.entriesMax, to: statement)
    return try entries(of: statement)
  }

  /// The next entries of ranges, at most `SimilarStatements.countMax`: by key in either direction, those of one key
  /// by name.
  func ordered(_ requests: [EntryRequest]) throws -> [EntryBatch] {
    let statements = try requests.enumerated().map { try statement(of: $1, number: $0) }
    if statements.count > 1 { try connection.readAhead(statements) }
    return try zip(requests, statements).map { request, statement in
      // What is read besides uses the first statements, which were read.
      try batch(request, entries(of: statement))
    }
  }

  private func statement(
    of request: EntryRequest,
    number: Int
  ) throws(SQLError) -> any SQLStatement {
    let (index, range, zone) = (request.index, request.range, request.zone)
    switch request.position {
    case .ascending(let key, let name):
      let statement = try forwards[number]
      statement.bind(index, at: 1)
      statement.bind(zone.number, at: 2)
      statement.bind(key.bytes, at: 3)
      statement.bind(name, at: 4)
      statement.bind(range.upper.bytes, at: 5)
      statement.bind(zone.head, at: 6)
      statement.bind(Int64(request.limit), at: 7)
      return statement
    case .descending(let key, let name):
      let statement = try named[number]
      bind(index, key, zone, from: name, limit: request.limit, to: statement)
      return statement
    case .below(let key):
      let statement = try backwards[number]
      statement.bind(index, at: 1)
      statement.bind(zone.number, at: 2)
      statement.bind(key.bytes, at: 3)
      statement.bind(range.lower.bytes, at: 4)
      statement.bind(zone.head, at: 5)
      statement.bind(Int64(request.limit), at: 6)
      return statement
    }
  }

  private func bind(
    _ index: Int64,
    _ key: IndexKey,
    _ zone: QueryZone,
    from name: String,
    limit: Int,
    to statement: any SQLStatement
  ) {
    statement.bind(index, at: 1)
    statement.bind(zone.number, at: 2)
    statement.bind(key.bytes, at: 3)
    statement.bind(name, at: 4)
    statement.bind(zone.head, at: 5)
    statement.bind(Int64(limit), at: 6)
  }

  /// What was read, and where it continues.
  private func batch(_ request: EntryRequest, _ entries: [VisitedEntry]) throws -> EntryBatch {
    switch request.position {
    case .ascending:
      guard entries.count == request.limit, let last = entries.last else {
        return EntryBatch(entries)
      }
      return EntryBatch(entries, next: .ascending(last.key, last.name.following))
    case .descending(let key, _):
      if entries.count == request.limit, let last = entries.last {
        return EntryBatch(entries, next: .descending(key, last.name.following))
      }
      if !entries.isEmpty { return EntryBatch(entries, next: .below(key)) }
      return try batch(request, from: .below(key))
    case .below:
      guard entries.count == request.limit, let last = entries.last?.key else {
        return EntryBatch(entries.withNamesAscending)
      }
      // Of the last key there may be more, whose names come first.
      guard let whole = entries.last(where: { $0.key != last })?.key else {
        return try batch(request, from: .descending(last, ""))
      }
      let complete = Array(entries.prefix { $0.key != last })
      return EntryBatch(complete.withNamesAscending, next: .below(whole))
    }
  }

  private func batch(_ request: EntryRequest, from position: EntryPosition) throws -> EntryBatch {
    let other = EntryRequest(
      index: request.index,
      range: request.range,
      zone: request.zone,
      position: position,
      limit: request.limit
    )
    return try batch(other, entries(of: statement(of: other, number: 0)))
  }

  /// Counts entries of ranges, at most `SimilarStatements.countMax`, up to a bound; ended ones are among them.
  func count(
    _ ranges: [(zone: QueryZone, entries: IndexedRange)],
    upTo limit: Int
  ) throws(SQLError) -> Int {
    var statements: [any SQLStatement] = []
    for (zone, entries) in ranges {
      let statement = try countRange[statements.count]
      statement.bind(entries.index, at: 1)
      statement.bind(zone.number, at: 2)
      statement.bind(entries.range.lower.bytes, at: 3)
      statement.bind(entries.range.upper.bytes, at: 4)
      statement.bind(Int64(limit), at: 5)
      statements.append(statement)
    }
    if statements.count > 1 { try connection.readAhead(statements) }
    defer { for statement in statements { statement.reset() } }
    var count = 0
    for statement in statements where count < limit {
      if try statement.step() { count += Int(statement.int64(0)) }
    }
    return min(count, limit)
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
