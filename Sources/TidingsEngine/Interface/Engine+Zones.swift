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
