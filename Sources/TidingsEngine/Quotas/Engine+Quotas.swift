internal import TidingsModel
internal import TidingsSQL

extension Engine {
  /// What the private databases of a user take, by container, sorted.
  public func usage(of user: String) throws -> [ContainerUsage] {
    guard !user.isEmpty else { return [] }
    return try usage.containers(of: user).map { container in
      ContainerUsage(
        container: container,
        usage: try usage.usage(of: user, in: container),
        subscriptions: try subscriptionCount(of: user, in: container)
      )
    }
  }

  /// What the public databases of a container take, in both environments.
  public func publicUsage(in container: String) throws -> Usage {
    try usage.usage(of: "", in: container)
  }

  /// What a user may take.
  public func quota(of user: String) throws -> Quota {
    user.isEmpty ? limits.userQuota : try quotas.quota(of: user)
  }

  /// Gives a user with an account a quota of one's own; `nil`: the server's again.
  public func setQuota(_ quota: Quota?, of user: String) throws { try quotas.set(quota, of: user) }

  /// Whether any user has a bound of one's own on calls in a second.
  public var hasQuotasOfRates: Bool { get throws { try quotas.hasRates } }

  /// Whether quotas may be others than when this was last asked, as far as they were set here.
  public func takeQuotasChanged() -> Bool {
    guard quotas.isChanged else { return false }
    quotas.isChanged = false
    return true
  }

  private func subscriptionCount(of user: String, in container: String) throws -> Int64 {
    // Those that fired for the only time have ended since.
    subscriptions.forgetUsages()
    return try [Environment.development, .production].reduce(0) { count, environment in
      count
        + Int64(
          try subscriptions.usage(of: user, container: container, environment: environment).count
        )
    }
  }

  /// Refuses an asset that no record could name for want of room.
  func checkRoom(for asset: Asset, in database: DatabaseEntry) throws {
    let quota = try quotas.quota(of: database.id.owner)
    guard quota.bytesMax > 0 else { return }
    let used = try usage.usage(of: database)
    let change = Usage(bytes: Int64(clamping: asset.size))
    guard !quota.admits(change, over: used) else { return }
    throw quota.exceeded(
      by: "the asset \(asset.checksum.hexadecimal)",
      taking: change,
      over: used,
      in: database.id
    )
  }
}
