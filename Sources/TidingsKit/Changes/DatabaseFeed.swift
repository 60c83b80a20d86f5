internal import TidingsClient
internal import TidingsProto

/// Reads which zones of a database changed, and how that becomes calls.
struct DatabaseFeed: Sendable {
  /// What changed between two tokens.
  struct Page: Sendable {
    var changed: [CKRecordZone.ID]
    var deletions: [CKDatabase.DatabaseChange.Deletion]
    var token: CKServerChangeToken
    var moreComing: Bool
  }

  /// Where to begin; empty: at the beginning.
  var token: [UInt8]
  /// Most zones of a page; 0: as many as the server puts into one.
  var limit: Int

  /// Reads one page, and goes on behind it the next time.
  mutating func next(in database: CKDatabase, _ patience: Patience) async throws -> Page {
    try Task.checkCancellation()
    let request = TidingsV1.FetchDatabaseChangesRequest(
      databaseID: database.databaseID,
      changeToken: token,
      limit: UInt32(clamping: limit)
    )
    let answer = try await database.call(patience) { (client, options) in
      try await client.pageLimits.databaseChanges(request, client, options)
    }
    token = answer.changeToken
    return Page(
      changed: answer.changedZoneIDs.map { CKRecordZone.ID($0) },
      deletions: answer.deletedZones.map {
        .init(zoneID: .init($0.zoneID ?? .init()), reason: .init($0.reason))
      },
      token: CKServerChangeToken(answer.changeToken),
      moreComing: answer.moreComing
    )
  }
}

extension CKDatabase.DatabaseChange.Deletion.Reason {
  init(_ reason: TidingsV1.ZoneDeletionReason) {
    switch reason {
    case .purged: self = .purged
    case .encryptedDataReset: self = .encryptedDataReset
    default: self = .deleted
    }
  }
}
