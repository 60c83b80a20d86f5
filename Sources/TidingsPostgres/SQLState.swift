internal import TidingsSQL

extension SQLError {
  /// An error that PostgreSQL reports.
  ///
  /// - Parameters:
  ///   - state: The SQLSTATE, five letters and digits.
  ///   - message: The server's primary message; its details may contain values of rows.
  init(state: String, _ message: String) {
    self.init(Self.kind(ofState: state), message, state: state)
    // disk_full
    isFull = state == "53100"
  }

  /// What a caller can do about an SQLSTATE, by the code and else by its class.
  ///
  /// - SeeAlso: PostgreSQL, appendix A.
  static func kind(ofState state: String) -> Kind {
    switch state {
    // serialization_failure, deadlock_detected, lock_not_available, transaction_rollback
    case "40001", "40P01", "55P03", "40000": .conflict
    // statement_completion_unknown, transaction_resolution_unknown
    case "40003", "08007": .uncertain
    // query_canceled
    case "57014": .interrupted
    // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout,
    // idle_in_transaction_session_timeout
    case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03": .disconnected
    // insufficient_privilege, invalid_catalog_name, read_only_sql_transaction
    case "42501", "3D000", "25006": .denied
    // object_in_use
    case "55006": .busy
    case _ where state.hasPrefix("08"): .disconnected
    case _ where state.hasPrefix("28"): .denied
    // disk_full, out_of_memory, too_many_connections, …
    case "53300": .disconnected
    case _ where state.hasPrefix("53"), _ where state.hasPrefix("58"): .storage
    // data_corrupted, index_corrupted
    case "XX001", "XX002": .damaged
    default: .statement
    }
  }
}
