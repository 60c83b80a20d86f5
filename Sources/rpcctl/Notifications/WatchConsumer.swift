internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// The progress of a watch, read after a timeout.
final class WatchProgress: Sendable {
  /// What was seen.
  struct Seen: Hashable, Sendable {
    var count = 0
    /// The notification that satisfies `--until` arrived.
    var hasEnd = false

    /// Whether the watch may end: enough notifications, or the one awaited; without a condition always.
    func isEnough(for countMax: Int?, _ awaitsEnd: Bool) -> Bool {
      hasEnd || countMax.map { count >= $0 } ?? !awaitsEnd
    }
  }

  private let state = Mutex(Seen())
  var seen: Seen { state.withLock { $0 } }
  var count: Int { seen.count }
  func advance(isEnd: Bool = false) {
    state.withLock { seen in
      seen.count += 1
      seen.hasEnd = seen.hasEnd || isEnd
    }
  }
}

/// Processes each notification of a watch.
struct WatchConsumer: Sendable {
  let printer: WatchPrinter
  /// The command to run instead of printing.
  let command: ShellCommand?
  var reader: ReadMarker?
  /// The subscriptions; empty: all.
  var subscriptionIDs: Set<String> = []
  /// The condition for notifications; `nil`: all.
  var filter: Condition?
  /// The condition that ends the watch; `nil`: none.
  var end: Condition?

  /// Processes notifications until the stream ends or there were enough.
  func consume(
    _ source: any NotificationSource,
    countMax: Int?,
    _ progress: WatchProgress
  ) async throws {
    try await source.handOut { notification in
      guard subscriptionIDs.isEmpty || subscriptionIDs.contains(notification.subscriptionID),
        filter?.holds(for: notification) != false
      else { return true }
      if let command {
        try await command.run(try NotificationJSON.json(notification).text() + [UInt8(ascii: "\n")])
      } else {
        try printer.print(notification)
      }
      if notification.type != .readNotification { try await reader?.mark(notification) }
      let isEnd = end?.holds(for: notification) == true
      progress.advance(isEnd: isEnd)
      return !isEnd && progress.count != countMax
    }
  }
}

/// Marks notifications read, retrying until the server answers.
struct ReadMarker: Sendable {
  private let client: TidingsV1.NotificationService.Client
  private let invocation: Invocation

  init(_ session: Session, _ invocation: Invocation) {
    client = TidingsV1.NotificationService.Client(session.transport)
    self.invocation = invocation
  }

  func mark(_ notification: TidingsV1.Notification) async throws {
    let request = TidingsV1.MarkNotificationsReadRequest(
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      notificationIDs: [notification.notificationID]
    )
    let response = try await untilAnswered {
      try await client.markNotificationsRead(request, options: invocation.callOptions)
    }
    for case .error(let error)? in response.results.map(\.outcome) {
      invocation.output.log(
        "rpcctl: \(notification.notificationID) was not marked read: \(error.text)"
      )
    }
  }
}

/// Retries an idempotent call until the server answers, with increasing pauses.
func untilAnswered<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
  var pause = Duration.milliseconds(100)
  while true {
    do {
      return try await call()
    } catch let error as RPCError
      where [.unavailable, .deadlineExceeded, .resourceExhausted, .aborted].contains(error.code)
    {
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(10))
    }
  }
}

/// Runs a closure with a time limit; returns the progress.
func withTimeLimit(
  _ limit: Duration?,
  _ body: @escaping @Sendable (WatchProgress) async throws -> Void
) async throws -> WatchProgress.Seen {
  let progress = WatchProgress()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body(progress) }
    if let limit { group.addTask { try? await Task.sleep(for: limit) } }
    // The first to finish decides; the other is cancelled.
    try await group.next()
    group.cancelAll()
  }
  return progress.seen
}
