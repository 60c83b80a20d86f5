internal import TidingsKeys
internal import TidingsModel
internal import TidingsSQL

/// The rows of keys that may connect.
struct AdmittedKeyRows {
  /// A key, and whose it is.
  struct Row {
    let publicKey: PublicKey
    let admission: AdmittedKeys.Admission
  }

  private let select: any SQLStatement

  init(_ connection: any SQLConnection) throws(SQLError) {
    select = try connection.prepare(
      """
      SELECT id, user, public_key, expires, expires_nanos FROM account_keys
      WHERE id > ?1 AND revoked IS NULL ORDER BY id
      """,
      inPagesBy: PageKey(.integer(1, column: 0))
    )
    select.bind(0, at: 1)
  }

  /// Passes each row to a closure.
  func read(_ body: (Row) throws -> Void) throws {
    try select.forEachRow {
      guard let publicKey = PublicKey(select.bytes(2)) else { return }
      let expires = select.timestamp(3, nanos: 4)
      try body(
        Row(
          publicKey: publicKey,
          admission: AdmittedKeys.Admission(
            number: select.int64(0),
            user: select.string(1),
            expires: expires
          )
        )
      )
    }
  }
}
