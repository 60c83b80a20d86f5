internal import TidingsModel
internal import TidingsSQL

/// Forgets deleted records and zones that are older than the feeds promise to remember, a few at a
/// time.
///
/// Each zone's floor rises in the same transaction, so that a token that would need what is forgotten
/// expires instead of skipping it.
final class TombstoneChore: Chore {
  /// Most rows removed in one piece.
  private static let rowsMax: Int64 = 200

  private let retention: Duration
  private let selectRecords: any SQLStatement
  private let deleteRecord: any SQLStatement
  private let raiseZone: any SQLStatement
  private let selectZones: any SQLStatement
  private let deleteZone: any SQLStatement
  private let raiseDatabase: any SQLStatement

  init(_ connection: any SQLConnection, retention: Duration) throws {
    self.retention = retention
    selectRecords = try connection.prepare(
      """
      SELECT zone_id, sequence, name FROM records
      WHERE deleted IS NOT NULL AND deleted < ?1 ORDER BY deleted LIMIT ?2
      """
    )
    deleteRecord = try connection.prepare(
      "DELETE FROM records WHERE zone_id = ?1 AND name = ?2 AND deleted IS NOT NULL"
    )
    raiseZone = try connection.prepare(
      "UPDATE zones SET tombstone_floor = ?2 WHERE id = ?1 AND tombstone_floor < ?2"
    )
    selectZones = try connection.prepare(
      """
      SELECT database_id, changed, name FROM deleted_zones
      WHERE deleted < ?1 ORDER BY deleted LIMIT ?2
      """
    )
    deleteZone = try connection.prepare(
      "DELETE FROM deleted_zones WHERE database_id = ?1 AND name = ?2"
    )
    raiseDatabase = try connection.prepare(
      "UPDATE databases SET feed_floor = ?2 WHERE id = ?1 AND feed_floor < ?2"
    )
  }

  func work(at now: Timestamp) throws -> Duration {
    let oldest = now.millisecondsSince1970 - retention.milliseconds
    let records = try forget(selectRecords, before: oldest, deleteRecord, raiseZone)
    let zones = try forget(selectZones, before: oldest, deleteZone, raiseDatabase)
    // An hour is precise enough for days; a shorter retention is looked after more often.
    let pause = min(.seconds(3600), max(.seconds(1), retention / 10))
    return max(records, zones) == Self.rowsMax ? .zero : pause
  }

  /// Removes a piece of what is too old: rows of an owner, a number and a name.
  ///
  /// - Returns: How many rows.
  private func forget(
    _ select: any SQLStatement,
    before oldest: Int64,
    _ delete: any SQLStatement,
    _ raise: any SQLStatement
  ) throws -> Int64 {
    var rows: [(owner: Int64, number: Int64, name: String)] = []
    select.bind(oldest, at: 1)
    select.bind(Self.rowsMax, at: 2)
    try select.forEachRow { rows.append((select.int64(0), select.int64(1), select.string(2))) }
    var floors: [Int64: Int64] = [:]
    for row in rows {
      delete.bind(row.owner, at: 1)
      delete.bind(row.name, at: 2)
      try delete.run()
      floors[row.owner] = max(floors[row.owner] ?? 0, row.number)
    }
    for (owner, floor) in floors {
      raise.bind(owner, at: 1)
      raise.bind(floor, at: 2)
      try raise.run()
    }
    return Int64(rows.count)
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// For people: `90 days`, `2 hours`, `30 seconds`.
  var shown: String {
    let seconds = components.seconds
    let units: [(Int64, String)] = [(86_400, "days"), (3600, "hours"), (60, "minutes")]
    for (size, name) in units where seconds >= 2 * size && seconds % size == 0 {
      return "\(seconds / size) \(name)"
    }
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}
