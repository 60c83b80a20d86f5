internal import Synchronization
internal import TidingsClient
internal import TidingsProto

/// A consumer that stores the position of an inbox with its work, and crashes now and then before it has.
final class InboxConsumer: Sendable {
  private struct State {
    var firstToken: [UInt8] = []
    var position: InboxPosition?
    /// The newest number of each subscription that was stored.
    var numbers: [String: Int64] = [:]
  }

  private let stage: Stage
  private let prefix: String
  private let state = Mutex(State())

  init(_ stage: Stage, prefix: String) {
    self.stage = stage
    self.prefix = prefix
  }

  /// Sets where the inbox begins.
  func begin(after token: [UInt8]) { state.withLock { $0.firstToken = token } }

  /// Consumes notifications.
  ///
  /// - Parameters:
  ///   - random: Chooses when it crashes.
  ///   - crashes: Whether it does.
  ///   - goesOn: Looked at now and then, with the newest number of each subscription that was stored.
  /// - Throws: `InboxError`, or `RPCError` when no client can be made.
  func run(
    _ random: SeededRandom,
    crashes: Bool,
    while goesOn: @escaping @Sendable ([String: Int64]) -> Bool
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { [self] in
        var random = random
        while !Task.isCancelled { try await session(&random, crashes) }
      }
      group.addTask { [self] in
        while goesOn(state.withLock(\.numbers)) { try await Task.sleep(for: .milliseconds(20)) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Consumes until it crashes or is cancelled.
  private func session(_ random: inout SeededRandom, _ crashes: Bool) async throws {
    let client = try await stage.connect(device: "check-inbox", &random)
    let process = stage.recorder.newProcess()
    var options = NotificationInbox.Options()
    options.includesReadNotifications = false
    let (position, token) = state.withLock { ($0.position, $0.firstToken) }
    options.firstToken = token
    let inbox = try client.notificationInbox(from: position, options: options)
    for try await item in inbox {
      let notice = Notice(item.notification)
      let isOurs = notice.subscription.hasPrefix(prefix)
      let isDropped = isOurs && crashes && random.percent(4)
      if isOurs { record(notice, process, isDropped: isDropped) }
      if isDropped { break }
      state.withLock { state in
        state.position = item.position
        guard isOurs else { return }
        state.numbers[notice.subscription] =
          max(notice.number, state.numbers[notice.subscription] ?? 0)
      }
    }
    await client.close()
  }

  private func record(_ notice: Notice, _ process: Int, isDropped: Bool) {
    var call = Call(.delivery, SubscriptionCheck.inbox)
    call.process = process
    call.begin = stage.recorder.now
    call.end = call.begin
    call.notices = [notice]
    call.manner = isDropped ? Call.dropped : Call.stored
    stage.recorder.add(call)
    if !isDropped, stage.faults.isDue(.doubledNotification) { stage.recorder.add(call) }
  }
}
