internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Fetches a page of the user's notifications, of all databases of the container, oldest first.
///
/// What the device caused itself is not among them. One that was marked read by another device comes
/// with the type `readNotification`, and its name alone.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs; `moreComing` before the end is reported.

  /// What the last page gave; `nil`: from the oldest notification that is kept.
  open var previousServerChangeToken: CKServerChangeToken?
  /// Most notifications in the page; 0: as many as the server gives.
  open var resultsLimit = 0
  /// There are more: run another operation with the new token.
  open private(set) var moreComing = false

  /// Called for each notification.
  open var notificationChangedBlock: ((CKNotification) -> Void)?
  /// Called at the end, with the token for the next page, or the error.
  ///
  /// `changeTokenExpired`: fetch the records again, and start without a token.
  open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that continues after a token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async {
    do {
      let page = try await fetch()
      let user = (try? await usedContainer.link.userName()) ?? ""
      for wire in page.notifications {
        guard let content = NotificationContent(wire, for: user) else { continue }
        deliver { [self] in notificationChangedBlock?(CKNotification.from(content)) }
      }
      moreComing = page.moreComing
      let token = CKServerChangeToken(page.changeToken)
      deliver { [self] in fetchNotificationChangesCompletionBlock?(token, nil) }
    } catch {
      let error = CKError(wrapping: error)
      deliver { [self] in fetchNotificationChangesCompletionBlock?(nil, error) }
    }
  }

  private func fetch() async throws -> TidingsV1.FetchNotificationChangesResponse {
    let location = usedContainer.link.location
    let request = TidingsV1.FetchNotificationChangesRequest(
      container: location.container,
      environment: location.environment,
      changeToken: previousServerChangeToken?.bytes ?? [],
      limit: UInt32(clamping: resultsLimit)
    )
    return try await callContainer { (client, options) in
      try await client.pageLimits.notificationChanges(request, client, options)
    }
  }
}
