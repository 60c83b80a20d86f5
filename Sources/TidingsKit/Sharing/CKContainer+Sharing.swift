public import Foundation

extension CKContainer {
  // MARK: URLs

  /// What is behind the URL of a share.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    try Self.one(await shareMetadatas(for: [url]), url)
  }

  /// What is behind the URLs of shares.
  public func shareMetadatas(
    for urls: [URL],
    shouldFetchRootRecord: Bool = false,
    rootRecordDesiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    let operation = CKFetchShareMetadataOperation(shareURLs: urls)
    operation.shouldFetchRootRecord = shouldFetchRootRecord
    operation.rootRecordDesiredKeys = rootRecordDesiredKeys
    return try await gathered { gather, end in
      operation.perShareMetadataResultBlock = gather
      operation.fetchShareMetadataResultBlock = end
      return operation
    }
  }

  /// Returns the metadata of a share by its URL.
  @preconcurrency
  public func fetchShareMetadata(
    with url: URL,
    completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.shareMetadata(for: url)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  // MARK: Joining

  /// Joins a share: what is shared appears in the shared database.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    try Self.one(await accept([metadata]), metadata)
  }

  /// Joins shares: what is shared appears in the shared database.
  @discardableResult
  public func accept(
    _ metadatas: [CKShare.Metadata]
  ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
    let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
    return try await gathered { gather, end in
      operation.perShareResultBlock = gather
      operation.acceptSharesResultBlock = end
      return operation
    }
  }

  /// Joins a share: what is shared appears in the shared database.
  @preconcurrency
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.accept(metadata)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  // MARK: Asking for access

  /// Asks the owners of shares for access, for those who may not join.
  public func requestShareAccess(
    for urls: [URL]
  ) async throws -> [URL: Result<Void, any Error>] {
    let operation = CKShareRequestAccessOperation(shareURLs: urls)
    return try await gathered { gather, end in
      operation.perShareAccessRequestResultBlock = gather
      operation.shareAccessRequestResultBlock = end
      return operation
    }
  }

  // MARK: Participants

  /// A user to invite, by the record.
  public func shareParticipant(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKShare.Participant {
    try await participant(.init(userRecordID: userRecordID))
  }

  /// A user to invite whose name is an address.
  public func shareParticipant(
    forEmailAddress emailAddress: String
  ) async throws -> CKShare.Participant {
    try await participant(.init(emailAddress: emailAddress))
  }

  /// A user to invite whose name is a number.
  public func shareParticipant(
    forPhoneNumber phoneNumber: String
  ) async throws -> CKShare.Participant {
    try await participant(.init(phoneNumber: phoneNumber))
  }

  /// Users to invite.
  public func shareParticipants(
    for lookupInfos: [CKUserIdentity.LookupInfo]
  ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
    try await participants(lookupInfos) { $0 }
  }

  /// Users to invite, by their records.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    try await participants(userRecordIDs) { .init(userRecordID: $0) }
  }

  /// Users to invite whose names are addresses.
  public func shareParticipants(
    forEmailAddresses emailAddresses: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(emailAddresses) { .init(emailAddress: $0) }
  }

  /// Users to invite whose names are numbers.
  public func shareParticipants(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(phoneNumbers) { .init(phoneNumber: $0) }
  }

  /// Returns a user to invite, by the record.
  @preconcurrency
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    tellParticipant(.init(userRecordID: userRecordID), completionHandler)
  }

  /// Returns a user to invite by an e-mail address.
  @preconcurrency
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    tellParticipant(.init(emailAddress: emailAddress), completionHandler)
  }

  /// Returns a user to invite by a phone number.
  @preconcurrency
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    tellParticipant(.init(phoneNumber: phoneNumber), completionHandler)
  }

  private func tellParticipant(
    _ info: CKUserIdentity.LookupInfo,
    _ completion: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.participant(info)
    } then: {
      completion($0.success, $0.failure)
    }
  }

  private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
    try Self.one(await participants([info]) { $0 }, info)
  }

  func participants<Key: Hashable & Sendable>(
    _ keys: [Key],
    _ info: (Key) -> CKUserIdentity.LookupInfo
  ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
    let infos = keys.map(info)
    let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
    let found: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] =
      try await gathered { gather, end in
        operation.perShareParticipantResultBlock = gather
        operation.fetchShareParticipantsResultBlock = end
        return operation
      }
    var results: [Key: Result<CKShare.Participant, any Error>] = [:]
    for (key, info) in zip(keys, infos) { results[key] = found[info] }
    return results
  }
}
