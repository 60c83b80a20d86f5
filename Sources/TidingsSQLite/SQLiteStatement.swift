internal import CSQLite
internal import TidingsSQL

/// SQLite copies what is bound with this instead of a destructor.
private nonisolated(unsafe) let transient = unsafeBitCast(
  -1 as Int,
  to: sqlite3_destructor_type.self
)

/// A compiled statement.
///
/// Columns are read from the row that `step` moved to. Fit for its next use whatever happened in the
/// last one: SQLite refuses to bind a statement that was stepped and not reset, so a failed step
/// resets it, and binding resets one that was abandoned in the middle of its rows.
///
/// Unchecked: one thread uses a connection at a time, and nothing here calls back.
final class SQLiteStatement: SQLStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection
  /// It was stepped, and not reset since.
  @exclusivity(unchecked) private var isUnderWay = false
  /// What is bound, where SQLite reads it.
  @exclusivity(unchecked) private var memory: BoundMemory
  /// Why a value could not be bound; the next step fails with it.
  @exclusivity(unchecked) private var bindFailure: SQLError?
  /// The tables with queued rows that it mentions.
  @exclusivity(unchecked) private var mentions: TableMentions

  init(
    _ handle: OpaquePointer,
    of connection: SQLiteConnection,
    besides insertion: SQLInsertion? = nil
  ) {
    self.handle = handle
    self.connection = connection
    mentions = TableMentions(besides: insertion)
    memory = BoundMemory(parameterCount: Int(sqlite3_bind_parameter_count(handle)))
  }

  deinit {
    connection.claim()
    sqlite3_finalize(handle)
    memory.free()
  }

  func bind(_ value: Int64, at index: Int) {
    connection.claim()
    if isUnderWay { reset() }
    check(sqlite3_bind_int64(handle, CInt(index), value))
  }

  func bind(_ value: String, at index: Int) {
    connection.claim()
    if isUnderWay { reset() }
    var value = value
    let code = value.withUTF8 { text in
      let kept = memory.keep(UnsafeRawBufferPointer(text), at: index)
      return (kept ?? UnsafeRawBufferPointer(text)).withMemoryRebound(to: CChar.self) { text in
        sqlite3_bind_text64(
          handle,
          CInt(index),
          text.baseAddress,
          UInt64(text.count),
          kept == nil ? transient : nil,
          UInt8(SQLITE_UTF8)
        )
      }
    }
    check(code)
  }

  func bind(_ value: [UInt8], at index: Int) {
    connection.claim()
    if isUnderWay { reset() }
    let code = value.withUnsafeBytes { bytes in
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, CInt(index), 0) }
      let kept = memory.keep(bytes, at: index)
      return sqlite3_bind_blob64(
        handle,
        CInt(index),
        (kept ?? bytes).baseAddress,
        UInt64(bytes.count),
        kept == nil ? transient : nil
      )
    }
    check(code)
  }

  func bindNull(at index: Int) {
    connection.claim()
    if isUnderWay { reset() }
    check(sqlite3_bind_null(handle, CInt(index)))
  }

  func step() throws(SQLError) -> Bool {
    if let bindFailure {
      self.bindFailure = nil
      throw bindFailure
    }
    connection.claim()
    if connection.queue.isActive { try settle() }
    isUnderWay = true
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      // Its text is that of the failure until the reset.
      let failure = connection.error(code, in: text)
      reset()
      throw failure
    }
  }

  private var text: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

  /// Writes the queued rows that the statement could meet.
  private func settle() throws(SQLError) {
    do throws(SQLError) {
      try connection.queue.settle(before: &mentions, text)
    } catch {
      reset()
      throw error
    }
  }

  func reset() {
    isUnderWay = false
    sqlite3_reset(handle)
  }

  /// More than any counter or time reaches is damage: it is cut, so that sums of it do not overflow.
  func int64(_ column: Int) -> Int64 {
    min(max(sqlite3_column_int64(handle, CInt(column)), -Self.numberMax), Self.numberMax)
  }

  private static let numberMax: Int64 = 1 << 61

  func string(_ column: Int) -> String {
    guard let text = sqlite3_column_text(handle, CInt(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    // Null for an empty blob, and without memory.
    let bytes = sqlite3_column_blob(handle, CInt(column))
    let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, CInt(column)))
    try body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL
  }

  /// Binding fails without memory, for a value over 1 GB, and for an index that the statement does not
  /// have, which is a defect of ours.
  private func check(_ code: CInt) {
    guard code != SQLITE_OK else { return }
    precondition(code != SQLITE_RANGE, "a parameter that the statement does not have")
    bindFailure = connection.error(code, in: text)
  }
}
