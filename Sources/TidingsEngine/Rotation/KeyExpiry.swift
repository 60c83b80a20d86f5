internal import TidingsModel
internal import TidingsSQL

/// Replaces the topics of the devices of expired keys; their calls are rejected by then anyway.
final class KeyExpiry: MaintenanceTask, TransactionParticipant {
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
      SELECT id, user FROM account_keys
      WHERE \(open) AND (expires, expires_nanos) <= (?1, ?2) ORDER BY expires, expires_nanos
      LIMIT ?3
      """
    )
    selectNext = try connection.prepare(
      """
      SELECT expires, expires_nanos FROM account_keys
      WHERE \(open) ORDER BY expires, expires_nanos LIMIT 1
      """
    )
    retire = try connection.prepare("UPDATE account_keys SET retired = 1 WHERE id = ?1")
    revive = try connection.prepare(
      """
      UPDATE account_keys SET retired = 0
      WHERE retired = 1 AND revoked IS NULL AND (expires, expires_nanos) > (?1, ?2)
      """
    )
  }

  /// Keys that were revived may be retired again.
  func reload() { latest = nil }

  func work(at moment: Moment) throws -> Duration {
    let now = moment.timeOfDay
    try reviveKeys(at: now)
    var expired: [(number: Int64, user: String)] = []
    selectExpired.bind(now, at: 1, nanos: 2)
    selectExpired.bind(Self.keysPerPiece, at: 3)
    try selectExpired.forEachRow {
      expired.append((selectExpired.int64(0), selectExpired.string(1)))
    }
    for key in expired {
      retire.bind(key.number, at: 1)
      try retire.run()
      try rotation.end(.key(key.number), of: key.user)
    }
    guard let next = try nextExpiry() else { return Self.pauseMax }
    return min(max(next.since(now), .zero), Self.pauseMax)
  }

  /// A clock that went ahead for a while retired keys that are good again: they are to be retired once more
  /// when they expire.
  private func reviveKeys(at now: Timestamp) throws(SQLError) {
    if let latest, latest <= now {
      self.latest = now
      return
    }
    revive.bind(now, at: 1, nanos: 2)
    try revive.run()
    latest = now
  }

  private func nextExpiry() throws(SQLError) -> Timestamp? {
    defer { selectNext.reset() }
    return try selectNext.step() ? selectNext.time(0, nanos: 1) : nil
  }
}
