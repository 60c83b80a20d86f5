internal import CZeroMQ

/// Receives events of a socket's connection from libzmq: established, lost, failed.
struct ConnectionMonitor: ~Copyable {
  /// What happened to the connection.
  enum Event: Equatable {
    /// The handshake succeeded; messages can be sent.
    case connected
    /// The connection was lost, with all messages in transit; also follows a failed handshake.
    case disconnected
    /// The connection was refused.
    case unreachable
    /// The server does not admit the key.
    case refused
    /// The server closed the connection during the handshake, or did not continue it.
    case handshakeClosed
    /// Client and server use different security mechanisms or protocols.
    case protocolMismatch
  }

  private var events: SocketEvents
  /// Whether the TCP connection was accepted.
  private var isAccepted = false

  private static let kinds =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
    | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_CONNECTED

  /// Monitors a socket; create it before the socket connects.
  init(_ socket: borrowing Socket, context: Context) throws(TransportError) {
    events = try SocketEvents(socket, context, Self.kinds)
  }

  /// Readable when `next` may return an event.
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
