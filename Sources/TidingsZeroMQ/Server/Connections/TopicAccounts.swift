internal import TidingsMemory
internal import TidingsRPC

/// What libzmq keeps of the topics for which subscribers ask: of each connection, of each user, and of all.
///
/// A topic counts until its connection ends, also if the subscriber has given it up: libzmq does not report that as long
/// as others have it.
struct TopicAccounts {
  private struct Account {
    let user: CallerKey?
    var bytes = 0
    /// It is being ended, and what it has is as good as gone.
    var isEnding = false
  }

  private let memory: MemoryShares
  private var accounts: [ConnectionNumber: Account] = [:]
  private var users: [CallerKey: Int] = [:]
  private var bytes = 0

  init(_ memory: MemoryShares) { self.memory = memory }

  /// Counts a topic for which a connection asks.
  ///
  /// - Parameters:
  ///   - topicBytes: The topic's length.
  ///   - connection: Which one asks.
  ///   - user: For whom it counts; `nil`: nobody proves who they are. Asked with a connection's first topic.
  /// - Returns: The connection that has to end: this one if its user has too many, and one of the user who has the most
  ///   if all have.
  mutating func add(
    _ topicBytes: Int,
    of connection: ConnectionNumber,
    for user: @autoclosure () -> CallerKey?
  ) -> ConnectionNumber? {
    var account = accounts[connection] ?? Account(user: user())
    guard !account.isEnding else { return nil }
    let cost = MemoryShares.topicCost(topicBytes)
    account.bytes += cost
    bytes += cost
    accounts[connection] = account
    if let user = account.user {
      users[user, default: 0] += cost
      if users[user, default: 0] > memory[.topicsPerUser] { return end(connection) }
    }
    return bytes > memory[.topics] ? largest().flatMap { end($0) } : nil
  }

  /// A connection has ended.
  mutating func remove(_ connection: ConnectionNumber) {
    _ = end(connection)
    accounts[connection] = nil
  }

  private mutating func end(_ connection: ConnectionNumber) -> ConnectionNumber? {
    guard let account = accounts[connection], !account.isEnding else { return nil }
    accounts[connection]?.isEnding = true
    bytes -= account.bytes
    if let user = account.user {
      let left = users[user, default: 0] - account.bytes
      users[user] = left > 0 ? left : nil
    }
    return connection
  }

  /// The largest connection of the user who has the most.
  private func largest() -> ConnectionNumber? {
    func order(_ account: Account) -> (Int, Int) {
      (account.user.flatMap { users[$0] } ?? account.bytes, account.bytes)
    }
    return accounts.filter { !$0.value.isEnding }.max { order($0.value) < order($1.value) }?.key
  }
}
