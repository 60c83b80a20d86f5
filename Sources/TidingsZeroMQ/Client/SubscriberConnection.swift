internal import CZeroMQ
internal import Glibc
internal import TidingsRPC

/// A connection to a server's push endpoint: receives what is published on chosen topics.
///
/// Publishing is a hint: what is sent while there is no connection, or faster than it is read, is
/// lost. `Event` tells when that may have happened.
public final class SubscriberConnection: Sendable {
  /// What a subscriber hears.
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

  fileprivate enum Message: Sendable {
    case subscribe([UInt8])
    case unsubscribe([UInt8])
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
  ///   - tick: How often to deliver `Event.tick`; `nil`: never.
  ///   - eventsMax: Most events that wait to be read; the rest is lost, and reported as lost.
  ///   - context: To share an I/O thread with other connections; `nil`: one of its own.
  /// - Throws: When the endpoint is malformed, or the process out of resources.
  public init(
    endpoint: String,
    tick: Duration? = nil,
    eventsMax: Int = 10_000,
    context: Context? = nil
  ) async throws {
    let (inbox, ended) = (Mailbox<Message>(), OneTimeSignal())
    let buffer = DeliveryBuffer<Event>(countMax: eventsMax)
    (self.inbox, self.ended) = (inbox, ended)
    events = Events(buffer: buffer)
    try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
      do {
        try LoopThread.start("tidings-push") {
          Self.runThread(endpoint, tick, context, inbox, buffer, ready)
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

  /// Ends the events, and closes the socket.
  public func close() async {
    inbox.send(.close)
    await ended.wait()
  }

  private static func runThread(
    _ endpoint: String,
    _ tick: Duration?,
    _ context: Context?,
    _ inbox: Mailbox<Message>,
    _ buffer: DeliveryBuffer<Event>,
    _ ready: CheckedContinuation<Void, any Error>
  ) {
    let loop: SubscriberLoop
    do {
      loop = try SubscriberLoop(
        Endpoint(endpoint),
        tick: tick,
        context: context ?? Context(),
        inbox: inbox,
        buffer: buffer
      )
    } catch {
      return ready.resume(throwing: error)
    }
    ready.resume()
    loop.run()
  }
}

/// A subscriber's thread: owns the SUB socket.
private struct SubscriberLoop: ~Copyable {
  private let inbox: Mailbox<SubscriberConnection.Message>
  private let buffer: DeliveryBuffer<SubscriberConnection.Event>
  private let socket: Socket
  private var monitor: ConnectionMonitor
  private var frames = FrameSet()
  private var descriptors: [pollfd]
  private let tick: Duration?
  private var nextTick: ContinuousClock.Instant?
  private var isConnected = false

  init(
    _ endpoint: Endpoint,
    tick: Duration?,
    context: Context,
    inbox: Mailbox<SubscriberConnection.Message>,
    buffer: DeliveryBuffer<SubscriberConnection.Event>
  ) throws(TransportError) {
    let socket = try Socket(context, kind: ZMQ_SUB)
    try socket.configure(
      for: endpoint,
      frameBytesMax: WireLimits.frameBytesMax,
      queueMax: SocketLimits.pushQueueMax
    )
    try socket.configureReconnecting(timeout: .seconds(3))
    // Subscriptions travel as messages; with a bound, those beyond it are dropped in silence when
    // they are all sent again after a reconnection.
    try socket.set(ZMQ_SNDHWM, CInt(0))
    let monitor = try ConnectionMonitor(socket, context: context)
    try socket.connect(endpoint.text)
    descriptors = [inbox.descriptor, try socket.descriptor(), monitor.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    self.inbox = inbox
    self.buffer = buffer
    self.socket = socket
    self.monitor = monitor
    self.tick = tick
    nextTick = tick.map { .now + $0 }
  }

  consuming func run() {
    do {
      while try turn() {}
    } catch {
      // The socket failed other than by what peers do; the end of the events tells.
    }
    _ = inbox.close()
    buffer.finish(nil)
  }

  /// - Returns: `false` when the connection is to be closed.
  private mutating func turn() throws(TransportError) -> Bool {
    var isBusy = try deliverMessages()
    while let event = try monitor.next() {
      isBusy = true
      // What came before the loss is told before it.
      if event == .disconnected { _ = try deliverMessages() }
      isConnected = event == .connected
      deliver(isConnected ? .connected : .disconnected)
    }
    for message in inbox.drain() {
      isBusy = true
      switch message {
      case .subscribe(let topic): try socket.set(ZMQ_SUBSCRIBE, topic)
      case .unsubscribe(let topic): try socket.set(ZMQ_UNSUBSCRIBE, topic)
      case .close: return false
      }
    }
    if let due = nextTick, let tick, due <= .now {
      deliver(.tick)
      nextTick = .now + tick
    }
    if !isBusy { wait(for: &descriptors, until: nextTick) }
    return true
  }

  /// - Returns: Whether there was any.
  private mutating func deliverMessages() throws(TransportError) -> Bool {
    var hasAny = false
    while try frames.receive(from: socket) {
      hasAny = true
      // A message may be seen before the news of the connection that brought it.
      if !isConnected, try monitor.next() == .connected {
        isConnected = true
        deliver(.connected)
      }
      if frames.count >= 2 {
        deliver(.message(topic: Array(frames[0]), body: Array(frames[1])))
      }
      frames.clear()
    }
    return hasAny
  }

  private func deliver(_ event: SubscriberConnection.Event) {
    buffer.push(event) { earlier in
      if case .lost(let count)? = earlier { .lost(count: count + 1) } else { .lost(count: 1) }
    }
  }
}
