internal import TidingsModel
internal import TidingsSQL

/// An entry of an index, without its record.
struct VisitedEntry {
  let key: IndexKey
  let name: String
  /// It is true now, not only as of the query's begin.
  let isCurrent: Bool
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

  init(_ connection: any SQLConnection) throws {
    named = try connection.prepare(
      """
      SELECT x'', name, until IS NULL FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name >= ?4
        AND since <= ?5 AND (until IS NULL OR until > ?5)
      ORDER BY name LIMIT ?6
      """
    )
    func range(_ place: String, _ order: String) throws(SQLError) -> any SQLStatement {
      try connection.prepare(
        """
        SELECT key, name, until IS NULL FROM index_entries
        WHERE index_id = ?1 AND zone_id = ?2 AND \(place)
          AND since <= ?6 AND (until IS NULL OR until > ?6)
        ORDER BY \(order) LIMIT ?7
        """
      )
    }
    forwards = try range("(key, name) >= (?3, ?4) AND key < ?5", "key, name")
    backwards = try range("(key, name) < (?3, ?4) AND key >= ?5", "key DESC, name DESC")
    countRange = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM index_entries
        WHERE index_id = ?1 AND zone_id = ?2 AND key >= ?3 AND key < ?4 LIMIT ?5
      )
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
    named.bind(index, at: 1)
    named.bind(zone.number, at: 2)
    named.bind(key.bytes, at: 3)
    named.bind(name, at: 4)
    named.bind(zone.head, at: 5)
    named.bind(Int64(Self.entriesMax), at: 6)
    return try entries(of: named)
  }

  /// The next entries of a range, by key and name.
  func ordered(
    _ index: Int64,
    _ range: KeyRange,
    isDescending: Bool,
    in zone: QueryZone,
    from place: (key: IndexKey, name: String),
    limit: Int
  ) throws -> [VisitedEntry] {
    let statement = isDescending ? backwards : forwards
    statement.bind(index, at: 1)
    statement.bind(zone.number, at: 2)
    statement.bind(place.key.bytes, at: 3)
    statement.bind(place.name, at: 4)
    statement.bind((isDescending ? range.lower : range.upper).bytes, at: 5)
    statement.bind(zone.head, at: 6)
    statement.bind(Int64(limit), at: 7)
    return try entries(of: statement)
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

/// The entries of one key in one zone, at one of them.
struct NamedEntries: Comparable {
  private let index: Int64
  private let key: IndexKey
  private let zone: QueryZone
  private var batch: [VisitedEntry]
  private var place = 0

  /// The entries from a name on; `nil` when there are none.
  init?(
    _ index: Int64,
    _ key: IndexKey,
    _ zone: QueryZone,
    from name: String,
    _ batches: EntryBatches
  ) throws {
    (self.index, self.key, self.zone) = (index, key, zone)
    batch = try batches.named(index, key, in: zone, from: name)
    if batch.isEmpty { return nil }
  }

  var name: String { batch[place].name }
  var isCurrent: Bool { batch[place].isCurrent }

  /// The same at the next entry; `nil` when there is none.
  func next(_ batches: EntryBatches) throws -> NamedEntries? {
    var next = self
    next.place += 1
    if next.place == batch.count {
      guard batch.count == EntryBatches.entriesMax else { return nil }
      // Names are printable: nothing stands between a name and this.
      next.batch = try batches.named(index, key, in: zone, from: name + "\u{1}")
      next.place = 0
      if next.batch.isEmpty { return nil }
    }
    return next
  }

  static func < (a: Self, b: Self) -> Bool { a.name < b.name }
  static func == (a: Self, b: Self) -> Bool { a.name == b.name }
}

/// The entries of a range in one zone, at one of them.
struct OrderedEntries: Comparable {
  let zone: QueryZone
  private let index: Int64
  private let range: KeyRange
  private let isDescending: Bool
  private let batchCount: Int
  private var batch: [VisitedEntry]
  private var place = 0

  /// The entries from a place on; `nil` when there are none.
  init?(
    _ index: Int64,
    _ range: KeyRange,
    isDescending: Bool,
    _ zone: QueryZone,
    from place: (key: IndexKey, name: String),
    batchCount: Int,
    _ batches: EntryBatches
  ) throws {
    (self.index, self.range, self.isDescending, self.zone) = (index, range, isDescending, zone)
    self.batchCount = batchCount
    batch = try batches.ordered(
      index,
      range,
      isDescending: isDescending,
      in: zone,
      from: place,
      limit: batchCount
    )
    if batch.isEmpty { return nil }
  }

  var key: IndexKey { batch[place].key }
  var name: String { batch[place].name }
  var isCurrent: Bool { batch[place].isCurrent }

  /// The same at the next entry; `nil` when there is none.
  func next(_ batches: EntryBatches) throws -> OrderedEntries? {
    var next = self
    next.place += 1
    if next.place == batch.count {
      guard batch.count == batchCount else { return nil }
      next.batch = try batches.ordered(
        index,
        range,
        isDescending: isDescending,
        in: zone,
        from: (key, isDescending ? name : name + "\u{1}"),
        limit: batchCount
      )
      next.place = 0
      if next.batch.isEmpty { return nil }
    }
    return next
  }

  static func < (a: Self, b: Self) -> Bool {
    let (first, second) = a.isDescending ? (b, a) : (a, b)
    if first.key != second.key { return first.key < second.key }
    return (first.zone.number, first.name) < (second.zone.number, second.name)
  }

  static func == (a: Self, b: Self) -> Bool { !(a < b) && !(b < a) }
}
