internal import Foundation

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
