internal import TidingsSQL

/// What was sent to the server and not answered yet, and the state of the transaction: a pure value.
///
/// The server executes commands in order. After one that fails it skips the rest up to the next
/// synchronization, also a COMMIT; so nothing is committed unless everything before it succeeded.
///
/// A transaction that has failed refuses everything until it is rolled back, also when the connection
/// was lost: on a new connection its remaining statements would run outside of a transaction.
struct Pipeline<Reader> {
  /// One message to the server.
  enum Command {
    /// Prepares the statement of a number.
    case prepare(Int)
    /// Drops the prepared statement of a number.
    case deallocate(Int)
    /// Reads or writes; the reader gets the rows, `nil`: nobody does. The number is that of its prepared statement.
    case statement(Reader?, number: Int? = nil)
    /// Changes the state of the transaction.
    case control(TransactionControl)
    /// The end of a batch: the server sends all answers, and skips no further.
    case synchronization
  }

  /// What the server, or libpq, reports about the first command that is not answered.
  enum Event {
    case succeeded
    /// It ended in a rollback, as COMMIT does in a transaction that has failed.
    case rolledBack
    case failed(SQLError)
    /// One before it failed.
    case skipped
    /// The connection has ended, with all commands.
    case disconnected(SQLError)
  }

  /// What is to be done after an event.
  enum Action {
    case none
    /// The rows go to the reader.
    case deliver(Reader)
    /// The server does not have this prepared statement.
    case forgetPrepared(Int)
    /// This prepared statement is still to be dropped.
    case deallocateLater(Int)
  }

  /// The state of the transaction.
  enum Transaction: Equatable {
    case none
    case open
    /// Nothing but a rollback is possible.
    case failed(SQLError)
  }

  /// The state of the transaction, if everything that was sent succeeds.
  private(set) var transaction = Transaction.none
  /// The state of the transaction, according to the answers.
  private var answered = Transaction.none
  private var commands: [Command] = []
  private var answeredCount = 0
  /// The first failure of the batch.
  private var failure: SQLError?
  /// The batch contains a write outside of a transaction, which its synchronization commits.
  private var writesAlone = false

  /// The number of the prepared statement that the next answer is about; `nil`: it is about something else.
  var answeredNumber: Int? {
    guard count > 0 else { return nil }
    return switch commands[answeredCount] {
    case .prepare(let number), .statement(_, let number?): number
    case .deallocate, .statement, .control, .synchronization: nil
    }
  }

  /// How many commands are not answered.
  var count: Int { commands.count - answeredCount }

  /// A batch is open: the server sends its last answers when it is synchronized.
  var needsSynchronization: Bool {
    if case .synchronization? = commands.last { false } else { count > 0 }
  }

  /// Refuses what a transaction that has failed does not execute.
  ///
  /// - Throws: Why the transaction failed.
  func check(_ control: TransactionControl?) throws(SQLError) {
    guard case .failed(let error) = transaction else { return }
    switch control {
    case .rollback, .rollbackToSavepoint: return
    default: throw error
    }
  }

  /// A command was handed to libpq.
  mutating func sent(_ command: Command) {
    commands.append(command)
    switch command {
    case .control(let control):
      transaction = Self.state(transaction, after: control)
    case .statement(nil, _): writesAlone = writesAlone || transaction == .none
    case .statement, .prepare, .deallocate, .synchronization: break
    }
  }

  /// Takes an answer into account.
  mutating func receive(_ event: Event) -> Action {
    guard let command = count > 0 ? commands[answeredCount] : nil else {
      if case .disconnected(let error) = event { disconnected(error) }
      return .none
    }
    switch event {
    case .succeeded: return succeeded(command)
    case .rolledBack:
      if case .control(.commit) = command {
        failure = failure ?? SQLError(.conflict, "the server rolled back the transaction")
      }
      return succeeded(command)
    case .failed(let error): return failed(command, error)
    case .skipped:
      removeFirst()
      return undone(command)
    case .disconnected(let error):
      disconnected(error)
      return .none
    }
  }

  /// The end of a batch was reached: all commands are answered.
  ///
  /// - Throws: The first failure of the batch.
  mutating func finishBatch() throws(SQLError) {
    transaction = answered
    writesAlone = false
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  /// The transaction ended with its connection, and was rolled back.
  mutating func rolledBackWithConnection() {
    (transaction, answered, failure, writesAlone) = (.none, .none, nil, false)
  }

  // MARK: Decisions

  private mutating func removeFirst() {
    answeredCount += 1
    guard answeredCount == commands.count else { return }
    commands.removeAll(keepingCapacity: true)
    answeredCount = 0
  }

  private mutating func succeeded(_ command: Command) -> Action {
    removeFirst()
    switch command {
    case .control(let control):
      answered = Self.state(answered, after: control)
      return .none
    case .statement(let reader?, _): return .deliver(reader)
    case .prepare, .deallocate, .statement, .synchronization: return .none
    }
  }

  private mutating func failed(_ command: Command, _ error: SQLError) -> Action {
    var error = error
    let isLost = error.kind == .disconnected
    // The server ended while it committed.
    if isLost, isCommit(command) { error.kind = .uncertain }
    if case .synchronization = command, isLost, !writesAlone, answered == .none {
      // The server ended after everything was answered, a commit too.
      return .none
    }
    failure = failure ?? error
    if answered == .open { answered = .failed(error) }
    transaction = answered
    // A batch without a transaction is committed by its synchronization, which is answered nevertheless.
    if case .synchronization = command { return .none }
    removeFirst()
    return undone(command)
  }

  private func undone(_ command: Command) -> Action {
    switch command {
    case .prepare(let number): .forgetPrepared(number)
    case .deallocate(let number): .deallocateLater(number)
    case .statement, .control, .synchronization: .none
    }
  }

  private mutating func disconnected(_ error: SQLError) {
    let left = commands[answeredCount...]
    let unanswered = left.contains { if case .synchronization = $0 { false } else { true } }
    var error = failure ?? error
    let commits = left.contains(where: isCommit)
    if commits, failure == nil { error.kind = .uncertain }
    if unanswered || needsSynchronization || commits { failure = error }
    // Also a transaction that was only begun; not one that may have been committed.
    let isOpen = answered != .none || (unanswered && transaction != .none)
    (commands, answeredCount) = ([], 0)
    answered = isOpen ? .failed(error) : .none
    transaction = answered
  }

  /// Whether a command makes something durable.
  private func isCommit(_ command: Command) -> Bool {
    switch command {
    case .control(let control): control == .commit
    case .synchronization, .statement(nil, _): writesAlone
    case .statement, .prepare, .deallocate: false
    }
  }

  private static func state(
    _ state: Transaction,
    after control: TransactionControl
  ) -> Transaction {
    switch control {
    case .begin, .rollbackToSavepoint: .open
    case .commit, .rollback: .none
    case .savepoint, .release: state
    }
  }
}
