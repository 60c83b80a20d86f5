internal import CZeroMQ
internal import Synchronization

/// Hears from libzmq when a socket's connection is made and lost.
struct ConnectionMonitor: ~Copyable {
  /// What happened to the connection.
  enum Event: Equatable {
    /// Both sides know each other: messages flow.
    case connected
    /// What was on its way is lost.
    case disconnected
  }

  private let pair: Socket
  private var frames = FrameSet()
  /// Readable when `next` may have something.
  let descriptor: CInt

  private static let count = Atomic<Int>(0)

  /// Watches a socket from before it connects.
  init(_ socket: borrowing Socket, context: Context) throws(TransportError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    let endpoint = "inproc://tidings-monitor-\(number)"
    try socket.monitor(endpoint, events: ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED)
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
      guard frames.count >= 1, frames[0].count >= 2 else { continue }
      switch CInt(frames[0].loadUnaligned(as: UInt16.self)) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .connected
      case ZMQ_EVENT_DISCONNECTED: return .disconnected
      default: continue
      }
    }
    return nil
  }
}
