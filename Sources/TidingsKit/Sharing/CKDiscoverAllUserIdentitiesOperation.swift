internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Delivers the users who let themselves be discovered in the container: there is no address book to narrow them.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Called for each user.
  open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
  /// Called at the end.
  open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  override func perform() async {
    await finishItems {
      try await discover()
    } _: { [self] error in
      discoverAllUserIdentitiesCompletionBlock?(error)
      discoverAllUserIdentitiesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private func discover() async throws -> CKError? {
    let settings = usedContainer.link.settings
    var request = TidingsV1.ListDirectoryRequest(
      container: settings.container,
      environment: settings.isProduction ? .production : .development
    )
    while true {
      try Task.checkCancellation()
      let page = try await callContainer { [request] (client, options) in
        try await TidingsV1.AccountService.Client(client.transport)
          .listDirectory(request, options: options)
      }
      for user in page.users {
        let id = CKRecord.ID(recordName: user.userRecordName)
        let identity = CKUserIdentity(
          name: user.userRecordName,
          displayName: user.displayName,
          lookupInfo: .init(userRecordID: id)
        )
        deliver { [self] in userIdentityDiscoveredBlock?(identity) }
      }
      guard page.moreComing, let last = page.users.last?.userRecordName, last > request.after else {
        return nil
      }
      request.after = last
    }
  }
}
