internal import Synchronization
internal import TidingsProto
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsWeb

extension EventHub {
  /// What a stream or a poll is notified of.
  final class Session: Sendable {
    private let hub: EventHub
    private let database: WebDatabase
    private let notifications: TidingsV1.NotificationService.Client
    private let options: CallOptions
    private let number: Int
    private let inbox: Inbox
    private let wakes: AsyncStream<Void>

    /// What arrived since the last time.
    struct Arrivals {
      /// The oldest first.
      var signals: [Signal] = []
      /// Pushes among them that are recorded.
      var traces: [ReceivedTrace] = []
    }

    /// The signals that were not looked at yet: as many as there is room for, or that some were missed.
    private final class Inbox: Sendable {
      private struct Content {
        var arrivals = Arrivals()
        var bytes = 0

        mutating func add(_ signal: Signal) {
          arrivals.signals.append(signal)
          if case .pushed(_, _, let count) = signal { bytes += count }
        }
      }

      private static let signalsMax = 64
      private static let bytesMax = 256 << 10
      private static let tracesMax = 16

      private let content = Mutex(Content())
      let wake: AsyncStream<Void>.Continuation

      init(_ wake: AsyncStream<Void>.Continuation) { self.wake = wake }

      func add(_ signal: Signal) {
        content.withLock { content in
          content.add(signal)
          let signals = content.arrivals.signals
          if signals.count > Self.signalsMax || content.bytes > Self.bytesMax {
            let changes = signals.contains(where: \.changesChannels)
            content.arrivals.signals = [changes ? .reconnected : .mayHaveMissed]
            content.bytes = 0
          }
          guard case .pushed(_, let push, _) = signal, !push.traceParent.isEmpty,
            content.arrivals.traces.count < Self.tracesMax,
            let context = TraceContext(push.traceParent)
          else { return }
          content.arrivals.traces.append(
            ReceivedTrace(context: context, received: unixNanoseconds())
          )
        }
        wake.yield()
      }

      func take() -> Arrivals {
        content.withLock { content in
          defer { content = Content() }
          return content.arrivals
        }
      }
    }

    /// A session of a caller; it is notified of nothing before `listen` or `register`.
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
      number = hub.add({ inbox.add($0) }, end: { inbox.wake.finish() })
    }

    deinit { hub.remove(number) }

    /// What a server says of a user's channels, and in which order it was asked.
    struct Registration {
      var answer: TidingsV1.RegisterDeviceResponse
      fileprivate var number: UInt64
    }

    /// Asks for the user's channels.
    func channels() async throws -> Registration {
      let number = hub.beginRegistration()
      let answer = try await notifications.registerDevice(
        .init(container: database.container, environment: database.environment),
        options: options
      )
      return Registration(answer: answer, number: number)
    }

    /// Receives what is published on these topics from now on, and on no others.
    func listen(to topics: Set<[UInt8]>, as registration: Registration) async throws {
      try await hub.listen(
        number,
        to: topics,
        at: registration.answer.pushEndpoint,
        registration.number
      )
    }

    /// Waits until there is a signal; for one task.
    ///
    /// - Returns: What arrived since the last time, at least a signal; `nil`: the session has ended.
    func next() async -> Arrivals? {
      for await _ in wakes {
        let arrivals = inbox.take()
        if !arrivals.signals.isEmpty { return arrivals }
      }
      return nil
    }

    /// Something may be in the log of which no push comes.
    func lookAgain() { inbox.add(.mayHaveMissed) }

    /// `next` waits no longer.
    func end() { inbox.wake.finish() }
  }
}

extension EventHub.Session {
  /// Asks for the user's channels, and listens to them.
  func register() async throws {
    let registration = try await channels()
    let answer = registration.answer
    try await listen(
      to: Set(answer.channels.map(\.topic) + [answer.controlTopic]),
      as: registration
    )
  }

  /// Waits until the log may have something new; for one task.
  ///
  /// - Returns: `false`: the session has ended.
  func hasChanged() async throws -> Bool {
    guard let arrivals = await next() else { return false }
    if arrivals.signals.contains(where: \.changesChannels) { try await register() }
    return true
  }
}

extension EventHub.Signal {
  /// The user's channels may be others now.
  fileprivate var changesChannels: Bool {
    switch self {
    case .pushed(_, let push, _): if case .channelsChanged? = push.content { true } else { false }
    case .mayHaveMissed: false
    case .reconnected: true
    }
  }
}
