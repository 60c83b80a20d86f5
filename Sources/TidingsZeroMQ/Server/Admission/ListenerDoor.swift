internal import CZeroMQ
internal import Glibc

/// Shuts a listening socket while the process has no descriptors to spare.
///
/// libzmq would try to accept without end, at the cost of a core, and would take the descriptors that
/// the store needs. It tells the number of its listening socket, and the system can be made to drop
/// what would open a connection: clients try again by themselves, later and later.
final class ListenerDoor {
  private var events: SocketEvents
  private var listener: CInt?
  private var ceiling: ConnectionCeiling
  /// When to call `follow` though nothing is heard.
  private(set) var nextLook: ContinuousClock.Instant?

  /// How often it is looked whether there are descriptors again.
  private static let pause = Duration.milliseconds(100)

  /// Watches a socket from before it is bound.
  init(_ socket: borrowing Socket, _ context: Context) throws(TransportError) {
    events = try SocketEvents(socket, context, ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED)
    ceiling = ConnectionCeiling(descriptorsMax: Self.descriptorsMax)
  }

  /// Readable when `follow` may have something to do.
  var descriptor: CInt { events.descriptor }

  /// Whether connections are taken.
  var isOpen: Bool { ceiling.isOpen }

  /// Shuts or opens it, as needed.
  ///
  /// - Returns: Whether it was shut just now.
  func follow(_ now: ContinuousClock.Instant) throws(TransportError) -> Bool {
    var isShut = false
    while let event = try events.next() {
      switch event.kind {
      case ZMQ_EVENT_LISTENING: listener = event.value
      case ZMQ_EVENT_ACCEPTED where ceiling.accepted(Int(event.value)): isShut = true
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
