internal import TidingsModel
internal import TidingsSQL

/// The events of a user with many subscriptions: the log of all users is read on, and what is not this
/// user's is skipped, so that a page costs the same however many subscriptions there are.
final class LoggedEvents: FeedEvents {
  /// The rest of the log is worth a look at each channel, to find where the user's events go on.
  private static let rowsPerJumpMin: Int64 = 100_000

  private let inbox: Inbox
  private let rows: any SQLStatement
  private let memberships: MembershipTable
  private let locations: EventPositions
  private let bodies: EventBodies
  private let last: Int64
  private let jumps: Bool
  /// The memberships of the channels that came by.
  private var ranges: [Int64: [MembershipTable.Membership]] = [:]
  private var passed: Int64
  private var batch: Int64 = 0
  private var foundAny = false
  private var isOpen = false

  /// The walk after a place, up to another.
  ///
  /// - Parameters:
  ///   - location: The last event before.
  ///   - last: The newest event of all.
  ///   - inbox: Whose events.
  ///   - caller: Who asks.
  ///   - rows: One that `statement` compiled.
  ///   - memberships: The user's subscriptions.
  ///   - locations: Finds where to go on.
  ///   - bodies: Puts notifications together.
  ///   - jumps: A page that found nothing may look at each channel, to find where the user's events go on.
  init(
    after location: Int64,
    last: Int64,
    of inbox: Inbox,
    for caller: Caller,
    rows: any SQLStatement,
    memberships: MembershipTable,
    locations: EventPositions,
    bodies: EventBodies,
    jumps: Bool
  ) {
    (self.bodies, self.jumps) = (bodies, jumps)
    (passed, self.last) = (location, last)
    (self.inbox, self.rows, self.memberships, self.locations) = (
      inbox, rows, memberships, locations
    )
    rows.bind(caller.device.isEmpty ? nil : caller.device, at: 2)
    rows.bind(caller.user, at: 3)
  }

  /// Reads the events of all channels.
  private static let sql = """
    SELECT id, channel_id, sequence, batch, body,
      CASE WHEN origin_device = ?2 AND origin_user = ?3 THEN 1 ELSE 0 END, creator, content
    FROM events WHERE id > ?1 ORDER BY id
    """

  /// Compiles a statement that reads the events of all channels.
  static func statement(_ connection: any SQLConnection) throws(SQLError) -> any SQLStatement {
    try connection.prepare(sql, inPagesBy: PageKey(.integer(1, column: 0)))
  }

  func next(_ budget: inout Int) throws -> FeedStep {
    while true {
      guard budget > 0 else { return try pause() }
      if !isOpen {
        rows.bind(passed, at: 1)
        isOpen = true
      }
      guard try rows.step() else { return .end }
      budget -= 1
      (passed, batch) = (rows.int64(0), rows.int64(3))
      let id = NotificationID(channel: rows.int64(1), sequence: rows.int64(2))
      guard let name = try subscriptionID(of: id) else { continue }
      foundAny = true
      return .event(
        FeedEvent(
          location: passed,
          batch: batch,
          id: id,
          isOwn: rows.int64(5) != 0,
          subscriptionID: name
        )
      )
    }
  }

  func body() throws -> [UInt8] {
    try bodies.body(
      rows.bytes(4),
      of: rows.int64(1),
      content: rows.int64(7)
    )
  }

  func creator() -> String { rows.string(6) }

  func close() { rows.reset() }

  private func subscriptionID(of id: NotificationID) throws -> String? {
    let known = try ranges[id.channel] ?? memberships.memberships(of: inbox, in: id.channel)
    ranges[id.channel] = known
    return known.first { $0.holds(id.sequence) }?.subscriptionID
  }

  /// A page that found nothing continues at the user's next event, if that is likely to be far.
  private func pause() throws -> FeedStep {
    guard jumps, !foundAny, last - passed > Self.rowsPerJumpMin else {
      return .pause(passed, batch: batch)
    }
    guard let next = try nextLocation() else { return .end }
    return .pause(next - 1, batch: 0)
  }

  /// The place of the user's next event; `nil`: there is none.
  private func nextLocation() throws -> Int64? {
    var nearest: Int64?
    for range in try memberships.memberships(of: inbox, limit: .max) {
      guard
        let number = try locations.number(upTo: passed, in: range.channel, from: range.since),
        number < range.ended ?? .max,
        // There is none behind the end of the channel.
        let location = try locations.location(of: number + 1, in: range.channel)
      else { continue }
      nearest = min(nearest ?? location, location)
    }
    return nearest
  }
}
