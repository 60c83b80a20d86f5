#if PostgreSQL
internal import TidingsSQL

/// A statement that the server prepares when it is first used, once for each combination of types that is bound
/// to it.
///
/// Its first step reads all rows, which the last one releases; so any number of statements can be under
/// way at once, and none holds anything in the server. What may return many rows must be read in pages: each is
/// a statement of its own, which begins behind the last row of the one before.
final class PostgresStatement: SQLStatement {
  private let sql: String
  private let control: TransactionControl?
  /// It may write.
  private let writes: Bool
  private let connection: PostgresConnection
  /// How it is read in pages; `nil`: it is read at once.
  private let pages: (key: PageKey, rows: Int)?
  private var parameters: Parameters
  /// What was bound before the first page.
  private var firstParameters: Parameters?
  private var numbers: [[SQLType?]: Int] = [:]
  /// The last one.
  private var last: (signature: [SQLType?], number: Int)?
  private var rows: Rows?
  private var row = -1
  private var generation = 0
  /// Why a value cannot be stored; the next use fails with it, and sends nothing.
  private var refusal: SQLError?
  /// The tables with queued rows that it mentions.
  private var mentions: TableMentions

  init(
    _ sql: String,
    on connection: PostgresConnection,
    pages: (key: PageKey, rows: Int)? = nil,
    besides insertion: SQLInsertion? = nil
  ) {
    let statement = Dialect.statements(sql).first ?? Dialect.Statement(sql: sql, parameters: [])
    self.sql = statement.sql
    self.connection = connection
    self.pages = pages
    control = TransactionControl(statement.sql)
    let verb = Token.tokens(of: statement.sql).first { $0.kind == .word }?.text.uppercased()
    writes = verb != "SELECT"
    parameters = Parameters(statement.parameters)
    mentions = TableMentions(besides: insertion)
  }

  deinit { for number in numbers.values { connection.drop(number) } }

  func bind(_ value: Int64, at index: Int) {
    reset()
    parameters.bind(value, at: index)
  }

  func bind(_ value: String, at index: Int) {
    reset()
    if value.utf8.contains(0) {
      refusal = SQLError(.statement, "parameter \(index): PostgreSQL cannot store text with U+0000")
    }
    parameters.bind(value, at: index)
  }

  func bind(_ value: [UInt8], at index: Int) {
    reset()
    parameters.bind(value, at: index)
  }

  func bindNull(at index: Int) {
    reset()
    parameters.bindNull(of: nil, at: index)
  }

  func bindNull(of type: SQLType, at index: Int) {
    reset()
    parameters.bindNull(of: type, at: index)
  }

  func step() throws(SQLError) -> Bool {
    if rows == nil || generation != connection.generation {
      if control != nil { try settleInsertions() }
      try connection.claimInOrder(for: control)
      reset()
      if let control {
        connection.owner(does: control)
        try connection.run(control, sql)
        return false
      }
      generation = connection.generation
      try readRows()
    } else if let pages, rows?.count == pages.rows, row + 1 == pages.rows {
      try connection.claimInOrder()
      continueBehindRow(pages.key)
      try readRows()
    }
    row += 1
    guard let rows, row < rows.count else {
      reset()
      return false
    }
    return true
  }

  private func readRows() throws(SQLError) {
    do throws(SQLError) {
      try send(reader: self)
      try connection.settle()
      try rows?.checkTypes()
    } catch {
      reset()
      throw error
    }
  }

  /// Moves the parameters behind the row at hand, which is released.
  private func continueBehindRow(_ key: PageKey) {
    if firstParameters == nil { firstParameters = parameters }
    for part in key.parts {
      switch part.type {
      case .integer: parameters.bind(int64(part.column), at: part.parameter)
      case .bytes: parameters.bind(bytes(part.column), at: part.parameter)
      case .text:
        let isNext = key.isInclusive && part == key.parts.last
        let text = string(part.column) + (isNext ? "\u{1}" : "")
        parameters.bind(text, at: part.parameter)
      }
    }
    (rows, row) = (nil, -1)
  }

  func run() throws(SQLError) {
    reset()
    try settleInsertions()
    if let control {
      if control == .begin, connection.defers(.begin) { return connection.owner(does: control) }
      try connection.claimInOrder(for: control)
      connection.owner(does: control)
      return try connection.run(control, sql)
    }
    try checkValues()
    if writes, connection.defers(.write(sql, number(), parameters)) { return }
    try connection.claimInOrder()
    try send(reader: nil)
  }

  func reset() {
    rows = nil
    row = -1
    if let firstParameters { parameters = firstParameters }
    firstParameters = nil
  }

  /// Sends the statement; its first step finds the rows, which arrive with the next wait.
  func sendAhead() throws(SQLError) {
    reset()
    generation = connection.generation
    try send(reader: self)
  }

  /// The answer to the last step.
  func receive(_ rows: Rows) { self.rows = rows }

  private func checkValues() throws(SQLError) {
    guard let refusal else { return }
    self.refusal = nil
    throw refusal
  }

  private func send(reader: PostgresStatement?) throws(SQLError) {
    try checkValues()
    try settleInsertions()
    try connection.send(sql, number(), parameters, writes: writes, reader: reader)
  }

  /// Queues the rows that the statement could meet before it.
  private func settleInsertions() throws(SQLError) {
    guard connection.queue.isActive else { return }
    try connection.queue.settle(before: &mentions, sql)
  }

  private func number() -> Int {
    let signature = parameters.signature
    if let last, last.signature == signature { return last.number }
    let number = numbers[signature] ?? connection.makeNumber(sql, signature)
    numbers[signature] = number
    last = (signature, number)
    return number
  }

  // MARK: Columns

  func int64(_ column: Int) -> Int64 { value(column) { type, bytes in type.int64(bytes) } ?? 0 }

  func string(_ column: Int) -> String { value(column) { type, bytes in type.string(bytes) } ?? "" }

  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let lent: Void? = try value(column) { type, bytes in
      switch type {
      case .bytes, .text: try body(bytes)
      case .boolean, .integer, .float4, .float8, .numeric:
        var text = type.string(bytes)
        try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
      }
    }
    if lent == nil { try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  func isNull(_ column: Int) -> Bool { value(column) { _, _ in true } == nil }

  private func value<Value>(
    _ column: Int,
    _ body: (ColumnType, UnsafeRawBufferPointer) throws -> Value
  ) rethrows -> Value? {
    guard let rows, row >= 0, let (type, bytes) = rows.value(row, column) else { return nil }
    return try withExtendedLifetime(rows) { try body(type, bytes) }
  }
}
#endif
