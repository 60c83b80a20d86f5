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
      RPCError(.unavailable, "cannot reach \(endpoint): no server takes connections there")
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
        "the server at \(endpoint) wants to know who connects: use a key file and the server's public "
          + "key"
      )
    case (.brokenOff, .curveClient):
      RPCError(
        .unavailable,
        "the server at \(endpoint) broke the handshake off: it has another key than the server key "
          + "given here, does not speak CURVE, or has too much to do"
      )
    case (.brokenOff, _):
      RPCError(
        .unavailable,
        "the server at \(endpoint) broke the handshake off: if it wants to know who connects, use a key "
          + "file and the server's public key"
      )
    }
  }
}
