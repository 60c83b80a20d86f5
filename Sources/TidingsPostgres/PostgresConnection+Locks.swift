#if PostgreSQL
public import TidingsSQL

extension PostgresConnection {
  /// Ends the sessions of the same role that have an advisory lock of the database.
  ///
  /// - Parameters:
  ///   - lock: The lock.
  ///   - age: Sessions that began later are left alone.
  /// - Throws: `SQLError`.
  public func terminateHolders(of lock: Int64, olderThan age: Duration) throws(SQLError) {
    let milliseconds = Int64(age / .milliseconds(1))
    let column = """
      CASE WHEN EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = l.pid
          AND a.backend_start < clock_timestamp() - INTERVAL '\(milliseconds) milliseconds')
        THEN pg_terminate_backend(l.pid) END
      """
    try forEachHolder(column, of: lock) {}
  }

  /// Whether any session has an advisory lock of the database.
  ///
  /// - Throws: `SQLError`.
  public func hasHolder(of lock: Int64) throws(SQLError) -> Bool {
    var isHeld = false
    try forEachHolder("l.pid", of: lock) { isHeld = true }
    return isHeld
  }

  private func forEachHolder(
    _ column: String,
    of lock: Int64,
    _ body: () -> Void
  ) throws(SQLError) {
    let statement = try prepare(
      """
      SELECT \(column) FROM pg_locks l
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
