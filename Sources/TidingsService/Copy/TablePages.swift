internal import TidingsFiles
internal import TidingsSQL

/// Reads a table in the order of its key, in pages of a bounded size.
struct TablePages {
  /// How many rows a table has, and how large they are.
  struct Extent {
    var rowCount: Int64 = 0
    /// About how many bytes its largest row has.
    var rowBytesMax: Int64 = 0
  }

  private static let pageBytesMax: Int64 = 8 << 20
  private static let pageRowsMax: Int64 = 1_024

  let table: SQLTable
  let extent: Extent
  /// How many rows a page has, except for the last one.
  let pageRows: Int
  private let first: any SQLStatement
  private let next: any SQLStatement

  /// Prepares to read a table.
  ///
  /// - Throws: `SQLError`.
  init(_ table: SQLTable, in connection: any SQLConnection) throws(SQLError) {
    self.table = table
    extent = try Self.extent(of: table, in: connection)
    pageRows = Int(min(Self.pageRowsMax, max(1, Self.pageBytesMax / max(1, extent.rowBytesMax))))
    let columns = table.columns.map(\.name.quoted).joined(separator: ", ")
    let key = table.key.map { table.columns[$0].name.quoted }.joined(separator: ", ")
    let position = (1...table.key.count).map { "?\($0)" }.joined(separator: ", ")
    let select = "SELECT \(columns) FROM \(table.name.quoted)"
    let order = "ORDER BY \(key) LIMIT \(pageRows)"
    first = try connection.prepare("\(select) \(order)")
    next = try connection.prepare("\(select) WHERE (\(key)) > (\(position)) \(order)")
  }

  /// The rows behind a key; `nil`: the first ones.
  ///
  /// - Throws: `SQLError`; `StartError` for a value that the other database cannot store.
  func page(after key: [StoredValue]?) throws -> StoredRows {
    let statement = key == nil ? first : next
    defer { statement.reset() }
    for (index, value) in (key ?? []).enumerated() {
      value.bind(to: statement, at: index + 1, table.columns[table.key[index]].type)
    }
    var rows = StoredRows(table: table)
    rows.values.reserveCapacity(pageRows * table.columns.count)
    while try statement.step() {
      for (index, column) in table.columns.enumerated() {
        guard let value = StoredValue(statement, index, column.type) else {
          throw unusableText(statement, column)
        }
        rows.values.append(value)
      }
    }
    return rows
  }

  /// Calls a closure with all rows, page by page.
  ///
  /// - Throws: As `page(after:)`, and what the closure throws.
  func forEachPage(after key: [StoredValue]? = nil, _ body: (StoredRows) throws -> Void) throws {
    var key = key
    while true {
      let rows = try page(after: key)
      if rows.count > 0 { try body(rows) }
      guard rows.count == pageRows else { return }
      key = rows.lastKey
    }
  }

  /// The key of the last row; `nil`: there is none.
  ///
  /// - Throws: `SQLError`.
  static func lastKey(
    of table: SQLTable,
    in connection: any SQLConnection
  ) throws -> [StoredValue]? {
    let names = table.key.map { table.columns[$0].name.quoted }
    let order = names.map { $0 + " DESC" }.joined(separator: ", ")
    let select = try connection.prepare(
      "SELECT \(names.joined(separator: ", ")) FROM \(table.name.quoted) ORDER BY \(order) LIMIT 1"
    )
    defer { select.reset() }
    guard try select.step() else { return nil }
    return try table.key.enumerated().map { index, column in
      guard let value = StoredValue(select, index, table.columns[column].type) else {
        throw SQLError(.damaged, "the key of the last row of '\(table.name)' is not valid text")
      }
      return value
    }
  }

  private static func extent(
    of table: SQLTable,
    in connection: any SQLConnection
  ) throws(SQLError) -> Extent {
    let sizes = table.columns.map { column in
      column.type == .integer ? "8" : "coalesce(length(\(column.name.quoted)), 0)"
    }
    let select = try connection.prepare(
      "SELECT count(*), coalesce(max(\(sizes.joined(separator: " + "))), 0) FROM \(table.name.quoted)"
    )
    defer { select.reset() }
    guard try select.step() else { return Extent() }
    return Extent(rowCount: select.int64(0), rowBytesMax: select.int64(1))
  }

  private func unusableText(_ row: any SQLStatement, _ column: SQLTable.Column) -> StartError {
    let key = table.key.map { index in
      let name = table.columns[index].name
      guard let value = StoredValue(row, index, table.columns[index].type) else {
        return "\(name) = \(row.bytes(index).hexadecimal) (bytes)"
      }
      return "\(name) = \(value.text)"
    }
    return StartError(
      "the column '\(column.name)' of the table '\(table.name)' has text that is not UTF-8 or contains U+0000, "
        + "which PostgreSQL cannot store, in the row \(key.joined(separator: ", ")): change or delete what it "
        + "belongs to, and repeat the command"
    )
  }
}

extension String {
  /// As a name in a statement.
  var quoted: String { "\"\(self)\"" }
}
