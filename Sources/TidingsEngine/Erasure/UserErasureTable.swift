internal import TidingsModel
internal import TidingsSQL

/// The rows of erasures: those that run, and the receipts of those that are finished.
final class UserErasureTable {
  private static let columns = """
    id, erasure_id, user, requested_by, requested, requested_nanos, finished, finished_nanos, action,
    step, position, counts, tombstones_until, notifications_until
    """

  private let secret: [UInt8]
  private let selectRunning: any SQLStatement
  private let selectByHash: any SQLStatement
  private let selectByID: any SQLStatement
  private let insert: any SQLStatement
  private let update: any SQLStatement
  private let finish: any SQLStatement

  init(_ connection: any SQLConnection, secret: [UInt8]) throws {
    self.secret = secret
    let select = "SELECT \(Self.columns) FROM user_erasures"
    selectRunning = try connection.prepare(select + " WHERE user IS NOT NULL ORDER BY id")
    selectByHash = try connection.prepare(
      select + " WHERE user_hash = ?1 ORDER BY id DESC LIMIT 1"
    )
    selectByID = try connection.prepare(select + " WHERE erasure_id = ?1")
    insert = try connection.prepare(
      """
      INSERT INTO user_erasures (erasure_id, user, user_hash, requested_by, requested, requested_nanos,
        action, step, position, counts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, '')
      """
    )
    update = try connection.prepare(
      "UPDATE user_erasures SET step = ?2, position = ?3, counts = ?4 WHERE id = ?1"
    )
    finish = try connection.prepare(
      """
      UPDATE user_erasures SET user = NULL, finished = ?2, finished_nanos = ?3, counts = ?4,
        tombstones_until = ?5, notifications_until = ?6 WHERE id = ?1
      """
    )
  }

  /// Those that are not finished, in the order in which they were wanted.
  func running() throws -> [UserErasure] { try rows(selectRunning) }

  /// The newest one of a user.
  func erasure(of user: String) throws -> UserErasure? {
    selectByHash.bind(hash(user), at: 1)
    return try rows(selectByHash).first
  }

  /// One by its ID; `nil`: there is none.
  func erasure(_ id: [UInt8]) throws -> UserErasure? {
    selectByID.bind(id, at: 1)
    return try rows(selectByID).first
  }

  func add(
    _ user: String,
    by administrator: String,
    _ publicRecords: UserErasure.PublicRecords,
    at now: Timestamp
  ) throws(SQLError) {
    insert.bind(Cryptography.randomBytes(16), at: 1)
    insert.bind(user, at: 2)
    insert.bind(hash(user), at: 3)
    insert.bind(administrator, at: 4)
    insert.bind(now, at: 5, nanos: 6)
    insert.bind(publicRecords.rawValue, at: 7)
    try insert.run()
  }

  /// Writes how far one is.
  func save(_ erasure: UserErasure) throws(SQLError) {
    update.bind(erasure.number, at: 1)
    update.bind(erasure.step.rawValue, at: 2)
    update.bind(erasure.position, at: 3)
    update.bind(erasure.counts.text, at: 4)
    try update.run()
  }

  /// Makes one that is finished its receipt, which does not have the name.
  func finish(_ erasure: UserErasure) throws(SQLError) {
    finish.bind(erasure.number, at: 1)
    finish.bind(erasure.finished, at: 2, nanos: 3)
    finish.bind(erasure.counts.text, at: 4)
    finish.bind(erasure.tombstonesUntil?.millisecondsSince1970, at: 5)
    finish.bind(erasure.notificationsUntil?.millisecondsSince1970, at: 6)
    try finish.run()
  }

  private func hash(_ user: String) -> [UInt8] {
    Cryptography.hash(Array("erased user\0\(user)".utf8), key: secret, bytes: 32)
  }

  private func rows(_ row: any SQLStatement) throws -> [UserErasure] {
    var found: [UserErasure] = []
    try row.forEachRow {
      found.append(
        UserErasure(
          number: row.int64(0),
          id: row.bytes(1).hexadecimal,
          user: row.isNull(2) ? "" : row.string(2),
          requestedBy: row.string(3),
          requested: row.time(4, nanos: 5),
          finished: row.timestamp(6, nanos: 7),
          publicRecords: UserErasure.PublicRecords(rawValue: row.int64(8)) ?? .delete,
          step: ErasureStep(rawValue: row.int64(9)) ?? .access,
          position: row.int64(10),
          counts: ErasureCounts(row.string(11)),
          tombstonesUntil: row.isNull(12) ? nil : Timestamp(millisecondsSince1970: row.int64(12)),
          notificationsUntil: row.isNull(13)
            ? nil : Timestamp(millisecondsSince1970: row.int64(13))
        )
      )
    }
    return found
  }
}
