public import TidingsRPC

/// What a loop asks whoever knows the users, on the loop thread.
public protocol CallerDirectory: AnyObject {
  /// The user of an admitted key; `nil`: a guest's.
  func user(ofKey number: Int64) -> String?
  /// What a user may do; the name is empty for callers who say none.
  func bounds(of user: String) -> CallerBounds
  /// Why a call is refused that comes too early.
  func refusal(callsPerSecondMax: Int, retryAfter: Duration) -> RPCError
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
