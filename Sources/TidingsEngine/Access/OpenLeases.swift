internal import TidingsModel
internal import TidingsSQL

/// The leases that a user's workers hold.
final class OpenLeases {
  private let selectLeases: any SQLStatement
  private let endLease: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    selectLeases = try connection.prepare(
      """
      SELECT l.group_id, l.channel_id, l.sequence
      FROM work_groups g JOIN work_leases l ON l.group_id = g.id
      WHERE g.owner = ?1 AND l.settled IS NULL AND l.expires > ?2 LIMIT ?3
      """
    )
    endLease = try connection.prepare(
      """
      UPDATE work_leases SET expires = ?4
      WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
  }

  /// Ends some leases of a user, in the open transaction.
  ///
  /// - Returns: How many; fewer than `max`: there are no more.
  func end(of user: String, max: Int, at now: SteadyTime) throws -> Int {
    var leases: [(group: Int64, channel: Int64, sequence: Int64)] = []
    selectLeases.bind(user, at: 1)
    selectLeases.bind(now.milliseconds, at: 2)
    selectLeases.bind(Int64(max), at: 3)
    try selectLeases.forEachRow {
      leases.append((selectLeases.int64(0), selectLeases.int64(1), selectLeases.int64(2)))
    }
    for lease in leases {
      endLease.bind(lease.group, at: 1)
      endLease.bind(lease.channel, at: 2)
      endLease.bind(lease.sequence, at: 3)
      endLease.bind(now.milliseconds, at: 4)
      try endLease.run()
    }
    return leases.count
  }
}
