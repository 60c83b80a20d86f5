#if PostgreSQL
public import TidingsSQL

extension PostgresConnection {
  /// Ends the sessions of the same role that have an advisory lock of the database.
  ///
  /// - Throws: `SQLError`.
  public func terminateHolders(of lock: Int64) throws(SQLError) {
    try forEachHolder("pg_terminate_backend(pid)", of: lock) {}
  }

  /// Whether any session has an advisory lock of the database.
  ///
  /// - Throws: `SQLError`.
  public func hasHolder(of lock: Int64) throws(SQLError) -> Bool {
    var isHeld = false
    try forEachHolder("pid", of: lock) { isHeld = true }
    return isHeld
  }

  private func forEachHolder(
    _ column: String,
    of lock: Int64,
    _ body: () -> Void
  ) throws(SQLError) {
    let statement = try prepare(
      """
      SELECT \(column) FROM pg_locks
      WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid::bigint << 32 | objid::bigint = ?1
      """
    )
    statement.bind(lock, at: 1)
    defer { statement.reset() }
    while try statement.step() { body() }
  }
}
#endif
