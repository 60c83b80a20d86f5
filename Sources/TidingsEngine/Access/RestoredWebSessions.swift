internal import TidingsSQL

/// Ends web sessions when their store gets another identity.
///
/// A session that ended after a backup must not be good again in the restored store. API tokens and server keys are
/// kept, as keys are.
enum RestoredWebSessions {
  private static let key = "web-sessions"

  /// Ends all sessions if they began in a store of another identity.
  ///
  /// - Parameters:
  ///   - connection: The store, outside of a transaction.
  ///   - incarnation: Its identity.
  /// - Throws: `SQLError`.
  static func end(_ connection: any SQLConnection, in incarnation: [UInt8]) throws {
    let select = try connection.prepare("SELECT value FROM store WHERE key = ?1")
    select.bind(key, at: 1)
    var known: [UInt8] = []
    try select.forEachRow { known = select.bytes(0) }
    guard known != incarnation else { return }
    try connection.execute(
      """
      UPDATE web_tokens SET expires = created, expires_nanos = created_nanos,
        revoked = coalesce(revoked, created)
      WHERE kind = 2
      """
    )
    let upsert = try connection.prepare(
      """
      INSERT INTO store (key, value) VALUES (?1, ?2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """
    )
    upsert.bind(key, at: 1)
    upsert.bind(incarnation, at: 2)
    try upsert.run()
  }
}
