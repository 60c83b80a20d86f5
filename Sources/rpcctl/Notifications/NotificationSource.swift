internal import TidingsClient
internal import TidingsProto

/// Where a watch begins, and what it keeps.
struct WatchStart: Hashable, Sendable {
  /// The token to begin after; empty: the oldest notification that is kept.
  var token: [UInt8] = []
  /// The file that says where to go on, which wins over the token; `nil`: nothing is kept.
  var statePath: String?
  /// What other devices of the user mark read is told too.
  var tellsReadMarks = false
}

/// The user's notifications, one after the other, those in the log and then those that come.
protocol NotificationSource: Sendable {
  /// Hands out notifications, until a closure answers `false`, the task is cancelled, or for ever.
  ///
  /// A notification for which the closure returned is done: with a state file it does not come again.
  func handOut(
    _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
  ) async throws
}

extension NotificationInbox: NotificationSource {
  func handOut(
    _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
  ) async throws {
    for try await item in self {
      let goesOn = try await body(item.notification)
      try await commit(upTo: item)
      if !goesOn { return }
    }
  }
}

extension Client {
  /// The notifications from a begin on; the closure hears of the connection.
  func notifications(
    from start: WatchStart,
    _ onEvent: @escaping @Sendable (NotificationInbox.Event) -> Void
  ) throws(InboxError) -> NotificationInbox {
    var options = NotificationInbox.Options()
    options.includesReadNotifications = start.tellsReadMarks
    options.firstToken = start.token
    options.onEvent = onEvent
    guard let path = start.statePath else {
      return try notificationInbox(from: nil, options: options)
    }
    return try notificationInbox(at: path, options: options)
  }
}
