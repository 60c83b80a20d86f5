/// Records without operations: for code that is called back.
///
/// Each handler is called once, on a queue of the library's.
extension CKDatabase {
  /// Saves a record, unless somebody else saved it since it was fetched.
  @preconcurrency
  public func save(
    _ record: CKRecord,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.save(record)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches a record.
  @preconcurrency
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.record(for: recordID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Deletes a record; one that does not exist is deleted already.
  @preconcurrency
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.deleteRecord(withID: recordID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches records; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID],
    desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
  ) {
    Callback.run {
      try await self.records(for: recordIDs, desiredKeys: desiredKeys)
    } then: {
      completionHandler($0)
    }
  }

  /// Saves and deletes records; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func modifyRecords(
    saving recordsToSave: [CKRecord],
    deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
            deleteResults: [CKRecord.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    Callback.run {
      try await self.modifyRecords(
        saving: recordsToSave,
        deleting: recordIDsToDelete,
        savePolicy: savePolicy,
        atomically: atomically
      )
    } then: {
      completionHandler($0)
    }
  }
}
