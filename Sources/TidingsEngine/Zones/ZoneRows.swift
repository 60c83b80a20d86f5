internal import TidingsModel
internal import TidingsSQL

/// The rows of zones.
struct ZoneRows {
  private let select: any SQLStatement
  private let selectAll: any SQLStatement
  private let selectHeads: any SQLStatement
  private let countAll: any SQLStatement
  private let countSome: any SQLStatement
  private let insertion: any SQLStatement
  private let updateHead: any SQLStatement
  private let deletion: any SQLStatement

  init(_ connection: any SQLConnection) throws(SQLError) {
    select = try connection.prepare(
      """
      SELECT id, head, created, records, bytes, created_nanos FROM zones
      WHERE database_id = ?1 AND name = ?2
      """
    )
    selectAll = try connection.prepare(
      "SELECT head, created, created_nanos, name FROM zones WHERE database_id = ?1 ORDER BY name"
    )
    selectHeads = try connection.prepare("SELECT id, head FROM zones WHERE database_id = ?1")
    countAll = try connection.prepare(
      "SELECT count(*) FROM zones WHERE database_id = ?1 AND name <> ?2"
    )
    countSome = try connection.prepare(
      "SELECT count(*) FROM (SELECT 1 FROM zones WHERE database_id = ?1 LIMIT ?2) AS counted"
    )
    // No number of a zone whose rows are still being removed is given again.
    insertion = try connection.prepare(
      """
      INSERT INTO zones (id, database_id, name, head, created, changed, created_nanos)
      VALUES (
        1 + (
          SELECT max(number) FROM (
            SELECT coalesce(max(id), 0) AS number FROM zones
            UNION ALL SELECT coalesce(max(zone_id), 0) FROM zone_removals
          ) AS numbers
        ), ?1, ?2, ?4, ?3, ?5, ?6
      ) RETURNING id
      """
    )
    updateHead = try connection.prepare(
      "UPDATE zones SET head = ?2, changed = ?3, records = ?4, bytes = ?5 WHERE id = ?1"
    )
    deletion = try connection.prepare("DELETE FROM zones WHERE id = ?1")
  }

  /// The zone with a name.
  func find(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) -> ZoneEntry? {
    select.bind(database.number, at: 1)
    select.bind(id.zoneName, at: 2)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return ZoneEntry(
      number: select.int64(0),
      id: id,
      created: select.time(2, nanos: 5),
      head: select.int64(1),
      database: database,
      usage: Usage(records: select.int64(3), bytes: select.int64(4))
    )
  }

  /// Passes each zone of a database to a closure, sorted by name.
  func read(in database: DatabaseEntry, _ body: (ZoneInfo) throws -> Void) throws {
    selectAll.bind(database.number, at: 1)
    try selectAll.forEachRow {
      let id = ZoneID(zoneName: selectAll.string(3))
      let created = id == .default ? nil : selectAll.time(1, nanos: 2)
      try body(ZoneInfo(id: id, created: created, head: selectAll.int64(0)))
    }
  }

  /// The numbers of all zones of a database, and those of their last changes, in no order.
  func heads(in database: DatabaseEntry) throws -> [(zone: Int64, head: Int64)] {
    var heads: [(zone: Int64, head: Int64)] = []
    selectHeads.bind(database.number, at: 1)
    try selectHeads.forEachRow { heads.append((selectHeads.int64(0), selectHeads.int64(1))) }
    return heads
  }

  /// How many zones a database has besides the default one.
  func count(in database: DatabaseEntry) throws(SQLError) -> Int {
    countAll.bind(database.number, at: 1)
    countAll.bind(ZoneID.default.zoneName, at: 2)
    defer { countAll.reset() }
    return try countAll.step() ? Int(countAll.int64(0)) : 0
  }

  /// Whether a database has so many zones or fewer; no more are counted.
  func hasAtMost(_ count: Int, in database: DatabaseEntry) throws(SQLError) -> Bool {
    countSome.bind(database.number, at: 1)
    countSome.bind(Int64(count + 1), at: 2)
    defer { countSome.reset() }
    return try countSome.step() && countSome.int64(0) <= count
  }

  /// Writes a zone, whose database changes with this number.
  ///
  /// - Returns: The zone's own number.
  func insert(_ zone: ZoneEntry, changed: Int64) throws(SQLError) -> Int64 {
    insertion.bind(zone.database.number, at: 1)
    insertion.bind(zone.id.zoneName, at: 2)
    insertion.bind(zone.created, at: 3, nanos: 6)
    insertion.bind(zone.head, at: 4)
    insertion.bind(changed, at: 5)
    defer { insertion.reset() }
    _ = try insertion.step()
    return insertion.int64(0)
  }

  /// Writes what a transaction did in a zone, whose database changes with this number.
  func update(_ zone: ZoneEntry, changed: Int64) throws(SQLError) {
    updateHead.bind(zone.number, at: 1)
    updateHead.bind(zone.head, at: 2)
    updateHead.bind(changed, at: 3)
    updateHead.bind(zone.usage.records, at: 4)
    updateHead.bind(zone.usage.bytes, at: 5)
    try updateHead.run()
  }

  /// Deletes a zone.
  func delete(numbered number: Int64) throws(SQLError) {
    deletion.bind(number, at: 1)
    try deletion.run()
  }
}
