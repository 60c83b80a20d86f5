internal import TidingsModel
internal import TidingsSQL

/// Ends what the devices of expired keys hear, when they expire: their calls are refused by then anyway.
final class KeyExpiry: Chore {
  private static let keysPerPiece: Int64 = 4
  private static let pauseMax = Duration.seconds(3_600)

  private let rotation: UserRotation
  private let selectExpired: any SQLStatement
  private let selectNext: any SQLStatement
  private let retire: any SQLStatement

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
  }

  func work(at now: Timestamp) throws -> Duration {
    var expired: [(number: Int64, user: String)] = []
    selectExpired.bind(now.millisecondsSince1970, at: 1)
    selectExpired.bind(Self.keysPerPiece, at: 2)
    try selectExpired.forEachRow {
      expired.append((selectExpired.int64(0), selectExpired.string(1)))
    }
    for key in expired {
      retire.bind(key.number, at: 1)
      try retire.run()
      try rotation.end(.key(key.number), of: key.user, at: now)
    }
    guard let next = try nextExpiry() else { return Self.pauseMax }
    let wait = Duration.milliseconds(max(next - now.millisecondsSince1970, 0))
    return min(wait, Self.pauseMax)
  }

  private func nextExpiry() throws(SQLError) -> Int64? {
    defer { selectNext.reset() }
    return try selectNext.step() ? selectNext.int64(0) : nil
  }
}
