public import TidingsModel

extension Engine {
  // MARK: Work on notifications

  /// Leases notifications to the caller's device.
  ///
  /// - Parameters:
  ///   - group: The group; it begins to exist.
  ///   - caller: Whose notifications, and the device.
  ///   - limit: Most notifications; 0: `Limits.pageItemsMax`.
  ///   - timeout: How long they are leased.
  ///   - startsAtEnd: A group that does not exist yet begins with what comes from now on.
  /// - Returns: What the device got.
  /// - Throws: `ItemError` `invalidArguments`, `limitExceeded`, `badContainer`; `LongCall` before anything is written;
  ///   `SQLError`.
  public func leaseNotifications(
    of group: WorkGroup,
    for caller: Caller,
    limit: Int,
    timeout: VisibilityTimeout,
    startsAtEnd: Bool
  ) throws -> LeasePage {
    try group.validate()
    let plan = try work.leasing.plan(group, of: caller.user, startsAtEnd: startsAtEnd)
    try catalog.enter(group.container, group.environment, caller.user)
    return try work.leasing(plan, for: caller, limit: limit, timeout: timeout, at: moment)
  }

  /// Settles leases of a group.
  ///
  /// - Returns: For each, why it failed, or `nil`.
  /// - Throws: `ItemError` `invalidArguments`, `badContainer`; `SQLError`.
  public func settleNotifications(
    _ leases: [String],
    of group: WorkGroup,
    as settlement: LeaseSettlement,
    for caller: Caller
  ) throws -> [ItemError?] {
    try group.validate()
    try catalog.requireDeployed(group.container, group.environment)
    return try work.settling(leases, of: group, as: settlement, for: caller, at: moment)
  }
}
