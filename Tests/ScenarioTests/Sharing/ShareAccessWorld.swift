internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// How users ask for access, take one-time URLs and administer shares in tests.
extension SharingWorld {
  /// The code with which a request is refused; 0: it was made, or had been.
  static func request(_ url: String, by client: Client) async throws -> Int32 {
    let results = try await client.shares.requestAccess([url])
    try #require(results.count == 1 && results[0].url == url)
    return results[0].error?.code.rawValue ?? 0
  }

  /// The code with which an acceptance is refused; 0: it is not.
  static func acceptanceCode(of url: String, by client: Client) async throws -> Int32 {
    switch try await acceptance(of: url, by: client).outcome {
    case .metadata?: 0
    case .error(let error)?: error.code.rawValue
    case nil: -1
    }
  }

  /// The code with which FetchShareMetadata refuses a URL; 0: it does not.
  static func metadataCode(of url: String, by client: Client) async throws -> Int32 {
    switch try await client.shares.metadata(of: [url]).first?.outcome {
    case .metadata?: 0
    case .error(let error)?: error.code.rawValue
    case nil: -1
    }
  }

  /// Who waits for access to ada's share.
  func requesters(_ share: String = "s") async throws -> [String] {
    try await stored(share).share?.requesters.map(\.userRecordName) ?? []
  }

  /// Invites whoever takes the URL that is returned.
  func invite(
    _ id: String,
    _ permission: TidingsV1.ParticipantPermission = .readWrite,
    expires: GoogleProtobuf.Timestamp? = nil
  ) async throws -> String {
    try await change("s") { $0.addInvitation(id: id, permission, expires: expires) }
    return try #require(try await stored("s").share?.oneTimeURL(for: id))
  }

  /// The share as a participant reads it.
  static func theirShare(_ client: Client) async throws -> Record {
    let result = try await client.records.fetchRecords(
      .init(databaseID: shared, recordIDs: [theirID("s")])
    ).results[0]
    return try #require(result.record, "\(result)")
  }

  /// Saves the share in the shared database; the code with which that is refused.
  static func change(
    as client: Client,
    _ change: (inout TidingsV1.Share) -> Void
  ) async throws -> Int32 {
    var record = try await theirShare(client)
    if var share = record.share {
      change(&share)
      record.share = share
    }
    return code(try await client.modifyShared([record])[0])
  }

  /// Every version of the share's record that a user reads, by each call that shows one.
  static func versions(seenBy client: Client, url: String) async throws -> [Record] {
    var seen = [try await theirShare(client)]
    var request = TidingsV1.FetchRecordZoneChangesRequest(databaseID: shared)
    request.zones = [.init(zoneID: theirID("s").zoneID)]
    let feed = try await client.records.fetchRecordZoneChanges(request)
    seen += feed.zones.flatMap(\.changedRecords).filter { $0.share != nil }
    seen += try await client.shares.all().compactMap(\.share)
    for result in try await client.shares.metadata(of: [url]) {
      if case .metadata(let metadata)? = result.outcome {
        seen += [metadata.share].compactMap(\.self)
      }
    }
    seen.append(try #require(try await acceptedShare(url, by: client)))
    return seen
  }

  private static func acceptedShare(_ url: String, by client: Client) async throws -> Record? {
    guard case .metadata(let metadata)? = try await acceptance(of: url, by: client).outcome else {
      return nil
    }
    return metadata.share
  }
}
