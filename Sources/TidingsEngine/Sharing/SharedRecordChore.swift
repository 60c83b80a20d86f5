internal import TidingsModel
internal import TidingsSQL

/// Forgets what left shares longer ago than the feeds promise to remember, and shares that ended then, a
/// few at a time.
///
/// Each share's floor rises in the same transaction, so that a token that would need what is forgotten
/// expires instead of skipping it.
final class SharedRecordChore: Chore {
  /// Most rows removed in one piece.
  private static let rowsMax: Int64 = 200

  private let retention: Duration
  private let select: any SQLStatement
  private let delete: any SQLStatement
  private let raise: any SQLStatement
  private let selectEnded: any SQLStatement
  private let deleteEnded: any SQLStatement

  init(_ connection: any SQLConnection, retention: Duration) throws {
    self.retention = retention
    select = try connection.prepare(
      """
      SELECT share_id, changed, name FROM shared_records
      WHERE gone > 0 AND gone < ?1 ORDER BY gone LIMIT ?2
      """
    )
    delete = try connection.prepare(
      "DELETE FROM shared_records WHERE share_id = ?1 AND name = ?2 AND gone > 0"
    )
    raise = try connection.prepare("UPDATE shares SET floor = ?2 WHERE id = ?1 AND floor < ?2")
    // The newest row stays: its number is not given again.
    selectEnded = try connection.prepare(
      """
      SELECT id FROM shares
      WHERE ended IS NOT NULL AND ended < ?1 AND id < (SELECT max(id) FROM shares) LIMIT ?2
      """
    )
    deleteEnded = try connection.prepare("DELETE FROM shares WHERE id = ?1")
  }

  func work(at now: Timestamp) throws -> Duration {
    let oldest = now.millisecondsSince1970 - retention.milliseconds
    let count = max(try forgetRecords(before: oldest), try forgetShares(before: oldest))
    let pause = min(.seconds(3600), max(.seconds(1), retention / 10))
    return count == Self.rowsMax ? .zero : pause
  }

  private func forgetRecords(before oldest: Int64) throws -> Int64 {
    var rows: [(share: Int64, changed: Int64, name: String)] = []
    select.bind(oldest, at: 1)
    select.bind(Self.rowsMax, at: 2)
    try select.forEachRow { rows.append((select.int64(0), select.int64(1), select.string(2))) }
    var floors: [Int64: Int64] = [:]
    for row in rows {
      delete.bind(row.share, at: 1)
      delete.bind(row.name, at: 2)
      try delete.run()
      floors[row.share] = max(floors[row.share] ?? 0, row.changed)
    }
    for (share, floor) in floors {
      raise.bind(share, at: 1)
      raise.bind(floor, at: 2)
      try raise.run()
    }
    return Int64(rows.count)
  }

  private func forgetShares(before oldest: Int64) throws -> Int64 {
    var numbers: [Int64] = []
    selectEnded.bind(oldest, at: 1)
    selectEnded.bind(Self.rowsMax, at: 2)
    try selectEnded.forEachRow { numbers.append(selectEnded.int64(0)) }
    for number in numbers {
      deleteEnded.bind(number, at: 1)
      try deleteEnded.run()
    }
    return Int64(numbers.count)
  }
}
