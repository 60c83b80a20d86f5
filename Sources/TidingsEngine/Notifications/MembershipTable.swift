internal import TidingsModel
internal import TidingsSQL

/// Which events of which channels belong to a user, read from the rows of subscriptions.
final class MembershipTable {
  typealias Membership = SubscriptionTable.Membership

  private let selectAll: any SQLStatement
  private let selectOfChannel: any SQLStatement
  private let selectBefore: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    selectAll = try connection.prepare(
      """
      SELECT channel_id, subscription_id, since, ended FROM memberships
      WHERE owner = ?1 AND container = ?2 AND environment = ?3
      ORDER BY channel_id, since LIMIT ?4
      """
    )
    selectOfChannel = try connection.prepare(
      """
      SELECT channel_id, subscription_id, since, ended FROM memberships
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND channel_id = ?4
      ORDER BY since
      """
    )
    selectBefore = try connection.prepare(
      """
      SELECT channel_id, subscription_id, since, ended FROM memberships
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND channel_id = ?4 AND since < ?5
        AND (ended IS NULL OR ended > since)
      ORDER BY since DESC LIMIT 1
      """
    )
  }

  /// The first memberships of a user, by channel, oldest first.
  ///
  /// - Parameters:
  ///   - inbox: Whose.
  ///   - limit: Most of them.
  /// - Returns: The memberships.
  /// - Throws: `SQLError`.
  func memberships(of inbox: Inbox, limit: Int) throws -> [Membership] {
    inbox.bind(to: selectAll)
    selectAll.bind(Int64(limit), at: 4)
    return try read(selectAll)
  }

  /// All memberships of a user, by channel, oldest first.
  ///
  /// - Throws: `LongCall`; `SQLError`.
  func memberships(of inbox: Inbox, pace: Pace) throws -> [Membership] {
    inbox.bind(to: selectAll)
    selectAll.bind(Int64.max, at: 4)
    return try read(selectAll, pace: pace)
  }

  /// The memberships of a user in one channel, oldest first.
  func memberships(of inbox: Inbox, in channel: Int64) throws -> [Membership] {
    inbox.bind(to: selectOfChannel)
    selectOfChannel.bind(channel, at: 4)
    return try read(selectOfChannel)
  }

  /// The subscription that a notification belongs to; `nil`: it is not the user's.
  ///
  /// Those of a channel follow each other: it can be in the last one that began before it, of those that did not end
  /// where they began.
  func subscriptionID(of id: NotificationID, in inbox: Inbox) throws -> String? {
    inbox.bind(to: selectBefore)
    selectBefore.bind(id.channel, at: 4)
    selectBefore.bind(id.sequence, at: 5)
    return try read(selectBefore).first { $0.holds(id.sequence) }?.subscriptionID
  }

  private func read(_ statement: any SQLStatement, pace: Pace? = nil) throws -> [Membership] {
    var memberships: [Membership] = []
    try statement.forEachRow {
      memberships.append(
        Membership(
          channel: statement.int64(0),
          subscriptionID: statement.string(1),
          since: statement.int64(2),
          ended: statement.isNull(3) ? nil : statement.int64(3)
        )
      )
      try pace?.decisionStep()
    }
    return memberships
  }
}

extension SubscriptionTable.Membership {
  /// An event of the channel belongs to the subscription.
  func holds(_ sequence: Int64) -> Bool { sequence > since && sequence <= ended ?? .max }
}
