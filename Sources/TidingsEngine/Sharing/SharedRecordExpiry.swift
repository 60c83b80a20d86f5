internal import TidingsModel
internal import TidingsSQL

/// Forgets what left shares longer ago than the feeds promise to remember, and shares that ended then, a
/// few at a time.
///
/// Each share's floor rises in the same transaction, so that a token that would need what is forgotten
/// expires instead of skipping it.
final class SharedRecordExpiry: MaintenanceTask {
  private let limits: Limits
  private var retention: Duration { limits.tombstoneRetention }
  private let records: ExpiredTombstones
  private let selectEnded: any SQLStatement
  private let deleteEnded: any SQLStatement

  init(_ connection: any SQLConnection, limits: Limits) throws {
    self.limits = limits
    records = try ExpiredTombstones(
      connection,
      select: """
        SELECT share_id, changed, name, 0, 0 FROM shared_records
        WHERE gone > 0 AND gone < ?1 ORDER BY gone LIMIT ?2
        """,
      delete: "DELETE FROM shared_records WHERE share_id = ?1 AND name = ?2 AND gone > 0",
      raise: "UPDATE shares SET floor = ?2 WHERE id = ?1 AND floor < ?2"
    )
    // The newest row stays: its number is not given again.
    selectEnded = try connection.prepare(
      """
      SELECT id FROM shares
      WHERE ended IS NOT NULL AND ended < ?1 AND id < (SELECT max(id) FROM shares) LIMIT ?2
      """
    )
    deleteEnded = try connection.prepare("DELETE FROM shares WHERE id = ?1")
  }

  func work(at moment: Moment) throws -> Duration {
    let oldest = moment.steady.milliseconds - retention.milliseconds
    let count = max(try records.forget(before: oldest), try forgetShares(before: oldest))
    let pause = min(.seconds(3600), max(.seconds(1), retention / 10))
    return count == ExpiredTombstones.rowsMax ? .zero : pause
  }

  private func forgetShares(before oldest: Int64) throws -> Int64 {
    var numbers: [Int64] = []
    selectEnded.bind(oldest, at: 1)
    selectEnded.bind(ExpiredTombstones.rowsMax, at: 2)
    try selectEnded.forEachRow { numbers.append(selectEnded.int64(0)) }
    for number in numbers {
      deleteEnded.bind(number, at: 1)
      try deleteEnded.run()
    }
    return Int64(numbers.count)
  }
}
