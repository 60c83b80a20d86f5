/// How a server is called: connections, and calls in flight over all of them.
public struct Load: Hashable, Sendable {
  /// Connections that calls are given to in turns.
  public let connections: Int
  /// Calls in flight, over all connections.
  public let inFlight: Int

  /// A load from its numbers.
  public init(connections: Int, inFlight: Int) {
    self.connections = connections
    self.inFlight = inFlight
  }

  /// One call after the other.
  public static let single = Load(connections: 1, inFlight: 1)
  /// Many calls in flight on one connection.
  public static let many = Load(connections: 1, inFlight: 64)
  /// As many as a busy gateway would have.
  public static let most = Load(connections: 1, inFlight: 1024)
  /// One in flight on each of many connections.
  public static let spread = Load(connections: 64, inFlight: 64)

  /// Each number of connections with each number of calls in flight that leaves none without a call.
  public static func all(connections: [Int], inFlight: [Int]) -> [Load] {
    connections.flatMap { connections in
      inFlight.filter { $0 >= connections }.map { Load(connections: connections, inFlight: $0) }
    }
  }

  /// What the names of figures end in.
  public var suffix: String { ".c\(connections).n\(inFlight)" }
}
