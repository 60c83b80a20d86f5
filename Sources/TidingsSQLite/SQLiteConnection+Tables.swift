public import TidingsSQL

extension SQLiteConnection {
  /// The tables of the database, by name.
  ///
  /// - Throws: `SQLError`.
  public func tables() throws(SQLError) -> [SQLTable] {
    let catalog = try prepare(
      """
      SELECT t.name, c.name, upper(c.type), c.pk - 1 FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY t.name, c.cid
      """
    )
    return try SQLTable.tables(in: catalog) { type in
      switch type {
      case "INTEGER", "BIGINT": .integer
      case "TEXT": .text
      case "BLOB": .bytes
      default: nil
      }
    }
  }
}
