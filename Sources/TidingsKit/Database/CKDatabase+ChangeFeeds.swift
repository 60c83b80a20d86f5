internal import Synchronization

/// Changes without operations.
extension CKDatabase {
  /// What changed in a zone between two tokens.
  public typealias RecordZoneChanges = (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion],
    changeToken: CKServerChangeToken,
    moreComing: Bool
  )

  /// What changed in a database between two tokens.
  public typealias DatabaseChanges = (
    modifications: [DatabaseChange.Modification],
    deletions: [DatabaseChange.Deletion],
    changeToken: CKServerChangeToken,
    moreComing: Bool
  )

  /// Fetches which records of a zone changed.
  ///
  /// - Parameters:
  ///   - zoneID: The zone.
  ///   - token: Where the last fetch ended; `nil`: from the beginning.
  ///   - desiredKeys: Which fields; `nil`: all.
  ///   - resultsLimit: Most records; `nil`: the server's choice.
  /// - Returns: What changed, and the token for the next fetch, at once when more is coming.
  /// - Throws: The zone's own error; `CKError.changeTokenExpired`: drop what is cached of the zone, and
  ///   begin without a token.
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID,
    since token: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int? = nil
  ) async throws -> RecordZoneChanges {
    let zone = ZoneFeed.Zone(
      id: zoneID,
      token: token?.bytes ?? [],
      limit: resultsLimit ?? 0,
      desiredKeys: desiredKeys
    )
    let events = Mutex<[ZoneFeed.Event]>([])
    _ = await ZoneFeed(zones: [zone], readsAll: false).run(in: self, patience) { event in
      events.withLock { $0.append(event) }
    }
    var modifications: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
    var deletions: [RecordZoneChange.Deletion] = []
    var end: Result<ZoneFeed.Position, any Error>?
    for event in events.withLock({ $0 }) {
      switch event {
      case .changed(let id, let result):
        modifications[id] = result.map { .init(record: $0) }.mapError { $0 }
      case .deleted(let id, let type):
        deletions.append(.init(recordID: id, recordType: type))
      case .passed: break
      case .ended(_, let result): end = result.mapError { $0 }
      }
    }
    let position = try single(end)
    return (modifications, deletions, position.token, position.moreComing)
  }

  /// Fetches which zones of the database changed.
  ///
  /// - Parameters:
  ///   - token: Where the last fetch ended; `nil`: from the beginning.
  ///   - resultsLimit: Most zones; `nil`: the server's choice.
  /// - Returns: What changed, and the token for the next fetch, at once when more is coming.
  /// - Throws: Why it failed; `CKError.changeTokenExpired`: begin without a token.
  public func databaseChanges(
    since token: CKServerChangeToken?,
    resultsLimit: Int? = nil
  ) async throws -> DatabaseChanges {
    var feed = DatabaseFeed(token: token?.bytes ?? [], limit: resultsLimit ?? 0)
    let page = try await feed.next(in: self, patience)
    return (
      page.changed.map { .init(zoneID: $0) }, page.deletions, page.token, page.moreComing
    )
  }

  /// Fetches which records of a zone changed.
  @preconcurrency
  public func fetchRecordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID,
    since token: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int? = nil,
    completionHandler: @escaping @Sendable (Result<RecordZoneChanges, any Error>) -> Void
  ) {
    Callback.run {
      try await self.recordZoneChanges(
        inZoneWith: zoneID,
        since: token,
        desiredKeys: desiredKeys,
        resultsLimit: resultsLimit
      )
    } then: {
      completionHandler($0)
    }
  }

  /// Fetches which zones of the database changed.
  @preconcurrency
  public func fetchDatabaseChanges(
    since token: CKServerChangeToken?,
    resultsLimit: Int? = nil,
    completionHandler: @escaping @Sendable (Result<DatabaseChanges, any Error>) -> Void
  ) {
    Callback.run {
      try await self.databaseChanges(since: token, resultsLimit: resultsLimit)
    } then: {
      completionHandler($0)
    }
  }
}
