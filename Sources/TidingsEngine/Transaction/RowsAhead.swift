internal import TidingsSQL

/// Rows that are read before the calls of a group need them, many with one statement.
///
/// They are those of the transaction that reads them. Who writes a row forgets it here. They hold 32 MiB at most:
/// so many rows of `rowBytesMax`.
final class RowsAhead<Key: Hashable, Row>: TransactionParticipant {
  /// What the rows are, and how they are found.
  struct Query {
    /// The statement, for a list of keys as `(?1, ?2), (?3, ?4), …`.
    let sql: (_ keys: String) -> String
    /// The types of a key's parts.
    let types: [SQLType]
    /// Binds a key's parts from a parameter on.
    let bind: (any SQLStatement, Key, _ first: Int) -> Void
    /// The key and the row that a statement is at; `nil`: the row is too large to be held, and is read when it is
    /// needed.
    let row: (any SQLStatement) -> (Key, Row?)
  }

  /// Keys of one statement; those that it lacks are null.
  private static var keysPerStatement: Int { 16 }
  /// Keys of a group; what others need is read when it is needed.
  private static var keysMax: Int { 4_096 }

  /// The largest value of a row that is held.
  static var rowBytesMax: Int { 8 << 10 }

  private let connection: any SQLConnection
  private let query: Query
  private var statements: [any SQLStatement] = []
  private var wanted: [Key] = []
  /// `nil`: there is no row.
  private var rows: [Key: Row?] = [:]
  /// Nothing is wanted and nothing was read, which an embedded store asks with each commit.
  private var isUnused = true

  init(_ connection: any SQLConnection, _ query: Query) {
    (self.connection, self.query) = (connection, query)
  }

  /// Nothing was read.
  var isEmpty: Bool { rows.isEmpty }

  /// A call is going to read a row.
  func want(_ key: Key) {
    isUnused = false
    if wanted.count < Self.keysMax { wanted.append(key) }
  }

  /// The statements that read what is wanted, with their values.
  ///
  /// - Throws: `SQLError`.
  func takeStatements() throws(SQLError) -> [any SQLStatement] {
    defer { wanted.removeAll(keepingCapacity: true) }
    var used: [any SQLStatement] = []
    for start in stride(from: 0, to: wanted.count, by: Self.keysPerStatement) {
      let statement = try statement(used.count)
      for offset in 0..<Self.keysPerStatement {
        let first = offset * query.types.count + 1
        if start + offset < wanted.count {
          query.bind(statement, wanted[start + offset], first)
          rows[wanted[start + offset]] = .some(nil)
        } else {
          for (part, type) in query.types.enumerated() {
            statement.bindNull(of: type, at: first + part)
          }
        }
      }
      used.append(statement)
    }
    return used
  }

  /// Takes the rows of statements that were read.
  ///
  /// - Throws: `SQLError`.
  func take(_ statements: [any SQLStatement]) throws {
    isUnused = false
    for statement in statements {
      try statement.forEachRow {
        let (key, row) = query.row(statement)
        rows[key] = row.map { .some($0) }
      }
    }
  }

  /// The row of a key; `nil`: it was not read.
  subscript(_ key: Key) -> Row?? { rows.isEmpty ? nil : rows[key] }

  /// A row is written: what was read of it is over.
  func forget(_ key: Key) { rows[key] = nil }

  /// The transaction has ended, or something was written without a key.
  func forgetAll() {
    guard !isUnused else { return }
    isUnused = true
    wanted.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
  }

  func begin(at moment: Moment) { forgetAll() }
  func didCommit() { forgetAll() }
  func didRollback() { forgetAll() }

  private func statement(_ index: Int) throws(SQLError) -> any SQLStatement {
    if index < statements.count { return statements[index] }
    let parts = query.types.count
    let keys = (0..<Self.keysPerStatement).map { key in
      "(" + (1...parts).map { "?\(key * parts + $0)" }.joined(separator: ", ") + ")"
    }
    let statement = try connection.prepare(query.sql(keys.joined(separator: ", ")))
    statements.append(statement)
    return statement
  }
}
