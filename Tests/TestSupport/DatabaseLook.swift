internal import TidingsSQL
internal import TidingsSQLite

#if PostgreSQL
internal import TidingsPostgres
#endif

/// A look into the database of a server, beside the server.
public struct DatabaseLook {
  private let connection: any SQLConnection

  /// Looks into the database of a data folder.
  ///
  /// - Parameter folder: The folder of the server, which has the data folder.
  /// - Throws: When there is no database.
  public init(_ folder: TemporaryFolder) throws {
    if ServerDatabase.isEmbedded {
      connection = try SQLiteConnection(path: folder.file("data/tidings.sqlite"), readsOnly: true)
      return
    }
    #if PostgreSQL
    let uri = try ServerDatabase.uri(ofDataFolder: folder.file("data"))
    connection = PostgresConnection(try PostgresAddress(uri), profile: .reader)
    #else
    throw WaitingFailure(description: "built without PostgreSQL")
    #endif
  }

  /// How many rows a table has.
  public func count(_ table: String) throws -> Int64 {
    let rows = try connection.prepare("SELECT count(*) FROM \(table)")
    defer { rows.reset() }
    return try rows.step() ? rows.int64(0) : -1
  }

  /// Searches all rows.
  ///
  /// - Parameter words: What to search for, in texts and in bytes.
  /// - Returns: For each word and each column that has it `table.column has word`.
  /// - Throws: `SQLError`.
  public func finds(_ words: [String]) throws -> [String] {
    let columns = try connection.prepare(ServerDatabase.isEmbedded ? Self.embedded : Self.server)
    var conditions: [(column: String, sql: String)] = []
    try columns.forEachRow {
      let (table, column) = (columns.string(0), columns.string(1))
      let condition =
        switch columns.string(2) {
        case "blob": "instr(CAST(\"\(column)\" AS BLOB), CAST(?1 AS BLOB)) > 0"
        case "bytea": "position(convert_to(?1, 'UTF8') IN \"\(column)\") > 0"
        default: "position(?1 IN CAST(\"\(column)\" AS TEXT)) > 0"
        }
      conditions.append(
        ("\(table).\(column)", "SELECT 1 FROM \"\(table)\" WHERE \(condition) LIMIT 1")
      )
    }
    var found: [String] = []
    for (column, sql) in conditions {
      let rows = try connection.prepare(sql)
      for word in words {
        rows.bind(word, at: 1)
        try rows.forEachRow { found.append("\(column) has \(word)") }
      }
    }
    return found
  }

  private static let embedded = """
    SELECT m.name, c.name, 'blob' FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
    """
  private static let server = """
    SELECT CAST(c.table_name AS TEXT), CAST(c.column_name AS TEXT), CAST(c.data_type AS TEXT)
    FROM information_schema.columns c JOIN information_schema.tables t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
    """
}
