internal import CFaultDisk
internal import CSQLite
internal import CStoreVFS

/// All that a database says, so that two are equal if, and only if, they say the same.
///
/// What a start changes is left out: the numbers of runs and starts, and the time.
struct StoreDigest: Equatable {
  /// By table.
  private(set) var tables: [String: UInt64] = [:]

  /// The committed content of a database.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isChecked: SQLite checks the whole structure too.
  /// - Throws: `Failure`.
  init(_ path: String, isChecked: Bool = false) throws {
    fault_disk_pause(1)
    defer { fault_disk_pause(0) }
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, tidings_vfs_name) == SQLITE_OK,
      let connection = opened
    else { throw Failure("cannot open \(path)") }
    defer { sqlite3_close_v2(connection) }
    sqlite3_exec(connection, "PRAGMA query_only = 1; BEGIN", nil, nil, nil)
    if isChecked {
      let found = try Self.texts(connection, "PRAGMA integrity_check")
      guard found == ["ok"] else { throw Failure("integrity_check: \(found)") }
    }
    let names = try Self.texts(
      connection,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    for name in names where name != "clock" {
      let rows = name == "store" ? "store WHERE key NOT IN ('run', 'starts')" : name
      tables[name] = try Self.digest(connection, "SELECT * FROM \(rows)")
    }
  }

  /// The tables that say something else.
  func differences(from other: Self) -> [String] {
    Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
  }

  private static func texts(_ connection: OpaquePointer, _ sql: String) throws -> [String] {
    var texts: [String] = []
    try forEachRow(connection, sql) { row in
      texts.append(sqlite3_column_text(row, 0).map { String(cString: $0) } ?? "")
    }
    return texts
  }

  /// FNV-1a, the same in each process.
  private static func digest(_ connection: OpaquePointer, _ sql: String) throws -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    try forEachRow(connection, sql) { row in
      for column in 0..<sqlite3_column_count(row) {
        add(UInt8(truncatingIfNeeded: sqlite3_column_type(row, column)))
        let bytes = UnsafeRawBufferPointer(
          start: sqlite3_column_blob(row, column),
          count: Int(sqlite3_column_bytes(row, column))
        )
        for byte in bytes { add(byte) }
        add(0xff)
      }
    }
    return hash
  }

  private static func forEachRow(
    _ connection: OpaquePointer,
    _ sql: String,
    _ body: (OpaquePointer) throws -> Void
  ) throws {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &prepared, nil) == SQLITE_OK,
      let statement = prepared
    else { throw Failure(String(cString: sqlite3_errmsg(connection))) }
    defer { sqlite3_finalize(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(statement)
      case SQLITE_DONE: return
      default: throw Failure(String(cString: sqlite3_errmsg(connection)))
      }
    }
  }
}

/// What does not hold.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
