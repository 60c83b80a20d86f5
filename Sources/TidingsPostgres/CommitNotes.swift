/// What a connection that holds the session lock knows of the last commit of its database: a pure value.
///
/// Whoever takes the lock begins a new *term*, whose number is higher than those before. Every transaction that writes
/// leaves the number of its commit in the row of its term in the table `commits`. Nobody else changes that row. So after a
/// connection was lost, the number that is found there decides what became of the last commit, even if others have had
/// the lock since; and the newest term says whether they have.
struct CommitNotes {
  /// What is in the table.
  struct Found: Equatable {
    /// The newest term; 0: there is none.
    var newestTerm: Int64
    /// The number of the last commit of this connection's term; `nil`: the term has no row.
    var number: Int64?
  }

  /// What became of a commit whose answer was lost.
  enum Outcome: Equatable {
    /// It is durable.
    case committed
    /// Nothing of it was kept.
    case absent
    /// The database does not have the commit before it either.
    case unknown
  }

  /// What the memory of a program is worth on a new connection.
  enum Continuity: Equatable {
    /// Nobody has written since the last commit.
    case kept
    /// Somebody may have.
    case broken
    /// The database has lost commits that it had acknowledged.
    case rewound
  }

  /// The number of the term of a database without tables.
  static let firstTerm: Int64 = 1

  /// The number of this connection's term; `nil`: it has not had the lock yet.
  private(set) var term: Int64?
  /// The number of the last commit in it; 0: there was none.
  private(set) var last: Int64 = 0

  /// A connection was made, with the lock.
  mutating func connected(finding found: Found) -> Continuity {
    guard let term else { return .kept }
    guard found.number ?? 0 >= last else { return .rewound }
    // A later number is of a commit that was taken for absent.
    return found.newestTerm > term || found.number ?? 0 > last ? .broken : .kept
  }

  /// Nobody else has had the lock since this connection.
  func isCurrent(_ found: Found) -> Bool { found.newestTerm == term && found.number == last }

  /// A new term began.
  mutating func began(_ term: Int64) { (self.term, last) = (term, 0) }

  /// The number of the next commit.
  var next: Int64 { last + 1 }

  /// The transaction with the next number was committed.
  mutating func committed() { last += 1 }

  /// The answer to the next commit was lost, and the session that made it has ended.
  mutating func outcome(finding found: Found) -> Outcome {
    if found.number == next {
      last = next
      return .committed
    }
    return found.number ?? 0 == last ? .absent : .unknown
  }
}
