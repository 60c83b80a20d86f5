public import TidingsSQL

/// How much groups of devices have before them, as of one moment.
public struct WorkBacklog: Hashable, Sendable {
  /// Groups.
  public let groups: Int
  /// Notifications that were not handed out yet: up to the heads of the channels, whoever may see them.
  public let pending: Int
  /// Leases that are not settled.
  public let leased: Int

  /// Counts.
  ///
  /// - Parameter connection: A store that an engine has opened.
  /// - Throws: `SQLError`.
  public init(_ connection: any SQLConnection) throws {
    func number(_ sql: String) throws -> Int {
      let statement = try connection.prepare(sql)
      defer { statement.reset() }
      return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }
    groups = try number("SELECT count(*) FROM work_groups")
    leased =
      groups == 0 ? 0 : try number("SELECT count(*) FROM work_leases WHERE settled IS NULL")
    pending =
      groups == 0
      ? 0
      : try number(
        """
        SELECT coalesce(sum(CASE WHEN missing > 0 THEN missing ELSE 0 END), 0) FROM (
          SELECT channels.head - coalesce(work_positions.sequence, subscriptions.since) AS missing
          FROM work_groups
          JOIN subscriptions ON subscriptions.owner = work_groups.owner
            AND subscriptions.container = work_groups.container
            AND subscriptions.environment = work_groups.environment
            AND subscriptions.ended IS NULL
          JOIN channels ON channels.id = subscriptions.channel_id
          LEFT JOIN work_positions ON work_positions.group_id = work_groups.id
            AND work_positions.channel_id = subscriptions.channel_id
        ) AS counted
        """
      )
  }
}
