internal import TidingsCodec
internal import TidingsMemory
public import TidingsModel
public import TidingsSQL

/// The records-and-subscriptions engine: what calls mean, over an SQL store.
///
/// Used by one thread at a time. Reads may come at any time; writes come between `begin` and
/// `commit`, as many calls as there are. A call that throws `ItemError` has changed nothing that
/// clients can see. After any other error nothing of the transaction may be kept: call `rollback`.
public final class Engine {
  /// What the engine refuses to exceed.
  public let limits: Limits
  let retentionSettings: RetentionSettings
  /// Changes when the store is restored from a backup: 16 hexadecimal digits.
  public let incarnation: String
  /// Takes the store's secret out of copies of its pages.
  package let secretEraser: SecretEraser

  /// The system's clocks, and the store's own.
  let time: StoreTime
  /// The moment of the transaction.
  @exclusivity(unchecked) private(set) var moment: Moment
  /// The time of day of the transaction, as users see it.
  var now: Timestamp { moment.timeOfDay }
  /// What remembers something of the store, in the order in which it is notified of transactions.
  private(set) var participants: [any TransactionParticipant] = []
  /// A transaction was rolled back: what memory knows of the store may be wrong.
  @exclusivity(unchecked) private var mustReload = false
  /// Nothing that memory has is used in the next transaction without a look at the store.
  private let reloadsAlways: Bool

  let room: RoomResources
  let catalog: Catalog
  let schema: SchemaAssembly
  let records: RecordsAssembly
  let quotas: QuotasAssembly
  let sharing: SharingAssembly
  let access: AccessAssembly
  let assets: AssetsAssembly
  let channels: ChannelsAssembly
  let events: EventsAssembly
  let notifications: NotificationsAssembly
  let work: WorkAssembly
  let deliveries: DeliveriesAssembly
  let subscriptionChanges: ModifySubscriptions
  let rotation: RotationAssembly
  let modifications: ModificationsAssembly
  let erasure: ErasureAssembly
  let userDataReader: UserDataReader
  let pushKeys: PushKeys

  private var maintenance: MaintenanceSchedule
  /// Something was changed that gives the maintenance tasks work: run them soon.
  public var hasUrgentMaintenance: Bool { room.wakeUp.isRaised }
  /// Lets calls that take long pause.
  public var pace: Pace { room.pace }

  private let beginStatement: any SQLStatement
  private let commitStatement: any SQLStatement

  /// Opens the engine on a store, bringing its schema up to date.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - readingAhead: Another connection to it, on which `takeReadsAhead` reads; `nil`: nothing is read ahead.
  ///   - limits: What calls may not exceed.
  ///   - admittedKeys: The keys that may connect, updated now and after each commit.
  ///   - steadyClock: Shows the store's steady time to other threads.
  ///   - assetContents: The contents of assets, if they are in the store.
  ///   - deliveryKeys: Returns the keys that seal the addresses of delivery targets.
  ///   - reloadsAlways: Reloads all in-memory state before each transaction, for debugging: a defect that
  ///     disappears is in a cache.
  ///   - clock: Reads the system's clocks.
  /// - Throws: `MigrationError`, `SQLError`.
  public init(
    _ connection: any SQLConnection,
    readingAhead: (any SQLConnection)? = nil,
    limits: Limits = Limits(),
    admittedKeys: AdmittedKeys = AdmittedKeys(),
    steadyClock: SteadyClock = SteadyClock(),
    assetContents: (any AssetContents)? = nil,
    deliveryKeys: @escaping DeliveryKeys = { _ in nil },
    reloadsAlways: Bool = false,
    clock: @escaping () -> ClockReading
  ) throws {
    self.reloadsAlways = reloadsAlways
    self.limits = limits
    try connection.migrate(Migration.store)
    retentionSettings = try RetentionSettings(connection, limits: limits)
    time = try StoreTime(connection, shared: steadyClock, read: clock)
    moment = time.moment()
    let identity = try StoreIdentity.starting(connection)
    incarnation = identity.incarnation.hexadecimal
    secretEraser = SecretEraser(identity.secret)
    try RestoredWebSessions.end(connection, in: identity.incarnation)
    pushKeys = PushKeys(secret: identity.secret)
    room = RoomResources(
      connection: connection,
      readingAhead: readingAhead,
      codec: BodyCodec(),
      limits: limits,
      secret: identity.secret,
      pace: Pace(costMax: limits.callCostMax),
      remembered: RememberedCount(
        max: min(limits.rememberedEntriesMax, limits.memory.count(of: .remembered))
      )
    )

    catalog = try Catalog(
      connection,
      containersPerUserMax: limits.containersPerUserMax,
      remembered: room.remembered
    )
    schema = try SchemaAssembly(room)
    records = try RecordsAssembly(room)
    let indexes = try IndexesAssembly(room, registry: schema.indexes)
    quotas = try QuotasAssembly(room)
    sharing = try SharingAssembly(room)
    access = try AccessAssembly(
      room,
      catalog: catalog,
      schemas: schema.table,
      admittedKeys: admittedKeys
    )
    assets = try AssetsAssembly(
      room,
      catalog: catalog,
      usage: quotas.usage,
      contents: assetContents
    )
    channels = try ChannelsAssembly(
      room,
      catalog: catalog,
      usage: quotas.usage,
      accounts: access.accounts
    )
    let removal = try RemovalAssembly(room, catalog: catalog, channels: channels.registry)
    events = try EventsAssembly(
      room,
      catalog: catalog,
      quotas: quotas,
      access: access,
      channels: channels,
      removal: removal
    )
    notifications = try NotificationsAssembly(
      room,
      catalog: catalog,
      quotas: quotas,
      access: access
    )
    work = try WorkAssembly(room, channels: channels.registry, notifications: notifications)
    deliveries = try DeliveriesAssembly(
      room,
      keys: deliveryKeys,
      access: access,
      notifications: notifications
    )
    subscriptionChanges = ModifySubscriptions(
      accesses: access.publicAccesses,
      catalog: catalog,
      channels: channels.registry,
      removalChannels: removal.channels,
      subscriptions: channels.subscriptions,
      quotas: quotas.table,
      usage: quotas.usage,
      schemas: schema.table,
      codec: room.codec,
      limits: limits
    )
    rotation = try RotationAssembly(room, catalog: catalog, access: access, channels: channels)
    let rooms = ModificationsAssembly.Rooms(
      catalog: catalog,
      schema: schema,
      records: records,
      indexes: indexes,
      quotas: quotas,
      sharing: sharing,
      access: access,
      assets: assets,
      channels: channels,
      removal: removal,
      events: events,
      rotation: rotation
    )
    modifications = try ModificationsAssembly(room, rooms)
    erasure = try ErasureAssembly(
      room,
      rooms,
      modifications: modifications,
      subscriptions: subscriptionChanges,
      eventBodies: notifications.bodies,
      deliveryTargets: deliveries.targets
    )
    userDataReader = UserDataReader(
      connection,
      catalog: catalog,
      codec: room.codec,
      bodies: notifications.bodies,
      visibility: notifications.visibility
    )
    // Unowned, since it changes records.
    modifications.records.isKnownUser = { [unowned users = erasure.users] in
      !users.users.contains($0)
    }
    beginStatement = try connection.prepare("BEGIN")
    commitStatement = try connection.prepare("COMMIT")

    let assemblies: [any RoomAssembly] = [
      schema, records, indexes, quotas, sharing, access, assets, channels, removal, events,
      notifications, work, deliveries, rotation, modifications, erasure,
    ]
    let tombstones = try TombstoneExpiry(
      connection,
      limits: limits,
      usage: quotas.usage,
      catalog: catalog
    )
    maintenance = MaintenanceSchedule(assemblies.flatMap(\.tasks) + [tombstones])
    // What remembers the zones and databases of the catalog comes after it.
    participants = [catalog, retentionSettings] + assemblies.flatMap(\.participants) + [time]
  }

  // MARK: Transactions

  /// Opens a transaction for a group of calls.
  ///
  /// - Throws: `SQLError`; the next call of this tries again.
  public func begin() throws {
    if mustReload || reloadsAlways {
      for participant in participants { try participant.reload() }
      mustReload = false
    } else if room.remembered.isFull {
      for participant in participants { participant.forgetEntries() }
    } else if room.remembered.mayHaveManyDetails {
      catalog.forgetDetails()
    }
    moment = time.moment()
    for participant in participants { participant.begin(at: moment) }
    try beginStatement.run()
  }

  /// Writes what has to be written before a commit.
  ///
  /// - Parameter hasWrites: As for `commit`.
  /// - Returns: What the transaction comes to, if it is committed.
  /// - Throws: `SQLError`.
  public func prepareCommit(hasWrites: Bool) throws(SQLError) -> CommittedTransaction {
    var transaction = CommittedTransaction(hasWrites: hasWrites)
    for participant in participants { try participant.willCommit(&transaction) }
    try room.connection.insertions?.flush()
    return transaction
  }

  /// Makes what was prepared durable.
  ///
  /// - Throws: `SQLError`.
  public func commitPrepared() throws(SQLError) {
    try commitStatement.run()
    didCommit()
  }

  /// What was prepared was made durable, by another thread.
  public func didCommit() {
    for participant in participants { participant.didCommit() }
  }

  /// Makes the group durable.
  ///
  /// - Parameter hasWrites: Something was written, or may have been: the store's time is kept with it.
  /// - Returns: What the transaction came to.
  /// - Throws: `SQLError`.
  public func commit(hasWrites: Bool = true) throws(SQLError) -> CommittedTransaction {
    let transaction = try prepareCommit(hasWrites: hasWrites)
    try commitPrepared()
    return transaction
  }

  /// Takes the group back.
  ///
  /// The next transaction begins with a fresh look at the store.
  public func rollback() {
    room.connection.abandon()
    // Their changes are rolled back too.
    maintenance.wake()
    for participant in participants { participant.didRollback() }
    mustReload = true
  }

  /// What memory knows of the store may be wrong, until the next transaction begins.
  public var isStale: Bool { mustReload }

  /// Does a piece of the work that is not a caller's, in the open transaction.
  ///
  /// - Returns: How long until the next piece; `nil`: there is none.
  public func doMaintenance() throws -> Duration? {
    if room.wakeUp.isRaised {
      maintenance.wake()
      room.wakeUp.lower()
    }
    forgetReadsAhead()
    catalog.refusesResets = false
    if notifications.fetchLog.isPending { try notifications.fetchLog.write(at: moment.steady) }
    try time.save(ifOlderThan: StoreTime.idleSaveInterval)
    let pause = try maintenance.work(at: moment)
    return notifications.fetchLog.isPending ? min(pause ?? FetchLog.pause, FetchLog.pause) : pause
  }

  /// Makes several changes one call: zone and database subscriptions fire at its end, once for each zone
  /// that it changed.
  public func asOneCall<R>(
    by caller: Caller,
    _ body: (CallContext) throws -> R
  ) throws -> R {
    try events.firings.asOneCall(by: caller, at: moment, body)
  }

  /// A user's roles were written, in the open transaction: from now on calls, feeds and notifications
  /// follow them.
  ///
  /// The user's own channels get new topics.
  ///
  /// - Throws: `SQLError`.
  public func rolesChanged(of user: String) throws {
    access.publicAccesses.forget()
    try rotation.readers.rolesChanged(of: user)
  }

  // MARK: Time

  /// Keeps the store's time for the next run, in a transaction of its own: the server is about to stop.
  ///
  /// - Throws: `SQLError`.
  public func keepTime() throws {
    try begin()
    try time.save(ifOlderThan: .zero)
    _ = try commit()
  }

  /// What is to be said about the system's clock since this was asked last.
  public func takeClockNotice() -> ClockNotice? { time.takeNotice() }

  // MARK: Assets

  /// Makes an asset known whose content is complete; from now on records may name it.
  ///
  /// - Parameters:
  ///   - asset: The asset.
  ///   - databaseID: The database.
  ///   - user: Who sent its bytes, or may read a record that names it.
  /// - Throws: `ItemError` `quotaExceeded` when there is no room for a record that names it, `assetNotAvailable` when
  ///   its content was removed meanwhile; `SQLError`.
  public func addAsset(_ asset: Asset, in databaseID: DatabaseID, by user: String) throws {
    guard !isBeingErased(user) else {
      throw ItemError(
        .managedAccountRestricted,
        "the user \(Identifier.shown(user)) is being erased: the upload is not kept"
      )
    }
    let database = try catalog.makeDatabase(databaseID, by: user)
    if try !assets.table.isPaid(asset, in: database) {
      try checkRoom(for: asset, in: database, by: user)
    }
    guard try assets.table.claimContent(of: asset) else {
      throw ItemError(
        .assetNotAvailable,
        "the content of the asset \(asset.checksum.hexadecimal) was removed: upload it again"
      )
    }
    try assets.table.add(asset, to: database, by: user, at: moment.steady)
    guard databaseID.scope == .public else { return }
    try assets.table.addUpload(asset, to: database, by: user)
  }

  /// Forgets no asset from the end of the open transaction until the hold is released.
  package func holdAssets() -> AssetHold { assets.collection.hold() }

  // MARK: Idempotency

  /// The first answer to a call, if it was answered.
  public func answer(to call: IdempotentCall) throws -> [UInt8]? {
    try quotas.answers.answer(to: call, at: moment.steady)
  }

  /// Keeps the first answer to a call, in the open transaction.
  public func keep(_ response: [UInt8], for call: IdempotentCall) throws {
    try quotas.answers.keep(response, for: call, at: moment.steady)
  }

  // MARK: Devices

  /// Refuses a call that writes under one device name too many of its user.
  ///
  /// - Throws: `ItemError` `limitExceeded`; `SQLError`.
  public func checkDevice(of caller: Caller) throws {
    try quotas.devices.check(caller, at: moment.steady)
  }
}
