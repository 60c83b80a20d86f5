internal import Synchronization
internal import TidingsProto
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsWeb

extension EventHub {
  /// What a stream or a poll is notified of: that its user's log may have something new.
  final class Session: Sendable {
    private let hub: EventHub
    private let database: WebDatabase
    private let notifications: TidingsV1.NotificationService.Client
    private let options: CallOptions
    private let number: Int
    private let inbox: Inbox
    private let wakes: AsyncStream<Void>

    /// The signals that were not looked at yet: one of channels is not forgotten for one of content.
    private final class Inbox: Sendable {
      private let pending = Mutex(Signal?.none)
      /// Recorded pushes that led to signals.
      private let pushes = Mutex<[(context: TraceContext, received: Int64)]>([])
      private static let pushesMax = 16
      let wake: AsyncStream<Void>.Continuation

      init(_ wake: AsyncStream<Void>.Continuation) { self.wake = wake }

      func add(_ signal: Signal) {
        pending.withLock { pending in if pending != .channels { pending = signal } }
        wake.yield()
      }

      func take() -> Signal? { pending.withLock { $0.take() } }

      func add(_ push: TraceContext) {
        pushes.withLock { pushes in
          if pushes.count < Self.pushesMax { pushes.append((push, unixNanoseconds())) }
        }
      }

      func takePushes() -> [(context: TraceContext, received: Int64)] {
        pushes.withLock { pushes in
          defer { pushes = [] }
          return pushes
        }
      }
    }

    /// A session of a caller; it is notified of nothing before `register`.
    init(
      _ hub: EventHub,
      _ database: WebDatabase,
      _ notifications: TidingsV1.NotificationService.Client,
      _ options: CallOptions
    ) {
      (self.hub, self.database) = (hub, database)
      (self.notifications, self.options) = (notifications, options)
      let (wakes, continuation) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      let inbox = Inbox(continuation)
      (self.wakes, self.inbox) = (wakes, inbox)
      number = hub.add { signal, push in
        // Before it wakes anybody.
        if let push { inbox.add(push) }
        inbox.add(signal)
      }
    }

    /// Recorded pushes that led to what was sent last.
    func takePushes() -> [(context: TraceContext, received: Int64)] { inbox.takePushes() }

    deinit { hub.remove(number) }

    /// Learns the topics of the user's channels, and listens to them.
    func register() async throws {
      let answer = try await notifications.registerDevice(
        .init(container: database.container, environment: database.environment),
        options: options
      )
      try await hub.listen(
        number,
        to: Set(answer.channels.map(\.topic) + [answer.controlTopic]),
        at: answer.pushEndpoint
      )
    }

    /// Waits until the log may have something new; for one task.
    ///
    /// - Returns: `false`: the session has ended.
    func hasChanged() async throws -> Bool {
      for await _ in wakes {
        guard let signal = inbox.take() else { continue }
        if signal == .channels { try await register() }
        return true
      }
      return false
    }

    /// `hasChanged` waits no longer.
    func end() { inbox.wake.finish() }
  }
}
