internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Looks up users by their names; who does not exist is left out.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Whom to look up.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []

  /// Hears of each user that was found.
  @preconcurrency open var userIdentityDiscoveredBlock:
    (@Sendable (CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Hears of the end.
  @preconcurrency open var discoverUserIdentitiesCompletionBlock:
    (@Sendable ((any Error)?) -> Void)?
  /// Hears of the end.
  @preconcurrency open var discoverUserIdentitiesResultBlock:
    (@Sendable (Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that looks up users.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform() async {
    await finishItems {
      try await discover()
    } _: { [self] error in
      discoverUserIdentitiesCompletionBlock?(error)
      discoverUserIdentitiesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func discover() async throws -> CKError? {
    var failed: [CKError.PartialError] = []
    for (info, result) in try await lookUp(userIdentityLookupInfos) {
      switch result {
      case .success(let user):
        let identity = CKUserIdentity(
          name: user.userRecordName,
          displayName: user.displayName,
          lookupInfo: info
        )
        deliver { [self] in userIdentityDiscoveredBlock?(identity, info) }
      case .failure(let error) where error.code == .unknownItem: break
      case .failure(let error): failed.append(.init(id: .lookUp(info), error: error))
      }
    }
    return .partial(failed)
  }
}

/// Kept for compatibility: there is no address book, so nobody is found in it.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Would hear of each user.
  @preconcurrency open var userIdentityDiscoveredBlock: (@Sendable (CKUserIdentity) -> Void)?
  /// Hears of the end.
  @preconcurrency open var discoverAllUserIdentitiesCompletionBlock:
    (@Sendable ((any Error)?) -> Void)?
  /// Hears of the end.
  @preconcurrency open var discoverAllUserIdentitiesResultBlock:
    (@Sendable (Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  override func perform() async {
    await finishItems { () -> CKError? in
      nil
    } _: { [self] error in
      discoverAllUserIdentitiesCompletionBlock?(error)
      discoverAllUserIdentitiesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }
}

extension CKOperation {
  /// Looks up users, each with what became of it, in order.
  func lookUp(
    _ infos: [CKUserIdentity.LookupInfo]
  ) async throws -> [(CKUserIdentity.LookupInfo, Result<TidingsV1.User, CKError>)] {
    var found: [(CKUserIdentity.LookupInfo, Result<TidingsV1.User, CKError>)] = []
    let settings = usedContainer.link.settings
    for start in stride(from: 0, to: infos.count, by: RecordModification.itemsPerCallMax) {
      let part = infos[start..<min(start + RecordModification.itemsPerCallMax, infos.count)]
      let request = TidingsV1.FetchUsersRequest(
        container: settings.container,
        userRecordNames: part.map(\.name)
      )
      let answer = try await callContainer { (client, options) in
        try await TidingsV1.AccountService.Client(client.transport)
          .fetchUsers(request, options: options)
      }
      for (index, info) in part.enumerated() {
        let result = index < answer.results.count ? answer.results[index] : nil
        switch result?.outcome {
        case .user(let user)?: found.append((info, .success(user)))
        case .error(let error)? where error.code == .unknownItem && !settings.hasAccounts:
          // Whoever is named is a user; the server says otherwise when it has accounts after all.
          found.append((info, .success(.init(userRecordName: info.name))))
        case .error(let error)?: found.append((info, .failure(CKError(error))))
        case nil:
          let missing = CKError(.internalError, "the server's answer does not tell of this user")
          found.append((info, .failure(missing)))
        }
      }
    }
    return found
  }
}
