internal import TidingsModel
internal import TidingsSQL

/// Ends the waiting calls and streams of web credentials that have expired, and removes sessions that ended a day ago.
final class WebTokenExpiry: MaintenanceTask, TransactionParticipant {
  private static let rowsPerPiece: Int64 = 200
  /// Ended sessions are shown for so long.
  private static let retentionSeconds = 86_400
  /// The time of day may be set in between.
  private static let pauseMax = Duration.seconds(60)

  private let directory: WebTokenDirectory
  private let selectExpired: any SQLStatement
  private let selectNext: any SQLStatement
  private let selectOld: any SQLStatement
  private let delete: any SQLStatement
  /// Those that expired until then have ended; `nil`: this run did not look yet.
  private var latest: Timestamp?

  init(_ connection: any SQLConnection, _ directory: WebTokenDirectory) throws {
    self.directory = directory
    selectExpired = try connection.prepare(
      """
      SELECT id, expires, expires_nanos FROM web_tokens
      WHERE (expires, expires_nanos) > (?1, ?2) AND (expires, expires_nanos) <= (?3, ?4)
      ORDER BY expires, expires_nanos LIMIT ?5
      """
    )
    selectNext = try connection.prepare(
      """
      SELECT expires, expires_nanos FROM web_tokens WHERE (expires, expires_nanos) > (?1, ?2)
      ORDER BY expires, expires_nanos LIMIT 1
      """
    )
    // The newest row stays, so that no ID is used again.
    selectOld = try connection.prepare(
      """
      SELECT id FROM web_tokens
      WHERE kind = 2 AND expires < ?1 AND id <> (SELECT max(id) FROM web_tokens)
      ORDER BY expires LIMIT ?2
      """
    )
    delete = try connection.prepare("DELETE FROM web_tokens WHERE id = ?1")
  }

  /// What was ended may have been rolled back.
  func reload() { latest = nil }

  func work(at moment: Moment) throws -> Duration {
    let now = moment.timeOfDay
    let isDone = try endExpired(at: now)
    let removedCount = try removeOld(at: now)
    guard isDone, removedCount < Self.rowsPerPiece, !directory.hasListeners else { return .zero }
    guard let next = try nextExpiry(after: now) else { return Self.pauseMax }
    return min(max(next.since(now), .milliseconds(1)), Self.pauseMax)
  }

  private func endExpired(at now: Timestamp) throws -> Bool {
    // Of a clock that was set back nothing has to end twice; that of before the start has no calls.
    guard let latest, latest <= now else {
      latest = now
      return true
    }
    var expired: [Int64] = []
    var last = latest
    selectExpired.bind(latest, at: 1, nanos: 2)
    selectExpired.bind(now, at: 3, nanos: 4)
    selectExpired.bind(Self.rowsPerPiece, at: 5)
    try selectExpired.forEachRow {
      expired.append(selectExpired.int64(0))
      last = selectExpired.time(1, nanos: 2)
    }
    for id in expired { try directory.end(id) }
    let isDone = expired.count < Self.rowsPerPiece
    self.latest = isDone ? now : last
    return isDone
  }

  private func removeOld(at now: Timestamp) throws -> Int64 {
    var old: [Int64] = []
    selectOld.bind(now.advanced(seconds: -Self.retentionSeconds).millisecondsSince1970, at: 1)
    selectOld.bind(Self.rowsPerPiece, at: 2)
    try selectOld.forEachRow { old.append(selectOld.int64(0)) }
    for id in old {
      delete.bind(id, at: 1)
      try delete.run()
      directory.remove(id)
    }
    return Int64(old.count)
  }

  private func nextExpiry(after now: Timestamp) throws -> Timestamp? {
    selectNext.bind(now, at: 1, nanos: 2)
    defer { selectNext.reset() }
    return try selectNext.step() ? selectNext.time(0, nanos: 1) : nil
  }
}
