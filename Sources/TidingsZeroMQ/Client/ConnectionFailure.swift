internal import TidingsRPC

/// Why there is no connection; later ones came further, so they explain more.
enum ConnectionFailure: Int, Comparable {
  /// There was one.
  case lost
  /// The name of the host means nothing.
  case unresolved
  /// The name server did not answer.
  case nameSilent
  /// This machine knows no way to the address.
  case noRoute
  /// Nothing came back: the host is off, or packets vanish.
  case silent
  /// Nobody listens there.
  case connectionRefused
  /// The connection was accepted, and the handshake not finished.
  case handshakeSilent
  /// The server closed the connection during the handshake.
  case handshakeClosed
  /// Client and server use different security mechanisms or protocols.
  case protocolMismatch
  /// The server does not admit the key.
  case keyRefused
  /// The server takes no calls.
  case draining

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// Nothing else is reported of the attempt.
  var endsAttempt: Bool { self < .handshakeSilent && self != .lost }

  /// To wait does not help.
  var isRefusal: Bool { self == .keyRefused }

  /// A few words, for a list of endpoints.
  func reason(hasKeys: Bool) -> String {
    switch self {
    case .lost: "the connection was lost"
    case .unresolved: "its name cannot be resolved"
    case .nameSilent: "no answer of the name server"
    case .noRoute: "no route to it"
    case .silent: "no answer"
    case .connectionRefused: "connection refused"
    case .handshakeSilent: "the handshake is not finished"
    case .handshakeClosed: "closed the connection during the handshake"
    case .protocolMismatch: hasKeys ? "does not speak CURVE" : "requires authentication"
    case .keyRefused: "does not admit this key"
    case .draining: "takes no calls for now (it is draining)"
    }
  }

  /// The error of calls to the only endpoint.
  func error(at endpoint: String, hasKeys: Bool) -> RPCError {
    RPCError(isRefusal ? .unauthenticated : .unavailable, sentence(endpoint, hasKeys))
  }

  private func sentence(_ endpoint: String, _ hasKeys: Bool) -> String {
    switch self {
    case .lost, .connectionRefused: "cannot reach \(endpoint): \(reason(hasKeys: hasKeys))"
    case .unresolved:
      "cannot reach \(endpoint): its name cannot be resolved: check the name, and the name server of this "
        + "machine"
    case .nameSilent:
      "cannot reach \(endpoint): no answer of the name server that is to resolve its name"
    case .noRoute:
      "cannot reach \(endpoint): this machine has no route to it: check its network"
    case .silent:
      "cannot reach \(endpoint): no answer: its host is off, or packets are lost, for example at a firewall"
    case .handshakeSilent:
      "the server at \(endpoint) accepted the connection, but has not finished the handshake: the network is "
        + "slow, it hangs or is overloaded, or another program listens there"
    case .handshakeClosed:
      "the server at \(endpoint) closed the connection during the handshake: "
        + (hasKeys
          ? "check the server key, omit the keys if the server is in development mode, or retry later if it is "
            + "overloaded"
          : "if it requires authentication, use a key file and the server's public key")
    case .protocolMismatch where hasKeys:
      "the server at \(endpoint) does not speak CURVE: check the endpoint, or omit the keys if the "
        + "server is in development mode"
    case .protocolMismatch:
      "the server at \(endpoint) requires authentication: use a key file and the server's public key"
    case .keyRefused:
      "the server at \(endpoint) does not admit this key, which may be unknown, expired or revoked: "
        + "ask an administrator to add the public key"
    case .draining: "the server at \(endpoint) takes no calls for now (it is draining)"
    }
  }
}
