/// Inserts rows into a table: bind, add.
///
/// In a transaction rows are queued, and written many with one statement: when enough are there, before another
/// statement of the connection mentions the table, and before the transaction ends. What fails then is thrown by
/// the statement at hand, which may be another caller's (`SQLError.isDeferred`). A statement of many rows opens a
/// table and its indexes once for all of them.
public final class SQLInsertion {
  /// Rows of one statement: with 16 a new record takes 74,800 instructions, with 8 75,700, with 32 75,200 (callgrind,
  /// 2026-11-24).
  static let rowsMax = 16
  /// A larger row is inserted at once, so that no statement takes long; queued rows hold `rowsMax` times as much at
  /// most.
  static let rowBytesMax = 4_096

  let table: String
  /// The table's bit in the queue.
  let mask: UInt64
  private let columns: [String]
  private let prepare: (String) throws(SQLError) -> any SQLStatement
  private let queue: InsertionQueue?
  /// By the logarithm of their rows, compiled when they are needed.
  ///
  /// Unchecked, as what follows: one thread uses a connection at a time, and nothing here calls back.
  @exclusivity(unchecked) private var statements: [(any SQLStatement)?]
  /// The values of the next row, and behind them those of the queued ones, row by row.
  @exclusivity(unchecked) private var values: [Value]
  /// How many rows are queued.
  @exclusivity(unchecked) public private(set) var count = 0
  @exclusivity(unchecked) private var rowBytes = 0
  /// Of the first two columns of the queued rows, if `findsRows`.
  @exclusivity(unchecked) private var marks: [UInt64] = []
  private let findsRows: Bool

  private enum Value {
    case null
    case nullOf(SQLType)
    case number(Int64)
    case text(String)
    case bytes([UInt8])
  }

  /// An insertion into a table.
  ///
  /// - Parameters:
  ///   - table: Its name, in lower case.
  ///   - columns: Those whose values are bound.
  ///   - findsRows: `mayHold` is asked for rows; the first two columns are a number and text.
  ///   - connection: Where it is.
  public init(
    into table: String,
    _ columns: [String],
    findsRows: Bool = false,
    on connection: any SQLConnection
  ) {
    precondition(table == table.lowercased(), "names are compared as they are written")
    (self.table, self.columns, self.findsRows) = (table, columns, findsRows)
    queue = connection.insertions
    mask = queue?.mask(of: table) ?? 0
    prepare = { sql throws(SQLError) in try connection.prepare(sql) }
    statements = Array(repeating: nil, count: Self.rowsMax.trailingZeroBitCount + 1)
    values = Array(repeating: .null, count: (Self.rowsMax + 1) * columns.count)
  }

  deinit { if count > 0 { queue?.lost(ObjectIdentifier(self)) } }

  // MARK: The next row

  /// Binds a number to a column of the next row, counted from 1.
  public func bind(_ value: Int64, at column: Int) { set(.number(value), at: column, bytes: 0) }

  /// Binds text to a column of the next row, counted from 1.
  public func bind(_ value: String, at column: Int) {
    set(.text(value), at: column, bytes: value.utf8.count)
  }

  /// Binds bytes to a column of the next row, counted from 1.
  public func bind(_ value: [UInt8], at column: Int) {
    set(.bytes(value), at: column, bytes: value.count)
  }

  /// Binds null, where a value of a type could be, to a column of the next row, counted from 1.
  public func bindNull(of type: SQLType, at column: Int) {
    set(.nullOf(type), at: column, bytes: 0)
  }

  /// Adds the row, of which each column was bound.
  ///
  /// - Throws: `SQLError`: why this row or queued ones could not be written.
  public func add() throws(SQLError) {
    let isSmall = rowBytes <= Self.rowBytesMax
    rowBytes = 0
    guard isSmall, let queue, try queue.takesRows() else {
      // Its statement would write the others in its midst.
      try flush()
      return try write(1, at: 0)
    }
    if findsRows, case .number(let first) = values[0], case .text(let second) = values[1] {
      marks.append(Self.mark(first, second))
    }
    count += 1
    values.withUnsafeMutableBufferPointer { values in
      for column in columns.indices { values.swapAt(column, count * columns.count + column) }
    }
    if count == 1 { queue.begins(self) }
    if count == Self.rowsMax { try queue.flush(self) }
  }

  private func set(_ value: Value, at column: Int, bytes: Int) {
    values[column - 1] = value
    rowBytes += bytes
  }

  // MARK: Queued rows

  /// Whether a row may be queued whose first columns have these values; only of an insertion that `findsRows`.
  public func mayHold(_ first: Int64, _ second: String) -> Bool {
    guard count > 0 else { return false }
    return marks.contains(Self.mark(first, second))
  }

  /// A hash: equal for equal values, and nearly always another one for others.
  private static func mark(_ first: Int64, _ second: String) -> UInt64 {
    let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
    var mark = UInt64(bitPattern: first) &* factor
    var second = second
    second.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(text)
      var offset = 0
      while offset + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        mark = (mark ^ word ^ mark >> 32) &* factor
        offset += 8
      }
      while offset < bytes.count {
        mark = (mark ^ UInt64(bytes[offset])) &* factor
        offset += 1
      }
    }
    return mark
  }

  /// Writes the queued rows before a statement that was compiled `besides` this insertion.
  ///
  /// - Throws: `SQLError`.
  public func flush() throws(SQLError) {
    if count > 0 { try queue?.flush(self) }
  }

  /// Writes the queued rows.
  func write() throws(SQLError) {
    defer { discard() }
    var written = 0
    while written < count {
      var rows = Self.rowsMax
      while rows > count - written { rows /= 2 }
      try write(rows, at: written + 1)
      written += rows
    }
  }

  /// Forgets the queued rows; their values are kept until those of others replace them.
  func discard() {
    count = 0
    marks.removeAll(keepingCapacity: true)
  }

  private func write(_ rows: Int, at position: Int) throws(SQLError) {
    let statement = try statement(ofRows: rows)
    let start = position * columns.count
    for index in 0..<rows * columns.count {
      switch values[start + index] {
      case .null: statement.bindNull(at: index + 1)
      case .nullOf(let type): statement.bindNull(of: type, at: index + 1)
      case .number(let value): statement.bind(value, at: index + 1)
      case .text(let value): statement.bind(value, at: index + 1)
      case .bytes(let value): statement.bind(value, at: index + 1)
      }
    }
    try statement.run()
  }

  private func statement(ofRows rows: Int) throws(SQLError) -> any SQLStatement {
    let index = rows.trailingZeroBitCount
    if let known = statements[index] { return known }
    let lists = (0..<rows).map { row in
      let parameters = (1...columns.count).map { "?\(row * columns.count + $0)" }
      return "(" + parameters.joined(separator: ", ") + ")"
    }
    let statement = try prepare(
      """
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      VALUES \(lists.joined(separator: ", "))
      """
    )
    statements[index] = statement
    return statement
  }
}
