/// A page of a user's notifications.
public struct NotificationPage: Sendable {
  /// One notification.
  public struct Item: Sendable {
    /// Its name.
    public let id: NotificationID
    /// The user's subscription that fired.
    public let subscriptionID: String
    /// The encoded notification, without its name and subscription.
    public let body: [UInt8]
  }

  /// Oldest first; within a channel in the order of their numbers.
  public let items: [Item]
  /// For the next page.
  public let changeToken: [UInt8]
  /// There is more at once.
  public let moreComing: Bool
}
