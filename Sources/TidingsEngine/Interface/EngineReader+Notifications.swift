public import TidingsModel

extension EngineReader {
  /// Returns a page of the caller's notifications.
  ///
  /// - Parameter request: Whose, and from where on.
  /// - Returns: The page, and the token for the next one.
  /// - Throws: `ItemError`: `changeTokenExpired`, `invalidArguments`, `badContainer`; `SQLError`.
  public func notifications(_ request: NotificationRequest) throws -> NotificationPage {
    try catalog.requireDeployed(request.container, request.environment)
    return try notificationFeed().page(request)
  }

  /// Returns the page of a caller who has seen nearly all notifications, which is quick.
  ///
  /// - Parameter request: Whose, and from where on; without badges.
  /// - Returns: The last page, and the token for the next one; `nil`: it is not the last, or not quick.
  /// - Throws: As `notifications`.
  public func lastNotifications(_ request: NotificationRequest) throws -> NotificationPage? {
    try catalog.requireDeployed(request.container, request.environment)
    return try notificationFeed().lastPage(request)
  }

  /// How a user's active subscriptions fare.
  ///
  /// - Parameters:
  ///   - subscriptionIDs: Which ones; none: all in the database.
  ///   - owner: The user.
  ///   - id: Their database.
  /// - Returns: Those that exist, by name.
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  public func health(
    of subscriptionIDs: [String],
    of owner: String,
    in id: DatabaseID
  ) throws -> [String: SubscriptionHealth] {
    guard let database = try catalog.database(id) else { return [:] }
    let reader = try subscriptionHealth()
    let names =
      subscriptionIDs.isEmpty ? try reader.names(of: owner, in: database) : subscriptionIDs
    var healths: [String: SubscriptionHealth] = [:]
    for name in names {
      healths[name] = try reader.health(of: name, of: owner, in: database)
    }
    return healths
  }
}
