internal import TidingsSQL

/// Goes through ended subscriptions and channels without subscribers, a few at a time, and removes
/// those of which no event is kept.
final class ChannelSweep {
  private let selectEnded: any SQLStatement
  private let ended: EndedSubscriptions
  private let selectIdle: any SQLStatement
  private let selectUse: any SQLStatement
  private let deleteChannel: any SQLStatement
  private let deletePositions: any SQLStatement
  private let selectLastChannel: any SQLStatement

  /// Where the walk stands; each starts again when the other is done.
  private var subscription: Int64 = 0
  private var channel: Int64 = 0

  init(_ connection: any SQLConnection, ended: EndedSubscriptions) throws {
    self.ended = ended
    selectEnded = try connection.prepare(
      """
      SELECT s.id, s.ended <= s.since OR s.ended <= c.floor
      FROM subscriptions s LEFT JOIN channels c ON c.id = s.channel_id
      WHERE s.ended IS NOT NULL AND s.id > ?1
        AND NOT EXISTS (SELECT 1 FROM zone_removal_channels r WHERE r.subscription_id = s.id)
      ORDER BY s.id LIMIT ?2
      """
    )
    selectIdle = try connection.prepare(
      "SELECT id FROM channels WHERE members = 0 AND id > ?1 ORDER BY id LIMIT ?2"
    )
    selectUse = try connection.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM events WHERE channel_id = ?1)
        OR EXISTS (SELECT 1 FROM subscriptions WHERE channel_id = ?1 AND ended IS NULL)
        OR EXISTS (SELECT 1 FROM subscriptions WHERE channel_id = ?1 AND ended IS NOT NULL)
      """
    )
    deleteChannel = try connection.prepare("DELETE FROM channels WHERE id = ?1")
    deletePositions = try connection.prepare(
      "DELETE FROM work_positions WHERE channel_id = ?1"
    )
    // The newest stays, so that no number is assigned twice.
    selectLastChannel = try connection.prepare(
      "SELECT id FROM channels ORDER BY id DESC LIMIT 1"
    )
  }

  /// Does a piece.
  ///
  /// - Parameter max: Most rows to look at.
  /// - Returns: There may be more; `false`: the walk is through.
  /// - Throws: `SQLError`.
  func work(rowsMax max: Int) throws -> Bool {
    if try sweepSubscriptions(max) { return true }
    if try sweepChannels(max) { return true }
    (subscription, channel) = (0, 0)
    return false
  }

  private func sweepSubscriptions(_ max: Int) throws -> Bool {
    var rows = 0
    var unused: [Int64] = []
    selectEnded.bind(subscription, at: 1)
    selectEnded.bind(Int64(max), at: 2)
    try selectEnded.forEachRow {
      rows += 1
      subscription = selectEnded.int64(0)
      if selectEnded.int64(1) != 0 { unused.append(subscription) }
    }
    for number in unused { try ended.removeForgotten(number) }
    return rows == max
  }

  private func sweepChannels(_ max: Int) throws -> Bool {
    let last = try number(selectLastChannel)
    var idle: [Int64] = []
    selectIdle.bind(channel, at: 1)
    selectIdle.bind(Int64(max), at: 2)
    try selectIdle.forEachRow { idle.append(selectIdle.int64(0)) }
    for number in idle where number < last {
      selectUse.bind(number, at: 1)
      guard try self.number(selectUse) == 0 else { continue }
      for statement in [deleteChannel, deletePositions] {
        statement.bind(number, at: 1)
        try statement.run()
      }
    }
    channel = idle.last ?? channel
    return idle.count == max
  }

  private func number(_ select: any SQLStatement) throws(SQLError) -> Int64 {
    defer { select.reset() }
    return try select.step() ? select.int64(0) : 0
  }
}
