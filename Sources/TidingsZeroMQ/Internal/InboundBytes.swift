internal import CZMTPFilter
internal import CZeroMQ
internal import TidingsMemory
internal import TidingsRPC

/// What libzmq has received of all connections of this process, and was not taken: messages that wait, and those that have not
/// ended.
///
/// libzmq bounds neither their bytes nor how long a message goes on (`inbound.h`).
enum InboundBytes {
  /// Who connects to a socket.
  enum Peers {
    case callers
    case subscribers

    /// What the socket's listener is marked with.
    var mark: CInt {
      switch self {
      case .callers: CInt(TIDINGS_HAS_CALLERS)
      case .subscribers: CInt(TIDINGS_HAS_SUBSCRIBERS)
      }
    }
  }

  /// Sets the bounds: of all connections, and of the message of one.
  ///
  /// What was there and the large messages that are read besides may be twice the bound.
  static func setBounds(_ configuration: ServerConfiguration) {
    tidings_inbound_bound(
      configuration.memory[.received] / 2,
      configuration.frameBytesMax + SocketLimits.frameBytesSlack + SocketLimits.headerBytesMax
    )
  }

  /// A message was taken, of a connection that has, or had, a descriptor.
  static func took(_ frames: borrowing FrameSet, isSecure: Bool) {
    guard let descriptor = frames.descriptor(ofFrame: frames.count - 1) else { return }
    // The first one is libzmq's own.
    tidings_zmtp_filter_took(descriptor, frames.byteCount, frames.count - 1, isSecure ? 1 : 0)
  }

  /// No whole message is left.
  static func drained() { tidings_inbound_drained() }

  /// How many connections were ended since this was asked last.
  static func takeEndedCount() -> UInt64 { tidings_inbound_take_ended() }

  /// The loop sleeps until there is something to do, and no whole message is left meanwhile; or it goes on.
  static func loopSleeps(_ sleeps: Bool) { tidings_inbound_sleeps(sleeps ? 1 : 0) }
}
