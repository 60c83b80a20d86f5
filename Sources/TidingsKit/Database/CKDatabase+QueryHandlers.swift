/// Queries without operations: for code that is called back.
///
/// Each handler is called once, on a queue of the library's.
extension CKDatabase {
  /// What a page of a query has: the records in its order, and where to continue.
  public typealias QueryPage = (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  )

  /// Finds all records; `zoneID` `nil`: in all zones of the database.
  @preconcurrency
  public func perform(
    _ query: CKQuery,
    inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.perform(query, inZoneWith: zoneID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Finds records; returns them and where to continue, `nil` when all were found.
  @preconcurrency
  public func fetch(
    withQuery query: CKQuery,
    inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler: @escaping @Sendable (Result<QueryPage, any Error>) -> Void
  ) {
    Callback.run {
      try await self.records(
        matching: query,
        inZoneWith: zoneID,
        desiredKeys: desiredKeys,
        resultsLimit: resultsLimit
      )
    } then: {
      completionHandler($0)
    }
  }

  /// Finds more records; returns them and where to continue, `nil` when all were found.
  @preconcurrency
  public func fetch(
    withCursor queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler: @escaping @Sendable (Result<QueryPage, any Error>) -> Void
  ) {
    Callback.run {
      try await self.records(
        continuingMatchFrom: queryCursor,
        desiredKeys: desiredKeys,
        resultsLimit: resultsLimit
      )
    } then: {
      completionHandler($0)
    }
  }
}
