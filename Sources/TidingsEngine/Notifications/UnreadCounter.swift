internal import TidingsModel
internal import TidingsSQL

/// Counts what a user has not read, up to a bound.
final class UnreadCounter {
  /// Nothing is counted beyond this.
  static let countMax: Int64 = 9_999

  /// Events that are looked at together: those that do not count have no bound.
  private static let eventsPerLookMax: Int64 = 1_000

  private let locations: EventPositions
  private let interruption: Interruption
  private let count: any SQLStatement
  private let list: any SQLStatement

  init(
    _ connection: any SQLConnection,
    locations: EventPositions,
    interruption: Interruption
  ) throws {
    (self.locations, self.interruption) = (locations, interruption)
    count = try connection.prepare(
      """
      SELECT count(unread), count(*), coalesce(max(sequence), 0) FROM (
        SELECT sequence, CASE
          WHEN (?7 IS NULL OR creator = ?7)
            AND (?4 IS NULL OR origin_device <> ?4 OR origin_user <> ?5)
            AND NOT EXISTS (
              SELECT 1 FROM read_marks
              WHERE owner = ?5 AND channel_id = ?1 AND read_marks.sequence = events.sequence
            ) THEN 1 END AS unread
        FROM events WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3
        ORDER BY sequence LIMIT ?6
      ) AS looked_at
      """
    )
    list = try connection.prepare(
      """
      SELECT sequence, id, (
        SELECT marked FROM read_marks
        WHERE owner = ?5 AND channel_id = ?1 AND read_marks.sequence = events.sequence
      ), CASE
        WHEN (?7 IS NULL OR creator = ?7)
          AND (?4 IS NULL OR origin_device <> ?4 OR origin_user <> ?5) THEN 1 ELSE 0 END
      FROM events WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3 AND id <= ?8
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
    bind(count, membership, of: user, visible, withoutOwn: device)
    defer { count.reset() }
    var (total, position) = (Int64(0), first)
    while total < max {
      try interruption.check?()
      count.reset()
      count.bind(position, at: 2)
      guard try count.step() else { break }
      total += count.int64(0)
      position = count.int64(2)
      guard count.int64(1) == Self.eventsPerLookMax else { break }
    }
    return min(total, max)
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
    bind(list, membership, of: user, visible, withoutOwn: device)
    list.bind(locations.upTo, at: 8)
    var (found, position, rows) = ([] as [Unread], first, Self.eventsPerLookMax)
    while rows == Self.eventsPerLookMax, found.count < max {
      try interruption.check?()
      rows = 0
      list.bind(position, at: 2)
      try list.forEachRow {
        rows += 1
        position = list.int64(0)
        let read = list.isNull(2) ? nil : Timestamp(millisecondsSince1970: list.int64(2))
        let wasRead = read.map { $0.millisecondsSince1970 <= time.millisecondsSince1970 } ?? false
        guard list.int64(3) != 0, !wasRead, found.count < max else { return }
        found.append(Unread(location: list.int64(1), read: read))
      }
    }
    return found
  }

  private func bind(
    _ statement: any SQLStatement,
    _ membership: MembershipTable.Membership,
    of user: String,
    _ visible: NotificationVisibility.Visible,
    withoutOwn device: String
  ) {
    statement.bind(membership.channel, at: 1)
    statement.bind(membership.ended ?? .max, at: 3)
    statement.bind(device.isEmpty ? nil : device, at: 4)
    statement.bind(user, at: 5)
    statement.bind(Self.eventsPerLookMax, at: 6)
    statement.bind(visible.creator, at: 7)
  }
}
