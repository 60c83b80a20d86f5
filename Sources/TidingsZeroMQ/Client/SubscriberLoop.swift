internal import CZeroMQ
internal import Glibc
internal import TidingsRPC
internal import TidingsThreads

/// A subscriber's thread: owns the SUB socket.
struct SubscriberLoop: ~Copyable {
  private let inbox: Mailbox<SubscriberConnection.Message>
  private let receiver: SubscriberConnection.Receiver
  private let security: Security
  private let heartbeat: Heartbeat
  private let context: Context
  private var socket: Socket
  private var monitor: ConnectionMonitor
  private var frames = FrameSet()
  private var descriptors: [pollfd]
  private let tick: Duration?
  private var nextTick: ContinuousClock.Instant?
  private var isConnected = false
  /// How often each topic is subscribed to, for the next socket.
  private var topics: [[UInt8]: Int] = [:]
  private var ring: EndpointRing

  init(
    _ endpoint: String,
    _ security: Security,
    heartbeat: Heartbeat,
    tick: Duration?,
    context: Context,
    inbox: Mailbox<SubscriberConnection.Message>,
    receiver: SubscriberConnection.Receiver
  ) throws(TransportError) {
    if let problem = EndpointList.problem(in: [endpoint]) { throw TransportError(problem) }
    let ring = EndpointRing([endpoint], security, connectTimeout: .seconds(60), now: .now)
    let socket = try Self.makeSocket(ring.route, security, heartbeat, context)
    let monitor = try ConnectionMonitor(socket, to: Endpoint(endpoint), context: context)
    try socket.connect(endpoint)
    descriptors = try Self.descriptors(inbox, socket, monitor)
    self.ring = ring
    self.security = security
    self.heartbeat = heartbeat
    self.context = context
    self.inbox = inbox
    self.receiver = receiver
    self.socket = socket
    self.monitor = monitor
    self.tick = tick
    nextTick = tick.map { .now + $0 }
  }

  consuming func run() {
    do {
      while try turn() {}
    } catch {
      // The socket failed for another reason than its peers; the end of the events reports it.
    }
    _ = inbox.close()
    receiver.finish()
  }

  /// - Returns: `false` when the connection is to be closed.
  private mutating func turn() throws(TransportError) -> Bool {
    // First: a new socket's descriptors show nothing before its events were read once.
    if ring.isDue(.now) {
      // The process may have no descriptors left, for a while.
      do { try renew() } catch { ring.disconnected(.now) }
    }
    var isBusy = try deliverMessages()
    while let event = try monitor.next() {
      isBusy = true
      try follow(event)
    }
    for message in inbox.drain() {
      isBusy = true
      switch message {
      case .subscribe(let topic):
        topics[topic, default: 0] += 1
        try socket.set(ZMQ_SUBSCRIBE, topic)
      case .unsubscribe(let topic):
        guard let count = topics[topic] else { continue }
        topics[topic] = count > 1 ? count - 1 : nil
        try socket.set(ZMQ_UNSUBSCRIBE, topic)
      case .tick: deliver(.tick)
      case .close: return false
      }
    }
    if let due = nextTick, let tick, due <= .now {
      deliver(.tick)
      nextTick = .now + tick
    }
    if !isBusy { wait(for: &descriptors, until: earlier(nextTick, ring.due)) }
    return true
  }

  private mutating func follow(_ event: ConnectionMonitor.Event) throws(TransportError) {
    switch event {
    case .connecting: ring.connecting()
    case .accepted: ring.accepted()
    case .failed(let failure): ring.failed(failure, .now)
    case .connected:
      isConnected = true
      ring.connected()
      deliver(.connected)
    case .disconnected:
      ring.disconnected(.now)
      guard isConnected else { return }
      // What arrived before the loss is reported before it.
      _ = try deliverMessages()
      isConnected = false
      deliver(.disconnected)
    }
  }

  /// Makes a new socket, for another attempt.
  private mutating func renew() throws(TransportError) {
    let renewed = try Self.makeSocket(ring.route, security, heartbeat, context)
    for (topic, count) in topics {
      for _ in 0..<count { try renewed.set(ZMQ_SUBSCRIBE, topic) }
    }
    let endpoint = ring.current
    let observed = try ConnectionMonitor(renewed, to: Endpoint(endpoint), context: context)
    try renewed.connect(endpoint)
    descriptors = try Self.descriptors(inbox, renewed, observed)
    monitor = observed
    socket = renewed
  }

  private static func makeSocket(
    _ route: Route,
    _ security: Security,
    _ heartbeat: Heartbeat,
    _ context: Context
  ) throws(TransportError) -> Socket {
    try Descriptors.check()
    let socket = try Socket(context, kind: ZMQ_SUB)
    try socket.configure(
      for: Endpoint(route.endpoint),
      frameBytesMax: WireLimits.frameBytesMax,
      queueMax: SocketLimits.pushQueueMax,
      heartbeat: heartbeat
    )
    if route.usesIPv6 { try socket.useIPv6() }
    try socket.secure(security)
    try socket.configureConnecting()
    // Subscriptions travel as messages; with a bound, those beyond it are dropped in silence when
    // they are all sent again after a reconnection.
    try socket.set(ZMQ_SNDHWM, CInt(0))
    return socket
  }

  private static func descriptors(
    _ inbox: Mailbox<SubscriberConnection.Message>,
    _ socket: borrowing Socket,
    _ monitor: borrowing ConnectionMonitor
  ) throws(TransportError) -> [pollfd] {
    [inbox.descriptor, try socket.descriptor(), monitor.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
  }

  /// - Returns: Whether there was any.
  private mutating func deliverMessages() throws(TransportError) -> Bool {
    var hasAny = false
    while try frames.receive(from: socket) {
      hasAny = true
      // A message may be seen before the event of the connection that brought it.
      while !isConnected, let event = try monitor.next() { try follow(event) }
      if frames.count >= 2 {
        deliver(.message(topic: Array(frames[0]), body: Array(frames[1])))
      }
      frames.clear()
    }
    return hasAny
  }

  private func deliver(_ event: SubscriberConnection.Event) { receiver.deliver(event) }
}
