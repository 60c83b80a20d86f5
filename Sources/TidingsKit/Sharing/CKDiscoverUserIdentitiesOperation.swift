internal import Foundation
internal import TidingsProto

/// Looks up users who let themselves be discovered; others are not delivered.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Whom to look up.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []

  /// Called for each user that was found.
  open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Called at the end.
  open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?

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
      case .success(let user) where !user.discoverable: break
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
