internal import Glibc
internal import TidingsRPC

extension LoopContext {
  /// The connections in use, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: Only those after this one.
  ///   - isWanted: Whether one is wanted, by its key and its user.
  ///   - limit: Most connections.
  /// - Returns: They, and whether there are more.
  public func openConnections(
    after number: UInt64,
    where isWanted: (_ keyNumber: Int64?, _ user: String) -> Bool,
    limit: Int
  ) -> (connections: [OpenConnection], hasMore: Bool) {
    followConnections()
    let found = connections.used.filter { connection in
      connection.number.map { $0.value > number } ?? false
        && isWanted(connection.keyNumber, connection.caller?.user ?? "")
    }
    .sorted { ($0.number?.value ?? 0) < ($1.number?.value ?? 0) }
    return (found.prefix(limit).compactMap(described), found.count > limit)
  }

  /// How many connections are used for nothing yet.
  public var unusedConnectionCount: Int { connections.count - connections.used.count }

  /// Ends connections in use; their ends are reported like any others.
  ///
  /// - Parameters:
  ///   - number: That of one that stays.
  ///   - isMeant: Whether one is to end, by its number, its key and its user.
  /// - Returns: How many.
  public func endConnections(
    except number: UInt64,
    where isMeant: (_ number: UInt64, _ keyNumber: Int64?, _ user: String) -> Bool
  ) -> Int {
    followConnections()
    let meant = connections.used.filter { connection in
      guard let own = connection.number?.value, own != number else { return false }
      return isMeant(own, connection.keyNumber, connection.caller?.user ?? "")
    }
    for connection in meant { end(connection) }
    return meant.count
  }

  /// The push endpoint for the client of a connection: the one of its key.
  public func advertisedPushEndpoint(forConnection number: UInt64) -> String? {
    if let known = connections.connection(ConnectionNumber(number))?.advertisedPushEndpoint {
      return known
    }
    let first = configuration.advertisedPushEndpoint ?? pushEndpoint
    guard let secondEndpoint, let port = Endpoint(secondEndpoint).port,
      let connection = connections.connection(ConnectionNumber(number)),
      connection.slot.descriptor.localPort == port
    else { return first }
    return configuration.second?.advertisedPushEndpoint ?? secondPushEndpoint
  }

  /// A connection is another node's, which forwards the calls of many, who get pushes at an endpoint of its own.
  public func noteNode(_ token: ReplyToken, pushEndpoint: String) {
    guard let connection = connection(of: token) else { return }
    // It is not one of the connections that a caller may have.
    connection.isCounted = true
    connection.advertisedPushEndpoint = pushEndpoint
  }

  private func described(_ connection: Connection) -> OpenConnection? {
    guard let number = connection.number else { return nil }
    return OpenConnection(
      number: number.value,
      keyNumber: connection.keyNumber,
      user: connection.caller?.user ?? "",
      device: connection.caller?.device ?? "",
      since: connection.since,
      callsOpen: connection.inlineOpen + calls.count(where: { $0.connection == number })
        + (forwarding?.calls.count(of: number) ?? 0),
      bytesHeld: connection.answers?.bytes ?? 0,
      isSubscriber: connection.slot.socket == .pushes,
      topics: connection.topics
    )
  }
}

extension CInt {
  /// The port at which a TCP connection was accepted; `nil`: it is none.
  fileprivate var localPort: UInt16? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(self, $0, &length) == 0 }
    }
    guard isKnown, [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.ss_family) else {
      return nil
    }
    // Both families have it at the same place.
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}
