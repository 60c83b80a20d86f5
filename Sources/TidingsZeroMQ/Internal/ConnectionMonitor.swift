internal import CZeroMQ

/// Receives events of a socket's connection from libzmq: established, lost, failed.
struct ConnectionMonitor: ~Copyable {
  /// What happened to the connection.
  enum Event: Equatable {
    /// The address is asked for a connection.
    case connecting
    /// The address accepted it; the handshake begins.
    case accepted
    /// The handshake succeeded; messages can be sent.
    case connected
    /// The connection was lost, with all messages in transit; also follows a failed handshake.
    case disconnected
    /// There will be none.
    case failed(ConnectionFailure)
  }

  /// How far an attempt came.
  private enum Progress {
    case none
    /// The system refused at once to ask for a connection.
    case refused
    case connecting
    case accepted
  }

  private var events: SocketEvents
  private var progress = Progress.none
  /// The system answers at once, for those who would.
  private let isLocal: Bool

  private static let kinds =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
    | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_DELAYED
    | ZMQ_EVENT_CLOSED

  /// Monitors a socket that is going to connect to an endpoint; create it before it does.
  init(
    _ socket: borrowing Socket,
    to endpoint: Endpoint,
    context: Context
  ) throws(TransportError) {
    events = try SocketEvents(socket, context, Self.kinds)
    isLocal = endpoint.isLocal
  }

  /// Readable when `next` may return an event.
  var descriptor: CInt { events.descriptor }

  /// The next event, if there is one.
  mutating func next() throws(TransportError) -> Event? {
    while let event = try events.next() {
      switch event.kind {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .connected
      case ZMQ_EVENT_DISCONNECTED: return .disconnected
      case ZMQ_EVENT_CONNECT_DELAYED:
        progress = .connecting
        return .connecting
      case ZMQ_EVENT_CONNECTED:
        progress = .accepted
        return .accepted
      case ZMQ_EVENT_CLOSED: if progress == .none { progress = .refused }
      case ZMQ_EVENT_CONNECT_RETRIED:
        defer { progress = .none }
        switch progress {
        case .none: return .failed(.unresolved)
        case .refused: return .failed(isLocal ? .connectionRefused : .noRoute)
        case .connecting: return .failed(.connectionRefused)
        // It comes after failed handshakes too.
        case .accepted: continue
        }
      // 300 is "try again later", and no server of ours says it aloud.
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        return .failed(event.value == 400 ? .keyRefused : .handshakeClosed)
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return .failed(.handshakeClosed)
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return .failed(.protocolMismatch)
      default: continue
      }
    }
    return nil
  }
}
