internal import TidingsModel
internal import TidingsSQL

/// Hands out notifications to the devices of a group, each to one of them at a time.
///
/// First those whose lease ended without being settled, then new ones, merged over the user's channels
/// in the order in which they were stored. What is marked read is skipped.
final class LeaseNotifications {
  private let visibility: NotificationVisibility
  let channels: ChannelRegistry
  let memberships: MembershipTable
  let groups: WorkGroupTable
  private let leases: LeaseTable
  private let events: WorkEvents
  let limits: Limits
  let pace: Pace

  init(
    visibility: NotificationVisibility,
    channels: ChannelRegistry,
    memberships: MembershipTable,
    groups: WorkGroupTable,
    leases: LeaseTable,
    events: WorkEvents,
    limits: Limits,
    pace: Pace
  ) {
    self.visibility = visibility
    self.channels = channels
    self.memberships = memberships
    self.groups = groups
    self.leases = leases
    self.events = events
    self.limits = limits
    self.pace = pace
  }

  /// What a call asks for, and what it has got so far.
  private struct Hand {
    let group: Int64
    let inbox: Inbox
    let device: String
    let limit: Int
    let moment: Moment
    let timeout: Duration
    var page = LeasePage()
    var bytes = 0
    /// Events that were looked at.
    var rows = 0

    /// When what is leased now ends, as the device sees it.
    var expires: Timestamp {
      moment.timeOfDay.advanced(milliseconds: timeout.milliseconds)
    }
    var isFull: Bool { page.items.count >= limit }
  }

  /// Leases notifications to the caller's device.
  ///
  /// - Parameters:
  ///   - plan: Of which group; it begins to exist.
  ///   - caller: Whose notifications, and the device.
  ///   - limit: Most notifications; 0: `Limits.pageItemsMax`.
  ///   - timeout: How long.
  ///   - moment: That of the transaction.
  /// - Returns: What the device got.
  /// - Throws: `ItemError` `limitExceeded` for a lease too many; `SQLError`.
  func callAsFunction(
    _ plan: Plan,
    for caller: Caller,
    limit: Int,
    timeout: VisibilityTimeout,
    at moment: Moment
  ) throws -> LeasePage {
    var hand = Hand(
      group: try plan.number ?? make(plan),
      inbox: plan.inbox,
      device: caller.device,
      limit: limit == 0 ? limits.pageItemsMax : min(limit, limits.pageItemsMax),
      moment: moment,
      timeout: timeout.duration
    )
    events.begin(for: caller)
    try handOutAgain(&hand)
    if !hand.page.moreComing, !plan.passesAll { try handOutNew(plan.behind, &hand) }
    if hand.page.items.isEmpty {
      hand.page.nextExpiry = try leases.nextEnd(of: hand.group, after: moment.steady)
    }
    return hand.page
  }

  private func make(_ plan: Plan) throws -> Int64 {
    let number = try groups.make(plan.name, in: plan.inbox)
    guard plan.passesAll else { return number }
    for channel in plan.behind {
      try groups.setPosition(channel.last, in: channel.number, of: number)
      pace.step()
    }
    return number
  }

  // MARK: Again

  private func handOutAgain(_ hand: inout Hand) throws {
    // What is looked at is leased, settled or forgotten: the next look begins behind it.
    while hand.rows < limits.rowsPerPageMax {
      let wanted = hand.limit - hand.page.items.count + 1
      let ended = try leases.ended(of: hand.group, at: hand.moment.steady, limit: wanted)
      for lease in ended where try !handOutAgain(lease, &hand) {
        hand.page.moreComing = true
        return
      }
      if ended.count < wanted { return }
    }
    hand.page.moreComing = true
  }

  /// - Returns: `false` when it does not fit.
  private func handOutAgain(_ lease: LeaseID, _ hand: inout Hand) throws -> Bool {
    let id = lease.notification
    hand.rows += 1
    pace.step()
    guard let subscriptionID = try memberships.subscriptionID(of: id, in: hand.inbox),
      let body = try events.body(of: id),
      try visibility.visible(id.channel, to: hand.inbox.user).shows(creator: { body.creator })
    else {
      try leases.delete(lease)
      return true
    }
    if try events.nextMark(in: id.channel, from: id.sequence) == id.sequence {
      try leases.settle(lease, at: hand.moment.timeOfDay)
      return true
    }
    let next = LeaseID(group: lease.group, notification: id, number: lease.number + 1)
    return try give(next, subscriptionID, body.bytes, isOwn: body.isOwn, &hand)
  }

  // MARK: New

  private func handOutNew(_ behind: [ChannelBehind], _ hand: inout Hand) throws {
    var cursors = try cursors(of: behind, hand)
    var heap = Heap(cursors.indices.compactMap { cursors[$0].location(at: $0) })
    let room = heap.first == nil ? 0 : limits.openLeasesMax - (try leases.openCount(of: hand.group))
    var given = 0
    while hand.rows < limits.rowsPerPageMax, let index = heap.first?.index,
      let event = cursors[index].next
    {
      hand.rows += 1
      if try !isRead(event, in: &cursors[index]) {
        if given >= room { break }
        let id = NotificationID(channel: cursors[index].channel, sequence: event.sequence)
        let bytes = try events.body(of: id)?.bytes ?? []
        let lease = LeaseID(group: hand.group, notification: id, number: 1)
        let subscriptionID = cursors[index].subscriptionID
        guard try give(lease, subscriptionID, bytes, isOwn: event.isOwn, &hand) else { break }
        given += 1
      }
      cursors[index].advance()
      try refill(&cursors[index])
      heap.replaceFirst(with: cursors[index].location(at: index))
    }
    if hand.page.items.isEmpty, heap.first != nil, given >= room { throw tooManyOpen(hand) }
    for cursor in cursors where cursor.position > cursor.start {
      try groups.setPosition(cursor.position, in: cursor.channel, of: hand.group)
    }
    hand.page.moreComing = heap.first != nil
  }

  /// A cursor for each channel with something new, with its first event read.
  private func cursors(of behind: [ChannelBehind], _ hand: Hand) throws -> [WorkCursor] {
    var cursors: [WorkCursor] = []
    for channel in behind {
      pace.step()
      let visible = try visibility.visible(channel.number, to: hand.inbox.user)
      guard visible != .none else { continue }
      var cursor = WorkCursor(
        channel.ranges,
        channel: channel.number,
        head: channel.last,
        after: channel.position,
        creator: visible.creator
      )
      try refill(&cursor)
      cursors.append(cursor)
    }
    return cursors
  }

  private func refill(_ cursor: inout WorkCursor) throws {
    if cursor.next == nil { try events.refill(&cursor) }
  }

  /// Looks a mark up only behind the one that is known: once in a channel without marks.
  private func isRead(_ event: WorkCursor.Event, in cursor: inout WorkCursor) throws -> Bool {
    if let mark = cursor.nextMark, mark >= event.sequence { return mark == event.sequence }
    let mark = try events.nextMark(in: cursor.channel, from: event.sequence)
    cursor.nextMark = mark
    return mark == event.sequence
  }

  // MARK: Giving

  /// - Returns: `false` when it does not fit.
  private func give(
    _ lease: LeaseID,
    _ subscriptionID: String,
    _ body: [UInt8],
    isOwn: Bool,
    _ hand: inout Hand
  ) throws -> Bool {
    guard !hand.isFull,
      hand.page.items.isEmpty || hand.bytes + body.count <= limits.answerBytesMax
    else { return false }
    hand.bytes += body.count
    try leases.lease(lease, to: hand.device, at: hand.moment, for: hand.timeout)
    hand.page.items.append(
      LeasedNotification(
        id: lease.notification,
        leaseID: lease,
        subscriptionID: subscriptionID,
        body: body,
        expires: hand.expires,
        isOwnChange: isOwn
      )
    )
    return true
  }

  private func tooManyOpen(_ hand: Hand) -> ItemError {
    ItemError(
      .limitExceeded,
      "the group has \(limits.openLeasesMax) leases that are not settled, the most that are allowed: "
        + "settle some first (SettleNotifications), or wait until they end",
      retryAfter: .seconds(1)
    )
  }
}
