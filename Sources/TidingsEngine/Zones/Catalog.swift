internal import TidingsModel
internal import TidingsSQL

/// A database's number and name, and the number of the last change of any of its zones.
final class DatabaseEntry {
  /// 0: it is planned, and nothing is stored of it.
  fileprivate(set) var number: Int64
  let id: DatabaseID
  private(set) var head: Int64
  /// What its owner's databases take, once it was looked up.
  var usage: UsageEntry?
  /// How much the loop remembers, of its zones too.
  let remembered: RememberedCount
  /// How many zones it has besides the default one, once they were counted.
  fileprivate var zoneCount: Int?

  init(
    number: Int64,
    id: DatabaseID,
    head: Int64,
    remembered: RememberedCount = RememberedCount()
  ) {
    self.number = number
    self.id = id
    self.head = head
    self.remembered = remembered
  }

  /// Takes the next number of the database, for the change of one zone.
  fileprivate func advance() -> Int64 {
    head += 1
    return head
  }
}

/// A zone's number and the number of its last change.
///
/// The loop that owns the engine is the only writer, so the head is taken here and written once per
/// transaction.
final class ZoneEntry {
  /// 0: it is planned, and nothing is stored of it.
  fileprivate(set) var number: Int64
  let id: ZoneID
  let created: Timestamp
  let database: DatabaseEntry
  private(set) var head: Int64
  fileprivate(set) var isDirty = false
  /// What it takes of its owner's quota; written with the head.
  var usage: Usage
  /// Its shares, on the loop, once they were looked up.
  var shares: ZoneShares?
  /// The newest removal of a deleted zone of its name when the first record was created, on the loop; 0:
  /// there was none.
  var predecessor: Int64?
  /// What users have accepted in it, on the loop.
  var acceptances = Acceptances()
  /// Which of its records shares hold, on the loop.
  var heldRecords = HeldRecords()

  init(
    number: Int64,
    id: ZoneID,
    created: Timestamp,
    head: Int64,
    database: DatabaseEntry,
    usage: Usage = Usage()
  ) {
    self.number = number
    self.id = id
    self.created = created
    self.head = head
    self.database = database
    self.usage = usage
  }

  /// How much is remembered of its shares, and of what users may do in it.
  fileprivate var detailCount: Int {
    (shares?.count ?? 0) + acceptances.count + heldRecords.count
  }

  /// They are looked up again.
  fileprivate func forgetDetails() {
    shares = nil
    acceptances.forget()
    heldRecords.forget()
  }

  /// Takes the next number of the zone, for one batch.
  fileprivate func advance() -> Int64 {
    head += 1
    isDirty = true
    return head
  }
}

/// Databases and zones: their numbers in the store, remembered once looked up.
final class Catalog {
  /// Containers whose development environment is being reset.
  var containersBeingReset: Set<String> = []
  /// A caller's work is done: it finds no database that is being reset.
  var refusesResets = false

  private struct ZoneKey: Hashable {
    let database: Int64
    let zone: ZoneID
  }

  private var databases: [DatabaseID: DatabaseEntry] = [:] { didSet { lastDatabase = nil } }
  /// The one that was looked up last: one after the other, calls are often about the same.
  private var lastDatabase: DatabaseEntry?
  private var databaseIDs: [Int64: DatabaseID] = [:]
  private var zones: [ZoneKey: ZoneEntry] = [:] { didSet { lastZone = nil } }
  /// The one that was looked up last.
  private var lastZone: ZoneEntry?
  private var dirtyZones: [ZoneEntry] = []
  /// The zones that this transaction changed, created or deleted.
  private var touchedZones: [ZoneEntry] = []
  /// Containers that are known to be in production: they stay there.
  private var deployed: Set<String> = []

  private let selectDatabase: any SQLStatement
  private let selectDatabaseByNumber: any SQLStatement
  private let insertDatabase: any SQLStatement
  private let selectZone: any SQLStatement
  private let selectZones: any SQLStatement
  private let selectHeads: any SQLStatement
  private let countZones: any SQLStatement
  private let countSomeZones: any SQLStatement
  private let insertZone: any SQLStatement
  private let updateHead: any SQLStatement
  private let deleteZone: any SQLStatement
  private let selectFloor: any SQLStatement
  private let raiseFloor: any SQLStatement
  private let insertDeleted: any SQLStatement
  private let selectDeleted: any SQLStatement
  private let forgetDeleted: any SQLStatement
  private let selectSchema: any SQLStatement
  private let countContainers: any SQLStatement
  /// In how many containers a user may have databases.
  let containersPerUserMax: Int
  private let remembered: RememberedCount

  init(
    _ connection: any SQLConnection,
    containersPerUserMax: Int = .max,
    remembered: RememberedCount = RememberedCount()
  ) throws {
    self.containersPerUserMax = containersPerUserMax
    self.remembered = remembered
    countContainers = try connection.prepare(
      """
      SELECT count(DISTINCT container), coalesce(max(CASE WHEN container = ?2 THEN 1 ELSE 0 END), 0)
      FROM databases WHERE owner = ?1
      """
    )
    selectDatabase = try connection.prepare(
      """
      SELECT id, max(
        feed_floor,
        coalesce((SELECT max(changed) FROM zones WHERE database_id = databases.id), 0),
        coalesce((SELECT max(changed) FROM deleted_zones WHERE database_id = databases.id), 0)
      ) FROM databases
      WHERE container = ?1 AND environment = ?2 AND scope = ?3 AND owner = ?4
      """
    )
    selectDatabaseByNumber = try connection.prepare(
      "SELECT container, environment, scope, owner FROM databases WHERE id = ?1"
    )
    insertDatabase = try connection.prepare(
      """
      INSERT INTO databases (container, environment, scope, owner, zone_floor)
      VALUES (?1, ?2, ?3, ?4, 0) RETURNING id
      """
    )
    selectZone = try connection.prepare(
      """
      SELECT id, head, created, records, bytes, created_nanos FROM zones
      WHERE database_id = ?1 AND name = ?2
      """
    )
    selectZones = try connection.prepare(
      "SELECT head, created, created_nanos, name FROM zones WHERE database_id = ?1 ORDER BY name"
    )
    selectHeads = try connection.prepare("SELECT id, head FROM zones WHERE database_id = ?1")
    countZones = try connection.prepare(
      "SELECT count(*) FROM zones WHERE database_id = ?1 AND name <> ?2"
    )
    countSomeZones = try connection.prepare(
      "SELECT count(*) FROM (SELECT 1 FROM zones WHERE database_id = ?1 LIMIT ?2) AS counted"
    )
    // No number of a zone whose rows are still being removed is given again.
    insertZone = try connection.prepare(
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
    selectFloor = try connection.prepare("SELECT zone_floor FROM databases WHERE id = ?1")
    updateHead = try connection.prepare(
      "UPDATE zones SET head = ?2, changed = ?3, records = ?4, bytes = ?5 WHERE id = ?1"
    )
    insertDeleted = try connection.prepare(
      """
      INSERT INTO deleted_zones (database_id, name, changed, reason, deleted)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """
    )
    selectDeleted = try connection.prepare(
      "SELECT reason FROM deleted_zones WHERE database_id = ?1 AND name = ?2"
    )
    forgetDeleted = try connection.prepare(
      "DELETE FROM deleted_zones WHERE database_id = ?1 AND name = ?2"
    )
    deleteZone = try connection.prepare("DELETE FROM zones WHERE id = ?1")
    selectSchema = try connection.prepare(
      "SELECT 1 FROM schemas WHERE container = ?1 AND environment = ?2"
    )
    raiseFloor = try connection.prepare(
      "UPDATE databases SET zone_floor = ?2 WHERE id = ?1 AND zone_floor < ?2"
    )
  }

  // MARK: Databases

  /// Refuses a container that nobody deployed to production.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func requireDeployed(_ container: String, _ environment: Environment) throws {
    guard environment == .production, !deployed.contains(container) else { return }
    selectSchema.bind(container, at: 1)
    selectSchema.bind(Int64(environment.rawValue), at: 2)
    defer { selectSchema.reset() }
    guard try selectSchema.step() else { throw ItemError.notDeployed(container) }
    deployed.insert(container)
  }

  /// The database, if anything was ever written to it.
  ///
  /// - Throws: `ItemError` `badContainer` in production, for a container that nobody deployed;
  ///   `SQLError`.
  func database(_ id: DatabaseID) throws -> DatabaseEntry? {
    if refusesResets, !containersBeingReset.isEmpty {
      try requireNoReset(of: id.container, id.environment)
    }
    if let lastDatabase, lastDatabase.id == id { return lastDatabase }
    if let known = databases[id] {
      lastDatabase = known
      return known
    }
    try requireDeployed(id.container, id.environment)
    bind(id, to: selectDatabase)
    defer { selectDatabase.reset() }
    guard try selectDatabase.step() else { return nil }
    return remember(
      DatabaseEntry(
        number: selectDatabase.int64(0),
        id: id,
        head: selectDatabase.int64(1),
        remembered: remembered
      )
    )
  }

  /// The database, if that is known without a look at the store.
  func known(_ id: DatabaseID) -> DatabaseEntry? { databases[id] }

  /// The zone, if that is known without a look at the store.
  func known(_ id: ZoneID, in database: DatabaseEntry) -> ZoneEntry? {
    zones[ZoneKey(database: database.number, zone: id)]
  }

  /// Refuses a call to an environment that is being reset.
  func requireNoReset(
    of container: String,
    _ environment: Environment
  ) throws(ItemError) {
    guard environment == .development, containersBeingReset.contains(container) else { return }
    throw ItemError(
      .zoneBusy,
      "the development environment of container \(Identifier.shown(container)) is being reset: wait "
        + "and repeat",
      retryAfter: .seconds(1)
    )
  }

  /// The database, created if needed.
  ///
  /// - Throws: As `database`; `limitExceeded` for a container of the owner too many.
  func makeDatabase(_ id: DatabaseID) throws -> DatabaseEntry {
    if let known = try database(id) { return known }
    try checkContainers(of: id)
    return try insert(planned(id))
  }

  private func planned(_ id: DatabaseID) -> DatabaseEntry {
    DatabaseEntry(number: 0, id: id, head: 0, remembered: remembered)
  }

  /// Writes a database that was planned.
  ///
  /// - Throws: `SQLError`.
  func insert(_ planned: DatabaseEntry) throws(SQLError) -> DatabaseEntry {
    precondition(planned.number == 0, "a planned database is written once")
    bind(planned.id, to: insertDatabase)
    defer { insertDatabase.reset() }
    _ = try insertDatabase.step()
    planned.number = insertDatabase.int64(0)
    return remember(planned)
  }

  /// The database, or what is to be made of it: one without a number, in which there is nothing.
  ///
  /// - Throws: As `database`.
  func plannedDatabase(_ id: DatabaseID) throws -> DatabaseEntry {
    try database(id) ?? planned(id)
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

  /// The database whose number the store holds.
  func database(numbered number: Int64) throws -> DatabaseEntry {
    if let id = databaseIDs[number], let known = databases[id] { return known }
    let row = selectDatabaseByNumber
    row.bind(number, at: 1)
    defer { row.reset() }
    guard try row.step(),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: row.int64(1))),
      let scope = DatabaseScope(rawValue: Int32(truncatingIfNeeded: row.int64(2)))
    else { throw missing(number) }
    let id = DatabaseID(
      container: row.string(0),
      environment: environment,
      scope: scope,
      owner: row.string(3)
    )
    guard let entry = try database(id) else { throw missing(number) }
    return entry
  }

  private func missing(_ number: Int64) -> SQLError {
    SQLError(.damaged, "the database with the number \(number) is missing")
  }

  private func bind(_ id: DatabaseID, to statement: any SQLStatement) {
    statement.bind(id.container, at: 1)
    statement.bind(Int64(id.environment.rawValue), at: 2)
    statement.bind(Int64(id.scope.rawValue), at: 3)
    statement.bind(id.owner, at: 4)
  }

  private func remember(_ entry: DatabaseEntry) -> DatabaseEntry {
    databases[entry.id] = entry
    databaseIDs[entry.number] = entry.id
    remembered.add(entries: 1)
    return entry
  }

  // MARK: Zones

  /// The zone, if it exists in the store.
  ///
  /// The default zone does once something was written to it.
  func zone(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) -> ZoneEntry? {
    if let lastZone, lastZone.database === database, lastZone.id == id { return lastZone }
    let key = ZoneKey(database: database.number, zone: id)
    if let known = zones[key] {
      lastZone = known
      return known
    }
    selectZone.bind(database.number, at: 1)
    selectZone.bind(id.zoneName, at: 2)
    defer { selectZone.reset() }
    guard try selectZone.step() else { return nil }
    let entry = ZoneEntry(
      number: selectZone.int64(0),
      id: id,
      created: selectZone.time(2, nanos: 5),
      head: selectZone.int64(1),
      database: database,
      usage: Usage(records: selectZone.int64(3), bytes: selectZone.int64(4))
    )
    zones[key] = entry
    remembered.add(entries: 1)
    return entry
  }

  /// All zones of a database in the store, sorted by name: there may be thousands, of which none is remembered.
  ///
  /// - Throws: `LongCall`; `SQLError`.
  func zones(in database: DatabaseEntry, pace: Pace) throws -> [ZoneInfo] {
    var found: [ZoneInfo] = []
    selectZones.bind(database.number, at: 1)
    try selectZones.forEachRow {
      let id = ZoneID(zoneName: selectZones.string(3))
      // The open transaction may have changed it.
      let head = zones[ZoneKey(database: database.number, zone: id)]?.head
      found.append(
        ZoneInfo(
          id: id,
          created: id == .default ? nil : selectZones.time(1, nanos: 2),
          head: head ?? selectZones.int64(0)
        )
      )
      try pace.decisionStep()
    }
    return found
  }

  /// The numbers of all zones of a database in the store, and those of their last changes, in no order.
  ///
  /// On the loop, what the open transaction changed is missing.
  func heads(in database: DatabaseEntry) throws -> [(zone: Int64, head: Int64)] {
    var heads: [(zone: Int64, head: Int64)] = []
    selectHeads.bind(database.number, at: 1)
    try selectHeads.forEachRow { heads.append((selectHeads.int64(0), selectHeads.int64(1))) }
    return heads
  }

  /// How many zones a database has besides the default one.
  func zoneCount(of database: DatabaseEntry) throws(SQLError) -> Int {
    if let known = database.zoneCount { return known }
    countZones.bind(database.number, at: 1)
    countZones.bind(ZoneID.default.zoneName, at: 2)
    defer { countZones.reset() }
    let count = try countZones.step() ? Int(countZones.int64(0)) : 0
    database.zoneCount = count
    return count
  }

  /// Whether a database has so many zones or fewer; no more are counted.
  func hasZones(atMost count: Int, in database: DatabaseEntry) throws(SQLError) -> Bool {
    countSomeZones.bind(database.number, at: 1)
    countSomeZones.bind(Int64(count + 1), at: 2)
    defer { countSomeZones.reset() }
    return try countSomeZones.step() && countSomeZones.int64(0) <= count
  }

  /// Whether a zone of this name was deleted, and is remembered.
  func isDeleted(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) -> Bool {
    selectDeleted.bind(database.number, at: 1)
    selectDeleted.bind(id.zoneName, at: 2)
    defer { selectDeleted.reset() }
    return try selectDeleted.step()
  }

  /// Writes a zone that does not exist.
  func makeZone(
    _ id: ZoneID,
    in database: DatabaseEntry,
    at time: Timestamp
  )
    throws(SQLError) -> ZoneEntry
  {
    // The default zone is never deleted: its numbers begin at 0.
    let head = id == .default ? 0 : try floor(of: database)
    return try insert(
      ZoneEntry(number: 0, id: id, created: time, head: head, database: database)
    )
  }

  /// Writes a zone that was planned, in a database that is stored.
  ///
  /// - Throws: `SQLError`.
  func insert(_ planned: ZoneEntry) throws(SQLError) -> ZoneEntry {
    precondition(planned.number == 0, "a planned zone is written once")
    let (id, database) = (planned.id, planned.database)
    insertZone.bind(database.number, at: 1)
    insertZone.bind(id.zoneName, at: 2)
    insertZone.bind(planned.created, at: 3, nanos: 6)
    insertZone.bind(planned.head, at: 4)
    insertZone.bind(database.advance(), at: 5)
    defer { insertZone.reset() }
    _ = try insertZone.step()
    forgetDeleted.bind(database.number, at: 1)
    forgetDeleted.bind(id.zoneName, at: 2)
    try forgetDeleted.run()
    planned.number = insertZone.int64(0)
    zones[ZoneKey(database: database.number, zone: id)] = planned
    remembered.add(entries: 1)
    touchedZones.append(planned)
    if id != .default { database.zoneCount? += 1 }
    return planned
  }

  /// The highest number of any zone that was deleted.
  private func floor(of database: DatabaseEntry) throws(SQLError) -> Int64 {
    selectFloor.bind(database.number, at: 1)
    defer { selectFloor.reset() }
    return try selectFloor.step() ? selectFloor.int64(0) : 0
  }

  /// Removes a zone, and remembers why; its records are the caller's to remove.
  func remove(
    _ zone: ZoneEntry,
    from database: DatabaseEntry,
    because reason: ZoneDeletionReason,
    at time: SteadyTime
  ) throws(SQLError) {
    insertDeleted.bind(database.number, at: 1)
    insertDeleted.bind(zone.id.zoneName, at: 2)
    insertDeleted.bind(database.advance(), at: 3)
    insertDeleted.bind(Int64(reason.rawValue), at: 4)
    insertDeleted.bind(time.milliseconds, at: 5)
    try insertDeleted.run()
    touchedZones.append(zone)
    zones[ZoneKey(database: database.number, zone: zone.id)] = nil
    database.zoneCount? -= 1
    zone.isDirty = false
    raiseFloor.bind(database.number, at: 1)
    raiseFloor.bind(zone.head, at: 2)
    try raiseFloor.run()
    deleteZone.bind(zone.number, at: 1)
    try deleteZone.run()
  }

  /// Why a zone is gone that was there before; `nil`: it never was, or nobody remembers.
  func deletionReason(
    _ id: ZoneID,
    in database: DatabaseEntry
  ) throws(SQLError) -> ZoneDeletionReason? {
    selectDeleted.bind(database.number, at: 1)
    selectDeleted.bind(id.zoneName, at: 2)
    defer { selectDeleted.reset() }
    guard try selectDeleted.step() else { return nil }
    return ZoneDeletionReason(rawValue: Int32(truncatingIfNeeded: selectDeleted.int64(0)))
  }

  /// Takes the next number of a zone, for one batch.
  func advance(_ zone: ZoneEntry) -> Int64 {
    if !zone.isDirty { dirtyZones.append(zone) }
    return zone.advance()
  }

  private func writeHeads() throws(SQLError) {
    for zone in dirtyZones where zone.isDirty {
      updateHead.bind(zone.number, at: 1)
      updateHead.bind(zone.head, at: 2)
      updateHead.bind(zone.database.advance(), at: 3)
      updateHead.bind(zone.usage.records, at: 4)
      updateHead.bind(zone.usage.bytes, at: 5)
      try updateHead.run()
      zone.isDirty = false
      touchedZones.append(zone)
    }
    dirtyZones.removeAll(keepingCapacity: true)
  }

  /// Forgets a database whose row is removed, and which has no zones.
  func forget(databaseNumbered number: Int64) {
    if let id = databaseIDs.removeValue(forKey: number) { databases[id] = nil }
  }

  /// Forgets the details of all zones, if they are too many.
  func forgetDetails() {
    let count = zones.values.reduce(0) { $0 + $1.detailCount }
    guard remembered.counted(details: count) else { return }
    for zone in zones.values { zone.forgetDetails() }
  }

  /// Forgets what a transaction that was rolled back may have changed, and all else.
  func forget() {
    remembered.reset()
    databases = [:]
    databaseIDs = [:]
    zones = [:]
    dirtyZones = []
    touchedZones = []
    deployed = []
  }
}

extension Catalog: TransactionParticipant {
  func begin(at moment: Moment) {
    touchedZones.removeAll(keepingCapacity: true)
    refusesResets = true
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    refusesResets = false
    try writeHeads()
    transaction.zones += touchedZones.lazy.map {
      ChangedZone(database: $0.database.id, zone: $0.id)
    }
  }

  func didRollback() { refusesResets = false }

  func forgetEntries() { forget() }

  func reload() { forget() }
}
