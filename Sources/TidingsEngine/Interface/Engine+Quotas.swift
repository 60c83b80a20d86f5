internal import TidingsModel
internal import TidingsSQL

extension Engine {
  /// What the private databases of a user take, by container, sorted.
  ///
  /// - Throws: `LongCall`; `SQLError`.
  public func usage(of user: String) throws -> [ContainerUsage] {
    guard !user.isEmpty else { return [] }
    return try quotas.usage.containers(of: user).map { container in
      ContainerUsage(
        container: container,
        usage: try quotas.usage.usage(of: user, in: container),
        subscriptions: try subscriptionCount(of: user, in: container)
      )
    }
  }

  /// What the public databases of a container take, in both environments.
  public func publicUsage(in container: String) throws -> Usage {
    try quotas.usage.usage(of: "", in: container)
  }

  /// What a user may take.
  public func quota(of user: String) throws -> Quota {
    user.isEmpty ? limits.userQuota : try quotas.table.quota(of: user)
  }

  /// Gives a user with an account a quota of one's own; `nil`: the server's again.
  public func setQuota(_ quota: Quota?, of user: String) throws {
    try quotas.table.set(quota, of: user)
  }

  /// How often something was refused because there was no room for it, since the start.
  public var quotaRefusalCount: UInt64 { quotas.table.refusedCount }

  /// Whether any user has a bound of one's own on calls in a second.
  public var hasQuotasOfRates: Bool { get throws { try quotas.table.hasRates } }

  private func subscriptionCount(of user: String, in container: String) throws -> Int64 {
    let subscriptions = channels.subscriptions
    return try [Environment.development, .production].reduce(0) { count, environment in
      try pace.decisionStep()
      _ = subscriptions.mayHaveFewer(of: user, container: container, environment: environment)
      let owned = try subscriptions.owned(
        of: user,
        container: container,
        environment: environment
      )
      return count + owned.count
    }
  }

  /// How far answers that are kept may exceed a quota, so that a user without room can delete.
  private static let answerBytesOverQuotaMax: Int64 = 67_108_864

  /// Refuses to keep answers for a user whose quota kept answers exceed by far.
  ///
  /// - Throws: `ItemError` `quotaExceeded`; `SQLError`.
  public func checkRoomForAnswers(of user: String) throws {
    guard !user.isEmpty else { return }
    let bytesMax = try quotas.table.quota(of: user).bytesMax
    let used = try quotas.usage.account(of: user).bytes
    guard bytesMax > 0, used - bytesMax > Self.answerBytesOverQuotaMax else { return }
    quotas.table.refusedCount += 1
    throw ItemError(
      .quotaExceeded,
      "user '\(user)' stores \(used) bytes and may store \(bytesMax): no more answers are kept for idempotency keys "
        + "until there is room; call without a key, or delete something first"
    )
  }

  /// Refuses an asset for which there is no room: until a record names it who sent it pays for it.
  func checkRoom(for asset: Asset, in database: DatabaseEntry, by user: String) throws {
    let change = Usage(bytes: Int64(clamping: asset.size))
    let payer = database.id.owner.isEmpty ? user : database.id.owner
    try checkRoom(
      for: change,
      of: payer,
      "the asset \(asset.checksum.hexadecimal)",
      in: database.id
    )
    guard database.id.scope == .public else { return }
    // A record could not name it either.
    let used = try quotas.usage.account(of: database)
    guard !limits.publicQuota.admits(change, over: used) else { return }
    quotas.table.refusedCount += 1
    throw limits.publicQuota.exceeded(
      by: "the asset \(asset.checksum.hexadecimal)",
      taking: change,
      over: used,
      in: database.id
    )
  }

  /// Refuses what a user has no room for, once the assets are gone that deletions left.
  private func checkRoom(
    for change: Usage,
    of user: String,
    _ what: String,
    in database: DatabaseID
  ) throws {
    let quota = try quotas.table.quota(of: user)
    var used = try quotas.usage.account(of: user)
    guard !quota.admits(change, over: used) else { return }
    if let missing = quota.missingBytes(for: change, over: used) {
      try assets.table.reclaim(missing, of: user)
      used = try quotas.usage.account(of: user)
      guard !quota.admits(change, over: used) else { return }
    }
    quotas.table.refusedCount += 1
    throw quota.exceeded(
      by: what,
      taking: change,
      over: used,
      in: DatabaseID(
        container: database.container,
        environment: database.environment,
        scope: .private,
        owner: user
      )
    )
  }
}
