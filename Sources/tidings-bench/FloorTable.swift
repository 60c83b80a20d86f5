import CSQLite

/// A table of keys and values in an SQLite file; a commit is on disk when it returns.
final class FloorTable {
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
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
      CREATE TABLE pairs (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
      """
    )
    try prepare("INSERT OR REPLACE INTO pairs VALUES (?1, ?2)", &insert)
    try prepare("SELECT value FROM pairs WHERE key = ?1", &select)
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    sqlite3_close_v2(handle)
  }

  /// Writes or reads in one transaction, which costs nothing when it does neither.
  func withTransaction(_ body: () throws -> Void) throws {
    try execute("BEGIN")
    try body()
    try execute("COMMIT")
  }

  /// Writes a pair; the bytes stay where they are.
  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    bind(key, to: insert, at: 1)
    bind(value, to: insert, at: 2)
    guard sqlite3_step(insert) == SQLITE_DONE else { throw failure }
    sqlite3_reset(insert)
  }

  /// Lends the value of a key that exists.
  func get(_ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    bind(key, to: select, at: 1)
    defer { sqlite3_reset(select) }
    guard sqlite3_step(select) == SQLITE_ROW else { throw BenchError("a key without a value") }
    let count = Int(sqlite3_column_bytes(select, 0))
    try body(UnsafeRawBufferPointer(start: sqlite3_column_blob(select, 0), count: count))
  }

  private func bind(
    _ bytes: UnsafeRawBufferPointer,
    to statement: OpaquePointer?,
    at index: CInt
  ) {
    // A null destructor: SQLite does not copy what outlives the statement's step.
    sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), nil)
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
