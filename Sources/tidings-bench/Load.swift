/// How a server is called: connections, and calls in flight over all of them.
struct Load: Hashable {
  let connections: Int
  let inFlight: Int

  /// What the names of figures end in.
  var suffix: String { ".c\(connections).n\(inFlight)" }

  static let single = Load(connections: 1, inFlight: 1)
  static let many = Load(connections: 1, inFlight: 64)
  static let most = Load(connections: 1, inFlight: 1024)
  /// One in flight on each of many connections.
  static let spread = Load(connections: 64, inFlight: 64)
}
