internal import TidingsModel
internal import TidingsSQL

/// The rows of removals of zones that are not done.
final class ZoneRemovalTable: TransactionParticipant {
  /// The lowest number of a removal that is not done; `nil`: there is none.
  private(set) var oldest: Int64?

  private let catalog: Catalog
  private let selectOldest: any SQLStatement
  private let selectFirst: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectNamed: any SQLStatement
  private let insert: any SQLStatement
  private let updateBatch: any SQLStatement
  private let delete: any SQLStatement
  private let selectType: any SQLStatement
  private let insertType: any SQLStatement
  private let deleteTypes: any SQLStatement

  init(_ connection: any SQLConnection, catalog: Catalog) throws {
    self.catalog = catalog
    let columns = """
      SELECT id, zone_id, database_id, zone_name, deleted, deleted_steady, origin_user,
        origin_device, batch, deleted_nanos
      FROM zone_removals
      """
    selectOldest = try connection.prepare("SELECT min(id) FROM zone_removals")
    selectFirst = try connection.prepare(columns + " ORDER BY id LIMIT 1")
    selectNewest = try connection.prepare(
      "SELECT id FROM zone_removals WHERE database_id = ?1 ORDER BY id DESC LIMIT 1"
    )
    selectNamed = try connection.prepare(
      columns + " WHERE database_id = ?1 AND zone_name = ?2 ORDER BY id"
    )
    insert = try connection.prepare(
      """
      INSERT INTO zone_removals
        (zone_id, database_id, zone_name, deleted, deleted_steady, origin_user, origin_device, batch,
          deleted_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8) RETURNING id
      """
    )
    updateBatch = try connection.prepare("UPDATE zone_removals SET batch = ?2 WHERE id = ?1")
    delete = try connection.prepare("DELETE FROM zone_removals WHERE id = ?1")
    selectType = try connection.prepare(
      "SELECT 1 FROM zone_removal_types WHERE removal_id = ?1 AND record_type = ?2"
    )
    insertType = try connection.prepare(
      """
      INSERT INTO zone_removal_types (removal_id, record_type) VALUES (?1, ?2)
      ON CONFLICT DO NOTHING
      """
    )
    deleteTypes = try connection.prepare("DELETE FROM zone_removal_types WHERE removal_id = ?1")
    try reload()
  }

  func reload() throws {
    defer { selectOldest.reset() }
    oldest = try selectOldest.step() && !selectOldest.isNull(0) ? selectOldest.int64(0) : nil
  }

  /// The removal that was begun first.
  func first() throws -> ZoneRemoval? {
    guard oldest != nil else { return nil }
    return try removals(selectFirst).first
  }

  /// The number of a database's newest removal; `nil`: it has none.
  func newest(in database: DatabaseEntry) throws(SQLError) -> Int64? {
    guard oldest != nil else { return nil }
    selectNewest.bind(database.number, at: 1)
    defer { selectNewest.reset() }
    return try selectNewest.step() ? selectNewest.int64(0) : nil
  }

  /// The removals of zones that had a name, in their order.
  func removals(ofZonesNamed id: ZoneID, in database: DatabaseEntry) throws -> [ZoneRemoval] {
    guard oldest != nil else { return [] }
    selectNamed.bind(database.number, at: 1)
    selectNamed.bind(id.zoneName, at: 2)
    return try removals(selectNamed)
  }

  /// The number of the newest removal of a zone that had a name; 0: there is none.
  func newest(ofZonesNamed id: ZoneID, in database: DatabaseEntry) throws -> Int64 {
    try removals(ofZonesNamed: id, in: database).last?.number ?? 0
  }

  private func removals(_ rows: any SQLStatement) throws -> [ZoneRemoval] {
    var removals: [ZoneRemoval] = []
    try rows.forEachRow {
      removals.append(
        ZoneRemoval(
          number: rows.int64(0),
          zone: DeletedZone(
            number: rows.int64(1),
            id: ZoneID(zoneName: rows.string(3)),
            database: try catalog.database(numbered: rows.int64(2))
          ),
          caller: Caller(user: rows.string(6), device: rows.string(7)),
          moment: Moment(
            timeOfDay: rows.time(4, nanos: 9),
            steady: SteadyTime(milliseconds: rows.int64(5))
          ),
          batch: rows.int64(8)
        )
      )
    }
    return removals
  }

  /// Writes a removal that begins.
  ///
  /// - Returns: Its number.
  func add(
    _ zone: DeletedZone,
    by caller: Caller,
    at moment: Moment
  ) throws(SQLError) -> Int64 {
    insert.bind(zone.number, at: 1)
    insert.bind(zone.database.number, at: 2)
    insert.bind(zone.id.zoneName, at: 3)
    insert.bind(moment.timeOfDay, at: 4, nanos: 8)
    insert.bind(moment.steady.milliseconds, at: 5)
    insert.bind(caller.user, at: 6)
    insert.bind(caller.device, at: 7)
    defer { insert.reset() }
    _ = try insert.step()
    let number = insert.int64(0)
    oldest = min(oldest ?? number, number)
    return number
  }

  /// Writes the first event of a removal's call.
  func setBatch(_ batch: Int64, of removal: Int64) throws(SQLError) {
    updateBatch.bind(removal, at: 1)
    updateBatch.bind(batch, at: 2)
    try updateBatch.run()
  }

  /// The last row of the zone is removed.
  func remove(_ removal: Int64) throws {
    for statement in [deleteTypes, delete] {
      statement.bind(removal, at: 1)
      try statement.run()
    }
    try reload()
  }

  // MARK: Record types

  /// A record of this type was removed before.
  func hasType(_ recordType: String, _ removal: Int64) throws(SQLError) -> Bool {
    selectType.bind(removal, at: 1)
    selectType.bind(recordType, at: 2)
    defer { selectType.reset() }
    return try selectType.step()
  }

  /// A record of this type was removed.
  func addType(_ recordType: String, _ removal: Int64) throws(SQLError) {
    insertType.bind(removal, at: 1)
    insertType.bind(recordType, at: 2)
    try insertType.run()
  }
}
