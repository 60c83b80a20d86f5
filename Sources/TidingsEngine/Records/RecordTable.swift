internal import TidingsModel
internal import TidingsSQL

/// The rows of records: their current state, or their tombstones.
final class RecordTable {
  /// A record as stored.
  struct Row {
    /// The row's number in the store; `nil` until it is written.
    var number: Int64?
    /// The zone's number at the record's last change.
    var sequence: Int64
    /// The record's type.
    var recordType: String
    /// The encoded record; `nil` for a tombstone.
    var body: [UInt8]?
    /// The version before, in the `AncestorLog`; `nil` for the first one.
    var previous: Int64?
    /// Of a tombstone in a public database, the user who created the record; `nil`: not known.
    var creator: String?

    /// The change tag: the sequence in base 36.
    var changeTag: String { RecordTable.changeTag(sequence) }
  }

  /// A name in a zone, by the zone's number.
  struct Key: Hashable {
    let zone: Int64
    let name: String
  }

  /// What calls are going to read, read ahead.
  let ahead: RowsAhead<Key, Row>

  /// Rows that are there are read by their names and replaced by their numbers: these statements meet no row that is
  /// still queued, once `settle` has written one of the name.
  private let insertion: SQLInsertion
  private let select: any SQLStatement
  private let selectBody: any SQLStatement
  private let selectType: any SQLStatement
  private let selectBodyBytes: any SQLStatement
  private let update: any SQLStatement
  private let updateLife: any SQLStatement
  private let selectOldest: any SQLStatement
  private let selectLeftover: any SQLStatement
  private let delete: any SQLStatement

  init(
    _ connection: any SQLConnection,
    readingAhead: (any SQLConnection)? = nil,
    bytesAheadMax: Int = 0
  ) throws {
    ahead = RowsAhead(readingAhead, Self.queryAhead, bytesMax: bytesAheadMax)
    let insertion = SQLInsertion(
      into: "records",
      ["zone_id", "name", "sequence", "position", "record_type", "body"],
      findsRows: true,
      on: connection
    )
    self.insertion = insertion
    select = try connection.prepare(
      """
      SELECT sequence, record_type, body, previous, id FROM records
      WHERE zone_id = ?1 AND name = ?2
      """,
      besides: insertion
    )
    selectBody = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2",
      besides: insertion
    )
    selectType = try connection.prepare(
      "SELECT record_type FROM records WHERE zone_id = ?1 AND name = ?2 AND body IS NOT NULL",
      besides: insertion
    )
    selectBodyBytes = try connection.prepare(
      "SELECT length(body) FROM records WHERE zone_id = ?1 AND name = ?2",
      besides: insertion
    )
    update = try connection.prepare(
      """
      UPDATE records SET sequence = ?3, position = ?4, record_type = ?5, body = ?6, previous = ?7
      WHERE id = ?1
      """,
      besides: insertion
    )
    updateLife = try connection.prepare(
      """
      UPDATE records
      SET sequence = ?3, position = ?4, record_type = ?5, body = ?6, previous = ?7, deleted = ?8,
        creator = ?9
      WHERE id = ?1
      """,
      besides: insertion
    )
    selectOldest = try connection.prepare(
      """
      SELECT id, record_type, body IS NOT NULL, body, length(name), length(body) FROM records
      WHERE zone_id = ?1 ORDER BY sequence, position LIMIT ?2
      """
    )
    selectLeftover = try connection.prepare(
      """
      SELECT id, record_type, body IS NOT NULL, body, length(name), length(body) FROM records
      WHERE zone_id = ?1 AND name = ?2
      """
    )
    delete = try connection.prepare("DELETE FROM records WHERE id = ?1")
  }

  /// The change tag of a record whose last change has this number.
  static func changeTag(_ sequence: Int64) -> String {
    // Zones count from 1; with `String(_:radix:)`, as for the rest, every save takes five times as long here.
    guard sequence > 0 else { return String(sequence, radix: 36) }
    var (count, rest) = (0, sequence)
    while rest > 0 { (count, rest) = (count + 1, rest / 36) }
    return String(unsafeUninitializedCapacity: count) { digits in
      var rest = sequence
      for position in (0..<count).reversed() {
        let digit = UInt8(truncatingIfNeeded: rest % 36)
        digits[position] = (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) + digit
        rest /= 36
      }
      return count
    }
  }

  /// The number that a change tag stands for; `nil`: no record ever had this tag.
  static func sequence(ofChangeTag tag: String) -> Int64? {
    Int64(tag, radix: 36).flatMap { changeTag($0) == tag ? $0 : nil }
  }

  /// The type of a record that is there.
  func recordType(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> String? {
    try settle(recordName, in: zone)
    selectType.bind(zone.number, at: 1)
    selectType.bind(recordName, at: 2)
    defer { selectType.reset() }
    return try selectType.step() ? selectType.string(0) : nil
  }

  /// The bytes of an encoded record; 0: there is none.
  func bodyBytes(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> Int {
    try settle(recordName, in: zone)
    selectBodyBytes.bind(zone.number, at: 1)
    selectBodyBytes.bind(recordName, at: 2)
    defer { selectBodyBytes.reset() }
    return try selectBodyBytes.step() ? Int(selectBodyBytes.int64(0)) : 0
  }

  /// Writes the queued rows if one of them has this name, so that it is read or replaced.
  private func settle(_ recordName: String, in zone: ZoneEntry) throws(SQLError) {
    if insertion.mayHold(zone.number, recordName) { try insertion.flush() }
  }

  private static var queryAhead: RowsAhead<Key, Row>.Query {
    .init(
      sql: { keys in
        """
        SELECT r.sequence, r.record_type, CASE WHEN length(r.body) <= \(RowsAhead<Key, Row>.rowBytesMax)
          THEN r.body END, r.previous, r.id, r.zone_id, r.name,
          coalesce(length(r.body), 0) > \(RowsAhead<Key, Row>.rowBytesMax)
        FROM (VALUES \(keys)) AS k
        JOIN records r ON r.zone_id = k.column1 AND r.name = k.column2
        """
      },
      types: [.integer, .text],
      bind: { statement, key, first in
        statement.bind(key.zone, at: first)
        statement.bind(key.name, at: first + 1)
      },
      row: { statement in
        let key = Key(zone: statement.int64(5), name: statement.string(6))
        return (key, statement.int64(7) == 0 ? row(of: statement) : nil)
      }
    )
  }

  /// The row of a record, or of its tombstone.
  func row(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> Row? {
    if let known = rowAhead(recordName, in: zone) { return known }
    try settle(recordName, in: zone)
    select.bind(zone.number, at: 1)
    select.bind(recordName, at: 2)
    defer { select.reset() }
    return try select.step() ? Self.row(of: select) : nil
  }

  private static func row(of statement: any SQLStatement) -> Row {
    Row(
      number: statement.int64(4),
      sequence: statement.int64(0),
      recordType: statement.string(1),
      body: statement.isNull(2) ? nil : statement.bytes(2),
      previous: statement.isNull(3) ? nil : statement.int64(3)
    )
  }

  /// The row, or that there is none, if that was read ahead.
  private func rowAhead(_ recordName: String, in zone: ZoneEntry) -> Row?? {
    ahead.isEmpty ? nil : ahead[Key(zone: zone.number, name: recordName)]
  }

  /// Lends the encoded record, valid for the call.
  ///
  /// - Returns: Whether there is one.
  func withBody(
    _ recordName: String,
    in zone: ZoneEntry,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    if let known = rowAhead(recordName, in: zone) {
      guard let stored = known?.body else { return false }
      try stored.withUnsafeBytes(body)
      return true
    }
    try settle(recordName, in: zone)
    selectBody.bind(zone.number, at: 1)
    selectBody.bind(recordName, at: 2)
    defer { selectBody.reset() }
    guard try selectBody.step(), !selectBody.isNull(0) else { return false }
    try selectBody.withBytes(0, body)
    return true
  }

  /// Inserts the row of a record that has none yet.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - name: The record's name.
  ///   - position: The record's place in its batch.
  ///   - zone: The record's zone.
  /// - Throws: `SQLError`.
  func insert(
    _ row: Row,
    of name: String,
    at position: Int,
    in zone: ZoneEntry
  ) throws(SQLError) {
    // Its number is not known yet.
    ahead.wrote(Key(zone: zone.number, name: name), nil)
    insertion.bind(zone.number, at: 1)
    insertion.bind(name, at: 2)
    insertion.bind(row.sequence, at: 3)
    insertion.bind(Int64(position), at: 4)
    insertion.bind(row.recordType, at: 5)
    if let body = row.body {
      insertion.bind(body, at: 6)
    } else {
      insertion.bindNull(of: .bytes, at: 6)
    }
    try insertion.add()
  }

  /// Replaces a record's state or tombstone with another one.
  ///
  /// - Parameters:
  ///   - old: The row as it was read.
  ///   - name: The record's name.
  ///   - zone: The record's zone.
  ///   - row: The new state.
  ///   - position: The record's place in its batch.
  ///   - time: When.
  /// - Throws: `SQLError`.
  func replace(
    _ old: Row,
    of name: String,
    in zone: ZoneEntry,
    with row: Row,
    position: Int,
    at time: SteadyTime
  ) throws(SQLError) {
    precondition(old.number != nil, "a row that was read has a number")
    ahead.wrote(Key(zone: zone.number, name: name), Self.known(row, numbered: old.number))
    let statement = statement(for: row, replacing: old, at: time)
    statement.bind(old.number, at: 1)
    statement.bind(row.sequence, at: 3)
    statement.bind(Int64(position), at: 4)
    statement.bind(row.recordType, at: 5)
    if let body = row.body {
      statement.bind(body, at: 6)
    } else {
      statement.bindNull(at: 6)
    }
    statement.bind(row.previous, at: 7)
    try statement.run()
  }

  /// A row as it is read after it was written; `nil`: it is too large to be kept.
  private static func known(_ row: Row, numbered number: Int64?) -> Row? {
    guard (row.body?.count ?? 0) <= RowsAhead<Key, Row>.rowBytesMax else { return nil }
    var row = row
    (row.number, row.creator) = (number, nil)
    return row
  }

  /// Most saves neither create nor delete: they leave the index of tombstones alone.
  private func statement(
    for row: Row,
    replacing old: Row,
    at time: SteadyTime
  ) -> any SQLStatement {
    guard row.body == nil || old.body == nil else { return update }
    updateLife.bind(row.body == nil ? time.milliseconds : nil, at: 8)
    if let creator = row.creator {
      updateLife.bind(creator, at: 9)
    } else {
      updateLife.bindNull(at: 9)
    }
    return updateLife
  }

  // MARK: Deleted zones

  /// A record or tombstone of a zone that was deleted.
  struct Leftover {
    let number: Int64
    let recordType: String
    /// It is no tombstone.
    let isRecord: Bool
    /// The encoded record, if it was asked for.
    let body: [UInt8]?
    /// The bytes of the encoded record; 0 for a tombstone.
    let bodyBytes: Int
    /// What it counts as a tombstone, if it is one.
    let tombstoneCost: Int64
  }

  /// The rows of a zone, oldest change first.
  ///
  /// - Parameters:
  ///   - zone: The zone's number.
  ///   - limit: Most rows.
  ///   - bytesMax: Bytes of bodies after which no more rows are read.
  ///   - wantsBody: The body of a record of this type is needed.
  /// - Returns: The rows; none: the zone is empty.
  /// - Throws: `SQLError`.
  func oldest(
    in zone: Int64,
    limit: Int,
    bytesMax: Int,
    _ wantsBody: (_ recordType: String) -> Bool
  ) throws -> [Leftover] {
    var rows: [Leftover] = []
    var bytes = 0
    selectOldest.bind(zone, at: 1)
    selectOldest.bind(Int64(limit), at: 2)
    defer { selectOldest.reset() }
    while bytes < bytesMax, try selectOldest.step() {
      let row = leftover(selectOldest, wantsBody)
      bytes += row.bodyBytes
      rows.append(row)
    }
    return rows
  }

  /// The row of a name in a zone that was deleted; `nil`: there is none.
  func leftover(
    _ recordName: String,
    in zone: Int64,
    _ wantsBody: (_ recordType: String) -> Bool
  ) throws(SQLError) -> Leftover? {
    selectLeftover.bind(zone, at: 1)
    selectLeftover.bind(recordName, at: 2)
    defer { selectLeftover.reset() }
    return try selectLeftover.step() ? leftover(selectLeftover, wantsBody) : nil
  }

  private func leftover(
    _ row: any SQLStatement,
    _ wantsBody: (_ recordType: String) -> Bool
  ) -> Leftover {
    let recordType = row.string(1)
    let isRecord = row.int64(2) != 0
    return Leftover(
      number: row.int64(0),
      recordType: recordType,
      isRecord: isRecord,
      body: isRecord && wantsBody(recordType) ? row.bytes(3) : nil,
      bodyBytes: Int(row.int64(5)),
      tombstoneCost: isRecord ? 0 : row.int64(4) + Int64(recordType.utf8.count)
    )
  }

  /// Removes the row of a record or tombstone.
  func remove(_ row: Leftover) throws(SQLError) {
    delete.bind(row.number, at: 1)
    try delete.run()
  }
}
