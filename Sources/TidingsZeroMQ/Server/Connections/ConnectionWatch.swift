internal import CZeroMQ
internal import Glibc

/// Follows the connections of a listening socket, and ends them.
///
/// Made on the thread of the socket, before it is bound; afterwards only the thread that admits
/// connections uses it.
///
/// libzmq's one I/O thread reports that it accepted a connection before it asks whether to admit it,
/// and that a connection has ended before it closes its descriptor. So whoever takes a question first
/// and looks here then knows of the connection that the question is about, and of the end of every
/// earlier one that had its descriptor.
final class ConnectionWatch: @unchecked Sendable {
  // Handed over once, through a mailbox: its lock is the fence that libzmq asks for when a socket
  // moves to another thread.
  let socket: ListeningSocket
  private var events: SocketEvents
  private var limiter: AcceptLimiter
  private var floors: [CInt: UInt64] = [:]

  init(
    _ socket: borrowing Socket,
    as name: ListeningSocket,
    _ context: Context,
    _ ceiling: ConnectionCeiling
  ) throws(TransportError) {
    self.socket = name
    limiter = AcceptLimiter(ceiling)
    events = try SocketEvents(
      socket,
      context,
      ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED
    )
  }

  /// Readable when `follow` may have something to do.
  var descriptor: CInt { events.descriptor }

  /// When to call `follow` though nothing is reported.
  var nextLook: ContinuousClock.Instant? { limiter.nextLook }

  /// Takes everything that was reported.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - lastNumber: The last number given to a connection; it rises with each one accepted.
  ///   - report: Takes the events.
  /// - Throws: When the socket that reports fails.
  func follow(
    _ now: ContinuousClock.Instant,
    _ lastNumber: inout UInt64,
    _ report: (ConnectionEvent) -> Void
  ) throws(TransportError) {
    while let event = try events.next() {
      let slot = ConnectionSlot(socket: socket, descriptor: event.value)
      switch event.kind {
      case ZMQ_EVENT_LISTENING: limiter.listens(event.value)
      case ZMQ_EVENT_ACCEPTED:
        lastNumber += 1
        floors[event.value] = lastNumber
        report(.accepted(slot, floor: lastNumber))
        if limiter.accepted(event.value, now) { report(.full) }
      case ZMQ_EVENT_DISCONNECTED:
        if floors.removeValue(forKey: event.value) != nil { report(.ended(slot)) }
      default: continue
      }
    }
    limiter.lookAgain(now)
  }

  /// Ends a connection, unless it has ended; libzmq cannot.
  ///
  /// The copy of the descriptor is made first. If the connection's end is not reported after that, the
  /// descriptor was not closed when it was copied, so the copy is of this connection's socket and of no
  /// other that got the same descriptor. libzmq then sees that the peer is gone.
  ///
  /// - Parameters:
  ///   - descriptor: Where it is.
  ///   - floor: Distinguishes it from earlier and later ones.
  ///   - now: The current time.
  ///   - lastNumber: The last number given to a connection.
  ///   - report: Takes the events.
  /// - Throws: When the socket that reports fails.
  func end(
    _ descriptor: CInt,
    floor: UInt64,
    _ now: ContinuousClock.Instant,
    _ lastNumber: inout UInt64,
    _ report: (ConnectionEvent) -> Void
  ) throws(TransportError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return }
    defer { close(copy) }
    try follow(now, &lastNumber, report)
    if floors[descriptor] == floor { shutdown(copy, CInt(SHUT_RDWR)) }
  }
}
