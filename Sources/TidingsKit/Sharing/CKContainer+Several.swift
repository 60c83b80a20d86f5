public import Foundation

/// Several users or shares at once.
extension CKContainer {
  // MARK: Discovery

  /// The users that are looked up, if they exist and are discoverable.
  public func userIdentities(
    for lookupInfos: [CKUserIdentity.LookupInfo]
  ) async throws -> [CKUserIdentity.LookupInfo: CKUserIdentity] {
    try await identities(lookupInfos) { $0 }
  }

  /// The users with records, if they are discoverable.
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    try await identities(userRecordIDs) { .init(userRecordID: $0) }
  }

  /// The users who published addresses, if they are discoverable.
  public func userIdentities(
    forEmailAddresses emails: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await identities(emails) { .init(emailAddress: $0) }
  }

  /// The users who published numbers, if they are discoverable.
  public func userIdentities(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await identities(phoneNumbers) { .init(phoneNumber: $0) }
  }

  /// Returns the users that are looked up, if they are discoverable.
  @preconcurrency
  public func discoverUserIdentities(
    for lookupInfos: [CKUserIdentity.LookupInfo],
    completionHandler:
      @escaping @Sendable (
        Result<[CKUserIdentity.LookupInfo: CKUserIdentity], any Error>
      ) -> Void
  ) {
    Callback.run({ try await self.userIdentities(for: lookupInfos) }, then: completionHandler)
  }

  /// Returns the users with records, if they are discoverable.
  @preconcurrency
  public func discoverUserIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
  ) {
    Callback.run(
      { try await self.userIdentities(forUserRecordIDs: userRecordIDs) },
      then: completionHandler
    )
  }

  /// Returns the users who published addresses, if they are discoverable.
  @preconcurrency
  public func discoverUserIdentities(
    forEmailAddresses emails: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    Callback.run(
      { try await self.userIdentities(forEmailAddresses: emails) },
      then: completionHandler
    )
  }

  /// Returns the users who published numbers, if they are discoverable.
  @preconcurrency
  public func discoverUserIdentities(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    Callback.run(
      { try await self.userIdentities(forPhoneNumbers: phoneNumbers) },
      then: completionHandler
    )
  }

  // MARK: Participants

  /// Returns the users that are looked up, to invite them.
  @preconcurrency
  public func fetchShareParticipants(
    for lookupInfos: [CKUserIdentity.LookupInfo],
    completionHandler:
      @escaping @Sendable (
        Result<[CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run({ try await self.shareParticipants(for: lookupInfos) }, then: completionHandler)
  }

  /// Returns the users with records, to invite them.
  @preconcurrency
  public func fetchShareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run(
      { try await self.shareParticipants(forUserRecordIDs: userRecordIDs) },
      then: completionHandler
    )
  }

  /// Returns the users who published addresses, to invite them.
  @preconcurrency
  public func fetchShareParticipants(
    forEmailAddresses emails: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run(
      { try await self.shareParticipants(forEmailAddresses: emails) },
      then: completionHandler
    )
  }

  /// Returns the users who published numbers, to invite them.
  @preconcurrency
  public func fetchShareParticipants(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run(
      { try await self.shareParticipants(forPhoneNumbers: phoneNumbers) },
      then: completionHandler
    )
  }

  // MARK: Shares

  /// Returns the metadata of shares by their URLs.
  @preconcurrency
  public func fetchShareMetadatas(
    for urls: [URL],
    shouldFetchRootRecord: Bool = false,
    rootRecordDesiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
  ) {
    Callback.run(
      {
        try await self.shareMetadatas(
          for: urls,
          shouldFetchRootRecord: shouldFetchRootRecord,
          rootRecordDesiredKeys: rootRecordDesiredKeys
        )
      },
      then: completionHandler
    )
  }

  /// Joins shares: what is shared appears in the shared database.
  @preconcurrency
  public func accept(
    _ metadatas: [CKShare.Metadata],
    completionHandler:
      @escaping @Sendable (
        Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run({ try await self.accept(metadatas) }, then: completionHandler)
  }
}
