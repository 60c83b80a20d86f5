internal import TidingsModel

/// Where a group has not got everything, before anything is handed out.
extension LeaseNotifications {
  /// A group, and where it has not got everything, before anything is written.
  struct Plan {
    let name: String
    let inbox: Inbox
    /// `nil`: it is to be made.
    let number: Int64?
    let behind: [ChannelBehind]
    /// It is to be made, and begins with what comes from now on.
    let passesAll: Bool
  }

  /// Looks where a group has not got everything.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - user: Whose notifications.
  ///   - startsAtEnd: A new group begins with what comes from now on.
  /// - Returns: What `callAsFunction` hands out of.
  /// - Throws: `ItemError` `limitExceeded` for a group too many; `LongCall`; `SQLError`.
  func plan(_ group: WorkGroup, of user: String, startsAtEnd: Bool) throws -> Plan {
    let inbox = Inbox(user: user, container: group.container, environment: group.environment)
    let number = try groups.number(of: group.name, in: inbox)
    if number == nil { try checkCount(in: inbox) }
    let behind = try channelsBehind(number, in: inbox)
    try pace.check(cost: behind.count * Self.channelCost)
    return Plan(
      name: group.name,
      inbox: inbox,
      number: number,
      behind: behind,
      passesAll: number == nil && startsAtEnd
    )
  }

  /// What it takes to write a position or to read the first event of a channel, in about so many microseconds.
  private static let channelCost = 10

  private func checkCount(in inbox: Inbox) throws {
    let count = try groups.count(in: inbox)
    guard count >= limits.workGroupsPerUserMax else { return }
    throw ItemError(
      .limitExceeded,
      "user '\(inbox.user)' has \(count) groups in container '\(inbox.container)', the most that "
        + "are allowed: use one of them"
    )
  }

  /// A channel that may have something which a group has not got.
  struct ChannelBehind {
    let number: Int64
    /// The user's memberships in it.
    let ranges: ArraySlice<SubscriptionTable.Membership>
    /// Up to where the group has got its events.
    let position: Int64
    /// The number of its newest event that may be the user's.
    let last: Int64
  }

  /// The channels that may have something new for a group, or for one that is to be made.
  ///
  /// A user may have thousands, those of ended subscriptions too.
  private func channelsBehind(_ group: Int64?, in inbox: Inbox) throws -> [ChannelBehind] {
    var behind: [ChannelBehind] = []
    let positions = try group.map { try groups.positions(of: $0, pace: pace) } ?? [:]
    var rest = try memberships.memberships(of: inbox, pace: pace)[...]
    while let channel = rest.first?.channel {
      try pace.decisionStep()
      let ranges = rest.prefix { $0.channel == channel }
      rest = rest.dropFirst(ranges.count)
      let position = positions[channel] ?? 0
      let last = try ranges.last?.ended ?? channels.head(channel)
      // Most channels have nothing new, and cost nothing.
      guard last > position else { continue }
      behind.append(ChannelBehind(number: channel, ranges: ranges, position: position, last: last))
    }
    return behind
  }
}
