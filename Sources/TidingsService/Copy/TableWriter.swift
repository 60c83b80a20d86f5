internal import TidingsSQL

/// Inserts rows into a table, several with one statement.
struct TableWriter {
  private static let statementRowsMax = 64
  /// Both engines take more.
  private static let parametersMax = 1_024
  private static let statementBytesMax: Int64 = 1 << 20

  private let table: SQLTable
  private let rowsAtOnce: Int
  private let several: any SQLStatement
  private let one: any SQLStatement

  /// Prepares to write a table whose rows are as large as those of the one that is read.
  ///
  /// - Throws: `SQLError`.
  init(like pages: TablePages, in connection: any SQLConnection) throws(SQLError) {
    table = pages.table
    let bySize = Int(Self.statementBytesMax / max(1, pages.extent.rowBytesMax))
    let byColumns = Self.parametersMax / table.columns.count
    rowsAtOnce = max(1, min(Self.statementRowsMax, bySize, byColumns))
    several = try Self.insertion(of: rowsAtOnce, into: table, connection)
    one = try Self.insertion(of: 1, into: table, connection)
  }

  private static func insertion(
    of rowCount: Int,
    into table: SQLTable,
    _ connection: any SQLConnection
  ) throws(SQLError) -> any SQLStatement {
    let width = table.columns.count
    let columns = table.columns.map(\.name.quoted).joined(separator: ", ")
    let rows = (0..<rowCount).map { row in
      "(" + (1...width).map { "?\(row * width + $0)" }.joined(separator: ", ") + ")"
    }
    return try connection.prepare(
      "INSERT INTO \(table.name.quoted) (\(columns)) VALUES \(rows.joined(separator: ", "))"
    )
  }

  /// Inserts rows, in the open transaction.
  ///
  /// - Throws: `SQLError`.
  func write(_ rows: StoredRows) throws(SQLError) {
    var row = 0
    while row < rows.count {
      let isSeveral = rows.count - row >= rowsAtOnce
      let (statement, count) = isSeveral ? (several, rowsAtOnce) : (one, 1)
      var index = 1
      for row in row..<row + count {
        for (value, column) in zip(rows[row], table.columns) {
          value.bind(to: statement, at: index, column.type)
          index += 1
        }
      }
      try statement.run()
      row += count
    }
  }
}
