internal import TidingsModel
internal import TidingsSQL

/// Counts what a user has not read, up to a bound.
final class UnreadCounter {
  /// Nothing is counted beyond this.
  static let countMax: Int64 = 9_999

  private let places: EventPlaces
  private let count: any SQLStatement

  init(_ connection: any SQLConnection, places: EventPlaces) throws {
    self.places = places
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
  }

  /// Counts the notifications of one membership that are kept and not marked read.
  ///
  /// - Parameters:
  ///   - membership: Which.
  ///   - user: Whose it is.
  ///   - visible: Which of them the user may see.
  ///   - device: Without what this device caused; empty: with all.
  ///   - place: Only events behind this place.
  ///   - max: Where to stop.
  /// - Returns: The number, `max` at most.
  /// - Throws: `SQLError`.
  func count(
    _ membership: MembershipTable.Membership,
    of user: String,
    visible: NotificationVisibility.Visible,
    withoutOwn device: String = "",
    after place: Int64 = 0,
    max: Int64 = countMax
  ) throws -> Int64 {
    guard max > 0, visible != .none,
      let first = try places.number(
        upTo: place,
        in: membership.channel,
        from: membership.since
      )
    else { return 0 }
    count.bind(membership.channel, at: 1)
    count.bind(first, at: 2)
    count.bind(membership.ended ?? .max, at: 3)
    count.bind(device.isEmpty ? nil : device, at: 4)
    count.bind(user, at: 5)
    count.bind(max, at: 6)
    count.bind(visible.creator, at: 7)
    defer { count.reset() }
    return try count.step() ? count.int64(0) : 0
  }
}
