internal import CSQLite
internal import TidingsSQL

/// SQLite copies what is bound with this instead of a destructor.
private nonisolated(unsafe) let transient = unsafeBitCast(
  -1 as Int,
  to: sqlite3_destructor_type.self
)

/// A compiled statement.
///
/// Columns are read from the row that `step` moved to.
final class SQLiteStatement: SQLStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection

  init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64, at index: Int) {
    check(sqlite3_bind_int64(handle, CInt(index), value))
  }

  func bind(_ value: String, at index: Int) {
    var value = value
    let code = value.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        sqlite3_bind_text64(
          handle,
          CInt(index),
          text.baseAddress,
          UInt64(text.count),
          transient,
          UInt8(SQLITE_UTF8)
        )
      }
    }
    check(code)
  }

  func bind(_ value: [UInt8], at index: Int) {
    let code = value.withUnsafeBytes { bytes in
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, CInt(index), 0)
        : sqlite3_bind_blob64(
          handle,
          CInt(index),
          bytes.baseAddress,
          UInt64(bytes.count),
          transient
        )
    }
    check(code)
  }

  func bindNull(at index: Int) { check(sqlite3_bind_null(handle, CInt(index))) }

  func step() throws(SQLError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code)
    }
  }

  func reset() { sqlite3_reset(handle) }

  func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }

  func string(_ column: Int) -> String {
    guard let text = sqlite3_column_text(handle, CInt(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let bytes = sqlite3_column_blob(handle, CInt(column))
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    try body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL
  }

  /// Binding fails only for an index that the statement does not have, or a value over 2 GB.
  private func check(_ code: CInt) {
    precondition(code == SQLITE_OK, "a parameter that the statement does not have")
  }
}
