/// A table as the catalog of its database describes it.
public struct SQLTable: Hashable, Sendable {
  /// A column.
  public struct Column: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// What its values are, unless they are null.
    public let type: SQLType
  }

  /// Its name.
  public let name: String
  /// In the order of the catalog.
  public private(set) var columns: [Column]
  /// The columns of the primary key, counted from 0, the most significant one first.
  public private(set) var key: [Int]
}

extension SQLTable {
  /// Reads the tables of a database from its catalog.
  ///
  /// - Parameters:
  ///   - catalog: A row for each column: table, column, type, and the column's position in the primary key, or -1.
  ///     The rows of a table follow each other.
  ///   - type: The type of a column, by its name in the catalog; `nil`: the shared dialect has no such values.
  /// - Returns: The tables, in the order of the rows.
  /// - Throws: `statement` for a column of another type; what reading throws.
  public static func tables(
    in catalog: any SQLStatement,
    type: (String) -> SQLType?
  ) throws(SQLError) -> [SQLTable] {
    var (tables, keys): ([SQLTable], [(position: Int64, column: Int)]) = ([], [])
    defer { catalog.reset() }
    while try catalog.step() {
      let (table, column, typeName) = (catalog.string(0), catalog.string(1), catalog.string(2))
      guard let type = type(typeName) else {
        throw SQLError(
          .statement,
          "the column '\(table).\(column)' has the type \(typeName), which the shared dialect does not have"
        )
      }
      if tables.last?.name != table {
        tables.append(SQLTable(name: table, columns: [], key: []))
        keys = []
      }
      let last = tables.count - 1
      tables[last].columns.append(Column(name: column, type: type))
      guard catalog.int64(3) >= 0 else { continue }
      keys.append((catalog.int64(3), tables[last].columns.count - 1))
      tables[last].key = keys.sorted { $0.position < $1.position }.map(\.column)
    }
    return tables
  }
}
