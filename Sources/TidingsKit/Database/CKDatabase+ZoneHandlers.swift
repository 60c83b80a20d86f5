/// Zones without operations: for code that is called back.
///
/// Each handler is called once, on a queue of the library's.
extension CKDatabase {
  /// Creates a zone; one that exists stays as it is.
  @preconcurrency
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.save(zone)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches a zone.
  @preconcurrency
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.recordZone(for: zoneID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches all zones of the database.
  @preconcurrency
  public func fetchAllRecordZones(
    completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.allRecordZones()
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Deletes a zone with all its records.
  @preconcurrency
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.deleteRecordZone(withID: zoneID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches zones; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func fetch(
    withRecordZoneIDs recordZoneIDs: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run {
      try await self.recordZones(for: recordZoneIDs)
    } then: {
      completionHandler($0)
    }
  }

  /// Creates and deletes zones; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone],
    deleting recordZoneIDsToDelete: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    Callback.run {
      try await self.modifyRecordZones(
        saving: recordZonesToSave,
        deleting: recordZoneIDsToDelete
      )
    } then: {
      completionHandler($0)
    }
  }
}
