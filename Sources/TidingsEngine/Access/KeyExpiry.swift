internal import TidingsModel
internal import TidingsSQL

/// Ends what the devices of expired keys hear, when they expire: their calls are refused by then anyway.
final class KeyExpiry: Chore {
  private static let keysPerPiece: Int64 = 4
  /// The time of day may be set in between.
  private static let pauseMax = Duration.seconds(60)

  private let rotation: UserRotation
  private let selectExpired: any SQLStatement
  private let selectNext: any SQLStatement
  private let retire: any SQLStatement
  private let revive: any SQLStatement
  /// The newest time of day for which keys were retired; `nil`: this run did not look yet.
  private var latest: Timestamp?

  init(_ connection: any SQLConnection, rotation: UserRotation) throws {
    self.rotation = rotation
    let open = "expires IS NOT NULL AND revoked IS NULL AND retired = 0"
    selectExpired = try connection.prepare(
      """
      SELECT id, user FROM account_keys WHERE \(open) AND expires <= ?1 ORDER BY expires LIMIT ?2
      """
    )
    selectNext = try connection.prepare(
      "SELECT expires FROM account_keys WHERE \(open) ORDER BY expires LIMIT 1"
    )
    retire = try connection.prepare("UPDATE account_keys SET retired = 1 WHERE id = ?1")
    revive = try connection.prepare(
      "UPDATE account_keys SET retired = 0 WHERE retired = 1 AND revoked IS NULL AND expires > ?1"
    )
  }

  func work(at moment: Moment) throws -> Duration {
    let now = moment.timeOfDay
    try reviveKeys(at: now)
    var expired: [(number: Int64, user: String)] = []
    selectExpired.bind(now.millisecondsSince1970, at: 1)
    selectExpired.bind(Self.keysPerPiece, at: 2)
    try selectExpired.forEachRow {
      expired.append((selectExpired.int64(0), selectExpired.string(1)))
    }
    for key in expired {
      retire.bind(key.number, at: 1)
      try retire.run()
      try rotation.end(.key(key.number), of: key.user)
    }
    guard let next = try nextExpiry() else { return Self.pauseMax }
    let wait = Duration.milliseconds(max(next - now.millisecondsSince1970, 0))
    return min(wait, Self.pauseMax)
  }

  /// A clock that went ahead for a while retired keys that are good again: they are to be retired once more
  /// when they expire.
  private func reviveKeys(at now: Timestamp) throws(SQLError) {
    if let latest, latest <= now {
      self.latest = now
      return
    }
    revive.bind(now.millisecondsSince1970, at: 1)
    try revive.run()
    latest = now
  }

  private func nextExpiry() throws(SQLError) -> Int64? {
    defer { selectNext.reset() }
    return try selectNext.step() ? selectNext.int64(0) : nil
  }
}
