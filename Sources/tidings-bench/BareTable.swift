import CSQLite

/// A plain table with an index on a column, asked through SQLite's C interface.
final class BareTable {
  /// As much memory for pages as each of rpcd's readers has.
  static let cacheBytes = 16 << 20

  private let handle: OpaquePointer
  private var insert: OpaquePointer?
  private var select: OpaquePointer?

  init(path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw BenchError("cannot open '\(path)'")
    }
    handle = opened
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA cache_size = -\(Self.cacheBytes >> 10);
      CREATE TABLE houses (
        id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL, body BLOB NOT NULL
      );
      """
    )
    try prepare("INSERT INTO houses (name, city, body) VALUES (?1, ?2, ?3)", &insert)
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    sqlite3_close_v2(handle)
  }

  /// Fills the table, then makes the index.
  func fill(count: Int, _ row: (Int) -> (name: String, city: String, body: [UInt8])) throws {
    try execute("BEGIN")
    for number in 0..<count {
      let row = row(number)
      bind(row.name, to: insert, at: 1)
      bind(row.city, to: insert, at: 2)
      row.body.withUnsafeBytes { body in
        _ = sqlite3_bind_blob(insert, 3, body.baseAddress, CInt(body.count), Self.transient)
      }
      guard sqlite3_step(insert) == SQLITE_DONE else { throw failure }
      sqlite3_reset(insert)
    }
    try execute(
      """
      COMMIT;
      CREATE INDEX houses_by_city ON houses (city);
      ANALYZE;
      PRAGMA wal_checkpoint(TRUNCATE);
      """
    )
    try prepare("SELECT body FROM houses WHERE city = ?1 LIMIT 50", &select)
  }

  /// Copies the bodies of a city's rows one behind the other.
  ///
  /// - Returns: How many rows.
  func bodies(of city: String, into bytes: inout [UInt8]) throws -> Int {
    bytes.removeAll(keepingCapacity: true)
    bind(city, to: select, at: 1)
    defer { sqlite3_reset(select) }
    var rows = 0
    while true {
      let code = sqlite3_step(select)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw failure }
      let count = Int(sqlite3_column_bytes(select, 0))
      bytes += UnsafeRawBufferPointer(start: sqlite3_column_blob(select, 0), count: count)
      rows += 1
    }
  }

  private static nonisolated(unsafe) let transient = unsafeBitCast(
    -1 as Int,
    to: sqlite3_destructor_type.self
  )

  private func bind(_ text: String, to statement: OpaquePointer?, at index: CInt) {
    sqlite3_bind_text(statement, index, text, -1, Self.transient)
  }

  private func prepare(_ sql: String, _ statement: inout OpaquePointer?) throws {
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
  }

  private func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  private var failure: BenchError {
    BenchError("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
  }
}
