internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Marks notifications read, for all devices of the user.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Which notifications.
  open var notificationIDs: [CKNotification.ID] = []

  /// Called at the end, with what is marked, and the error.
  open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that marks notifications.
  public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.init()
    self.notificationIDs = notificationIDs
  }

  override func perform() async {
    var marked: [CKNotification.ID] = []
    var failed: [CKError.PartialError] = []
    var failure: CKError?
    let most = RecordModification.itemsPerCallMax
    for start in stride(from: 0, to: notificationIDs.count, by: most) {
      let part = notificationIDs[start..<min(start + most, notificationIDs.count)]
      do {
        for (id, result) in zip(part, try await mark(part)) {
          if case .error(let error)? = result.outcome {
            failed.append(.init(id: .notification(id), error: CKError(error)))
          } else {
            marked.append(id)
          }
        }
      } catch {
        failure = failure ?? CKError(wrapping: error)
      }
    }
    let (all, error) = (marked, failure ?? CKError.partial(failed))
    deliver { [self] in markNotificationsReadCompletionBlock?(all, error) }
  }

  private func mark(
    _ ids: ArraySlice<CKNotification.ID>
  ) async throws -> [TidingsV1.NotificationResult] {
    let location = usedContainer.link.location
    let request = TidingsV1.MarkNotificationsReadRequest(
      container: location.container,
      environment: location.environment,
      notificationIDs: ids.map(\.text)
    )
    return try await callContainer { (client, options) in
      try await client.notifications.markNotificationsRead(request, options: options)
    }.results
  }
}
