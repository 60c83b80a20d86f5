internal import TidingsModel
internal import TidingsSQL

/// Forgets deleted records and zones that are older than the feeds promise to remember, a few at a
/// time.
///
/// Each zone's floor rises in the same transaction, so that a token that would need what is forgotten
/// expires instead of skipping it.
final class TombstoneExpiry: MaintenanceTask {
  private let limits: Limits
  private var retention: Duration { limits.tombstoneRetention }
  private let usage: UsageTable
  private let catalog: Catalog
  private let records: ExpiredTombstones
  private let zones: ExpiredTombstones

  init(
    _ connection: any SQLConnection,
    limits: Limits,
    usage: UsageTable,
    catalog: Catalog
  ) throws {
    self.limits = limits
    (self.usage, self.catalog) = (usage, catalog)
    records = try ExpiredTombstones(
      connection,
      select: """
        SELECT zone_id, sequence, name, length(name) + length(record_type), coalesce(
          (SELECT database_id FROM zones WHERE id = records.zone_id),
          (SELECT database_id FROM zone_removals WHERE zone_id = records.zone_id), 0
        ) FROM records
        WHERE deleted IS NOT NULL AND deleted < ?1 ORDER BY deleted LIMIT ?2
        """,
      delete: "DELETE FROM records WHERE zone_id = ?1 AND name = ?2 AND deleted IS NOT NULL",
      raise: "UPDATE zones SET tombstone_floor = ?2 WHERE id = ?1 AND tombstone_floor < ?2"
    )
    zones = try ExpiredTombstones(
      connection,
      select: """
        SELECT database_id, changed, name, 2 * length(name) + 96, database_id FROM deleted_zones
        WHERE deleted < ?1 ORDER BY deleted LIMIT ?2
        """,
      delete: "DELETE FROM deleted_zones WHERE database_id = ?1 AND name = ?2",
      raise: "UPDATE databases SET feed_floor = ?2 WHERE id = ?1 AND feed_floor < ?2"
    )
  }

  func work(at moment: Moment) throws -> Duration {
    let oldest = moment.steady.milliseconds - retention.milliseconds
    func giveBack(_ cost: Int64, _ database: Int64) throws {
      if database != 0 { try usage.add(-cost, to: catalog.database(numbered: database)) }
    }
    let count = max(
      try records.forget(before: oldest, giveBack),
      try zones.forget(before: oldest, giveBack)
    )
    // An hour is precise enough for days; a shorter retention is looked after more often.
    let pause = min(.seconds(3600), max(.seconds(1), retention / 10))
    return count == ExpiredTombstones.rowsMax ? .zero : pause
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
