internal import TidingsRPC

/// Maps a failure to connect to an error.
enum ConnectionFailure {
  /// Returns the error of calls that fail because of an event; `nil` if it is not a failure.
  static func error(
    of event: ConnectionMonitor.Event,
    endpoint: String,
    security: Security
  ) -> RPCError? {
    switch (event, security) {
    case (.connected, _), (.disconnected, _): nil
    case (.unreachable, _):
      RPCError(.unavailable, "cannot reach \(endpoint): connection refused")
    case (.refused, _):
      RPCError(
        .unauthenticated,
        "the server at \(endpoint) does not admit this key, which may be unknown, expired or revoked: "
          + "ask an administrator to add the public key"
      )
    case (.protocolMismatch, .curveClient):
      RPCError(
        .unavailable,
        "the server at \(endpoint) does not speak CURVE: check the endpoint, or omit the keys if the "
          + "server is in development mode"
      )
    case (.protocolMismatch, _):
      RPCError(
        .unavailable,
        "the server at \(endpoint) requires authentication: use a key file and the server's public "
          + "key"
      )
    case (.handshakeClosed, .curveClient):
      RPCError(
        .unavailable,
        "the server at \(endpoint) closed the connection during the handshake: check the server key, "
          + "or retry later if the server is overloaded"
      )
    case (.handshakeClosed, _):
      RPCError(
        .unavailable,
        "the server at \(endpoint) closed the connection during the handshake: if it requires "
          + "authentication, use a key file and the server's public key"
      )
    }
  }
  /// Returns the same in a few words, for a list of endpoints.
  static func failure(
    of event: ConnectionMonitor.Event,
    security: Security
  ) -> EndpointRing.Failure? {
    switch (event, security) {
    case (.connected, _), (.disconnected, _): nil
    case (.unreachable, _): .init(reason: "connection refused")
    case (.refused, _): .init(reason: "does not admit this key", isRefusal: true)
    case (.protocolMismatch, .curveClient): .init(reason: "does not speak CURVE")
    case (.protocolMismatch, _): .init(reason: "requires authentication")
    case (.handshakeClosed, _): .init(reason: "closed the connection during the handshake")
    }
  }
}
