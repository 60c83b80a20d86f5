internal import TidingsCodec
internal import TidingsMemory
public import TidingsModel
internal import TidingsSQL

/// A subscription as saved, and from which event on it is effective.
public struct SavedSubscription: Sendable {
  /// The subscription.
  public let subscription: Subscription
  /// The number of its channel.
  public let channel: Int64
  /// The number of the channel's last event when it was saved.
  public let since: Int64
  /// The call saved it; if not, it was the same before.
  public let isNew: Bool
}

/// Saves, deletes and returns a user's subscriptions.
final class ModifySubscriptions {
  private let catalog: Catalog
  private let channels: ChannelRegistry
  private let removalChannels: RemovalChannels
  private let subscriptions: SubscriptionTable
  private let quotas: QuotaTable
  private let usage: UsageTable
  private let schemas: SchemaTable
  private let codec: BodyCodec
  private let limits: Limits
  private let accesses: PublicAccesses
  /// Whether a user sees all types of a container; `nil`: all users do.
  var isDeveloper: ((_ user: String, _ container: String) throws -> Bool)?

  init(
    accesses: PublicAccesses,
    catalog: Catalog,
    channels: ChannelRegistry,
    removalChannels: RemovalChannels,
    subscriptions: SubscriptionTable,
    quotas: QuotaTable,
    usage: UsageTable,
    schemas: SchemaTable,
    codec: BodyCodec,
    limits: Limits
  ) {
    self.accesses = accesses
    self.catalog = catalog
    self.channels = channels
    self.removalChannels = removalChannels
    self.subscriptions = subscriptions
    self.quotas = quotas
    self.usage = usage
    self.schemas = schemas
    self.codec = codec
    self.limits = limits
  }

  /// Saves a subscription: the same again changes nothing, another under its name replaces it.
  ///
  /// - Throws: `ItemError`, before anything is written, `permissionFailure` for a type that the owner
  ///   may not read; `SQLError`.
  func save(
    _ subscription: Subscription,
    of owner: String,
    in id: DatabaseID,
    at time: Timestamp
  ) throws
    -> SavedSubscription
  {
    guard id.scope != .shared || subscription.kind == .database else {
      throw ItemError(
        .badDatabase,
        "subscription \(Identifier.shown(subscription.subscriptionID)): the shared database has "
          + "database subscriptions only: save one of the kind DATABASE (rpcctl --database-changes), "
          + "which fires for each zone that changed, and fetch the zone's changes"
      )
    }
    try subscription.validate(desiredKeysMax: limits.desiredKeysMax)
    var subscription = subscription
    if let zone = subscription.zoneID {
      subscription.zoneID = try id.location(of: zone, for: owner).zone
    }
    try catalog.requireDeployed(id.container, id.environment)
    try accesses.check(subscription, of: owner, in: id)
    let planned = try catalog.plannedDatabase(id)
    if let zone = subscription.zoneID, zone != .default,
      try catalog.zone(zone, in: planned) == nil
    {
      var error = try catalog.absence(of: zone, in: planned, scope: id.scope)
      error.message = "subscription '\(subscription.subscriptionID)': " + error.message
      throw error
    }
    let body = codec.encode(subscription)
    let existing = try subscriptions.row(subscription.subscriptionID, of: owner, in: planned)
    if let existing, existing.body == body {
      return SavedSubscription(
        subscription: subscription,
        channel: existing.channel,
        since: existing.since,
        isNew: false
      )
    }
    try schemas.check(subscription, in: id, for: hidingUser(owner, id.container))
    try checkOwned(of: owner, in: id, adding: body.count, replacing: existing?.body.count)
    try checkRoom(for: body, subscription.subscriptionID, of: owner, in: id)

    if let equivalent = try equivalent(to: subscription, of: owner, in: planned) {
      throw ItemError(
        .serverRejectedRequest,
        "subscription '\(subscription.subscriptionID)' is a duplicate of '\(equivalent)': use "
          + "that one, or delete it first",
        existingSubscriptionID: equivalent
      )
    }
    if existing == nil { try checkSharedCount(in: planned) }
    let reader = try accesses.reader(of: subscription, for: owner, in: id)
    let database = try catalog.makeDatabase(id, by: owner)
    let channel = try channels.join(subscription, in: database, for: reader)
    try removalChannels.joined(channel, in: database)
    if let existing { try end(existing, of: owner, in: database) }
    try subscriptions.insert(
      subscription.subscriptionID,
      of: owner,
      in: database,
      channel: channel.number,
      since: channel.head,
      body: body,
      at: time
    )
    return SavedSubscription(
      subscription: subscription,
      channel: channel.number,
      since: channel.head,
      isNew: true
    )
  }

  /// The user, if some types are hidden from them.
  private func hidingUser(_ user: String, _ container: String) throws -> String? {
    guard let isDeveloper, try !isDeveloper(user, container) else { return nil }
    return user
  }

  /// The user's subscription that asks for the same, in the channel of all or in the user's own.
  private func equivalent(
    to subscription: Subscription,
    of owner: String,
    in database: DatabaseEntry
  ) throws -> String? {
    for reader in database.id.scope == .public ? [nil, owner] : [nil] {
      if let number = try channels.number(of: subscription, in: database, for: reader),
        let name = try subscriptions.name(in: number, of: owner)
      {
        return name
      }
    }
    return nil
  }

  /// Deletes a subscription.
  ///
  /// What it caused so far stays in the log.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  func delete(_ subscriptionID: String, of owner: String, in id: DatabaseID) throws {
    guard let database = try catalog.database(id),
      let row = try subscriptions.row(subscriptionID, of: owner, in: database)
    else { throw unknown(subscriptionID) }
    try end(row, of: owner, in: database)
  }

  /// Returns a subscription.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  func fetch(
    _ subscriptionID: String,
    of owner: String,
    in id: DatabaseID
  ) throws
    -> SavedSubscription
  {
    guard let database = try catalog.database(id),
      let row = try subscriptions.row(subscriptionID, of: owner, in: database)
    else { throw unknown(subscriptionID) }
    let subscription = try row.body.withUnsafeBytes { try codec.decodeSubscription($0) }
    return SavedSubscription(
      subscription: subscription,
      channel: row.channel,
      since: row.since,
      isNew: false
    )
  }

  /// The names of a user's subscriptions, sorted.
  func names(of owner: String, in id: DatabaseID, pace: Pace) throws -> [String] {
    guard let database = try catalog.database(id) else { return [] }
    return try subscriptions.names(of: owner, in: database, pace: pace)
  }

  /// Ends a subscription in a database, if it is there.
  func remove(
    _ subscriptionID: String,
    of owner: String,
    from database: DatabaseEntry
  ) throws {
    guard let row = try subscriptions.row(subscriptionID, of: owner, in: database) else { return }
    try end(row, of: owner, in: database)
  }

  private func end(
    _ row: SubscriptionTable.Row,
    of owner: String,
    in database: DatabaseEntry
  ) throws {
    try subscriptions.end(row, at: channels.head(row.channel), of: owner, in: database)
    guard try !removalChannels.keep(row.channel, of: row.number, in: database) else { return }
    try channels.leave(row.channel)
  }

  /// What participants have of these fires with the changes of others.
  private func checkSharedCount(in database: DatabaseEntry) throws(ItemError) {
    guard database.id.scope == .shared else { return }
    let count = channels.watched.zoneChannelCount(of: database)
    guard count >= limits.sharedSubscriptionsPerUserMax else { return }
    throw ItemError(
      .limitExceeded,
      "the shared database has \(count) subscriptions and may have \(limits.sharedSubscriptionsPerUserMax): delete "
        + "those that say the same, one without a record type fires for all changes"
    )
  }

  private func checkOwned(
    of owner: String,
    in id: DatabaseID,
    adding bytes: Int,
    replacing replaced: Int?
  ) throws {
    let container = id.container
    func refusal() throws -> ItemError? {
      if let error = try memoryRefusal(of: owner, adding: bytes, replacing: replaced) {
        return error
      }
      return try Self.refusal(
        of: subscriptions.owned(of: owner, container: container, environment: id.environment),
        of: owner,
        in: container,
        adding: bytes,
        replacing: replaced,
        countMax: quotas.quota(of: owner).subscriptionsMax,
        limits
      )
    }
    guard let first = try refusal() else { return }
    let environment = id.environment
    guard subscriptions.mayHaveFewer(of: owner, container: container, environment: environment)
    else { throw first }
    if let refusal = try refusal() { throw refusal }
  }

  /// Why the server has no room in memory for another subscription of a user, or a larger one; `nil`: it has.
  private func memoryRefusal(
    of owner: String,
    adding bytes: Int,
    replacing replaced: Int?
  ) throws -> ItemError? {
    let added = MemoryShares.subscriptionCost(
      count: replaced == nil ? 1 : 0,
      bytes: bytes - (replaced ?? 0)
    )
    guard added > 0 else { return nil }
    let owned = try subscriptions.owned(of: owner)
    let own =
      MemoryShares.subscriptionCost(count: Int(owned.count), bytes: Int(owned.bytes)) + added
    let ownMax = limits.memory[.subscriptionsPerUser]
    guard own <= ownMax else {
      return ItemError(
        .limitExceeded,
        "the subscriptions of user '\(owner)' in all containers would take about \(own) bytes of memory and may "
          + "take \(ownMax): delete some first, shorten their predicates, or ask an administrator to raise "
          + "memory-bytes-max"
      )
    }
    let all = channels.watched.memoryBytes + added
    let allMax = limits.memory[.subscriptions]
    guard all > allMax else { return nil }
    return ItemError(
      .limitExceeded,
      "the subscriptions of all users would take about \(all) bytes of memory and may take \(allMax): delete some "
        + "first, or ask an administrator to raise memory-bytes-max"
    )
  }

  /// Why a user cannot have another subscription, or a larger one; `nil`: it is not too much.
  private static func refusal(
    of owned: SubscriptionTable.Owned,
    of owner: String,
    in container: String,
    adding bytes: Int,
    replacing replaced: Int?,
    countMax: Int64,
    _ limits: Limits
  ) -> ItemError? {
    if replaced == nil, countMax > 0, owned.count >= countMax {
      return ItemError(
        .limitExceeded,
        "user '\(owner)' has \(owned.count) subscriptions in container '\(container)' and may have "
          + "\(countMax): delete some first, or ask an administrator for a larger quota"
      )
    }
    let bytesMax = Int64(limits.subscriptionBytesPerUserMax)
    let added = Int64(bytes - (replaced ?? 0))
    if bytesMax > 0, added > 0, owned.bytes + added > bytesMax {
      return ItemError(
        .limitExceeded,
        "the subscriptions of user '\(owner)' in container '\(container)' would take "
          + "\(owned.bytes + added) bytes and may take \(bytesMax): delete some first, or shorten their "
          + "predicates"
      )
    }
    guard owned.endedCount >= limits.endedSubscriptionsPerUserMax else { return nil }
    return ItemError(
      .limitExceeded,
      "user '\(owner)' has \(owned.endedCount) subscriptions in container '\(container)' that have ended and "
        + "whose notifications are kept, and may have \(limits.endedSubscriptionsPerUserMax): keep subscriptions "
        + "longer instead of changing them often, or wait until the oldest notifications are forgotten"
    )
  }

  private func checkRoom(
    for body: [UInt8],
    _ subscriptionID: String,
    of owner: String,
    in id: DatabaseID
  ) throws {
    let quota = try quotas.quota(of: owner)
    let change = Usage(bytes: StorageCost.subscription(body: body.count))
    let used = try usage.account(of: owner)
    guard !quota.admits(change, over: used) else { return }
    var database = id
    (database.scope, database.owner) = (.private, owner)
    quotas.refusedCount += 1
    throw quota.exceeded(
      by: "subscription '\(subscriptionID)'",
      taking: change,
      over: used,
      in: database
    )
  }

  private func unknown(_ subscriptionID: String) -> ItemError {
    ItemError(
      .unknownItem,
      "subscription \(Identifier.shown(subscriptionID)) does not exist"
    )
  }
}
