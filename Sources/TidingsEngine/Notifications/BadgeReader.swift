internal import TidingsCodec
internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// Counts users' badges: what they were set to, and the unread notifications since that increment
/// them.
final class BadgeReader {
  /// Most channels of which it remembers whether they increment badges.
  private let knownMax: Int

  private let memberships: MembershipTable
  private let counter: UnreadCounter
  private let codec: BodyCodec
  private let visibility: NotificationVisibility
  private let selectBadge: any SQLStatement
  private let selectBody: any SQLStatement
  /// Channels whose notifications increment badges: all subscriptions to one ask for the same.
  private var known: [Int64: Bool] = [:]

  init(
    _ connection: any SQLConnection,
    memberships: MembershipTable,
    counter: UnreadCounter,
    codec: BodyCodec,
    visibility: NotificationVisibility,
    memory: MemoryShares
  ) throws {
    knownMax = memory.count(of: .badges)
    (self.memberships, self.counter, self.codec) = (memberships, counter, codec)
    self.visibility = visibility
    selectBadge = try connection.prepare(
      """
      SELECT value, event_id FROM badges WHERE owner = ?1 AND container = ?2 AND environment = ?3
      """
    )
    selectBody = try connection.prepare(
      """
      SELECT body FROM subscriptions
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND channel_id = ?4 LIMIT 1
      """
    )
  }

  /// The badge of a user, as one of the user's devices shows it.
  ///
  /// - Parameters:
  ///   - inbox: Whose.
  ///   - caller: The device: what it caused itself does not count.
  /// - Returns: The badge; nothing is added beyond `UnreadCounter.countMax`.
  /// - Throws: `SQLError`.
  func badge(of inbox: Inbox, for caller: Caller) throws -> Int {
    var (badge, location) = try stored(inbox)
    for membership in try memberships.memberships(of: inbox, limit: .max) {
      guard badge < UnreadCounter.countMax else { break }
      guard try increments(membership.channel, inbox) else { continue }
      badge += try counter.count(
        membership,
        of: inbox.user,
        visible: visibility.visible(membership.channel, to: inbox.user),
        withoutOwn: caller.device,
        after: location,
        max: UnreadCounter.countMax - badge
      )
    }
    return Int(badge)
  }

  /// The badges of a user when some notifications were stored: what the badge was set to before, and
  /// the notifications since then up to each that increment it and were not read at its time.
  ///
  /// - Parameters:
  ///   - moments: Places and times of the notifications, oldest first.
  ///   - inbox: Whose.
  ///   - caller: The device: what it caused itself does not count.
  /// - Returns: A badge for each; `nil`: the badge was set again since, and what it was is not kept.
  /// - Throws: `SQLError`.
  func badges(
    at moments: [(location: Int64, time: Timestamp)],
    of inbox: Inbox,
    for caller: Caller
  ) throws -> [Int?] {
    let (value, set) = try stored(inbox)
    guard let first = moments.first(where: { $0.location > set }), let last = moments.last else {
      return moments.map { _ in nil }
    }
    var unread: [UnreadCounter.Unread] = []
    for membership in try memberships.memberships(of: inbox, limit: .max) {
      let room = UnreadCounter.countMax - value - Int64(unread.count)
      guard room > 0 else { break }
      guard try increments(membership.channel, inbox) else { continue }
      unread += try counter.unread(
        membership,
        of: inbox.user,
        visible: visibility.visible(membership.channel, to: inbox.user),
        withoutOwn: caller.device,
        in: (set, last.location),
        at: first.time,
        max: room
      )
    }
    return moments.map { moment in
      guard moment.location > set else { return nil }
      let count = unread.count { event in
        event.location <= moment.location && event.read.map { $0 > moment.time } ?? true
      }
      return Int(value) + count
    }
  }

  private func stored(_ inbox: Inbox) throws(SQLError) -> (value: Int64, location: Int64) {
    inbox.bind(to: selectBadge)
    defer { selectBadge.reset() }
    return try selectBadge.step() ? (selectBadge.int64(0), selectBadge.int64(1)) : (0, 0)
  }

  /// Whether a user's notifications of a channel increment the badge.
  func increments(_ channel: Int64, _ inbox: Inbox) throws -> Bool {
    if let known = known[channel] { return known }
    inbox.bind(to: selectBody)
    selectBody.bind(channel, at: 4)
    defer { selectBody.reset() }
    guard try selectBody.step() else { return false }
    var increments = false
    try selectBody.withBytes(0) {
      increments = try codec.decodeSubscription($0).notificationInfo?.shouldBadge ?? false
    }
    if known.count >= knownMax { known.removeAll() }
    known[channel] = increments
    return increments
  }
}
