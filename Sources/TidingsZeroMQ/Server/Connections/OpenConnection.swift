/// Who made the first call of a connection.
struct ConnectionCaller: Sendable {
  /// The number of the connection's key; `nil`: it has none.
  var keyNumber: Int64?
  /// Whose key it is, or whom the call named; empty: nobody.
  var user = ""
  /// The device that the call named; empty: none.
  var device = ""
}

/// A connection that has made a call, or subscribed to something, as operators see it.
public struct OpenConnection: Sendable {
  /// No other connection of the server ever has the same.
  public let number: UInt64
  /// The number of its key; `nil`: it has none.
  public let keyNumber: Int64?
  /// Who made its first call; empty: nobody, or it subscribes.
  public let user: String
  /// The device of its first call; empty: none was named.
  public let device: String
  /// When it was accepted.
  public let since: ContinuousClock.Instant
  /// Its calls that are not answered yet.
  public let callsOpen: Int
  /// Bytes of answers that are held for it.
  public let bytesHeld: Int
  /// It is to the push endpoint.
  public let isSubscriber: Bool
  /// Topics that it has asked for.
  public let topics: Int
}
