internal import TidingsSQL

/// Rows that are read before the calls of a group need them, many with one statement.
///
/// They are read on a connection of their own, while the groups before are made durable. So what those groups wrote
/// counts more than what was read. Their keys are as many as rows of `rowBytesMax` have room.
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
  private let keysMax: Int

  /// The largest value of a row that is held.
  static var rowBytesMax: Int { 8 << 10 }

  /// Rows that a transaction wrote; `nil`: not known.
  fileprivate typealias Written = [Key: Row?]

  /// What was read, or is being read.
  struct Reading {
    let statements: [any SQLStatement]
    fileprivate let keys: [Key]
    /// What transactions had written that were not durable when the reading began, oldest first.
    fileprivate let behind: [Written]
  }

  /// `nil`: nothing is read ahead.
  private let connection: (any SQLConnection)?
  private let query: Query
  private var statements: [any SQLStatement] = []
  private var wanted: [Key] = []
  /// Rows, and `nil` where there is none; what is not here was not read.
  private var rows: [Key: Row?] = [:]
  private var written: Written = [:]
  /// Of transactions that are prepared and not yet durable, oldest first.
  private var underWay: [Written] = []

  /// Room for rows of so many bytes.
  init(_ connection: (any SQLConnection)?, _ query: Query, bytesMax: Int) {
    (self.connection, self.query) = (connection, query)
    keysMax = bytesMax / Self.rowBytesMax
  }

  private var isUsed: Bool { connection != nil }

  /// Nothing was read.
  var isEmpty: Bool { rows.isEmpty }

  /// A call is going to read a row.
  func want(_ key: Key) {
    if isUsed, wanted.count < keysMax { wanted.append(key) }
  }

  /// The statements that read what is wanted, with their values.
  ///
  /// - Throws: `SQLError`.
  func takeReading() throws(SQLError) -> Reading {
    defer { wanted.removeAll(keepingCapacity: true) }
    var used: [any SQLStatement] = []
    for start in stride(from: 0, to: wanted.count, by: Self.keysPerStatement) {
      let statement = try statement(used.count)
      for offset in 0..<Self.keysPerStatement {
        let first = offset * query.types.count + 1
        if start + offset < wanted.count {
          query.bind(statement, wanted[start + offset], first)
        } else {
          for (part, type) in query.types.enumerated() {
            statement.bindNull(of: type, at: first + part)
          }
        }
      }
      used.append(statement)
    }
    return Reading(statements: used, keys: wanted, behind: underWay + [written])
  }

  /// Takes what was read into the open transaction, in which nothing was written since the reading began.
  ///
  /// - Throws: `SQLError`.
  func take(_ reading: Reading) throws {
    if rows.count + reading.keys.count > keysMax { forget() }
    for key in reading.keys { rows.updateValue(nil, forKey: key) }
    for statement in reading.statements {
      try statement.forEachRow {
        let (key, row) = query.row(statement)
        if let row { rows[key] = row } else { rows.removeValue(forKey: key) }
      }
    }
    for written in reading.behind {
      for (key, row) in written where rows.index(forKey: key) != nil {
        if let row { rows[key] = row } else { rows.removeValue(forKey: key) }
      }
    }
  }

  /// The row of a key; `nil`: it was not read.
  subscript(_ key: Key) -> Row?? { rows.isEmpty ? nil : rows[key] }

  /// A row is written: what was read of it is over.
  ///
  /// - Parameters:
  ///   - key: Its key; not made for stores that read ahead nothing.
  ///   - row: How it is from now on; `nil`: not known.
  func wrote(_ key: @autoclosure () -> Key, _ row: @autoclosure () -> Row?) {
    guard isUsed else { return }
    let (key, row) = (key(), row())
    written.updateValue(row, forKey: key)
    if let row { rows[key] = row } else { rows.removeValue(forKey: key) }
  }

  /// What was read is not used.
  func forget() { rows.removeAll(keepingCapacity: true) }

  func begin(at moment: Moment) {
    // An embedded store is not to pay for this with each commit.
    guard isUsed else { return }
    forget()
    written.removeAll(keepingCapacity: true)
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard isUsed else { return }
    underWay.append(written)
    written = [:]
    forget()
  }

  func didCommit() {
    if isUsed { underWay.removeFirst() }
  }

  func didRollback() {
    forget()
    written.removeAll()
    underWay.removeAll()
  }

  private func statement(_ index: Int) throws(SQLError) -> any SQLStatement {
    if index < statements.count { return statements[index] }
    let parts = query.types.count
    let keys = (0..<Self.keysPerStatement).map { key in
      "(" + (1...parts).map { "?\(key * parts + $0)" }.joined(separator: ", ") + ")"
    }
    guard let connection else { preconditionFailure("nothing is wanted") }
    let statement = try connection.prepare(query.sql(keys.joined(separator: ", ")))
    statements.append(statement)
    return statement
  }
}
