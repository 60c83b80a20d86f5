internal import CZeroMQ
internal import Glibc
internal import TidingsThreads

/// Sends what the loop hands over, and notes what subscribers ask for, on the thread that has their socket.
struct PushLoop: ~Copyable {
  /// Where published messages come from, as bound.
  struct Bound: Sendable {
    let endpoint: String
    /// With the second key.
    let secondEndpoint: String?
  }

  let bound: Bound
  private let socket: Socket
  private let exchange: PushExchange
  private var frames = FrameSet()
  private var descriptors: [pollfd]

  /// Makes the socket, and lets it listen.
  init(
    at text: String,
    _ context: Context,
    _ configuration: ServerConfiguration,
    _ ceiling: ConnectionCeiling,
    _ admission: ZAPHandler,
    _ exchange: PushExchange
  ) throws(TransportError) {
    let endpoint = Endpoint(text)
    try endpoint.check(configuration.security)
    let socket = try Socket(context, kind: ZMQ_XPUB)
    // What subscribers send are topics only.
    try socket.configure(
      for: endpoint,
      frameBytesMax: SocketLimits.topicBytesMax,
      queueMax: SocketLimits.pushQueueMax
    )
    try socket.secure(configuration.security)
    try socket.configureListening()
    // Also who asks for a topic that others have is counted.
    try socket.set(ZMQ_XPUB_VERBOSE, CInt(1))
    admission.watch(try ConnectionWatch(socket, as: .pushes, context, ceiling))
    let bound = Bound(
      endpoint: try socket.bind(text, of: .subscribers),
      secondEndpoint: try socket.bindSecond(\.pushEndpoint, of: .subscribers, configuration)
    )
    let descriptors = [exchange.ordersDescriptor, try socket.descriptor()]
    (self.bound, self.exchange) = (bound, exchange)
    self.socket = socket
    self.descriptors = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  }

  /// Returns when the loop has ordered to stop.
  consuming func run() throws(TransportError) {
    while true {
      let orders = exchange.takeOrders()
      for order in orders {
        guard case .publish(let pushes, let byteCount) = order else { return }
        for push in pushes { send(push) }
        exchange.sent(byteCount)
        // Sending makes libzmq take note of what arrived, and leaves its descriptor silent.
        try noteSubscriptions()
      }
      if orders.isEmpty { try noteSubscriptions() }
      wait(for: &descriptors, until: nil)
    }
  }

  private func send(_ push: Push) {
    let isBegun = push.topic.withUnsafeBytes { socket.send($0, more: true) == .sent }
    if isBegun { _ = push.body.withUnsafeBytes { socket.send($0) } }
  }

  /// Takes the subscriptions off the socket: libzmq has already acted on them, and keeps a note of each until it is read.
  private mutating func noteSubscriptions() throws(TransportError) {
    while try socket.receive(&frames) {
      // libzmq acts on each frame of a message, whatever is before it.
      for index in 0..<frames.count { noteSubscription(index) }
      frames.clear()
    }
    exchange.waitForRoom()
  }

  private func noteSubscription(_ index: Int) {
    let frame = frames[index]
    // 1 and a topic; 0 and a topic ends a subscription.
    guard frame.first != 0, let number = frames.connectionNumber(ofFrame: index) else { return }
    exchange.note(
      SubscriptionNote(
        connection: number,
        descriptor: frames.descriptor(ofFrame: index),
        key: frames.keyNumber(ofFrame: index),
        topicBytes: frame.first == 1 ? frame.count - 1 : nil
      )
    )
  }
}
