internal import Synchronization

/// Zones without operations: for code that waits.
///
/// What takes one zone throws that zone's own error.
extension CKDatabase {
  /// Creates a zone; one that exists stays as it is.
  @discardableResult
  public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
    try single(await modifyRecordZones(saving: [zone], deleting: []).saveResults[zone.zoneID])
  }

  /// Fetches a zone.
  @discardableResult
  public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
    try single(await recordZones(for: [zoneID])[zoneID])
  }

  /// Fetches all zones of the database.
  @discardableResult
  public func allRecordZones() async throws -> [CKRecordZone] {
    let zones = Mutex<[CKRecordZone]>([])
    let outcome = await ZoneFetch(ids: nil).run(in: self, patience) { (_, answer) in
      if case .success(let zone) = answer { zones.withLock { $0.append(zone) } }
    }
    if let error = outcome.error { throw error }
    return zones.withLock { $0 }
  }

  /// Deletes a zone with all its records.
  @discardableResult
  public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
    try single(await modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults[zoneID])
    return zoneID
  }

  /// Fetches zones.
  ///
  /// - Parameter ids: Which zones.
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail.
  public func recordZones(
    for ids: [CKRecordZone.ID]
  ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
    let outcome = await ZoneFetch(ids: ids).run(in: self, patience) { (_, _) in }
    if let failure = outcome.failure, outcome.found.isEmpty { throw failure }
    return outcome.results
  }

  /// Creates and deletes zones.
  ///
  /// - Parameters:
  ///   - recordZonesToSave: Zones to create.
  ///   - recordZoneIDsToDelete: Zones to delete, with all their records.
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone],
    deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) {
    let modification = ZoneModification(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
    let saves = Mutex<[CKRecordZone.ID: Result<CKRecordZone, any Error>]>([:])
    let deletions = Mutex<[CKRecordZone.ID: Result<Void, any Error>]>([:])
    let outcome = await modification.run(in: self, patience) { event in
      switch event {
      case .saved(let zone, let result):
        saves.withLock { $0[zone.zoneID] = result.mapError { $0 } }
      case .deleted(let id, let error):
        deletions.withLock { $0[id] = error.map { .failure($0) } ?? .success(()) }
      }
    }
    if let failure = outcome.failure, outcome.isEmpty { throw failure }
    return (saves.withLock { $0 }, deletions.withLock { $0 })
  }
}
