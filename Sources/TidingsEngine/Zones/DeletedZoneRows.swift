internal import TidingsModel
internal import TidingsSQL

/// The rows of zones that were deleted, as feeds report them.
struct DeletedZoneRows {
  private let insertion: any SQLStatement
  private let select: any SQLStatement
  private let deletion: any SQLStatement

  init(_ connection: any SQLConnection) throws(SQLError) {
    insertion = try connection.prepare(
      """
      INSERT INTO deleted_zones (database_id, name, changed, reason, deleted)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """
    )
    select = try connection.prepare(
      "SELECT reason FROM deleted_zones WHERE database_id = ?1 AND name = ?2"
    )
    deletion = try connection.prepare(
      "DELETE FROM deleted_zones WHERE database_id = ?1 AND name = ?2"
    )
  }

  /// Remembers why a zone is gone, whose database changes with this number.
  func insert(
    _ id: ZoneID,
    in database: DatabaseEntry,
    changed: Int64,
    because reason: ZoneDeletionReason,
    at time: SteadyTime
  ) throws(SQLError) {
    insertion.bind(database.number, at: 1)
    insertion.bind(id.zoneName, at: 2)
    insertion.bind(changed, at: 3)
    insertion.bind(Int64(reason.rawValue), at: 4)
    insertion.bind(time.milliseconds, at: 5)
    try insertion.run()
  }

  /// Whether a zone of this name was deleted, and is remembered.
  func contains(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) -> Bool {
    bind(id, in: database, to: select)
    defer { select.reset() }
    return try select.step()
  }

  /// Why a zone of this name is gone; `nil`: it never was there, or nobody remembers.
  func reason(
    of id: ZoneID,
    in database: DatabaseEntry
  ) throws(SQLError) -> ZoneDeletionReason? {
    bind(id, in: database, to: select)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return ZoneDeletionReason(rawValue: Int32(truncatingIfNeeded: select.int64(0)))
  }

  /// Forgets that a zone of this name was deleted: there is one again.
  func delete(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) {
    bind(id, in: database, to: deletion)
    try deletion.run()
  }

  private func bind(_ id: ZoneID, in database: DatabaseEntry, to statement: any SQLStatement) {
    statement.bind(database.number, at: 1)
    statement.bind(id.zoneName, at: 2)
  }
}
