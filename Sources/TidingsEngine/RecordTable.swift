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

  private let select: any SQLStatement
  private let selectBody: any SQLStatement
  private let selectType: any SQLStatement
  private let insert: any SQLStatement
  private let update: any SQLStatement
  private let updateLife: any SQLStatement
  private let selectBodies: any SQLStatement
  private let deleteAll: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      """
      SELECT sequence, record_type, body, previous, id FROM records
      WHERE zone_id = ?1 AND name = ?2
      """
    )
    selectBody = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2"
    )
    selectType = try connection.prepare(
      "SELECT record_type FROM records WHERE zone_id = ?1 AND name = ?2 AND body IS NOT NULL"
    )
    insert = try connection.prepare(
      """
      INSERT INTO records (zone_id, name, sequence, position, record_type, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    )
    update = try connection.prepare(
      """
      UPDATE records SET sequence = ?3, position = ?4, record_type = ?5, body = ?6, previous = ?7
      WHERE id = ?1
      """
    )
    updateLife = try connection.prepare(
      """
      UPDATE records
      SET sequence = ?3, position = ?4, record_type = ?5, body = ?6, previous = ?7, deleted = ?8,
        creator = ?9
      WHERE id = ?1
      """
    )
    selectBodies = try connection.prepare(
      """
      SELECT record_type, body, sequence, position FROM records
      WHERE zone_id = ?1 AND (sequence, position) > (?2, ?3) AND body IS NOT NULL
      ORDER BY sequence, position LIMIT ?4
      """
    )
    deleteAll = try connection.prepare("DELETE FROM records WHERE zone_id = ?1")
  }

  /// The change tag of a record whose last change has this number.
  static func changeTag(_ sequence: Int64) -> String { String(sequence, radix: 36) }

  /// The number that a change tag stands for; `nil`: no record ever had this tag.
  static func sequence(ofChangeTag tag: String) -> Int64? {
    Int64(tag, radix: 36).flatMap { changeTag($0) == tag ? $0 : nil }
  }

  /// The type of a record that is there.
  func recordType(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> String? {
    selectType.bind(zone.number, at: 1)
    selectType.bind(recordName, at: 2)
    defer { selectType.reset() }
    return try selectType.step() ? selectType.string(0) : nil
  }

  /// The row of a record, or of its tombstone.
  func row(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> Row? {
    select.bind(zone.number, at: 1)
    select.bind(recordName, at: 2)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return Row(
      number: select.int64(4),
      sequence: select.int64(0),
      recordType: select.string(1),
      body: select.isNull(2) ? nil : select.bytes(2),
      previous: select.isNull(3) ? nil : select.int64(3)
    )
  }

  /// Lends the encoded record, valid for the call.
  ///
  /// - Returns: Whether there is one.
  func withBody(
    _ recordName: String,
    in zone: ZoneEntry,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    selectBody.bind(zone.number, at: 1)
    selectBody.bind(recordName, at: 2)
    defer { selectBody.reset() }
    guard try selectBody.step(), !selectBody.isNull(0) else { return false }
    try selectBody.withBytes(0, body)
    return true
  }

  /// Writes a record's state or tombstone.
  ///
  /// - Parameters:
  ///   - row: The state.
  ///   - name: The record's name.
  ///   - position: The record's place in its batch.
  ///   - zone: The record's zone.
  ///   - old: The row to be replaced; `nil`: there is none.
  ///   - time: When.
  /// - Throws: `SQLError`.
  func write(
    _ row: Row,
    name: String,
    position: Int,
    in zone: ZoneEntry,
    replacing old: Row?,
    at time: Timestamp
  ) throws(SQLError) {
    let statement = statement(for: row, replacing: old, at: time)
    if let old {
      precondition(old.number != nil, "a row that was read has a number")
      statement.bind(old.number, at: 1)
      statement.bind(row.previous, at: 7)
    } else {
      statement.bind(zone.number, at: 1)
      statement.bind(name, at: 2)
    }
    statement.bind(row.sequence, at: 3)
    statement.bind(Int64(position), at: 4)
    statement.bind(row.recordType, at: 5)
    if let body = row.body { statement.bind(body, at: 6) } else { statement.bindNull(at: 6) }
    try statement.run()
  }

  /// Most saves neither create nor delete: they leave the index of tombstones alone.
  private func statement(
    for row: Row,
    replacing old: Row?,
    at time: Timestamp
  ) -> any SQLStatement {
    guard let old else { return insert }
    guard row.body == nil || old.body == nil else { return update }
    updateLife.bind(row.body == nil ? time.millisecondsSince1970 : nil, at: 8)
    if let creator = row.creator {
      updateLife.bind(creator, at: 9)
    } else {
      updateLife.bindNull(at: 9)
    }
    return updateLife
  }

  /// Passes the encoded records of a zone, oldest change first, a few at a time.
  func forEachBody(
    in zone: ZoneEntry,
    _ body: (_ recordType: String, _ bytes: [UInt8]) throws -> Void
  ) throws {
    let pageRows: Int64 = 100
    var last: (sequence: Int64, position: Int64) = (0, -1)
    while true {
      var page: [(recordType: String, bytes: [UInt8])] = []
      selectBodies.bind(zone.number, at: 1)
      selectBodies.bind(last.sequence, at: 2)
      selectBodies.bind(last.position, at: 3)
      selectBodies.bind(pageRows, at: 4)
      try selectBodies.forEachRow {
        page.append((selectBodies.string(0), selectBodies.bytes(1)))
        last = (selectBodies.int64(2), selectBodies.int64(3))
      }
      for record in page { try body(record.recordType, record.bytes) }
      if page.count < pageRows { return }
    }
  }

  /// Removes all records and tombstones of a zone.
  func removeAll(in zone: ZoneEntry) throws(SQLError) {
    deleteAll.bind(zone.number, at: 1)
    try deleteAll.run()
  }
}
