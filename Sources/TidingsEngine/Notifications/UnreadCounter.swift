internal import TidingsModel
internal import TidingsSQL

/// Counts what a user has not read, up to a bound.
final class UnreadCounter {
  /// Nothing is counted beyond this.
  static let countMax: Int64 = 9_999

  private let locations: EventPositions
  private let count: any SQLStatement
  private let list: any SQLStatement

  init(_ connection: any SQLConnection, locations: EventPositions) throws {
    self.locations = locations
    count = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM events
        WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3
          AND (?7 IS NULL OR creator = ?7)
          AND (?4 IS NULL OR origin_device <> ?4 OR origin_user <> ?5)
          AND NOT EXISTS (
            SELECT 1 FROM read_marks
            WHERE owner = ?5 AND channel_id = ?1 AND read_marks.sequence = events.sequence
          )
        LIMIT ?6
      ) AS unread
      """
    )
    list = try connection.prepare(
      """
      SELECT id, read FROM (
        SELECT id, channel_id, sequence, creator, origin_device, origin_user, (
          SELECT marked FROM read_marks
          WHERE owner = ?5 AND channel_id = ?1 AND read_marks.sequence = events.sequence
        ) AS read FROM events
      ) AS marked_events
      WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3 AND id <= ?8
        AND (?7 IS NULL OR creator = ?7)
        AND (?4 IS NULL OR origin_device <> ?4 OR origin_user <> ?5)
        AND (read IS NULL OR read > ?9)
      ORDER BY sequence LIMIT ?6
      """
    )
  }

  /// Counts the notifications of one membership that are kept and not marked read.
  ///
  /// - Parameters:
  ///   - membership: Which.
  ///   - user: Whose it is.
  ///   - visible: Which of them the user may see.
  ///   - device: Without what this device caused; empty: with all.
  ///   - location: Only events behind this place.
  ///   - max: Where to stop.
  /// - Returns: The number, `max` at most.
  /// - Throws: `SQLError`.
  func count(
    _ membership: MembershipTable.Membership,
    of user: String,
    visible: NotificationVisibility.Visible,
    withoutOwn device: String = "",
    after location: Int64 = 0,
    max: Int64 = countMax
  ) throws -> Int64 {
    guard max > 0, visible != .none,
      let first = try locations.number(
        upTo: location,
        in: membership.channel,
        from: membership.since
      )
    else { return 0 }
    bind(count, membership, from: first, of: user, visible, withoutOwn: device, max)
    defer { count.reset() }
    return try count.step() ? count.int64(0) : 0
  }

  /// A notification that was not read at some time.
  struct Unread {
    /// Its position in the log.
    let location: Int64
    /// When it was marked read; `nil`: never.
    let read: Timestamp?
  }

  /// The notifications of one membership that are kept and were not marked read at some time.
  ///
  /// - Parameters:
  ///   - membership: Which.
  ///   - user: Whose it is.
  ///   - visible: Which of them the user may see.
  ///   - device: Without what this device caused; empty: with all.
  ///   - locations: The places of those that are wanted: behind the lower bound, up to the upper one.
  ///   - time: When they were not read.
  ///   - max: How many at most, oldest first.
  /// - Returns: They, oldest first.
  /// - Throws: `SQLError`.
  func unread(
    _ membership: MembershipTable.Membership,
    of user: String,
    visible: NotificationVisibility.Visible,
    withoutOwn device: String,
    in locations: (after: Int64, upTo: Int64),
    at time: Timestamp,
    max: Int64
  ) throws -> [Unread] {
    guard max > 0, visible != .none,
      let first = try self.locations.number(
        upTo: locations.after,
        in: membership.channel,
        from: membership.since
      )
    else { return [] }
    bind(list, membership, from: first, of: user, visible, withoutOwn: device, max)
    list.bind(locations.upTo, at: 8)
    list.bind(time.millisecondsSince1970, at: 9)
    var found: [Unread] = []
    try list.forEachRow {
      let read = list.isNull(1) ? nil : Timestamp(millisecondsSince1970: list.int64(1))
      found.append(Unread(location: list.int64(0), read: read))
    }
    return found
  }

  private func bind(
    _ statement: any SQLStatement,
    _ membership: MembershipTable.Membership,
    from first: Int64,
    of user: String,
    _ visible: NotificationVisibility.Visible,
    withoutOwn device: String,
    _ max: Int64
  ) {
    statement.bind(membership.channel, at: 1)
    statement.bind(first, at: 2)
    statement.bind(membership.ended ?? .max, at: 3)
    statement.bind(device.isEmpty ? nil : device, at: 4)
    statement.bind(user, at: 5)
    statement.bind(max, at: 6)
    statement.bind(visible.creator, at: 7)
  }
}
