public import TidingsModel

extension Engine {
  // MARK: Targets

  /// The time of day of the open transaction.
  public var deliveryTime: Timestamp { now }

  /// Adds a target to the caller's device, or replaces the address of the one with the same identity.
  ///
  /// - Parameters:
  ///   - identity: What makes two addresses the same.
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - caller: Whose, and the device.
  ///   - address: Makes the address, of the one that it replaces.
  /// - Returns: The target.
  /// - Throws: `ItemError` `limitExceeded`, `badContainer`; `SQLError`.
  public func addDeliveryTarget(
    identity: [UInt8],
    container: String,
    environment: Environment,
    for caller: Caller,
    _ address: (_ previous: [UInt8]?) throws -> [UInt8]
  ) throws -> DeliveryTargetStatus {
    try catalog.enter(container, environment, caller.user)
    let target = try deliveries.changes.add(
      identity: identity,
      to: Inbox(user: caller.user, container: container, environment: environment),
      device: caller.device,
      at: moment,
      address
    )
    return try deliveries.changes.status(target)
  }

  /// The targets of a user in a container, by their IDs.
  public func deliveryTargets(
    of user: String,
    container: String,
    environment: Environment
  ) throws -> [DeliveryTargetStatus] {
    try deliveries.changes.statuses(
      of: Inbox(user: user, container: container, environment: environment)
    )
  }

  /// Removes a target of a user with its deliveries.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  public func removeDeliveryTarget(_ id: String, of user: String) throws {
    try deliveries.leasing.remove(try deliveries.changes.target(id, of: user))
  }

  /// Lets a test for a target of a user wait for a sender.
  ///
  /// - Returns: The ID of the delivery.
  /// - Throws: `ItemError` `unknownItem`, `limitExceeded`; `SQLError`.
  public func testDeliveryTarget(_ id: String, of user: String) throws -> String {
    try deliveries.changes.test(try deliveries.changes.target(id, of: user), at: moment)
  }

  // MARK: Dead letters

  /// Dead letters of a user, by target and age.
  ///
  /// - Parameters:
  ///   - target: Only of this target; empty: of all in the container.
  ///   - user: Whose.
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - cursor: The ID of the last one of the page before; empty: from the first.
  ///   - limit: Most of them.
  /// - Returns: The page.
  /// - Throws: `ItemError` `unknownItem`, `invalidArguments`; `SQLError`.
  public func deadLetters(
    ofTarget target: String,
    user: String,
    container: String,
    environment: Environment,
    after cursor: String,
    limit: Int
  ) throws -> [DeadLetter] {
    let ids =
      target.isEmpty
      ? try deliveries.targets.targets(
        of: Inbox(user: user, container: container, environment: environment)
      ).map(\.id) : [try deliveries.changes.target(target, of: user)]
    guard cursor.isEmpty || ModifyTargets.parts(cursor) != nil else {
      throw ItemError(.invalidArguments, "the cursor is not one of FetchDeadLetters")
    }
    return try deliveries.changes.deadLetters(
      of: ids,
      after: ModifyTargets.parts(cursor),
      limit: limit
    )
  }

  /// Lets a dead letter of a user wait for a sender again.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  public func resendDeadLetter(_ id: String, of user: String) throws {
    try deliveries.changes.resend(id, of: user, at: moment)
  }

  // MARK: Senders

  /// Whether a user may send what other users' targets get.
  public func isSender(_ user: String) throws -> Bool {
    try access.accounts.roles(of: user).contains(AccountDirectory.senderRole)
  }

  /// Leases deliveries that are due.
  ///
  /// - Parameters:
  ///   - limit: Most of them; 0: `Limits.pageItemsMax`.
  ///   - timeout: How long.
  /// - Returns: What the sender got.
  /// - Throws: `SQLError`.
  public func leaseDeliveries(limit: Int, for timeout: Duration) throws -> DeliveryPage {
    let max = limits.pageItemsMax
    return try deliveries.leasing.lease(
      limit: limit == 0 ? max : min(limit, max),
      for: timeout,
      at: moment
    )
  }

  /// Settles a lease of a sender.
  ///
  /// - Returns: `false`: the lease has ended.
  /// - Throws: `ItemError` `invalidArguments`; `SQLError`.
  public func settleDelivery(
    _ lease: String,
    as outcome: DeliveryOutcome,
    error: String
  ) throws -> Bool {
    try deliveries.leasing.settle(lease, as: outcome, error: error, at: moment)
  }
}
