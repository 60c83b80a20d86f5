internal import CSQLite
internal import TidingsSQL

@testable internal import TidingsSQLite

/// A connection of which one step fails: the statement is fit for its next use, or it is not.
final class FailingConnection: SQLConnection {
  /// How a step fails.
  enum Way: CaseIterable {
    /// Nothing is done, as when a page is damaged; an open transaction stays open.
    case refused
    /// SQLite fails in the middle, as when a page cannot be read; it rolls back a transaction that the
    /// statement writes in.
    case interrupted

    var kind: SQLError.Kind { self == .refused ? .damaged : .interrupted }
  }

  let connection: SQLiteConnection
  private var left: (steps: Int, way: Way)?
  /// The step that was to fail has failed.
  private(set) var hasFailed = false

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Lets a step fail, counted from 1 on; no other one until this is called again.
  func fail(step: Int, _ way: Way) {
    left = (step, way)
    hasFailed = false
  }

  /// Lets no step fail.
  func heal() { left = nil }

  /// Nothing is open, and no statement holds a snapshot.
  var isIdle: Bool { sqlite3_txn_state(connection.handle, nil) == SQLITE_TXN_NONE }

  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    FailingStatement(try connection.prepare(sql), sql, self)
  }

  func prepare(
    _ sql: String,
    besides insertion: SQLInsertion
  ) throws(SQLError) -> any SQLStatement {
    FailingStatement(try connection.prepare(sql, besides: insertion), sql, self)
  }

  func execute(_ sql: String) throws(SQLError) { try connection.execute(sql) }
  var interruption: any SQLInterruption { connection.interruption }
  var insertions: InsertionQueue? { connection.insertions }
  var isInTransaction: Bool { connection.isInTransaction }
  func abandon() { connection.abandon() }

  /// How the step that is to be made fails; `nil`: it does not.
  fileprivate func takeFailure() -> Way? {
    guard let (steps, way) = left else { return nil }
    guard steps == 1 else {
      left = (steps - 1, way)
      return nil
    }
    left = nil
    hasFailed = true
    return way
  }
}

private final class FailingStatement: SQLStatement {
  private let statement: any SQLStatement
  private let connection: FailingConnection
  /// BEGIN and COMMIT may be done when SQLite notices that it was interrupted.
  private let isTransaction: Bool

  init(_ statement: any SQLStatement, _ sql: String, _ connection: FailingConnection) {
    (self.statement, self.connection) = (statement, connection)
    isTransaction = sql == "BEGIN" || sql == "COMMIT"
  }

  func step() throws(SQLError) -> Bool {
    guard let way = connection.takeFailure() else { return try statement.step() }
    if way == .interrupted, !isTransaction {
      let handle = connection.connection.handle
      sqlite3_progress_handler(handle, 1, { _ in 1 }, nil)
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      _ = try statement.step()
    }
    throw SQLError(way.kind, "made to fail")
  }

  func bind(_ value: Int64, at index: Int) { statement.bind(value, at: index) }
  func bind(_ value: String, at index: Int) { statement.bind(value, at: index) }
  func bind(_ value: [UInt8], at index: Int) { statement.bind(value, at: index) }
  func bindNull(at index: Int) { statement.bindNull(at: index) }
  func reset() { statement.reset() }
  func int64(_ column: Int) -> Int64 { statement.int64(column) }
  func string(_ column: Int) -> String { statement.string(column) }
  func isNull(_ column: Int) -> Bool { statement.isNull(column) }
  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try statement.withBytes(column, body)
  }
}
