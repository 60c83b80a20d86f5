internal import TidingsModel
internal import TidingsSQL

/// Refuses tokens from before what is kept, and those that are ahead of what there is: what a client
/// would miss must not be skipped silently.
final class RetentionLimit {
  private let locations: EventPositions
  private let limits: Limits
  private let selectLost: any SQLStatement

  init(_ connection: any SQLConnection, locations: EventPositions, limits: Limits) throws {
    self.locations = locations
    self.limits = limits
    // The newest event that is forgotten of a channel was the user's, and is behind the token; or that
    // of a subscription that is over.
    selectLost = try connection.prepare(
      """
      SELECT 1 FROM memberships s JOIN channels c ON c.id = s.channel_id
      WHERE s.owner = ?1 AND s.container = ?2 AND s.environment = ?3
        AND c.floor_event > ?4 AND s.since < c.floor AND (s.ended IS NULL OR s.ended >= c.floor)
      UNION ALL
      SELECT 1 FROM feed_floors
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND event_id > ?4
      LIMIT 1
      """
    )
  }

  /// Checks that everything of a user's after a token is kept, and that nothing after it is yet to
  /// come under a number that it covers.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - inbox: Whose.
  ///   - newestMark: The number of the user's newest read mark.
  /// - Throws: `ItemError` `changeTokenExpired`; `SQLError`.
  func check(_ token: ChangeToken, of inbox: Inbox, newestMark: Int64) throws {
    // The newest event and the newest mark are never forgotten.
    guard token.event <= (try locations.last()), token.mark <= newestMark else {
      throw ItemError.tokenFromTheFuture("the notifications")
    }
    // Most tokens are newer than all that is forgotten of anybody.
    guard let first = try locations.first(), token.event < first - 1 else { return }
    inbox.bind(to: selectLost)
    selectLost.bind(token.event, at: 4)
    defer { selectLost.reset() }
    guard try selectLost.step() else { return }
    let count = try locations.last() - first + 1
    let reason =
      count >= limits.notificationsMax
      ? "this server keeps the newest \(limits.notificationsMax) notifications of all users"
      : "this server keeps notifications for \(limits.notificationRetentionDays) days"
    throw ItemError(
      .changeTokenExpired,
      "notifications after the change token are no longer kept, because \(reason): fetch without a "
        + "token, and look at the records themselves for what was missed"
    )
  }
}
