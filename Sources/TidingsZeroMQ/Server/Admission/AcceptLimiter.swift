internal import CZeroMQ
internal import Glibc

/// Stops the listeners of a socket while the process has no descriptors, or no memory, to spare.
///
/// libzmq would try to accept without end, at the cost of a core, and would take the descriptors that
/// the store needs. The system can be made to drop what would open a connection: clients try again by
/// themselves, later and later.
struct AcceptLimiter {
  private var listeners: [CInt] = []
  private var ceiling: ConnectionCeiling
  /// When to call `lookAgain`.
  private(set) var nextLook: ContinuousClock.Instant?

  /// How often it is looked whether there are descriptors again.
  private static let pause = Duration.milliseconds(100)

  init(_ ceiling: ConnectionCeiling) { self.ceiling = ceiling }

  /// The socket listens.
  mutating func listens(_ descriptor: CInt) { listeners.append(descriptor) }

  /// A connection was accepted.
  ///
  /// - Returns: Whether no more are from now on.
  mutating func accepted(_ descriptor: CInt, _ now: ContinuousClock.Instant) -> Bool {
    guard ceiling.accepted(Int(descriptor)), !listeners.isEmpty else { return false }
    for listener in listeners { _ = tidings_listener_shut(listener) }
    nextLook = now.advanced(by: Self.pause)
    return true
  }

  /// Accepts connections again, if there is room.
  mutating func lookAgain(_ now: ContinuousClock.Instant) {
    guard let due = nextLook, due <= now else { return }
    nextLook = now.advanced(by: Self.pause)
    guard ceiling.saw(lowestFree: Self.lowestFree) else { return }
    nextLook = nil
    for listener in listeners { _ = tidings_listener_open(listener) }
  }

  /// The number that the next descriptor will have; the limit when there is none.
  private static var lowestFree: Int {
    let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return ConnectionCeiling.descriptorsMax }
    close(descriptor)
    return Int(descriptor)
  }
}
