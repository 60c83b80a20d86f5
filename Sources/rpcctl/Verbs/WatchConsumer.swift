internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// How far a watch has come; read when its time is over.
final class WatchProgress: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func advance() { state.withLock { $0 += 1 } }
}

/// What a watch does with each notification.
struct WatchConsumer: Sendable {
  let printer: WatchPrinter
  /// Instead of printing.
  let command: ShellCommand?
  let reader: ReadMarker?
  /// Empty: all.
  let subscriptionIDs: Set<String>

  /// Works on notifications until the stream ends or there were enough.
  func consume(
    _ source: any NotificationSource,
    countMax: Int?,
    _ progress: WatchProgress
  ) async throws {
    try await source.handOut { notification in
      guard subscriptionIDs.isEmpty || subscriptionIDs.contains(notification.subscriptionID) else {
        return true
      }
      if let command {
        try await command.run(try NotificationJSON.json(notification).text() + [UInt8(ascii: "\n")])
      } else {
        try printer.print(notification)
      }
      if notification.type != .readNotification { try await reader?.mark(notification) }
      progress.advance()
      return progress.count != countMax
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
) async throws -> Int {
  let progress = WatchProgress()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body(progress) }
    if let limit { group.addTask { try? await Task.sleep(for: limit) } }
    // The first to end decides; the other is cancelled.
    try await group.next()
    group.cancelAll()
  }
  return progress.count
}
