internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// A data folder whose tables all have random rows, which no server would write.
struct FilledStore {
  let folder: TemporaryFolder
  var path: String { folder.file("data") }
  private var databasePath: String { path + "/tidings.sqlite" }

  /// The store of a server that was stopped, with rows in each table.
  ///
  /// - Parameters:
  ///   - rowCount: Rows of a table.
  ///   - random: Chooses them.
  /// - Returns: The folder.
  /// - Throws: `SQLError`; `WaitingFailure` when the server does not start.
  static func make(rows rowCount: Int, using random: inout SplitMix64) async throws -> FilledStore {
    let server = try await TestServer.start()
    try await server.stop()
    let store = FilledStore(folder: server.folder)
    let connection = try SQLiteConnection(path: store.databasePath)
    try connection.execute("BEGIN IMMEDIATE")
    for (table, columns) in try tables(connection) where table != "store" && table != "migrations" {
      try connection.execute("DELETE FROM \"\(table)\"")
      let parameters = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
      let insert = try connection.prepare("INSERT INTO \"\(table)\" VALUES (\(parameters))")
      for row in 0..<rowCount {
        for (index, column) in columns.enumerated() {
          bind(column, of: row, to: insert, at: index + 1, using: &random)
        }
        try insert.run()
      }
    }
    try connection.execute("COMMIT")
    connection.setMovesLogOnClose(true)
    return store
  }

  private static func bind(
    _ column: Column,
    of row: Int,
    to insert: any SQLStatement,
    at index: Int,
    using random: inout SplitMix64
  ) {
    if column.isNullable, random.oneIn(3) { return insert.bindNull(at: index) }
    switch column.type {
    case "BLOB":
      let isUnique = column.isKey || column.isUnique
      // PostgreSQL's indexes have no large keys.
      let isLarge = !column.isIndexed && random.oneIn(200)
      let count = random.oneIn(9) && !isUnique ? 0 : random.below(isLarge ? 1_500_000 : 60)
      insert.bind((isUnique ? Array("\(row)-".utf8) : []) + random.bytes(count), at: index)
    case "TEXT":
      let text = random.pick(["", "a", "ä€😀", "\u{1}\u{7f}'\"\\", "Z", "_", "\u{10ffff}"])
      // Unique, in no order of the rows.
      insert.bind(
        text + (column.isKey || random.oneIn(2) ? "\(row * 7919 % 100_003)" : "x\(row)"),
        at: index
      )
    default:
      let extremes: [Int64] = [.min, .max, -1, 1 << 61, -(1 << 61), (1 << 61) + 1, 0]
      // Sizes are added up.
      let canBeExtreme = !column.isKey && !column.isUnique && column.name != "size"
      let isExtreme = canBeExtreme && random.oneIn(4)
      insert.bind(
        isExtreme ? random.pick(extremes) : Int64(row * 7919 % 100_003) + 1,
        at: index
      )
    }
  }

  struct Column {
    let name: String
    let type: String
    let isNullable: Bool
    let isKey: Bool
    let isUnique: Bool
    let isIndexed: Bool
  }

  /// The tables, as SQLite knows them.
  private static func tables(_ connection: SQLiteConnection) throws -> [(String, [Column])] {
    var tables: [(String, [Column])] = []
    let select = try connection.prepare(
      """
      SELECT t.name, c.type, c."notnull", c.pk,
        EXISTS (
          SELECT 1 FROM pragma_index_list(t.name) i, pragma_index_info(i.name) x
          WHERE i."unique" = 1 AND x.name = c.name
        ),
        EXISTS (
          SELECT 1 FROM pragma_index_list(t.name) i, pragma_index_info(i.name) x WHERE x.name = c.name
        ),
        c.name
      FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid
      """
    )
    try select.forEachRow {
      let column = Column(
        name: select.string(6),
        type: select.string(1),
        isNullable: select.int64(2) == 0 && select.int64(3) == 0,
        isKey: select.int64(3) > 0,
        isUnique: select.int64(4) == 1,
        isIndexed: select.int64(3) > 0 || select.int64(5) == 1
      )
      if tables.last?.0 != select.string(0) { tables.append((select.string(0), [])) }
      tables[tables.count - 1].1.append(column)
    }
    return tables
  }

  /// All that a database contains, by table: the rows in SQL's own words, in the order of the first columns.
  static func content(_ path: String) throws -> [String: [String]] {
    let connection = try SQLiteConnection(path: path + "/tidings.sqlite", readsOnly: true)
    var content: [String: [String]] = [:]
    let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    try names.forEachRow {
      let table = names.string(0)
      let columns = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')")
      var quoted: [String] = []
      try columns.forEachRow { quoted.append("quote(\"\(columns.string(0))\")") }
      let rows = try connection.prepare(
        "SELECT \(quoted.joined(separator: " || ',' || ")) FROM \"\(table)\" ORDER BY 1"
      )
      var texts: [String] = []
      try rows.forEachRow { texts.append(rows.string(0)) }
      content[table] = texts
    }
    return content
  }
}
