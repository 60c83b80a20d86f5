internal import TidingsProto

extension Invocation {
  /// Passes the notifications of the log after a token to the body, page by page.
  ///
  /// - Returns: The token at the end of the log.
  @discardableResult
  func eachNotificationPage(
    after token: [UInt8] = [],
    over session: Session,
    omitsReadMarks: Bool = true,
    _ body: ([TidingsV1.Notification]) async throws -> Void
  ) async throws -> [UInt8] {
    let client = TidingsV1.NotificationService.Client(session.transport)
    var request = TidingsV1.FetchNotificationChangesRequest(
      container: settings.container,
      environment: settings.environment,
      changeToken: token,
      omitsReadNotifications: omitsReadMarks
    )
    while true {
      let page = try await client.fetchNotificationChanges(request, options: callOptions)
      try await body(page.notifications)
      request.changeToken = page.changeToken
      if !page.moreComing { return page.changeToken }
    }
  }

  /// Returns the subscriptions of a database with their health.
  func subscriptions(
    _ ids: [String] = [],
    in scope: TidingsV1.DatabaseScope,
    over session: Session
  ) async throws -> [TidingsV1.SubscriptionResult] {
    var database = settings.databaseID
    database.scope = scope
    return try await TidingsV1.SubscriptionService.Client(session.transport).fetchSubscriptions(
      .init(databaseID: database, subscriptionIDs: ids, wantsHealth: true),
      options: callOptions
    ).results
  }
}
