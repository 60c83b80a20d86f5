internal import TidingsModel
internal import TidingsSQL

/// Who asked for access to which share, for as long as that is remembered: so long asking again changes
/// nothing, and nobody asks for too many shares.
final class AccessRequestTable {
  /// Expired rows that a new one removes: more than are added, so that none remain.
  private static let expiredRowsPerRequest: Int64 = 4

  private let limits: Limits
  private let selectRequest: any SQLStatement
  private let countOfUser: any SQLStatement
  private let upsert: any SQLStatement
  private let deleteExpired: any SQLStatement

  init(_ connection: any SQLConnection, limits: Limits) throws {
    self.limits = limits
    selectRequest = try connection.prepare(
      "SELECT 1 FROM access_requests WHERE user = ?1 AND share_id = ?2 AND asked > ?3"
    )
    countOfUser = try connection.prepare(
      "SELECT count(*) FROM access_requests WHERE user = ?1 AND asked > ?2"
    )
    upsert = try connection.prepare(
      """
      INSERT INTO access_requests (user, share_id, asked) VALUES (?1, ?2, ?3)
      ON CONFLICT (user, share_id) DO UPDATE SET asked = excluded.asked
      """
    )
    deleteExpired = try connection.prepare(
      """
      DELETE FROM access_requests WHERE (user, share_id) IN (
        SELECT user, share_id FROM access_requests WHERE asked <= ?1 ORDER BY asked LIMIT ?2
      )
      """
    )
  }

  /// Whether a user asked for a share, and that is remembered.
  func isRemembered(_ user: String, share: Int64, at time: SteadyTime) throws -> Bool {
    selectRequest.bind(user, at: 1)
    selectRequest.bind(share, at: 2)
    selectRequest.bind(oldest(at: time), at: 3)
    defer { selectRequest.reset() }
    return try selectRequest.step()
  }

  /// Refuses a user who asked for too many shares.
  ///
  /// - Throws: `ItemError` `limitExceeded`; `SQLError`.
  func checkCount(of user: String, at time: SteadyTime) throws {
    countOfUser.bind(user, at: 1)
    countOfUser.bind(oldest(at: time), at: 2)
    defer { countOfUser.reset() }
    let count = try countOfUser.step() ? Int(countOfUser.int64(0)) : 0
    guard count >= limits.accessRequestsPerUserMax else { return }
    throw ItemError(
      .limitExceeded,
      "you have asked for access to \(count) shares within \(limits.accessRequestRetentionHours) hours "
        + "and may ask for \(limits.accessRequestsPerUserMax): try again later"
    )
  }

  /// A user asked for a share.
  func remember(_ user: String, share: Int64, at time: SteadyTime) throws {
    deleteExpired.bind(oldest(at: time), at: 1)
    deleteExpired.bind(Self.expiredRowsPerRequest, at: 2)
    try deleteExpired.run()
    upsert.bind(user, at: 1)
    upsert.bind(share, at: 2)
    upsert.bind(time.milliseconds, at: 3)
    try upsert.run()
  }

  private func oldest(at time: SteadyTime) -> Int64 {
    time.earlier(byHours: limits.accessRequestRetentionHours).milliseconds
  }
}
