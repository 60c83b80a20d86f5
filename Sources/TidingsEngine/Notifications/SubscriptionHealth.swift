internal import TidingsCodec
public import TidingsModel
internal import TidingsSQL

/// How a subscription fares, as far as the store knows it.
public struct SubscriptionHealth: Sendable {
  /// The number of its channel.
  public let channel: Int64
  /// When it was saved; `nil`: before this was kept.
  public let saved: Timestamp?
  /// When it fired last; `nil`: not since it was saved, or that is no longer kept.
  public let lastFired: Timestamp?
  /// How often it fired since it was saved.
  public let firedCount: Int64
  /// Notifications of it that are kept and not marked read; counted to 9,999.
  public let unreadCount: Int64
  /// How many users share its channel.
  public let subscriberCount: Int64
  /// The user may read no record of its type now: it does not fire.
  public let lacksPermission: Bool
}

/// Finds out how subscriptions fare.
final class SubscriptionHealthReader {
  private let counter: UnreadCounter
  private let interruption: Interruption
  private let visibility: NotificationVisibility
  private let codec: BodyCodec
  private let selectNames: any SQLStatement
  private let selectOne: any SQLStatement
  private let selectCommitted: any SQLStatement

  init(
    _ connection: any SQLConnection,
    visibility: NotificationVisibility,
    codec: BodyCodec,
    interruption: Interruption
  ) throws {
    self.visibility = visibility
    self.codec = codec
    self.interruption = interruption
    counter = try UnreadCounter(
      connection,
      locations: EventPositions(connection),
      interruption: interruption
    )
    selectNames = try connection.prepare(
      """
      SELECT subscription_id FROM subscriptions
      WHERE owner = ?1 AND database_id = ?2 AND ended IS NULL
        AND since >= (SELECT closed FROM channels WHERE id = channel_id)
      """
    )
    selectOne = try connection.prepare(
      """
      SELECT s.channel_id, s.since, s.saved, c.head, c.members, s.saved_nanos
      FROM subscriptions s JOIN channels c ON c.id = s.channel_id
      WHERE s.owner = ?1 AND s.database_id = ?2 AND s.subscription_id = ?3 AND s.ended IS NULL
        AND s.since >= c.closed
      """
    )
    selectCommitted = try connection.prepare(
      "SELECT body FROM events WHERE channel_id = ?1 AND sequence = ?2"
    )
  }

  /// The names of a user's active subscriptions.
  func names(of owner: String, in database: DatabaseEntry) throws -> [String] {
    var names: [String] = []
    selectNames.bind(owner, at: 1)
    selectNames.bind(database.number, at: 2)
    try selectNames.forEachRow { names.append(selectNames.string(0)) }
    return names
  }

  /// How a user's active subscription fares; `nil`: there is none of this name.
  func health(
    of subscriptionID: String,
    of owner: String,
    in database: DatabaseEntry
  ) throws -> SubscriptionHealth? {
    try interruption.step()
    selectOne.bind(owner, at: 1)
    selectOne.bind(database.number, at: 2)
    selectOne.bind(subscriptionID, at: 3)
    defer { selectOne.reset() }
    guard try selectOne.step() else { return nil }
    let (channel, since) = (selectOne.int64(0), selectOne.int64(1))
    let (saved, head) = (selectOne.time(2, nanos: 5), selectOne.int64(3))
    let visible = try visibility.visible(channel, to: owner)
    return SubscriptionHealth(
      channel: channel,
      saved: saved.millisecondsSince1970 == 0 ? nil : saved,
      lastFired: head > since ? try committed(head, in: channel) : nil,
      firedCount: max(0, head - since),
      unreadCount: try counter.count(
        .init(channel: channel, subscriptionID: subscriptionID, since: since),
        of: owner,
        visible: visible
      ),
      subscriberCount: selectOne.int64(4),
      lacksPermission: visible == .none
    )
  }

  private func committed(_ sequence: Int64, in channel: Int64) throws -> Timestamp? {
    selectCommitted.bind(channel, at: 1)
    selectCommitted.bind(sequence, at: 2)
    defer { selectCommitted.reset() }
    guard try selectCommitted.step() else { return nil }
    return try codec.committed(ofEvent: selectCommitted.bytes(0))
  }
}
