internal import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Sets the user's badge; notifications that come later add to it.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// The badge from now on.
  open var badgeValue = 0

  /// Called at the end.
  open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that sets the badge.
  public convenience init(badgeValue: Int) {
    self.init()
    self.badgeValue = badgeValue
  }

  override func perform() async {
    let location = usedContainer.link.location
    let request = TidingsV1.ModifyBadgeRequest(
      container: location.container,
      environment: location.environment,
      badgeValue: UInt32(clamping: badgeValue)
    )
    await finishItems {
      let key = CallOptions.newIdempotencyKey()
      _ = try await callContainer(idempotencyKey: key) { (client, options) in
        try await client.notifications.modifyBadge(request, options: options)
      }
      return nil
    } _: { [self] error in
      modifyBadgeCompletionBlock?(error)
    }
  }
}
