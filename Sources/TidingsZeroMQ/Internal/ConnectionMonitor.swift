internal import CZeroMQ

/// Receives libzmq's events about a socket's connection: made, lost, or why it failed.
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
    case handshakeClosed
    /// The two sides do not speak the same.
    case protocolMismatch
  }

  private var events: SocketEvents
  /// Somebody took the connection that is being made.
  private var isAccepted = false

  private static let kinds =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
    | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_CONNECTED

  /// Watches a socket from before it connects.
  init(_ socket: borrowing Socket, context: Context) throws(TransportError) {
    events = try SocketEvents(socket, context, Self.kinds)
  }

  /// Readable when `next` may have something.
  var descriptor: CInt { events.descriptor }

  /// The next event, if there is one.
  mutating func next() throws(TransportError) -> Event? {
    while let event = try events.next() {
      switch event.kind {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .connected
      case ZMQ_EVENT_DISCONNECTED: return .disconnected
      case ZMQ_EVENT_CONNECTED: isAccepted = true
      case ZMQ_EVENT_CONNECT_RETRIED:
        // It comes after failed handshakes too.
        if !isAccepted { return .unreachable }
        isAccepted = false
      // 300 is "try again later", and no server of ours says it aloud.
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return event.value == 400 ? .refused : .handshakeClosed
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return .handshakeClosed
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return .protocolMismatch
      default: continue
      }
    }
    return nil
  }
}
