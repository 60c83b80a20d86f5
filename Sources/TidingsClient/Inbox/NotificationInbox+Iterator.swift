internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

extension NotificationInbox {
  /// Waits for notifications, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let inbox: NotificationInbox
    private let start: UInt64
    private let stop: StreamStop
    private var stream: NotificationStream.AsyncIterator

    init(
      _ inbox: NotificationInbox,
      start: UInt64,
      from progress: InboxProgress,
      until stop: StreamStop
    ) {
      self.inbox = inbox
      self.start = start
      self.stop = stop
      stream = Self.stream(inbox, from: progress, until: stop)
    }

    /// Waits for the next notification.
    ///
    /// - Returns: The notification; `nil` when the task is cancelled, the inbox closed, or another
    ///   iteration began.
    public mutating func next() async throws(InboxError) -> InboxNotification? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next notification.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(InboxError)
      -> InboxNotification?
    {
      while true {
        do {
          guard let notification = try await stream.next(isolation: actor) else { return nil }
          let isWanted =
            notification.type != .readNotification || inbox.options.includesReadNotifications
          if let item = inbox.handOut(notification, stream.progress, isWanted, start) {
            return item
          }
        } catch {
          if stop.isStopped { return nil }
          try beginAnew(after: InboxError(error))
        }
      }
    }

    private mutating func beginAnew(after error: InboxError) throws(InboxError) {
      guard case .changeTokenExpired = error, inbox.options.restartsWhenExpired else { throw error }
      inbox.options.onEvent?(.restarted(error))
      stream = Self.stream(inbox, from: InboxProgress(token: []), until: stop)
    }

    private static func stream(
      _ inbox: NotificationInbox,
      from progress: InboxProgress,
      until stop: StreamStop
    ) -> NotificationStream.AsyncIterator {
      let outage = Outage()
      let onEvent = inbox.options.onEvent
      return NotificationStream.AsyncIterator(
        inbox.client,
        from: progress,
        until: stop
      ) { connection in
        if let event = outage.event(of: connection) { onEvent?(event) }
      }
    }
  }

  /// Notes that a notification goes out.
  ///
  /// - Returns: What goes out; `nil` when it is not wanted or the iteration is over.
  fileprivate func handOut(
    _ notification: TidingsV1.Notification,
    _ progress: InboxProgress,
    _ isWanted: Bool,
    _ start: UInt64
  ) -> InboxNotification? {
    let count: UInt64? = state.withLock { state in
      guard state.iterationStart == start else { return nil }
      if isWanted { state.handedOutCount += 1 }
      state.passed(progress)
      return state.handedOutCount
    }
    guard let count, isWanted else { return nil }
    return InboxNotification(
      notification: notification,
      position: InboxPosition(owner: owner, progress: progress),
      count: count
    )
  }
}
