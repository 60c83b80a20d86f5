internal import TidingsClient
internal import TidingsProto

/// A query, or the rest of one, and how it becomes calls.
struct QueryRun: Sendable {
  /// Where it begins.
  enum Start: Sendable {
    case query(CKQuery, zoneID: CKRecordZone.ID?)
    case cursor(CKQueryOperation.Cursor)
  }

  var start: Start
  /// Which fields; `nil`: all.
  var desiredKeys: [CKRecord.FieldKey]?
  /// Most records; 0: one page of the server's choice.
  var resultsLimit: Int

  /// Finds records.
  ///
  /// A server's page may be short, so pages are asked for until the limit is met, or, without one, until
  /// something was found.
  ///
  /// - Returns: Where to continue; `nil`: all was found.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: @Sendable (CKRecord.ID, Result<CKRecord, CKError>) -> Void
  ) async throws -> CKQueryOperation.Cursor? {
    var request = try firstRequest(database)
    request.desiredKeys = desiredKeys.map { .init(keys: $0) }
    let limit = max(0, resultsLimit)
    var count = 0
    while true {
      try Task.checkCancellation()
      request.limit = UInt32(clamping: min(limit - count, RecordModification.itemsPerCallMax))
      let sent = request
      let page = try await database.call(patience) { (client, options) in
        try await client.records.queryRecords(sent, options: options)
      }
      for record in page.records {
        let id = CKRecord.ID(record.recordID ?? .init())
        do {
          tell(id, .success(try await database.receive(record)))
        } catch {
          tell(id, .failure(CKError(wrapping: error)))
        }
      }
      count += page.records.count
      guard !page.cursor.isEmpty else { return nil }
      request.cursor = page.cursor
      let isEnough = limit == 0 ? count > 0 : count >= limit
      if isEnough { return .init(page.cursor) }
    }
  }

  private func firstRequest(_ database: CKDatabase) throws -> TidingsV1.QueryRecordsRequest {
    switch start {
    case .cursor(let cursor): return .init(databaseID: database.databaseID, cursor: cursor.bytes)
    case .query(let query, let zoneID):
      var request = try query.wire(in: database)
      request.zoneID = zoneID?.wire
      return request
    }
  }
}
