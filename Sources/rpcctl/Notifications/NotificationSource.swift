internal import TidingsClient
internal import TidingsProto

/// The start position and options of a watch.
struct WatchStart: Hashable, Sendable {
  /// The token to start after; empty: the oldest notification in the log.
  var token: [UInt8] = []
  /// The file with the position to resume from, which overrides the token; `nil`: none.
  var statePath: String?
  /// Includes notifications that other devices marked read.
  var includesReadMarks = false
}

/// The user's notifications, one by one: those in the log, then new ones.
protocol NotificationSource: Sendable {
  /// Passes notifications to a closure, until it returns `false` or the task is cancelled.
  ///
  /// A notification is done when the closure has returned: with a state file it is not repeated.
  func handOut(
    _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
  ) async throws
}

extension NotificationInbox: NotificationSource {
  func handOut(
    _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
  ) async throws {
    for try await item in self {
      let proceeds = try await body(item.notification)
      try await commit(upTo: item)
      if !proceeds { return }
    }
  }
}

extension Client {
  /// The notifications from a start position; the closure is notified of connection events.
  func notifications(
    from start: WatchStart,
    _ onEvent: @escaping @Sendable (NotificationInbox.Event) -> Void
  ) throws(InboxError) -> NotificationInbox {
    var options = NotificationInbox.Options()
    options.includesReadNotifications = start.includesReadMarks
    options.firstToken = start.token
    options.onEvent = onEvent
    guard let path = start.statePath else {
      return try notificationInbox(from: nil, options: options)
    }
    return try notificationInbox(at: path, options: options)
  }
}
