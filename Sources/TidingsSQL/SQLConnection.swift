/// A connection to an SQL database, used by one thread at a time.
///
/// The dialect is what SQLite and PostgreSQL share: parameters `?1`, `?2`, …; integers, text, blobs
/// and null; upserts, `RETURNING`, partial indexes; keyset paging.
///
/// A driver may queue the writes of a transaction. Then a failure is thrown by a later call of the
/// connection, at the latest by `COMMIT`, `RELEASE` or the next read. A transaction in which anything
/// failed has to be rolled back, as a whole or to a savepoint.
public protocol SQLConnection: AnyObject {
  /// Compiles a statement for repeated use.
  ///
  /// - Throws: `statement`, if the driver compiles it now; else its first use throws it.
  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement

  /// Compiles a statement that may return very many rows, of which often few are read.
  ///
  /// A driver that reads an answer as a whole reads these in pages: several statements, which show one state of
  /// the database only in a transaction that reads a snapshot.
  ///
  /// - Parameters:
  ///   - sql: The statement, without `LIMIT`.
  ///   - key: Where it continues.
  /// - Returns: The statement.
  /// - Throws: As `prepare`.
  func prepare(_ sql: String, inPagesBy key: PageKey) throws(SQLError) -> any SQLStatement

  /// Compiles a statement that meets no queued row of an insertion, by the caller's guarantee: it runs without
  /// their being written.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - insertion: Into a table that the statement mentions.
  /// - Returns: The statement.
  /// - Throws: As `prepare`.
  func prepare(_ sql: String, besides insertion: SQLInsertion) throws(SQLError) -> any SQLStatement

  /// Rows of the open transaction that are still to be inserted; `nil`: each is inserted at once.
  var insertions: InsertionQueue? { get }

  /// Runs statements that return no rows and are used once.
  func execute(_ sql: String) throws(SQLError)

  /// Reads the rows of several statements, whose values are bound, in the time of one, where the engine is far
  /// away: their first steps do not wait.
  ///
  /// - Parameter statements: Each with few rows, prepared on this connection.
  /// - Throws: `SQLError`.
  func readAhead(_ statements: [any SQLStatement]) throws(SQLError)

  /// Ends the statement that runs, from any thread.
  var interruption: any SQLInterruption { get }

  /// Ends what a failure left: resets all statements that are under way, which would hold a snapshot,
  /// and rolls back the open transaction, if there is one.
  func abandon()

  /// Brings the schema up to date: runs the steps that the database has not seen, in the order of their
  /// numbers.
  ///
  /// - Parameter migrations: All steps, their numbers ascending.
  /// - Throws: `MigrationError` when the database was written by a newer program; `SQLError`.
  func migrate(_ migrations: [Migration]) throws

  /// From now on, overwrites what is removed or replaced, where the engine would leave it in free space.
  ///
  /// - Throws: `SQLError`.
  func overwriteRemovedContent() throws(SQLError)
}

extension SQLConnection {
  /// Compiles the statement, whose rows are read one by one.
  public func prepare(_ sql: String, inPagesBy key: PageKey) throws(SQLError) -> any SQLStatement {
    try prepare(sql)
  }

  /// Compiles the statement, before which queued rows are written.
  public func prepare(
    _ sql: String,
    besides insertion: SQLInsertion
  ) throws(SQLError) -> any SQLStatement {
    try prepare(sql)
  }

  /// None are queued.
  public var insertions: InsertionQueue? { nil }

  /// Does nothing: each statement reads with its first step.
  public func readAhead(_ statements: [any SQLStatement]) throws(SQLError) {}

  /// Does nothing.
  public func overwriteRemovedContent() throws(SQLError) {}
}

/// Ends a statement that runs on a connection.
public protocol SQLInterruption: Sendable {
  /// Lets the statement that runs fail with `interrupted`; does nothing if none runs, or if the
  /// connection is gone.
  ///
  /// A statement that ends at the same moment may be followed by one that is interrupted instead.
  func interrupt()
}

/// The type of a value.
public enum SQLType: Hashable, Sendable {
  /// A number of 64 bits.
  case integer
  /// Unicode text without U+0000, which not every engine can store.
  case text
  /// Bytes.
  case bytes
}

/// A compiled statement: bind, step, read columns, reset.
///
/// A step that fails resets it, and so does binding: whatever happened, it is fit for its next use.
public protocol SQLStatement: AnyObject {
  /// Binds a number to the parameter `?index`.
  func bind(_ value: Int64, at index: Int)
  /// Binds text to the parameter `?index`.
  func bind(_ value: String, at index: Int)
  /// Binds bytes to the parameter `?index`.
  func bind(_ value: [UInt8], at index: Int)
  /// Binds null to the parameter `?index`.
  func bindNull(at index: Int)
  /// Binds null where a value of a type could be; an engine may have to know the type.
  func bindNull(of type: SQLType, at index: Int)

  /// Moves to the next row; `false` when there is none.
  func step() throws(SQLError) -> Bool
  /// Runs a statement whose rows nobody reads, and makes it ready for its next use; in a transaction it
  /// may only be queued.
  func run() throws(SQLError)
  /// Makes the statement ready for its next use. Bound values stay bound.
  func reset()

  /// The number in a column, counted from 0; larger ones than ±2⁶¹ are cut.
  func int64(_ column: Int) -> Int64
  /// The text in a column.
  func string(_ column: Int) -> String
  /// Lends the bytes in a column, valid for the call.
  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows
  /// The column holds null.
  func isNull(_ column: Int) -> Bool
}

extension SQLStatement {
  /// Binds null of any type.
  public func bindNull(of type: SQLType, at index: Int) { bindNull(at: index) }

  /// Steps to the end, and resets.
  public func run() throws(SQLError) {
    defer { reset() }
    while try step() {}
  }

  /// Runs the statement, calls `row` for each row, and makes it ready for its next use.
  public func forEachRow<E: Error>(_ row: () throws(E) -> Void) throws {
    defer { reset() }
    while try step() { try row() }
  }

  /// The bytes in a column, copied.
  public func bytes(_ column: Int) -> [UInt8] {
    var copy: [UInt8] = []
    withBytes(column) { copy = [UInt8]($0) }
    return copy
  }

  /// Binds text, or null for `nil`.
  public func bind(_ value: String?, at index: Int) {
    if let value { bind(value, at: index) } else { bindNull(of: .text, at: index) }
  }

  /// Binds a number, or null for `nil`.
  public func bind(_ value: Int64?, at index: Int) {
    if let value { bind(value, at: index) } else { bindNull(of: .integer, at: index) }
  }
}
