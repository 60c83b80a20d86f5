import CSQLite

/// A table of keys and values in an SQLite file, with rpcd's settings of durability and log.
final class BareStore {
  private let handle: OpaquePointer
  private let frames = UnsafeMutablePointer<CInt>.allocate(capacity: 1)
  private var insert: OpaquePointer?

  /// The length of the log after the last commit.
  var logFrames: Int { Int(frames.pointee) }

  init(path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw BenchError("cannot open '\(path)'")
    }
    handle = opened
    frames.initialize(to: 0)
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA cache_size = -65536;
      CREATE TABLE pairs (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
      """
    )
    sqlite3_wal_hook(
      handle,
      { frames, _, _, count in
        frames?.assumingMemoryBound(to: CInt.self).pointee = count
        return SQLITE_OK
      },
      frames
    )
    let sql = "INSERT OR REPLACE INTO pairs VALUES (?1, ?2)"
    try check(sqlite3_prepare_v2(handle, sql, -1, &insert, nil))
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_close_v2(handle)
    frames.deallocate()
  }

  func begin() throws { try execute("BEGIN IMMEDIATE") }
  func commit() throws { try execute("COMMIT") }

  /// Writes a pair; the bytes stay where they are.
  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    // A null destructor: SQLite does not copy what outlives the statement's step.
    sqlite3_bind_blob(insert, 1, key.baseAddress, CInt(key.count), nil)
    sqlite3_bind_blob(insert, 2, value.baseAddress, CInt(value.count), nil)
    guard sqlite3_step(insert) == SQLITE_DONE else {
      throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
    }
    try check(sqlite3_reset(insert))
  }

  private func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  private func check(_ code: CInt) throws {
    guard code == SQLITE_OK else {
      throw BenchError("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
    }
  }
}
