internal import TidingsRPC

/// Says why a connection was not made, to whom waits for it.
enum ConnectionFailure {
  /// The status of calls that fail for it; `nil`: the event is none.
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
        "the server at \(endpoint) does not admit this key: an administrator can add its public part, "
          + "or it has expired or was revoked"
      )
    case (.misunderstood, .curveClient):
      RPCError(
        .unavailable,
        "what listens at \(endpoint) does not speak CURVE: a server in development mode takes no "
          + "keys, and other programs are no servers of ours"
      )
    case (.misunderstood, _):
      RPCError(
        .unavailable,
        "the server at \(endpoint) requires authentication: use a key file and the server's public "
          + "key"
      )
    case (.brokenOff, .curveClient):
      RPCError(
        .unavailable,
        "the server at \(endpoint) broke off the handshake: it has another key than the server key "
          + "given here, does not speak CURVE, or has too much to do"
      )
    case (.brokenOff, _):
      RPCError(
        .unavailable,
        "the server at \(endpoint) broke off the handshake: if it requires authentication, use a key "
          + "file and the server's public key"
      )
    }
  }
}
