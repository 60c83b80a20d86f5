internal import TidingsModel
internal import TidingsSQL

/// Merges the events of a user's channels after a token's positions, without what the calling device
/// caused and what was marked read.
///
/// The order is that in which events were stored, which within a channel is that of its numbers.
final class NotificationFeed {
  private let channels: ChannelRegistry
  private let subscriptions: SubscriptionTable
  private let identity: StoreIdentity
  private let limits: Limits
  private let selectEvents: any SQLStatement
  private let selectBody: any SQLStatement
  private let selectNextMark: any SQLStatement

  init(
    _ connection: any SQLConnection,
    channels: ChannelRegistry,
    subscriptions: SubscriptionTable,
    identity: StoreIdentity,
    limits: Limits
  ) throws {
    self.channels = channels
    self.subscriptions = subscriptions
    self.identity = identity
    self.limits = limits
    selectEvents = try connection.prepare(
      """
      SELECT sequence, id,
        CASE WHEN origin_device = ?5 AND origin_user = ?6 THEN 1 ELSE 0 END
      FROM events
      WHERE channel_id = ?1 AND sequence >= ?2 AND sequence <= ?3 ORDER BY sequence LIMIT ?4
      """
    )
    selectBody = try connection.prepare(
      "SELECT body FROM events WHERE channel_id = ?1 AND sequence = ?2"
    )
    selectNextMark = try connection.prepare(
      """
      SELECT sequence FROM read_marks
      WHERE owner = ?1 AND channel_id = ?2 AND sequence >= ?3 ORDER BY sequence LIMIT 1
      """
    )
  }

  /// Returns a page of the caller's notifications.
  ///
  /// It ends early before `Limits.answerBytesMax` bytes of bodies are exceeded, though never without
  /// an item, and after `Limits.rowsPerPageMax` events, skipped ones too.
  ///
  /// - Parameters:
  ///   - caller: Whose notifications, and the device whose own changes are left out.
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - token: What the last page returned; empty: from the oldest that is kept.
  ///   - limit: Most notifications in the page; 0: `Limits.pageItemsMax`.
  /// - Returns: The page, oldest first, and the token for the next one.
  /// - Returns: The page, and the token for the next one.
  /// - Throws: `ItemError` for a token that cannot be used; `SQLError`.
  func page(
    for caller: Caller,
    container: String,
    environment: Environment,
    after token: [UInt8],
    limit: Int
  ) throws -> NotificationPage {
    let feed = "notifications\0\(caller.user)\0\(container)\0\(environment.rawValue)"
    let before =
      try token.isEmpty
      ? ChangeToken() : ChangeToken(token, feed: feed, identity: identity)
    let limit = limit == 0 ? limits.pageItemsMax : min(limit, limits.pageItemsMax)

    let memberships = try subscriptions.memberships(
      of: caller.user,
      container: container,
      environment: environment
    )
    bind(caller)
    var cursors = try cursors(over: memberships, after: before)
    var heap = Heap(cursors.indices.compactMap { cursors[$0].place(at: $0) })
    var items: [NotificationPage.Item] = []
    var (rows, bytes) = (0, 0)
    while items.count < limit, rows < limits.rowsPerPageMax, let index = heap.first?.index,
      let event = cursors[index].next
    {
      rows += 1
      if try !event.isOwn && !isRead(event, in: &cursors[index]) {
        let id = NotificationID(channel: cursors[index].channel, sequence: event.sequence)
        let body = try body(of: id)
        guard items.isEmpty || bytes + body.count <= limits.answerBytesMax else { break }
        bytes += body.count
        items.append(
          NotificationPage.Item(
            id: id,
            subscriptionID: cursors[index].subscriptionID,
            body: body
          )
        )
      }
      cursors[index].advance()
      try refill(&cursors[index])
      heap.replaceFirst(with: cursors[index].place(at: index))
    }
    var after = ChangeToken()
    after.positions.reserveCapacity(cursors.count)
    for cursor in cursors where cursor.position > 0 {
      after.positions[cursor.channel] = cursor.position
    }
    return NotificationPage(
      items: items,
      changeToken: after.encoded(feed: feed, identity: identity),
      moreComing: heap.first != nil
    )
  }

  // MARK: Reading

  /// Binds what is the same for all reads of a page: bound values stay.
  private func bind(_ caller: Caller) {
    // Null equals nothing: without a device no event is the caller's own.
    selectEvents.bind(caller.device.isEmpty ? nil : caller.device, at: 5)
    selectEvents.bind(caller.user, at: 6)
    selectNextMark.bind(caller.user, at: 1)
  }

  /// A cursor for each channel, with its first event read.
  private func cursors(
    over memberships: [SubscriptionTable.Membership],
    after token: ChangeToken
  ) throws -> [FeedCursor] {
    var cursors: [FeedCursor] = []
    var rest = memberships[...]
    while let channel = rest.first?.channel {
      let ranges = rest.prefix { $0.channel == channel }
      rest = rest.dropFirst(ranges.count)
      var cursor = FeedCursor(ranges, channel: channel, after: token.positions[channel] ?? 0)
      try refill(&cursor)
      cursors.append(cursor)
    }
    return cursors
  }

  private func refill(_ cursor: inout FeedCursor) throws {
    guard cursor.next == nil else { return }
    let channel = cursor.channel
    try cursor.refill(head: channels.head(channel)) { numbers, rows in
      var events: [FeedCursor.Event] = []
      selectEvents.bind(channel, at: 1)
      selectEvents.bind(numbers.lowerBound, at: 2)
      selectEvents.bind(numbers.upperBound, at: 3)
      selectEvents.bind(Int64(rows), at: 4)
      try selectEvents.forEachRow {
        events.append(
          FeedCursor.Event(
            sequence: selectEvents.int64(0),
            id: selectEvents.int64(1),
            isOwn: selectEvents.int64(2) != 0
          )
        )
      }
      return events
    }
  }

  private func body(of id: NotificationID) throws(SQLError) -> [UInt8] {
    selectBody.bind(id.channel, at: 1)
    selectBody.bind(id.sequence, at: 2)
    defer { selectBody.reset() }
    return try selectBody.step() ? selectBody.bytes(0) : []
  }

  /// Looks a mark up only behind the one that is known: once in a channel without marks.
  private func isRead(
    _ event: FeedCursor.Event,
    in cursor: inout FeedCursor
  ) throws(SQLError)
    -> Bool
  {
    if let mark = cursor.nextMark, mark >= event.sequence { return mark == event.sequence }
    selectNextMark.bind(cursor.channel, at: 2)
    selectNextMark.bind(event.sequence, at: 3)
    defer { selectNextMark.reset() }
    let mark = try selectNextMark.step() ? selectNextMark.int64(0) : .max
    cursor.nextMark = mark
    return mark == event.sequence
  }
}
