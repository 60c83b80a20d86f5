internal import CZeroMQ
internal import Synchronization

/// Events of a socket, from libzmq: that a connection was made or lost, and the like.
///
/// They come from its I/O thread, through a PAIR socket that blocks when the other end does not read.
/// Events must have stopped before that end is closed, or the thread, and with it every socket
/// of the context, blocks permanently; so the socket stays open until the monitor has stopped.
struct SocketEvents: ~Copyable {
  /// One of `ZMQ_EVENT_…`.
  struct Event {
    let kind: CInt
    /// What it means depends on the kind: a descriptor, a status, a pause.
    let value: Int32
  }

  private let watched: Socket.Opening
  private let pair: Socket
  private var frames = FrameSet()
  /// Readable when `next` may have something.
  let descriptor: CInt

  private static let count = Atomic<Int>(0)

  /// Watches a socket from before it is bound or connected.
  ///
  /// - Parameters:
  ///   - socket: In use on the calling thread only.
  ///   - context: The socket's.
  ///   - kinds: The kinds of events to report.
  /// - Throws: When the process is out of descriptors or memory.
  init(_ socket: borrowing Socket, _ context: Context, _ kinds: CInt) throws(TransportError) {
    let pair = try Self.listen(to: socket, context, kinds)
    descriptor = try pair.descriptor()
    watched = socket.opening
    self.pair = pair
  }

  deinit { zmq_socket_monitor(watched.handle, nil, 0) }

  /// The next event, if there is one.
  mutating func next() throws(TransportError) -> Event? {
    while try frames.receive(from: pair) {
      // The first frame: the event (2 bytes) and its value (4 bytes), in native order.
      guard frames.count >= 1, frames[0].count >= 6 else { continue }
      return Event(
        kind: CInt(frames[0].loadUnaligned(as: UInt16.self)),
        value: frames[0].loadUnaligned(fromByteOffset: 2, as: Int32.self)
      )
    }
    return nil
  }

  private static func listen(
    to socket: borrowing Socket,
    _ context: Context,
    _ kinds: CInt
  ) throws(TransportError) -> Socket {
    let endpoint = "inproc://tidings-events-\(count.add(1, ordering: .relaxed).newValue)"
    let pair = try Socket(context, kind: ZMQ_PAIR)
    try pair.set(ZMQ_LINGER, CInt(0))
    // With a bound, libzmq's thread would wait for this one.
    try pair.set(ZMQ_RCVHWM, CInt(0))
    guard zmq_socket_monitor(socket.opening.handle, endpoint, kinds) == 0 else {
      throw TransportError(errnoOf: "monitoring a socket")
    }
    try pair.connect(endpoint)
    return pair
  }
}
