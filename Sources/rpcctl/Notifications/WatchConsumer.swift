internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// How far a watch has come; read when its time is over.
final class WatchProgress: Sendable {
  /// What was seen.
  struct Seen: Hashable, Sendable {
    var count = 0
    /// The notification that ends it came.
    var hasEnd = false

    /// Enough came: so many, or the one that ends it; when nothing was asked for, anything.
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

/// What a watch does with each notification.
struct WatchConsumer: Sendable {
  let printer: WatchPrinter
  /// Instead of printing.
  let command: ShellCommand?
  var reader: ReadMarker?
  /// Empty: all.
  var subscriptionIDs: Set<String> = []
  /// Which ones; `nil`: all.
  var filter: Condition?
  /// Satisfied by the last; `nil`: by none.
  var end: Condition?

  /// Works on notifications until the stream ends or there were enough.
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

/// Marks notifications read, however long the server takes to answer.
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
      invocation.output.tell("rpcctl: \(notification.notificationID) is not marked: \(error.text)")
    }
  }
}

/// Repeats a call that may be repeated until the server answers, with pauses that grow.
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

/// Runs something until it ends or the time is over; returns how far it came.
func withTimeLimit(
  _ limit: Duration?,
  _ body: @escaping @Sendable (WatchProgress) async throws -> Void
) async throws -> WatchProgress.Seen {
  let progress = WatchProgress()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body(progress) }
    if let limit { group.addTask { try? await Task.sleep(for: limit) } }
    // The first to end decides; the other is cancelled.
    try await group.next()
    group.cancelAll()
  }
  return progress.seen
}
