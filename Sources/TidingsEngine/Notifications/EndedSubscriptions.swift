internal import TidingsModel
internal import TidingsSQL

/// Removes ended subscriptions of which no event is kept.
///
/// The newest event that their users lose with them is kept in a row for each user: tokens from before
/// it expire.
final class EndedSubscriptions {
  private let usage: UsageTable
  private let select: any SQLStatement
  private let raise: any SQLStatement
  private let delete: any SQLStatement

  init(_ connection: any SQLConnection, usage: UsageTable) throws {
    self.usage = usage
    // Those whose channels still fire for the removal of a zone have not ended with certainty.
    select = try connection.prepare(
      """
      SELECT s.id FROM subscriptions s
      WHERE s.channel_id = ?1 AND s.ended IS NOT NULL AND s.ended <= ?2
        AND NOT EXISTS (SELECT 1 FROM zone_removal_channels r WHERE r.subscription_id = s.id)
      ORDER BY s.ended LIMIT ?3
      """
    )
    // What ended before the event at hand had lost its last event when the floor was raised last.
    raise = try connection.prepare(
      """
      INSERT INTO feed_floors (owner, container, environment, event_id)
        SELECT s.owner, s.container, s.environment,
          CASE WHEN s.ended = ?2 THEN ?3 ELSE c.floor_event END
        FROM subscriptions s JOIN channels c ON c.id = s.channel_id
        WHERE s.id = ?1 AND s.since < s.ended
      ON CONFLICT (owner, container, environment)
        DO UPDATE SET event_id = excluded.event_id WHERE excluded.event_id > feed_floors.event_id
      """
    )
    delete = try connection.prepare(
      """
      DELETE FROM subscriptions WHERE id = ?1 AND ended IS NOT NULL
      RETURNING owner, container, length(body)
      """
    )
  }

  /// Removes the subscriptions that have ended with an event, or before it.
  ///
  /// - Parameters:
  ///   - id: The event; all of the channel that come before it are forgotten.
  ///   - location: Its place among the events of all channels.
  ///   - max: Most rows.
  /// - Returns: How many rows; `max`: there may be more.
  /// - Throws: `SQLError`.
  func remove(endedWith id: NotificationID, at location: Int64, rowsMax max: Int) throws -> Int {
    var numbers: [Int64] = []
    select.bind(id.channel, at: 1)
    select.bind(id.sequence, at: 2)
    select.bind(Int64(max), at: 3)
    try select.forEachRow { numbers.append(select.int64(0)) }
    for number in numbers {
      raise.bind(id.sequence, at: 2)
      raise.bind(location, at: 3)
      try remove(number)
    }
    return numbers.count
  }

  /// Removes a subscription of which nothing is kept, if it ever had anything.
  func removeForgotten(_ number: Int64) throws {
    raise.bind(nil as Int64?, at: 2)
    raise.bind(nil as Int64?, at: 3)
    try remove(number)
  }

  private func remove(_ number: Int64) throws {
    raise.bind(number, at: 1)
    try raise.run()
    delete.bind(number, at: 1)
    try delete.forEachRow {
      let cost = StorageCost.subscription(body: Int(delete.int64(2)))
      try usage.add(-cost, to: delete.string(0), in: delete.string(1))
    }
  }
}
