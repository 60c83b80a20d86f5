internal import TidingsModel
internal import TidingsSQL

/// The rows of the records that hierarchical shares hold, and the way from parents to children.
final class SharedRecordTable {
  private let select: any SQLStatement
  private let selectChildren: any SQLStatement
  private let count: any SQLStatement
  private let upsert: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      "SELECT share_id FROM shared_records WHERE zone_id = ?1 AND name = ?2 AND gone = 0"
    )
    selectChildren = try connection.prepare(
      """
      SELECT source FROM record_references WHERE zone_id = ?1 AND target = ?2 AND kind = 3 LIMIT ?3
      """
    )
    count = try connection.prepare(
      "SELECT count(*) FROM shared_records WHERE share_id = ?1 AND gone = 0"
    )
    upsert = try connection.prepare(
      """
      INSERT INTO shared_records (share_id, name, zone_id, record_type, changed, came, gone)
      VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
      ON CONFLICT (share_id, name) DO UPDATE SET
        record_type = excluded.record_type, changed = excluded.changed, gone = excluded.gone,
        came = CASE WHEN shared_records.gone = 0 THEN shared_records.came ELSE excluded.came END
      """
    )
  }

  /// The share that holds a record, or whose own record it is.
  func share(of name: String, in zone: ZoneEntry) throws(SQLError) -> Int64? {
    select.bind(zone.number, at: 1)
    select.bind(name, at: 2)
    defer { select.reset() }
    return try select.step() ? select.int64(0) : nil
  }

  /// The records whose parent is a record, at most `limit` of them.
  func children(of name: String, in zone: ZoneEntry, limit: Int) throws -> [String] {
    var names: [String] = []
    selectChildren.bind(zone.number, at: 1)
    selectChildren.bind(name, at: 2)
    selectChildren.bind(Int64(limit), at: 3)
    try selectChildren.forEachRow { names.append(selectChildren.string(0)) }
    return names
  }

  /// How many records a share holds, with its own.
  func recordCount(of share: Int64) throws(SQLError) -> Int {
    count.bind(share, at: 1)
    defer { count.reset() }
    return try count.step() ? Int(count.int64(0)) : 0
  }

  /// Writes that a record changed in a share, came or left.
  ///
  /// - Parameters:
  ///   - name: The record.
  ///   - recordType: Its type.
  ///   - share: The share's number.
  ///   - zone: The zone, whose number it gets.
  ///   - goneAt: When it left; `nil`: it is there.
  /// - Throws: `SQLError`.
  func write(
    _ name: String,
    of recordType: String,
    share: Int64,
    in zone: ZoneEntry,
    goneAt: SteadyTime?
  ) throws(SQLError) {
    zone.heldRecords.forget(name)
    upsert.bind(share, at: 1)
    upsert.bind(name, at: 2)
    upsert.bind(zone.number, at: 3)
    upsert.bind(recordType, at: 4)
    upsert.bind(zone.head, at: 5)
    upsert.bind(goneAt?.milliseconds ?? 0, at: 6)
    try upsert.run()
  }
}
