public import TidingsModel

extension Engine {
  /// Creates a zone; one that exists stays as it is.
  public func saveZone(
    _ id: ZoneID,
    in database: DatabaseID,
    by call: CallContext
  ) throws -> ZoneInfo {
    try modifications.zones.save(id, in: database, by: call)
  }

  /// So many shares end in a transaction with other calls.
  private static let sharesEndedAtOnceMax = 50

  /// Refuses more changes of zones in one call than others can wait for, and to begin what takes long where it cannot
  /// pause.
  ///
  /// - Parameters:
  ///   - saved: The zones to save.
  ///   - deleted: The zones to delete.
  ///   - database: Their database.
  /// - Throws: `ItemError` `limitExceeded`; `LongCall`; `SQLError`.
  public func checkChanges(
    saving saved: [ZoneID],
    deleting deleted: [ZoneID],
    in database: DatabaseID
  ) throws {
    guard database.scope == .private, let database = try existing(database) else { return }
    // Those that are there already fire nothing.
    let created = try saved.filter { try catalog.zone($0, in: database) == nil }
    try checkEvents(ofZones: created + deleted, in: database)
    var count = 0
    for zone in deleted {
      if let zone = try catalog.zone(zone, in: database) {
        count += try sharing.table.count(in: zone, upTo: Self.sharesEndedAtOnceMax + 1)
      }
      guard count <= Self.sharesEndedAtOnceMax else { return try pace.requirePauses() }
      try pace.decisionStep()
    }
  }

  /// A database; `nil`: nothing was written to it, or it cannot be used now, which each change of it says.
  private func existing(_ database: DatabaseID) throws -> DatabaseEntry? {
    do {
      return try catalog.database(database)
    } catch is ItemError {
      return nil
    }
  }

  private func checkEvents(ofZones zones: [ZoneID], in database: DatabaseEntry) throws {
    guard !zones.isEmpty, channels.registry.watched.watchesZones(in: database) else { return }
    let count = zones.reduce(0) { count, zone in
      count
        + channels.registry.watched.zoneChannelCount(
          zone,
          in: database,
          recordTypes: [],
          isZoneItself: true
        )
    }
    try checkEvents(
      count,
      ofChanges: zones.count,
      else:
        "the zones of this call fire \(count) notifications, at most \(limits.eventsPerCallMax) are "
        + "allowed: change fewer zones in one call, or delete subscriptions that say the same"
    )
  }

  /// Deletes a zone with all its records; those of a large one are removed, and fire, as a part of
  /// `doMaintenance`.
  public func deleteZone(
    _ id: ZoneID,
    in database: DatabaseID,
    because reason: ZoneDeletionReason,
    by call: CallContext
  ) throws {
    try modifications.zones.delete(id, in: database, because: reason, by: call)
  }

  /// Returns a zone.
  public func zone(_ id: ZoneID, in database: DatabaseID) throws -> ZoneInfo {
    guard database.scope != .shared else { return try sharedZone(id, in: database) }
    return try modifications.zones.fetch(id, in: database)
  }

  /// Returns all zones of a database, sorted by name.
  public func zones(in database: DatabaseID) throws -> [ZoneInfo] {
    guard database.scope != .shared else { return try sharedZones(in: database) }
    return try modifications.zones.fetchAll(in: database)
  }

  /// The number of a database's newest change; 0: nothing was ever written to it.
  public func head(of database: DatabaseID) throws -> Int64 {
    try catalog.database(database)?.head ?? 0
  }

  /// Creates a zone, in a call of its own.
  @discardableResult
  public func saveZone(_ id: ZoneID, in database: DatabaseID, caller: Caller) throws -> ZoneInfo {
    try asOneCall(by: caller) { try saveZone(id, in: database, by: $0) }
  }

  /// Deletes a zone, in a call of its own.
  public func deleteZone(
    _ id: ZoneID,
    in database: DatabaseID,
    because reason: ZoneDeletionReason,
    caller: Caller
  ) throws {
    try asOneCall(by: caller) { try deleteZone(id, in: database, because: reason, by: $0) }
  }
}
