internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Reads a user's notifications after a token, from a snapshot of the store: all channels' events in
/// the order in which they were stored, without what the calling device caused and what was marked
/// read; when no event is left, what other devices marked read since.
final class NotificationFeed {
  /// What was found after a token.
  private struct Found {
    let cut: PageCut
    /// No event is left.
    let isAtEnd: Bool
    let token: ChangeToken
    let itemsMax: Int
    let rowsMax: Int
  }

  /// Events, and read marks, that a last page looks at.
  private static let lastRowsMax = 64

  private let identity: StoreIdentity
  private let limits: Limits
  private let codec: BodyCodec
  private let memberships: MembershipTable
  private let locations: EventPositions
  private let marks: ReadMarkReader
  private let floors: RetentionLimit
  private let badges: BadgeReader
  private let pool: StatementPool
  private let selectLog: any SQLStatement
  private let selectRemoval: any SQLStatement
  private let visibility: NotificationVisibility
  private let bodies: EventBodies

  init(
    _ connection: any SQLConnection,
    identity: StoreIdentity,
    codec: BodyCodec,
    limits: Limits,
    visibility: NotificationVisibility,
    interruption: Interruption = Interruption()
  ) throws {
    self.identity = identity
    self.visibility = visibility
    self.limits = limits
    self.codec = codec
    bodies = try EventBodies(connection, codec: codec)
    memberships = try MembershipTable(connection)
    locations = try EventPositions(connection)
    marks = try ReadMarkReader(connection)
    floors = try RetentionLimit(connection, locations: locations, limits: limits)
    badges = try BadgeReader(
      connection,
      memberships: memberships,
      counter: UnreadCounter(connection, locations: locations, interruption: interruption),
      codec: codec,
      visibility: visibility,
      memory: limits.memory
    )
    pool = StatementPool(connection)
    selectLog = try LoggedEvents.statement(connection)
    // The index has only those above 0.
    selectRemoval = try connection.prepare(
      "SELECT 1 FROM zone_removals WHERE batch = ?1 AND batch > 0"
    )
  }

  /// Returns a page of the caller's notifications.
  ///
  /// It ends early before `Limits.answerBytesMax` bytes, with JSON, are exceeded, though never without
  /// an item, and after `Limits.rowsPerPageMax` events, skipped ones too.
  ///
  /// - Parameter request: Whose, and from where on.
  /// - Returns: The page, and the token for the next one.
  /// - Throws: `ItemError` for a token that cannot be used; `SQLError`.
  func page(_ request: NotificationRequest) throws -> NotificationPage {
    try finish(read(request, rowsMax: limits.rowsPerPageMax), request)
  }

  /// Returns the page of a caller who has seen nearly everything.
  ///
  /// - Parameter request: Whose, and from where on.
  /// - Returns: The last page; `nil`: it is not, or takes longer.
  /// - Throws: As `page`.
  func lastPage(_ request: NotificationRequest) throws -> NotificationPage? {
    guard !request.wantsBadge, !request.wantsUserInfo else { return nil }
    let found = try read(request, rowsMax: Self.lastRowsMax)
    guard found.isAtEnd else { return nil }
    let page = try finish(found, request)
    return page.moreComing ? nil : page
  }

  /// How many times as long a notification is at most with its JSON, in which a control character has six, and a location of
  /// two bytes 33.
  private static let userInfoGrowth = 18

  private func read(_ request: NotificationRequest, rowsMax: Int) throws -> Found {
    let inbox = request.inbox
    marks.begin(inbox)
    let before = try token(request, inbox)
    let itemsMax =
      request.limit == 0 ? limits.pageItemsMax : min(request.limit, limits.pageItemsMax)
    let growth = request.wantsUserInfo ? Self.userInfoGrowth : 1
    let bytesMax = limits.answerBytesMax / growth
    var cut = PageCut(after: before.event, itemsMax: itemsMax, bytesMax: bytesMax)
    let last = try locations.last()
    let events = try events(
      after: before.event,
      last: last,
      request,
      jumps: rowsMax > Self.lastRowsMax
    )
    defer { events.close() }
    let isAtEnd = try fill(&cut, from: events, for: inbox.user, rowsMax: rowsMax)
    let token = ChangeToken(event: isAtEnd ? last : cut.position, mark: before.mark)
    return Found(cut: cut, isAtEnd: isAtEnd, token: token, itemsMax: itemsMax, rowsMax: rowsMax)
  }

  private func finish(_ found: Found, _ request: NotificationRequest) throws -> NotificationPage {
    let inbox = request.inbox
    var page = NotificationPage()
    var after = found.token
    page.items = found.cut.items
    if request.wantsUserInfo { try addBadges(to: &page.items, request) }
    page.isSplit = try found.cut.isSplit || goesOn(found.cut.lastBatch)
    page.moreComing = !found.isAtEnd
    if found.isAtEnd { try addMarks(to: &page, request, found, &after) }
    page.changeToken = after.encoded(feed: inbox.feedName, identity: identity)
    if request.wantsBadge, !page.moreComing {
      page.badge = try badges.badge(of: inbox, for: request.caller)
    }
    return page
  }

  private func addBadges(
    to items: inout [NotificationPage.Item],
    _ request: NotificationRequest
  ) throws {
    var indexes: [Int] = []
    var moments: [(location: Int64, time: Timestamp)] = []
    for (index, item) in items.enumerated()
    where try badges.increments(item.id.channel, request.inbox) {
      guard let location = try locations.location(of: item.id.sequence, in: item.id.channel) else {
        continue
      }
      indexes.append(index)
      moments.append((location, try codec.committed(ofEvent: item.body)))
    }
    guard !moments.isEmpty else { return }
    let found = try badges.badges(at: moments, of: request.inbox, for: request.caller)
    for (index, badge) in zip(indexes, found) { items[index].badge = badge }
  }

  /// The call deleted a zone whose records are still being removed: more of it is to come.
  private func goesOn(_ batch: Int64?) throws(SQLError) -> Bool {
    guard let batch else { return false }
    selectRemoval.bind(batch, at: 1)
    defer { selectRemoval.reset() }
    return try selectRemoval.step()
  }

  private func token(_ request: NotificationRequest, _ inbox: Inbox) throws -> ChangeToken {
    guard !request.changeToken.isEmpty else {
      // Who begins has seen nothing that could have been marked read since.
      return ChangeToken(event: 0, mark: try marks.newest())
    }
    let token = try ChangeToken(
      request.changeToken,
      feed: inbox.feedName,
      identity: identity
    )
    try floors.check(token, of: inbox, newestMark: try marks.newest())
    return token
  }

  private func events(
    after location: Int64,
    last: Int64,
    _ request: NotificationRequest,
    jumps: Bool
  ) throws -> any FeedEvents {
    let few = try memberships.memberships(
      of: request.inbox,
      limit: MergedEvents.membershipsMax + 1
    )
    guard few.count > MergedEvents.membershipsMax else {
      return try MergedEvents(after: location, few, for: request.caller, locations, bodies, pool)
    }
    return LoggedEvents(
      after: location,
      last: last,
      of: request.inbox,
      for: request.caller,
      rows: selectLog,
      memberships: memberships,
      locations: locations,
      bodies: bodies,
      jumps: jumps
    )
  }

  /// Adds events until the page is at its end.
  ///
  /// - Returns: No event is left.
  private func fill(
    _ cut: inout PageCut,
    from events: any FeedEvents,
    for user: String,
    rowsMax: Int
  ) throws -> Bool {
    var rows = rowsMax
    while true {
      switch try events.next(&rows) {
      case .end: return true
      case .pause(let location, let batch):
        cut.endEarly(at: location, within: batch)
        return false
      case .event(let event):
        let visible = try visibility.visible(event.id.channel, to: user)
        if try event.isOwn || marks.isRead(event.id) || !visible.shows(creator: events.creator) {
          cut.pass(to: event.location)
          continue
        }
        let item = NotificationPage.Item(
          id: event.id,
          subscriptionID: event.subscriptionID,
          body: try events.body()
        )
        guard cut.add(event.location, of: event.batch, item) else { return false }
      }
    }
  }

  private func addMarks(
    to page: inout NotificationPage,
    _ request: NotificationRequest,
    _ found: Found,
    _ token: inout ChangeToken
  ) throws {
    guard !request.omitsReadMarks else {
      token.mark = max(token.mark, try marks.newest())
      return
    }
    (page.readMarks, page.moreComing) = try marks.marks(
      after: &token.mark,
      for: request.caller.device,
      itemsMax: found.itemsMax - page.items.count,
      rowsMax: found.rowsMax
    )
  }
}
