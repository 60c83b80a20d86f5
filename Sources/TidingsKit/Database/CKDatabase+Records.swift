/// Records without operations: for code that waits.
///
/// What takes one record throws that record's own error.
extension CKDatabase {
  /// Saves a record, unless somebody else saved it since it was fetched.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    let results = try await modifyRecords(saving: [record], deleting: [], atomically: false)
    return try single(results.saveResults[record.recordID])
  }

  /// Fetches a record.
  @discardableResult
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try single(await records(for: [recordID])[recordID])
  }

  /// Deletes a record; one that does not exist is deleted already.
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    let results = try await modifyRecords(saving: [], deleting: [recordID], atomically: false)
    try single(results.deleteResults[recordID])
    return recordID
  }

  /// Fetches records.
  ///
  /// - Parameters:
  ///   - ids: Which records.
  ///   - desiredKeys: Which fields; `nil`: all.
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail.
  public func records(
    for ids: [CKRecord.ID],
    desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    let fetch = RecordFetch(ids: ids, desiredKeys: desiredKeys)
    let outcome = await fetch.run(in: self, patience) { (_, _) in }
    if let failure = outcome.failure, outcome.found.isEmpty { throw failure }
    return outcome.results
  }

  /// Saves and deletes records.
  ///
  /// - Parameters:
  ///   - recordsToSave: Records to save.
  ///   - recordIDsToDelete: Records to delete.
  ///   - savePolicy: What a save compares and writes.
  ///   - atomically: All of a zone's items succeed, or none does; not in default zones.
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail, when it was none of them.
  public func modifyRecords(
    saving recordsToSave: [CKRecord],
    deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    let modification = RecordModification(
      saving: recordsToSave,
      deleting: recordIDsToDelete,
      policy: savePolicy,
      isAtomic: atomically
    )
    let results = ModificationResults()
    let outcome = await modification.run(in: self, patience) { results.enter($0) }
    if let error = outcome.error, error.code != .partialFailure, outcome.isEmpty { throw error }
    return results.all
  }

  /// The result of the one item that was asked for.
  func single<Value>(_ result: Result<Value, any Error>?) throws -> Value {
    guard let result else {
      throw CKError(.internalError, "the server's answer does not include this item")
    }
    return try result.get()
  }
}
