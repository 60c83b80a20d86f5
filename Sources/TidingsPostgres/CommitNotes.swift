/// What a connection that holds the session lock knows of the last commit of its database: a pure value.
///
/// Every transaction that writes leaves a random token in the one row of the table `commits`. After a connection
/// was lost, and the lock was taken again, the token that is found there decides what became of the last commit,
/// and whether another program has written since.
struct CommitNotes {
  /// What became of a commit whose answer was lost.
  enum Outcome: Equatable {
    /// It is durable.
    case committed
    /// Nothing of it was kept.
    case absent
    /// Another program has committed since.
    case unknown
  }

  /// What the memory of a program is worth on a new connection.
  enum Continuity: Equatable {
    /// Nobody has written since the last commit.
    case kept
    /// Somebody may have.
    case broken
  }

  /// The token of the last commit; `nil`: the database has none, or no connection was made yet.
  private(set) var last: Int64?
  private var hasConnected = false

  /// A connection was made, with the lock, and found a token.
  mutating func connected(finding token: Int64?) -> Continuity {
    defer { (last, hasConnected) = (token, true) }
    guard hasConnected else { return .kept }
    return token != nil && token == last ? .kept : .broken
  }

  /// A transaction with a token was committed.
  mutating func committed(_ token: Int64) { last = token }

  /// The answer to a commit was lost, and a connection was made that found another token, or the same.
  mutating func outcome(of token: Int64, finding found: Int64?) -> Outcome {
    defer { last = found }
    if found == token { return .committed }
    return found == last ? .absent : .unknown
  }
}
