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
