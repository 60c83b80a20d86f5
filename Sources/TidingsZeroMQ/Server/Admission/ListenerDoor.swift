internal import CZeroMQ
internal import Glibc

/// Shuts a listening socket while the process has no descriptors to spare.
///
/// libzmq would try to accept without end, at the cost of a core, and would take the descriptors that
/// the store needs. It tells the number of its listening socket, and the system can be made to drop
/// what would open a connection: clients try again by themselves, later and later.
final class ListenerDoor {
  private let pair: Socket
  private var frames = FrameSet()
  private var listener: CInt?
  private var ceiling: ConnectionCeiling
  /// Readable when `follow` may have something to do.
  let descriptor: CInt
  /// When to call `follow` though nothing is heard.
  private(set) var nextLook: ContinuousClock.Instant?

  /// How often it is looked whether there are descriptors again.
  private static let pause = Duration.milliseconds(100)

  /// Watches a socket from before it is bound.
  init(_ socket: borrowing Socket, _ context: Context, name: String) throws(TransportError) {
    let endpoint = "inproc://tidings-door-\(name)"
    try socket.monitor(endpoint, events: ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED)
    let pair = try Socket(context, kind: ZMQ_PAIR)
    try pair.set(ZMQ_LINGER, CInt(0))
    // With a bound, libzmq's thread would wait for this one.
    try pair.set(ZMQ_RCVHWM, CInt(0))
    try pair.connect(endpoint)
    descriptor = try pair.descriptor()
    self.pair = pair
    ceiling = ConnectionCeiling(descriptorsMax: Self.descriptorsMax)
  }

  /// Whether connections are taken.
  var isOpen: Bool { ceiling.isOpen }

  /// Shuts or opens it, as needed.
  ///
  /// - Returns: Whether it was shut just now.
  func follow(_ now: ContinuousClock.Instant) throws(TransportError) -> Bool {
    var isShut = false
    while try frames.receive(from: pair) {
      // The first frame: the event (2 bytes) and the descriptor (4 bytes), in native order.
      guard frames.count >= 1, frames[0].count >= 6 else { continue }
      let descriptor = CInt(frames[0].loadUnaligned(fromByteOffset: 2, as: Int32.self))
      switch CInt(frames[0].loadUnaligned(as: UInt16.self)) {
      case ZMQ_EVENT_LISTENING: listener = descriptor
      case ZMQ_EVENT_ACCEPTED where ceiling.accepted(Int(descriptor)): isShut = true
      default: continue
      }
    }
    if isShut, let listener {
      _ = tidings_listener_shut(listener)
      nextLook = now.advanced(by: Self.pause)
    } else if let due = nextLook, due <= now {
      nextLook = now.advanced(by: Self.pause)
      if ceiling.saw(lowestFree: Self.lowestFree) { open() }
    }
    return isShut
  }

  private func open() {
    nextLook = nil
    if let listener { _ = tidings_listener_open(listener) }
  }

  /// The number that the next descriptor will have; the limit when there is none.
  private static var lowestFree: Int {
    let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return descriptorsMax }
    close(descriptor)
    return Int(descriptor)
  }

  private static var descriptorsMax: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }
}
