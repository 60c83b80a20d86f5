internal import TidingsModel
internal import TidingsSQL

/// Databases and zones: their numbers in the store, remembered once looked up.
///
/// Unchecked: plain values, on the loop's thread.
final class Catalog {
  /// Containers whose development environment is being reset.
  @exclusivity(unchecked) var containersBeingReset: Set<String> = []
  /// A caller's work is done: it finds no database that is being reset.
  @exclusivity(unchecked) var refusesResets = false

  private struct ZoneKey: Hashable {
    let database: Int64
    let zone: ZoneID
  }

  private var databases: [DatabaseID: DatabaseEntry] = [:] { didSet { lastDatabase = nil } }
  /// The one that was looked up last: one after the other, calls are often about the same.
  @exclusivity(unchecked) private var lastDatabase: DatabaseEntry?
  private var databaseIDs: [Int64: DatabaseID] = [:]
  private var zones: [ZoneKey: ZoneEntry] = [:] { didSet { lastZone = nil } }
  /// The one that was looked up last.
  @exclusivity(unchecked) private var lastZone: ZoneEntry?
  @exclusivity(unchecked) private var dirtyZones: [ZoneEntry] = []
  /// The zones that this transaction changed, created or deleted.
  @exclusivity(unchecked) private var touchedZones: [ZoneEntry] = []

  private let databaseRows: DatabaseRows
  private let zoneRows: ZoneRows
  private let deletedZoneRows: DeletedZoneRows
  private var deployed: DeployedContainers
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
    databaseRows = try DatabaseRows(connection)
    zoneRows = try ZoneRows(connection)
    deletedZoneRows = try DeletedZoneRows(connection)
    deployed = try DeployedContainers(connection)
  }

  // MARK: Databases

  /// Refuses a container that nobody deployed to production.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func requireDeployed(_ container: String, _ environment: Environment) throws {
    try deployed.require(container, environment)
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
    guard let row = try databaseRows.find(id) else { return nil }
    return remember(
      DatabaseEntry(number: row.number, id: id, head: row.head, remembered: remembered)
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
    planned.number = try databaseRows.insert(planned.id)
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
    try databaseRows.containers(of: user, with: container)
  }

  /// The database whose number the store holds.
  func database(numbered number: Int64) throws -> DatabaseEntry {
    if let id = databaseIDs[number], let known = databases[id] { return known }
    let id = try databaseRows.id(numbered: number)
    guard let entry = try database(id) else {
      throw SQLError(.damaged, "the database with the number \(number) is missing")
    }
    return entry
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
    guard let entry = try zoneRows.find(id, in: database) else { return nil }
    zones[key] = entry
    remembered.add(entries: 1)
    return entry
  }

  /// All zones of a database in the store, sorted by name: there may be thousands, of which none is remembered.
  ///
  /// - Throws: `LongCall`; `SQLError`.
  func zones(in database: DatabaseEntry, pace: Pace) throws -> [ZoneInfo] {
    var found: [ZoneInfo] = []
    try zoneRows.read(in: database) { stored in
      // The open transaction may have changed it.
      let known = zones[ZoneKey(database: database.number, zone: stored.id)]
      found.append(
        ZoneInfo(id: stored.id, created: stored.created, head: known?.head ?? stored.head)
      )
      try pace.decisionStep()
    }
    return found
  }

  /// The numbers of all zones of a database in the store, and those of their last changes, in no order.
  ///
  /// On the loop, what the open transaction changed is missing.
  func heads(in database: DatabaseEntry) throws -> [(zone: Int64, head: Int64)] {
    try zoneRows.heads(in: database)
  }

  /// How many zones a database has besides the default one.
  func zoneCount(of database: DatabaseEntry) throws(SQLError) -> Int {
    if let known = database.zoneCount { return known }
    let count = try zoneRows.count(in: database)
    database.zoneCount = count
    return count
  }

  /// Whether a database has so many zones or fewer; no more are counted.
  func hasZones(atMost count: Int, in database: DatabaseEntry) throws(SQLError) -> Bool {
    try zoneRows.hasAtMost(count, in: database)
  }

  /// Whether a zone of this name was deleted, and is remembered.
  func isDeleted(_ id: ZoneID, in database: DatabaseEntry) throws(SQLError) -> Bool {
    try deletedZoneRows.contains(id, in: database)
  }

  /// Writes a zone that does not exist.
  func makeZone(
    _ id: ZoneID,
    in database: DatabaseEntry,
    at time: Timestamp
  )
    throws(SQLError) -> ZoneEntry
  {
    try insert(plannedZone(id, in: database, at: time))
  }

  /// What is to be made of a zone that does not exist.
  ///
  /// No number of its changes was one of a zone that was deleted: not those of the default zone either, which a reset deletes.
  func plannedZone(
    _ id: ZoneID,
    in database: DatabaseEntry,
    at time: Timestamp
  ) throws(SQLError) -> ZoneEntry {
    let head = database.number == 0 ? 0 : try databaseRows.zoneFloor(of: database.number)
    return ZoneEntry(number: 0, id: id, created: time, head: head, database: database)
  }

  /// Writes a zone that was planned, in a database that is stored.
  ///
  /// - Throws: `SQLError`.
  func insert(_ planned: ZoneEntry) throws(SQLError) -> ZoneEntry {
    precondition(planned.number == 0, "a planned zone is written once")
    let (id, database) = (planned.id, planned.database)
    let number = try zoneRows.insert(planned, changed: database.advance())
    try deletedZoneRows.delete(id, in: database)
    planned.number = number
    zones[ZoneKey(database: database.number, zone: id)] = planned
    remembered.add(entries: 1)
    touchedZones.append(planned)
    if id != .default { database.zoneCount? += 1 }
    return planned
  }

  /// Removes a zone, and remembers why; its records are the caller's to remove.
  func remove(
    _ zone: ZoneEntry,
    from database: DatabaseEntry,
    because reason: ZoneDeletionReason,
    at time: SteadyTime
  ) throws(SQLError) {
    try deletedZoneRows.insert(
      zone.id,
      in: database,
      changed: database.advance(),
      because: reason,
      at: time
    )
    touchedZones.append(zone)
    zones[ZoneKey(database: database.number, zone: zone.id)] = nil
    database.zoneCount? -= 1
    zone.isDirty = false
    try databaseRows.raiseZoneFloor(of: database.number, to: zone.head)
    try zoneRows.delete(numbered: zone.number)
  }

  /// Why a zone is gone that was there before; `nil`: it never was, or nobody remembers.
  func deletionReason(
    _ id: ZoneID,
    in database: DatabaseEntry
  ) throws(SQLError) -> ZoneDeletionReason? {
    try deletedZoneRows.reason(of: id, in: database)
  }

  /// Takes the next number of a zone, for one batch.
  func advance(_ zone: ZoneEntry) -> Int64 {
    if !zone.isDirty { dirtyZones.append(zone) }
    return zone.advance()
  }

  private func writeHeads() throws(SQLError) {
    for zone in dirtyZones where zone.isDirty {
      try zoneRows.update(zone, changed: zone.database.advance())
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
    deployed.forget()
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
