public import TidingsRPC

/// What a loop asks whoever knows what users may do, on the loop thread.
public protocol CallerDirectory: AnyObject {
  /// What a user may do; the name is empty for guests, and for callers who say none.
  func bounds(of user: String) -> CallerBounds
  /// A call comes too early: takes note of it, and says why it is refused.
  ///
  /// - Parameters:
  ///   - user: Who calls; empty for guests, and for callers who say none.
  ///   - keyNumber: The caller's key.
  ///   - callsPerSecondMax: What the caller may do.
  ///   - retryAfter: How long until there is room for a call.
  /// - Returns: The answer.
  func refusal(
    of user: String,
    keyNumber: Int64?,
    callsPerSecondMax: Int,
    retryAfter: Duration
  ) -> RPCError
}

/// How fast and on how many connections a caller may call; 0 of anything: no bound.
public struct CallerBounds: Hashable, Sendable {
  /// Calls in a second, over all connections, and in a burst after a second's silence.
  public var callsPerSecondMax: Int
  /// Connections at a time.
  public var connectionsMax: Int

  /// Bounds.
  public init(callsPerSecondMax: Int = 0, connectionsMax: Int = 0) {
    self.callsPerSecondMax = callsPerSecondMax
    self.connectionsMax = connectionsMax
  }
}
