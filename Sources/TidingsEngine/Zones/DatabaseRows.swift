internal import TidingsModel
internal import TidingsSQL

/// The rows of databases.
struct DatabaseRows {
  private let select: any SQLStatement
  private let selectNumbered: any SQLStatement
  private let insertion: any SQLStatement
  private let countContainers: any SQLStatement
  private let selectFloor: any SQLStatement
  private let raise: any SQLStatement

  init(_ connection: any SQLConnection) throws(SQLError) {
    select = try connection.prepare(
      """
      SELECT id, max(
        feed_floor,
        coalesce((SELECT max(changed) FROM zones WHERE database_id = databases.id), 0),
        coalesce((SELECT max(changed) FROM deleted_zones WHERE database_id = databases.id), 0)
      ) FROM databases
      WHERE container = ?1 AND environment = ?2 AND scope = ?3 AND owner = ?4
      """
    )
    selectNumbered = try connection.prepare(
      "SELECT container, environment, scope, owner FROM databases WHERE id = ?1"
    )
    insertion = try connection.prepare(
      """
      INSERT INTO databases (container, environment, scope, owner, zone_floor)
      VALUES (?1, ?2, ?3, ?4, 0) RETURNING id
      """
    )
    countContainers = try connection.prepare(
      """
      SELECT count(DISTINCT container), coalesce(max(CASE WHEN container = ?2 THEN 1 ELSE 0 END), 0)
      FROM databases WHERE owner = ?1
      """
    )
    selectFloor = try connection.prepare("SELECT zone_floor FROM databases WHERE id = ?1")
    raise = try connection.prepare(
      "UPDATE databases SET zone_floor = ?2 WHERE id = ?1 AND zone_floor < ?2"
    )
  }

  /// The number of a database, and that of the last change of any of its zones.
  func find(_ id: DatabaseID) throws(SQLError) -> (number: Int64, head: Int64)? {
    bind(id, to: select)
    defer { select.reset() }
    return try select.step() ? (select.int64(0), select.int64(1)) : nil
  }

  /// Which database has a number.
  ///
  /// - Throws: `SQLError` `damaged`: none has.
  func id(numbered number: Int64) throws(SQLError) -> DatabaseID {
    selectNumbered.bind(number, at: 1)
    defer { selectNumbered.reset() }
    guard try selectNumbered.step(),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: selectNumbered.int64(1))),
      let scope = DatabaseScope(rawValue: Int32(truncatingIfNeeded: selectNumbered.int64(2)))
    else { throw SQLError(.damaged, "the database with the number \(number) is missing") }
    return DatabaseID(
      container: selectNumbered.string(0),
      environment: environment,
      scope: scope,
      owner: selectNumbered.string(3)
    )
  }

  /// Writes a database.
  ///
  /// - Returns: Its number.
  func insert(_ id: DatabaseID) throws(SQLError) -> Int64 {
    bind(id, to: insertion)
    defer { insertion.reset() }
    _ = try insertion.step()
    return insertion.int64(0)
  }

  /// In how many containers a user has databases, and whether this is one of them.
  func containers(
    of user: String,
    with container: String
  ) throws(SQLError) -> (count: Int, isKnown: Bool) {
    countContainers.bind(user, at: 1)
    countContainers.bind(container, at: 2)
    defer { countContainers.reset() }
    guard try countContainers.step() else { return (0, false) }
    return (Int(countContainers.int64(0)), countContainers.int64(1) != 0)
  }

  /// The highest number of any zone of a database that was deleted.
  func zoneFloor(of number: Int64) throws(SQLError) -> Int64 {
    selectFloor.bind(number, at: 1)
    defer { selectFloor.reset() }
    return try selectFloor.step() ? selectFloor.int64(0) : 0
  }

  /// A zone with this number of its last change is deleted.
  func raiseZoneFloor(of number: Int64, to head: Int64) throws(SQLError) {
    raise.bind(number, at: 1)
    raise.bind(head, at: 2)
    try raise.run()
  }

  private func bind(_ id: DatabaseID, to statement: any SQLStatement) {
    statement.bind(id.container, at: 1)
    statement.bind(Int64(id.environment.rawValue), at: 2)
    statement.bind(Int64(id.scope.rawValue), at: 3)
    statement.bind(id.owner, at: 4)
  }
}
