internal import TidingsModel
internal import TidingsSQL

/// A page of a user's notifications.
public struct NotificationPage: Sendable {
  /// One notification.
  public struct Item: Sendable {
    /// Its name.
    public let id: NotificationID
    /// The user's subscription that fired.
    public let subscriptionID: String
    /// The encoded notification, without its name and subscription.
    public let body: [UInt8]
  }

  /// Oldest first.
  public let items: [Item]
  /// For the next page.
  public let changeToken: [UInt8]
  /// There is more at once.
  public let moreComing: Bool
}

/// Names a notification: its channel and the number in it.
public struct NotificationID: Hashable, Sendable, LosslessStringConvertible {
  /// The channel's number.
  public let channel: Int64
  /// The number in the channel.
  public let sequence: Int64

  /// A notification by its channel and number.
  public init(channel: Int64, sequence: Int64) {
    self.channel = channel
    self.sequence = sequence
  }

  /// Reads the printed form.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let channel = Int64(parts[0]), let sequence = Int64(parts[1]),
      channel > 0, sequence > 0
    else { return nil }
    self.init(channel: channel, sequence: sequence)
  }

  /// The printed form, for example `12-345`.
  public var description: String { "\(channel)-\(sequence)" }
}

/// Merges the events of a user's channels: oldest first, after a token's positions, without what the
/// calling device caused and what was marked read.
final class NotificationFeed {
  private let channels: ChannelRegistry
  private let subscriptions: SubscriptionTable
  private let identity: StoreIdentity
  private let limits: Limits
  private let selectEvents: any SQLStatement
  private let selectMark: any SQLStatement
  private let insertMark: any SQLStatement
  private let selectEvent: any SQLStatement

  /// Events read from one channel at a time.
  private static let chunkRows = 64

  init(
    _ connection: any SQLConnection, channels: ChannelRegistry, subscriptions: SubscriptionTable,
    identity: StoreIdentity, limits: Limits
  ) throws {
    self.channels = channels
    self.subscriptions = subscriptions
    self.identity = identity
    self.limits = limits
    selectEvents = try connection.prepare(
      """
      SELECT sequence, committed, origin_user, origin_device, body FROM events
      WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3 ORDER BY sequence LIMIT ?4
      """)
    selectMark = try connection.prepare(
      "SELECT 1 FROM read_marks WHERE owner = ?1 AND channel_id = ?2 AND sequence = ?3")
    insertMark = try connection.prepare(
      """
      INSERT INTO read_marks (owner, channel_id, sequence) VALUES (?1, ?2, ?3)
      ON CONFLICT (owner, channel_id, sequence) DO NOTHING
      """)
    selectEvent = try connection.prepare(
      "SELECT 1 FROM events WHERE channel_id = ?1 AND sequence = ?2")
  }

  /// Returns a page of the caller's notifications.
  ///
  /// - Parameters:
  ///   - token: What the last page returned; empty: from the oldest that is kept.
  ///   - limit: Most notifications in the page; 0: `Limits.pageItemsMax`.
  /// - Throws: `ItemError` for a token that cannot be used; `SQLError`.
  func page(
    for caller: Caller, container: String, environment: Environment, after token: [UInt8],
    limit: Int
  ) throws -> NotificationPage {
    let feed = "notifications\0\(caller.user)\0\(container)\0\(environment.rawValue)"
    var position = try token.isEmpty
      ? ChangeToken() : ChangeToken(token, feed: feed, identity: identity)
    let limit = limit == 0 ? limits.pageItemsMax : min(limit, limits.pageItemsMax)

    let memberships = try subscriptions.memberships(
      of: caller.user, container: container, environment: environment)
    let mine = Set(memberships.map(\.channel))
    position.positions = position.positions.filter { mine.contains($0.key) }
    var cursors = try memberships.compactMap { try cursor($0, after: position) }
    var items: [NotificationPage.Item] = []
    var (rows, bytes) = (0, 0)
    while items.count < limit, rows < limits.rowsPerPageMax, bytes < limits.answerBytesMax,
      let oldest = Self.oldest(of: cursors)
    {
      let membership = cursors[oldest].membership
      let event = cursors[oldest].takeFirst()
      rows += 1
      position.positions[membership.channel] = event.sequence
      if !event.isCaused(by: caller), try !isRead(event, of: caller.user, in: membership.channel) {
        bytes += event.body.count
        items.append(
          NotificationPage.Item(
            id: NotificationID(channel: membership.channel, sequence: event.sequence),
            subscriptionID: membership.subscriptionID, body: event.body))
      }
      if cursors[oldest].events.isEmpty {
        try refill(&cursors[oldest], after: event.sequence)
        if cursors[oldest].events.isEmpty { cursors.remove(at: oldest) }
      }
    }
    return NotificationPage(
      items: items, changeToken: position.encoded(feed: feed, identity: identity),
      moreComing: !cursors.isEmpty)
  }

  /// Marks a notification read, for all devices of the user.
  ///
  /// - Throws: `ItemError` `unknownItem` when the user has no such notification; `SQLError`.
  func markRead(
    _ id: NotificationID, of owner: String, among memberships: [SubscriptionTable.Membership]
  ) throws {
    let isMember = memberships.contains { membership in
      membership.channel == id.channel && id.sequence > membership.since
        && id.sequence <= membership.ended ?? .max
    }
    guard try isMember && exists(id) else {
      throw ItemError(.unknownItem, "notification '\(id)' does not exist")
    }
    insertMark.bind(owner, at: 1)
    insertMark.bind(id.channel, at: 2)
    insertMark.bind(id.sequence, at: 3)
    try insertMark.run()
  }

  // MARK: Reading

  private struct EventRow {
    let sequence: Int64
    let committed: Int64
    let originUser: String
    let originDevice: String
    let body: [UInt8]

    func isCaused(by caller: Caller) -> Bool {
      !caller.device.isEmpty && originDevice == caller.device && originUser == caller.user
    }
  }

  /// A channel's next events, the next one last.
  private struct Cursor {
    let membership: SubscriptionTable.Membership
    let end: Int64
    var events: [EventRow] = []

    func isOlder(than other: Cursor) -> Bool {
      guard let mine = events.last, let theirs = other.events.last else { return false }
      return (mine.committed, membership.channel) < (theirs.committed, other.membership.channel)
    }

    mutating func takeFirst() -> EventRow { events.removeLast() }
  }

  /// The cursor with the next event: the oldest by the clock, though never one of a channel before
  /// that channel's earlier ones, for the clock may have gone back while the server was down.
  private static func oldest(of cursors: [Cursor]) -> Int? {
    // The cursors of a channel stand next to each other, in the order of their numbers.
    cursors.indices.lazy
      .filter { index in
        index == 0 || cursors[index - 1].membership.channel != cursors[index].membership.channel
      }
      .min { cursors[$0].isOlder(than: cursors[$1]) }
  }

  private func cursor(_ membership: SubscriptionTable.Membership, after position: ChangeToken) throws
    -> Cursor?
  {
    let start = max(position.positions[membership.channel] ?? 0, membership.since)
    let end = try membership.ended ?? channels.head(membership.channel)
    guard start < end else { return nil }
    var cursor = Cursor(membership: membership, end: end)
    try refill(&cursor, after: start)
    return cursor.events.isEmpty ? nil : cursor
  }

  private func refill(_ cursor: inout Cursor, after sequence: Int64) throws {
    guard sequence < cursor.end else { return }
    var events: [EventRow] = []
    selectEvents.bind(cursor.membership.channel, at: 1)
    selectEvents.bind(sequence, at: 2)
    selectEvents.bind(cursor.end, at: 3)
    selectEvents.bind(Int64(Self.chunkRows), at: 4)
    try selectEvents.forEachRow {
      events.append(
        EventRow(
          sequence: selectEvents.int64(0), committed: selectEvents.int64(1),
          originUser: selectEvents.string(2), originDevice: selectEvents.string(3),
          body: selectEvents.bytes(4)))
    }
    cursor.events = events.reversed()
  }

  private func isRead(_ event: EventRow, of owner: String, in channel: Int64) throws -> Bool {
    selectMark.bind(owner, at: 1)
    selectMark.bind(channel, at: 2)
    selectMark.bind(event.sequence, at: 3)
    defer { selectMark.reset() }
    return try selectMark.step()
  }

  private func exists(_ id: NotificationID) throws -> Bool {
    selectEvent.bind(id.channel, at: 1)
    selectEvent.bind(id.sequence, at: 2)
    defer { selectEvent.reset() }
    return try selectEvent.step()
  }
}
