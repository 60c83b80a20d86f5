internal import TidingsRPC
internal import TidingsThreads

/// A connection to a server's push endpoint: receives what is published on chosen topics.
///
/// Publishing is a hint: what is sent while there is no connection, or faster than it is read, is
/// lost. `Event` reports when that may have happened.
public final class SubscriberConnection: Sendable {
  /// What a subscriber receives.
  public enum Event: Hashable, Sendable {
    /// A connection was made, for the first time or again; messages may have been missed.
    case connected
    /// The connection was lost; it is being made again.
    case disconnected
    /// Something was published.
    case message(topic: [UInt8], body: [UInt8])
    /// So many events were not read in time and are lost.
    case lost(count: Int)
    /// An interval of the clock has passed, for those who look for themselves now and then.
    case tick
  }

  /// Where events go.
  enum Receiver: Sendable {
    case buffer(DeliveryBuffer<Event>)
    case closure(@Sendable (Event) -> Void, onEnd: @Sendable () -> Void)

    func deliver(_ event: Event) {
      switch self {
      case .buffer(let buffer):
        buffer.push(event) { earlier in
          if case .lost(let count)? = earlier { .lost(count: count + 1) } else { .lost(count: 1) }
        }
      case .closure(let body, _): body(event)
      }
    }

    func finish() {
      switch self {
      case .buffer(let buffer): buffer.finish(nil)
      case .closure(_, let onEnd): onEnd()
      }
    }
  }

  /// The events, in order; iterate once, with one task.
  public struct Events: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event
    /// It does not fail.
    public typealias Failure = Never
    fileprivate let buffer: DeliveryBuffer<Event>

    /// Iterates over the events; ends when the connection is closed or the task cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let buffer: DeliveryBuffer<Event>

      /// Waits for the next event.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
        let buffer = buffer
        let delivery = await withTaskCancellationHandler {
          await buffer.next()
        } onCancel: {
          buffer.interrupt()
        }
        return try? delivery.get()
      }

      /// Waits for the next event.
      public mutating func next() async -> Event? { await next(isolation: #isolation) }
    }

    /// Begins the one iteration.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
  }

  enum Message: Sendable {
    case subscribe([UInt8])
    case unsubscribe([UInt8])
    case tick
    case close
  }

  /// What happens on the connection.
  public let events: Events

  private let inbox: Mailbox<Message>
  private let ended: OneTimeSignal

  /// Starts connecting.
  ///
  /// - Parameters:
  ///   - endpoint: The server's push endpoint, for example `tcp://127.0.0.1:5571`.
  ///   - security: How the two sides prove who they are: `development` or `curveClient`.
  ///   - isOneOfSeveral: There is another to listen to, so a silent server is gone after 3 s.
  ///   - tick: How often to deliver `Event.tick`; `nil`: never.
  ///   - eventsMax: Most events that wait to be read; the rest is lost, and reported as lost.
  ///   - context: To share an I/O thread with other connections; `nil`: one of its own.
  /// - Throws: When the endpoint is malformed, or the process out of resources.
  public convenience init(
    endpoint: String,
    security: Security = .development,
    isOneOfSeveral: Bool = false,
    tick: Duration? = nil,
    eventsMax: Int = 10_000,
    context: Context? = nil
  ) async throws {
    let buffer = DeliveryBuffer<Event>(countMax: eventsMax)
    try await self.init(endpoint, security, isOneOfSeveral, tick, context, buffer, .buffer(buffer))
  }

  /// Starts connecting, for an owner who is called for each event; `events` has none.
  ///
  /// - Parameters:
  ///   - endpoint: The server's push endpoint, for example `tcp://127.0.0.1:5571`.
  ///   - security: How the two sides prove who they are: `development` or `curveClient`.
  ///   - isOneOfSeveral: There is another to listen to, so a silent server is gone after 3 s.
  ///   - tick: How often to deliver `Event.tick`; `nil`: never.
  ///   - onEnd: Is called when there are no more events: the connection was closed, or its socket failed.
  ///   - receive: Is called on the connection's thread, which waits for it.
  /// - Throws: When the endpoint is malformed, or the process out of resources.
  public convenience init(
    endpoint: String,
    security: Security = .development,
    isOneOfSeveral: Bool = false,
    tick: Duration? = nil,
    onEnd: @escaping @Sendable () -> Void,
    receive: @escaping @Sendable (Event) -> Void
  ) async throws {
    let none = DeliveryBuffer<Event>(countMax: 1)
    none.finish(nil)
    let receiver = Receiver.closure(receive, onEnd: onEnd)
    try await self.init(endpoint, security, isOneOfSeveral, tick, nil, none, receiver)
  }

  private init(
    _ endpoint: String,
    _ security: Security,
    _ isOneOfSeveral: Bool,
    _ tick: Duration?,
    _ context: Context?,
    _ buffer: DeliveryBuffer<Event>,
    _ receiver: Receiver
  ) async throws {
    let (inbox, ended) = (Mailbox<Message>(), OneTimeSignal())
    (self.inbox, self.ended) = (inbox, ended)
    events = Events(buffer: buffer)
    try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
      do {
        try startLoopThread("tidings-push") {
          let heartbeat = isOneOfSeveral ? Heartbeat.quick : .usual
          Self.runThread(endpoint, security, heartbeat, tick, context, inbox, receiver, ready)
          ended.fire()
        }
      } catch {
        ready.resume(throwing: error)
      }
    }
  }

  deinit { inbox.send(.close) }

  /// Receives what is published on a topic from about now on, across reconnections too.
  public func subscribe(_ topic: [UInt8]) { inbox.send(.subscribe(topic)) }

  /// Receives it no longer; to be called as often as `subscribe` was.
  public func unsubscribe(_ topic: [UInt8]) { inbox.send(.unsubscribe(topic)) }

  /// Delivers `Event.tick` now, for an owner who is to look for themselves.
  public func tick() { inbox.send(.tick) }

  /// Ends the events, and closes the socket.
  public func close() async {
    inbox.send(.close)
    await ended.wait()
  }

  private static func runThread(
    _ endpoint: String,
    _ security: Security,
    _ heartbeat: Heartbeat,
    _ tick: Duration?,
    _ context: Context?,
    _ inbox: Mailbox<Message>,
    _ receiver: Receiver,
    _ ready: CheckedContinuation<Void, any Error>
  ) {
    let loop: SubscriberLoop
    do {
      loop = try SubscriberLoop(
        endpoint,
        security,
        heartbeat: heartbeat,
        tick: tick,
        context: context ?? Context(),
        inbox: inbox,
        receiver: receiver
      )
    } catch {
      return ready.resume(throwing: error)
    }
    ready.resume()
    loop.run()
  }
}
