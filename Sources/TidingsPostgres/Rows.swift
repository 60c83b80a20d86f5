#if PostgreSQL
internal import CPostgres
internal import TidingsSQL

/// A result of libpq: rows, nothing, or an error.
final class Rows {
  private let handle: OpaquePointer?
  private lazy var types = (0..<CInt(columnCount)).map { ColumnType(oid: PQftype(handle, $0)) }

  /// Takes over a result; `nil`: libpq had no memory for it.
  init(_ handle: OpaquePointer?) { self.handle = handle }

  deinit { PQclear(handle) }

  var status: ExecStatusType { PQresultStatus(handle) }
  var count: Int { Int(PQntuples(handle)) }
  private var columnCount: Int { Int(PQnfields(handle)) }

  /// The command that was executed, as `COMMIT`.
  var tag: String { String(cString: PQcmdStatus(handle)) }

  /// The error; `nil`: there is none.
  var error: SQLError? {
    guard status == PGRES_FATAL_ERROR else { return nil }
    guard let state = field(tidings_postgres_diag_state) else {
      return SQLError(.disconnected, "the connection to the database was lost")
    }
    return SQLError(state: state, field(tidings_postgres_diag_message) ?? "no message")
  }

  private func field(_ code: Int32) -> String? {
    PQresultErrorField(handle, code).map { String(cString: $0) }
  }

  /// Refuses results of types that the shared dialect does not have.
  ///
  /// - Throws: `statement`.
  func checkTypes() throws(SQLError) {
    guard let column = types.firstIndex(of: nil) else { return }
    let name = String(cString: PQfname(handle, CInt(column)))
    throw SQLError(
      .statement,
      "column \(column) '\(name)' has the type \(PQftype(handle, CInt(column))), "
        + "which the shared dialect does not have: cast it"
    )
  }

  /// A number of the first row, as text; `nil`: there is none.
  func number(_ column: Int) -> Int64? {
    value(0, column).flatMap { type, bytes in Int64(type.string(bytes)) }
  }

  /// The type and the bytes of a value, which exist as long as this does; `nil`: null.
  func value(_ row: Int, _ column: Int) -> (ColumnType, UnsafeRawBufferPointer)? {
    guard types.indices.contains(column), let type = types[column], row < count,
      PQgetisnull(handle, CInt(row), CInt(column)) == 0
    else { return nil }
    let length = Int(PQgetlength(handle, CInt(row), CInt(column)))
    let start = PQgetvalue(handle, CInt(row), CInt(column))
    return (type, UnsafeRawBufferPointer(start: start, count: length))
  }
}
#endif
