#if PostgreSQL
public import TidingsSQL

/// What a thread of the connection does for its owner, and what the owner does meanwhile.
extension PostgresConnection {
  /// Reads ahead in a transaction of its own, on a thread of the connection; who uses the connection meanwhile waits
  /// for the end.
  ///
  /// - Parameters:
  ///   - statements: As for `readAhead`.
  ///   - done: Called on that thread before the end, with what failed.
  public func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  ) {
    claim()
    let statements = statements.compactMap { $0 as? PostgresStatement }
    beside(done) { connection throws(SQLError) in
      do throws(SQLError) {
        try connection.run(.begin, "BEGIN")
        for statement in statements { try statement.sendAhead() }
        try connection.run(.commit, "COMMIT")
      } catch {
        try? connection.rollback()
        throw error
      }
    }
  }

  /// Commits the open transaction on a thread of the connection, when it is done with the one before.
  ///
  /// What the owner writes meanwhile is deferred; who reads waits for the end.
  ///
  /// - Parameter done: Called on that thread before the end, with why the transaction was not committed.
  public func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    do throws(SQLError) {
      try queue.flush()
    } catch {
      return done(error)
    }
    owner(does: .commit)
    let commands = deferred
    deferred = []
    beside(done) { connection throws(SQLError) in
      do throws(SQLError) {
        try connection.perform(commands)
        try connection.run(.commit, "COMMIT")
      } catch {
        if connection.precedingFailure == nil { connection.precedingFailure = error }
        throw error
      }
    }
  }

  /// Waits until the thread does not have the connection any more, and does what was deferred, unless it is to be
  /// rolled back.
  ///
  /// - Throws: What fails of it, also a commit before it.
  func claimInOrder(for control: TransactionControl? = nil) throws(SQLError) {
    guard loans.areOpen || !deferred.isEmpty || precedingFailure != nil else { return }
    claim()
    if control == .rollback { (deferred, precedingFailure) = ([], nil) }
    let commands = deferred
    deferred = []
    try perform(commands)
  }

  /// Does what was deferred, on the thread that has the connection.
  private func perform(_ commands: [Deferred]) throws(SQLError) {
    if let precedingFailure { throw .following(precedingFailure) }
    for command in commands {
      switch command {
      case .begin: try run(.begin, "BEGIN")
      case .write(let sql, let number, let parameters):
        try send(sql, number, parameters, writes: true, reader: nil)
      }
    }
  }

  /// Defers the beginning of a transaction, or a write, behind what the thread does.
  ///
  /// - Returns: `false`: there is nothing behind which it would be.
  func defers(_ command: @autoclosure () -> Deferred) -> Bool {
    guard loans.areOpen || !deferred.isEmpty else { return false }
    if deferred.isEmpty {
      loans.noteEnds()
      guard loans.areOpen else { return false }
    }
    deferred.append(command())
    return true
  }

  /// What is done behind the work of the thread.
  enum Deferred {
    case begin
    case write(String, Int, Parameters)
  }

  private func beside(
    _ done: @escaping @Sendable (SQLError?) -> Void,
    _ work: @escaping (PostgresConnection) throws(SQLError) -> Void
  ) {
    let lent = Lent(connection: self, work: work)
    loans.add {
      var failure: SQLError?
      do throws(SQLError) {
        try lent.work(lent.connection)
      } catch {
        failure = error
      }
      // Reported before the loan ends, so that waiters for that see the result.
      done(failure)
    }
  }

  /// Unchecked: `claim` keeps the owner's thread away until the signals; what the owner touches meanwhile, the thread
  /// does not.
  private struct Lent: @unchecked Sendable {
    let connection: PostgresConnection
    let work: (PostgresConnection) throws(SQLError) -> Void
  }
}
#endif
