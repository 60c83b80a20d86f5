internal import TidingsModel
internal import TidingsSQL

/// What deliveries carry, as far as their users may see it now.
final class DeliveryContents {
  struct Content {
    let subscriptionID: String
    let body: [UInt8]
    let isRead: Bool
  }

  private let visibility: NotificationVisibility
  private let memberships: MembershipTable
  private let events: WorkEvents

  init(visibility: NotificationVisibility, memberships: MembershipTable, events: WorkEvents) {
    (self.visibility, self.memberships, self.events) = (visibility, memberships, events)
  }

  /// The content of a notification for a user; `nil`: it is no longer kept, or the user may not see it.
  func content(of id: NotificationID, for inbox: Inbox) throws -> Content? {
    events.begin(for: Caller(user: inbox.user, device: ""))
    guard let subscriptionID = try memberships.subscriptionID(of: id, in: inbox),
      let body = try events.body(of: id),
      try visibility.visible(id.channel, to: inbox.user).shows(creator: { body.creator })
    else { return nil }
    return Content(
      subscriptionID: subscriptionID,
      body: body.bytes,
      isRead: try events.nextMark(in: id.channel, from: id.sequence) == id.sequence
    )
  }
}
