internal import TidingsModel
internal import TidingsSQL

/// Creates, deletes and returns zones.
final class ModifyZones {
  private let catalog: Catalog
  private let firings: ChannelFirings
  private let followers: [any RecordFollower]
  private let remover: ZoneRemover
  private let usage: UsageTable
  private let quotas: QuotaTable
  private let limits: Limits
  private let pace: Pace

  init(
    catalog: Catalog,
    firings: ChannelFirings,
    followers: [any RecordFollower],
    remover: ZoneRemover,
    usage: UsageTable,
    quotas: QuotaTable,
    limits: Limits,
    pace: Pace
  ) {
    self.catalog = catalog
    self.firings = firings
    self.followers = followers
    self.remover = remover
    (self.usage, self.quotas) = (usage, quotas)
    (self.limits, self.pace) = (limits, pace)
  }

  /// Creates a zone, within a call; one that exists stays as it is.
  ///
  /// - Throws: `ItemError`, before anything is written; `SQLError`.
  func save(
    _ id: ZoneID,
    in databaseID: DatabaseID,
    by call: CallContext
  ) throws -> ZoneInfo {
    try id.validate()
    guard databaseID.scope != .shared else { throw ItemError.zonesOfOthers }
    guard databaseID.scope != .public || id == .default else {
      throw ItemError(
        .badDatabase,
        "zone '\(id.zoneName)': the public database has the default zone only: use the private "
          + "database"
      )
    }
    let planned = try catalog.plannedDatabase(databaseID)
    if let zone = try catalog.zone(id, in: planned) { return zone.info }
    try checkZoneCount(of: planned, for: id)
    let cost = try checkRoom(for: id, in: planned)
    let database = try catalog.makeDatabase(databaseID, by: call.caller.user)
    try usage.add(cost, to: database)
    let zone = try catalog.makeZone(id, in: database, at: call.moment.timeOfDay)
    // The default zone is there from the beginning, as far as clients can see.
    if id != .default { firings.noteCreation(of: id, in: database, by: call) }
    return zone.info
  }

  private func checkZoneCount(of database: DatabaseEntry, for id: ZoneID) throws {
    guard id != .default else { return }
    let count = try catalog.zoneCount(of: database)
    guard count >= limits.zonesPerDatabaseMax else { return }
    throw ItemError(
      .limitExceeded,
      "zone '\(id.zoneName)': the database has \(count) zones and may have "
        + "\(limits.zonesPerDatabaseMax): delete those that are not needed, or use fewer zones"
    )
  }

  /// A zone counts from its creation until its deletion is forgotten.
  ///
  /// - Returns: What it takes.
  /// - Throws: `ItemError` `quotaExceeded`; `SQLError`.
  private func checkRoom(for id: ZoneID, in database: DatabaseEntry) throws -> Int64 {
    guard id != .default, try !catalog.isDeleted(id, in: database) else { return 0 }
    let change = Usage(bytes: StorageCost.zone(name: id.zoneName))
    let quota = try quotas.quota(of: database.id.owner)
    let used = try usage.account(of: database)
    guard quota.admits(change, over: used) else {
      quotas.refusedCount += 1
      throw quota.exceeded(
        by: "zone '\(id.zoneName)'",
        taking: change,
        over: used,
        in: database.id
      )
    }
    return change.bytes
  }

  /// Deletes a zone with all its records, within a call; those that are watched fire.
  ///
  /// From then on it is not there, for anybody; the rows of a large one are removed after the call.
  ///
  /// - Throws: `ItemError`, before anything is written; `SQLError`.
  func delete(
    _ id: ZoneID,
    in databaseID: DatabaseID,
    because reason: ZoneDeletionReason,
    by call: CallContext
  ) throws {
    try id.validate()
    guard databaseID.scope != .shared else { throw ItemError.zonesOfOthers }
    guard id != .default else {
      throw ItemError(
        .badDatabase,
        "the default zone cannot be deleted: delete its records instead"
      )
    }
    let found = try catalog.database(databaseID)
    guard let database = found, let zone = try catalog.zone(id, in: database) else {
      throw try catalog.absence(of: id, in: found, scope: databaseID.scope, isWanted: false)
    }
    try remove(zone, from: database, because: reason, by: call)
  }

  /// Deletes a zone, the default one too, within a call.
  ///
  /// - Throws: `ItemError` `zoneBusy`, before anything is written; `SQLError`.
  func remove(
    _ zone: ZoneEntry,
    from database: DatabaseEntry,
    because reason: ZoneDeletionReason,
    by call: CallContext
  ) throws {
    let id = zone.id
    try remover.check(id, in: database)
    for follower in followers {
      try follower.followDeletion(of: zone, in: database, by: call)
    }
    try catalog.remove(zone, from: database, because: reason, at: call.steady)
    try remover.remove(
      DeletedZone(number: zone.number, id: id, database: database),
      by: call
    )
    firings.noteDeletion(of: id, in: database, by: call)
  }

  /// Returns a zone.
  ///
  /// - Throws: `ItemError` `zoneNotFound` or `userDeletedZone`; `SQLError`.
  func fetch(_ id: ZoneID, in databaseID: DatabaseID) throws -> ZoneInfo {
    try id.validate()
    let database = try catalog.database(databaseID)
    if let zone = try database.flatMap({ try catalog.zone(id, in: $0) }) { return zone.info }
    guard id == .default else {
      throw try catalog.absence(of: id, in: database, scope: databaseID.scope)
    }
    return ZoneInfo(id: id, created: nil, head: 0)
  }

  /// Returns all zones of a database, sorted by name; the default zone is always there.
  ///
  /// - Throws: `LongCall`; `SQLError`.
  func fetchAll(in databaseID: DatabaseID) throws -> [ZoneInfo] {
    var zones = try catalog.database(databaseID).map { try catalog.zones(in: $0, pace: pace) } ?? []
    if !zones.contains(where: { $0.id == .default }) {
      zones.append(ZoneInfo(id: .default, created: nil, head: 0))
    }
    return zones.sorted { $0.id.zoneName < $1.id.zoneName }
  }
}

extension ZoneEntry {
  fileprivate var info: ZoneInfo {
    ZoneInfo(id: id, created: id == .default ? nil : created, head: head)
  }
}

extension ItemError {
  /// Zones of the shared database belong to others.
  fileprivate static let zonesOfOthers = ItemError(
    .badDatabase,
    "zones of the shared database belong to others, who create and delete them: create a zone in the "
      + "private database; to leave a share, delete its record in the shared database"
  )
}
