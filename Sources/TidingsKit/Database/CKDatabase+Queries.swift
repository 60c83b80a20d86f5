internal import Synchronization

/// Queries without operations: for code that waits.
extension CKDatabase {
  /// Finds records.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - zoneID: The zone; `nil`: all zones of the database.
  ///   - desiredKeys: Which fields; `nil`: all.
  ///   - resultsLimit: Most records; by default as many as the server puts into a page.
  /// - Returns: The records in the order of the query, and where to continue; `nil`: all was found.
  /// - Throws: Why the query failed.
  public func records(
    matching query: CKQuery,
    inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    let start = QueryRun.Start.query(query, zoneID: zoneID)
    return try await collect(
      .init(start: start, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    )
  }

  /// Finds more records.
  ///
  /// - Parameters:
  ///   - queryCursor: Where the query ended.
  ///   - desiredKeys: Which fields; `nil`: all.
  ///   - resultsLimit: Most records; by default as many as the server puts into a page.
  /// - Returns: The records in the order of the query, and where to continue; `nil`: all was found.
  /// - Throws: Why the query failed; `CKError.changeTokenExpired` when the cursor is too old.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await collect(
      .init(start: .cursor(queryCursor), desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    )
  }

  /// Finds all records.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - zoneID: The zone; `nil`: all zones of the database.
  /// - Returns: The records of all pages in the order of the query; fetch many in pages, with a cursor.
  /// - Throws: Why the query failed.
  @discardableResult
  public func perform(
    _ query: CKQuery,
    inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    var (matches, cursor) = try await records(matching: query, inZoneWith: zoneID)
    while let next = cursor {
      let page = try await records(continuingMatchFrom: next)
      matches += page.matchResults
      cursor = page.queryCursor
    }
    return try matches.map { try $0.1.get() }
  }

  private func collect(
    _ run: QueryRun
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    let found = Mutex<[(CKRecord.ID, Result<CKRecord, any Error>)]>([])
    let cursor = try await run.run(in: self, patience) { (id, answer) in
      found.withLock { $0.append((id, answer.mapError { $0 })) }
    }
    return (found.withLock { $0 }, cursor)
  }
}
