internal import CZeroMQ
internal import Synchronization

/// Hears from libzmq when a socket's connection is made and lost, and why it is not.
struct ConnectionMonitor: ~Copyable {
  /// What happened to the connection.
  enum Event: Equatable {
    /// Both sides know each other: messages flow.
    case connected
    /// What was on its way is lost; after a failed handshake nothing was.
    case disconnected
    /// Nobody took the connection.
    case unreachable
    /// The server does not admit the key.
    case refused
    /// The server ended the handshake, or did not go on with it.
    case brokenOff
    /// The two sides do not speak the same.
    case misunderstood
  }

  private let pair: Socket
  private var frames = FrameSet()
  /// Somebody took the connection that is being made.
  private var isTaken = false
  /// Readable when `next` may have something.
  let descriptor: CInt

  private static let count = Atomic<Int>(0)
  private static let events =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
    | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_CONNECTED

  /// Watches a socket from before it connects.
  init(_ socket: borrowing Socket, context: Context) throws(TransportError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    let endpoint = "inproc://tidings-monitor-\(number)"
    try socket.monitor(endpoint, events: Self.events)
    let pair = try Socket(context, kind: ZMQ_PAIR)
    try pair.set(ZMQ_LINGER, CInt(0))
    try pair.connect(endpoint)
    descriptor = try pair.descriptor()
    self.pair = pair
  }

  /// The next event, if there is one.
  mutating func next() throws(TransportError) -> Event? {
    while try frames.receive(from: pair) {
      // The first frame: the event (2 bytes) and a value (4 bytes), in native order.
      guard frames.count >= 1, frames[0].count >= 6 else { continue }
      let value = frames[0].loadUnaligned(fromByteOffset: 2, as: UInt32.self)
      switch CInt(frames[0].loadUnaligned(as: UInt16.self)) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .connected
      case ZMQ_EVENT_DISCONNECTED: return .disconnected
      case ZMQ_EVENT_CONNECTED: isTaken = true
      case ZMQ_EVENT_CONNECT_RETRIED:
        // It comes after failed handshakes too.
        if !isTaken { return .unreachable }
        isTaken = false
      // 300 is "try again later", and no server of ours says it aloud.
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return value == 400 ? .refused : .brokenOff
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return .brokenOff
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return .misunderstood
      default: continue
      }
    }
    return nil
  }
}
