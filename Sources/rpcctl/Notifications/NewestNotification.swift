internal import TidingsProto
internal import TidingsRPC

extension Invocation {
  /// Returns the token after the newest notification in the user's log.
  func newestNotificationToken(_ session: Session) async throws -> [UInt8] {
    let client = TidingsV1.NotificationService.Client(session.transport)
    var request = TidingsV1.FetchNotificationChangesRequest(
      container: settings.container,
      environment: settings.environment
    )
    while true {
      let page = try await client.fetchNotificationChanges(request, options: callOptions)
      request.changeToken = page.changeToken
      if !page.moreComing { return page.changeToken }
    }
  }
}
