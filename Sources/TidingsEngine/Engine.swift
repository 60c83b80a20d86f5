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
  let developmentReset: DevelopmentReset
  let userEraser: UserEraser
  let userDataReader: UserDataReader
  /// Changes when the store is restored from a backup: 16 hexadecimal digits.
  public let incarnation: String
  /// Takes the store's secret out of copies of its pages.
  package let secretEraser: SecretEraser

  let codec: any BodyCodec
  /// The system's clocks, and the store's own.
  let time: StoreTime
  /// The moment of the transaction.
  private(set) var moment: Moment
  /// The time of day of the transaction, as users see it.
  var now: Timestamp { moment.timeOfDay }
  /// What remembers something of the store, in the order in which it hears of transactions.
  private(set) var participants: [any TransactionParticipant] = []
  /// A transaction was taken back: what memory knows of the store may be wrong.
  private var mustReload = false
  /// Nothing that memory has is used in the next transaction without a look at the store.
  private let reloadsAlways: Bool

  let catalog: Catalog
  let accounts: AccountDirectory
  let publicAccesses: PublicAccesses
  let accountChanges: ModifyAccounts
  let directory: UserDirectory
  let userRotation: UserRotation
  let quotas: QuotaTable
  let usage: UsageTable
  let devices: DeviceNames
  private let eventBodies: EventBodies
  let records: RecordTable
  private let schemas: SchemaTable
  private let ancestors: AncestorLog
  let channels: ChannelRegistry
  let subscriptions: SubscriptionTable
  let sharedFirings: SharedFirings
  private let onceChannels: OnceChannels
  let readerChannels: ReaderChannels
  private let events: EventStore
  let firings: ChannelFirings
  private let answers: AnswerLog
  let readMarks: ReadMarkTable
  let leasing: LeaseNotifications
  let settling: SettleNotifications
  let badges: BadgeTable
  let fetchLog: FetchLog
  let tracer: NotificationTracer
  let recordChanges: ModifyRecords
  let recordLookup: RecordLookup
  let shareReader: ShareReader
  let shareTable: ShareTable
  let accessRequests: AccessRequestTable
  let zoneChanges: ModifyZones
  private let zoneRemover: ZoneRemover
  let subscriptionChanges: ModifySubscriptions
  let schemaChanges: ModifySchema
  let originTags: OriginTags
  let controlTopics: ControlTopics
  let pushKeys: PushKeys
  let rotation: ChannelRotation
  private let visibility: NotificationVisibility
  let assets: AssetTable
  private let assetCollection: AssetCollection

  let indexes: IndexRegistry

  private var maintenance: MaintenanceSchedule
  let wakeUp = WakeUpFlag()
  /// Something was changed that gives the maintenance tasks work: do them soon.
  public var hasUrgentMaintenance: Bool { wakeUp.isRaised }

  /// Lets calls that take long pause.
  public let pace: Pace

  private let connection: any SQLConnection
  private let beginStatement: any SQLStatement
  private let commitStatement: any SQLStatement

  /// Opens the engine on a store, bringing its schema up to date.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - codec: How values become stored bytes.
  ///   - limits: What calls may not exceed.
  ///   - admittedKeys: Told which keys may connect, now and after each commit.
  ///   - steadyClock: Shows the store's steady time to other threads.
  ///   - reloadsAlways: Reads anew, before each transaction, what memory knows of the store: a fault that is
  ///     gone then is in what memory keeps of the store.
  ///   - clock: Reads the system's clocks.
  /// - Throws: `MigrationError`, `SQLError`.
  public init(
    _ connection: any SQLConnection,
    codec: any BodyCodec,
    limits: Limits = Limits(),
    admittedKeys: AdmittedKeys = AdmittedKeys(),
    steadyClock: SteadyClock = SteadyClock(),
    reloadsAlways: Bool = false,
    clock: @escaping () -> ClockReading
  ) throws {
    self.reloadsAlways = reloadsAlways
    try connection.migrate(Migration.store)
    self.connection = connection
    self.limits = limits
    pace = Pace(costMax: limits.callCostMax)
    retentionSettings = try RetentionSettings(connection, limits: limits)
    time = try StoreTime(connection, shared: steadyClock, read: clock)
    moment = time.moment()
    self.codec = codec
    let identity = try StoreIdentity.starting(connection)
    incarnation = identity.incarnation.hexadecimal
    secretEraser = SecretEraser(identity.secret)
    originTags = OriginTags(secret: identity.secret)
    accounts = try AccountDirectory(connection, admittedKeys: admittedKeys)
    controlTopics = try ControlTopics(connection, secret: identity.secret, accounts: accounts)
    pushKeys = PushKeys(secret: identity.secret)

    catalog = try Catalog(connection, containersPerUserMax: limits.containersPerUserMax)
    indexes = try IndexRegistry(connection, wakeUp: wakeUp)
    schemas = try SchemaTable(connection, indexes: indexes, limits: limits)
    publicAccesses = PublicAccesses(schemas: schemas, accounts: accounts)
    quotas = try QuotaTable(connection, limits: limits)
    usage = try UsageTable(connection)
    records = try RecordTable(connection)
    ancestors = try AncestorLog(connection, limits: limits)
    subscriptions = try SubscriptionTable(connection, usage: usage)
    devices = try DeviceNames(connection, limits: limits)
    eventBodies = try EventBodies(connection, codec: codec)
    channels = try ChannelRegistry(connection, catalog: catalog, codec: codec, pace: pace)
    onceChannels = try OnceChannels(connection, wakeUp: wakeUp)
    shareReader = try ShareReader(connection)
    shareTable = try ShareTable(connection)
    accessRequests = try AccessRequestTable(connection, limits: limits)
    rotation = try ChannelRotation(connection, channels: channels)
    sharedFirings = try SharedFirings(
      connection,
      catalog: catalog,
      channels: channels
    )
    userRotation = try UserRotation(
      connection,
      rotation: rotation,
      controlTopics: controlTopics,
      directory: accounts,
      wakeUp: wakeUp
    )
    accountChanges = ModifyAccounts(
      try AccountTable(connection),
      accounts,
      quotas,
      userRotation,
      limits
    )
    let directoryTable = try DirectoryTable(connection)
    directory = UserDirectory(directoryTable, accounts: accounts, catalog: catalog, limits: limits)
    let zoneRemovals = try ZoneRemovalTable(connection, catalog: catalog)
    let removalChannels = try RemovalChannels(
      connection,
      removals: zoneRemovals,
      channels: channels
    )
    events = try EventStore(
      connection,
      channels: channels,
      removalChannels: removalChannels,
      originTags: originTags,
      codec: codec,
      limits: limits,
      usage: usage,
      pace: pace
    )
    firings = ChannelFirings(
      events: events,
      channels: channels,
      removals: zoneRemovals,
      removalChannels: removalChannels,
      shared: sharedFirings,
      onceChannels: onceChannels,
      limits: limits,
      access: FiringAccess(channels: channels, accesses: publicAccesses),
      pace: pace
    )
    answers = try AnswerLog(connection, limits: limits, usage: usage)
    readMarks = try ReadMarkTable(connection, memberships: try MembershipTable(connection))
    let (workGroups, leases) = (try WorkGroupTable(connection), try LeaseTable(connection))
    visibility = try NotificationVisibility(connection, codec: codec) {
      [publicAccesses] user, recordType, database in
      try publicAccesses.access(of: user, in: database).rights(on: recordType).readable
    }
    leasing = LeaseNotifications(
      visibility: visibility,
      channels: channels,
      memberships: try MembershipTable(connection),
      groups: workGroups,
      leases: leases,
      events: try WorkEvents(connection, bodies: eventBodies),
      limits: limits
    )
    settling = SettleNotifications(groups: workGroups, leases: leases, readMarks: readMarks)
    badges = try BadgeTable(connection)
    fetchLog = try FetchLog(connection, devices: devices, usage: usage, quotas: quotas)
    tracer = try NotificationTracer(
      connection,
      fetchLog: fetchLog,
      visibility: visibility,
      codec: codec,
      bodies: eventBodies
    )
    assets = try AssetTable(
      connection,
      codec: codec,
      usage: usage,
      catalog: catalog,
      wakeUp: wakeUp
    )
    assetCollection = try AssetCollection(
      connection,
      limits: limits,
      usage: usage,
      catalog: catalog
    )
    readerChannels = try ReaderChannels(
      connection,
      catalog: catalog,
      channels: channels,
      subscriptions: subscriptions,
      accesses: publicAccesses,
      rotation: rotation,
      codec: codec,
      wakeUp: wakeUp
    )
    let references = try ReferenceTable(connection, limits: limits)
    let clientTokens = try ClientTokens(connection, limits: limits, usage: usage)
    schemaChanges = try ModifySchema(connection, schemas: schemas, limits: limits)
    let indexEntries = try IndexEntries(connection)
    let followers: [any RecordFollower] = [
      usage,
      references,
      FieldIndex(registry: indexes, entries: indexEntries, pace: pace),
      clientTokens,
      assets,
      shareTable,
    ]
    zoneRemover = ZoneRemover(
      removals: zoneRemovals,
      removalChannels: removalChannels,
      records: records,
      channels: channels,
      events: events,
      firings: firings,
      usage: usage,
      followers: followers,
      codec: codec,
      wakeUp: wakeUp,
      limits: limits
    )
    recordChanges = ModifyRecords(
      ModifyRecords.Tables(
        catalog: catalog,
        records: records,
        ancestors: ancestors,
        references: references,
        schemas: schemas,
        clientTokens: clientTokens,
        channels: channels,
        firings: firings,
        shares: shareTable,
        sharedRecords: try SharedRecordTable(connection),
        assets: assets,
        usage: usage,
        quotas: quotas,
        followers: followers,
        zoneRemover: zoneRemover
      ),
      codec: codec,
      limits: limits,
      pace: pace,
      hasAccount: { [accounts] in try accounts.user($0) != nil }
    )
    recordLookup = RecordLookup(
      catalog: catalog,
      records: records,
      shares: shareReader,
      codec: codec
    )
    zoneChanges = ModifyZones(
      catalog: catalog,
      firings: firings,
      followers: followers,
      remover: zoneRemover,
      usage: usage,
      quotas: quotas,
      limits: limits
    )
    subscriptionChanges = ModifySubscriptions(
      accesses: publicAccesses,
      firings: firings,
      catalog: catalog,
      channels: channels,
      removalChannels: removalChannels,
      subscriptions: subscriptions,
      quotas: quotas,
      usage: usage,
      schemas: schemas,
      codec: codec,
      limits: limits
    )
    developmentReset = try DevelopmentReset(
      connection,
      catalog: catalog,
      zones: zoneChanges,
      subscriptions: subscriptionChanges,
      firings: firings,
      schemas: schemaChanges,
      readerChannels: readerChannels,
      directory: directoryTable,
      wakeUp: wakeUp
    )
    userEraser = try UserEraser(
      connection,
      secret: identity.secret,
      tables: UserEraser.Tables(
        catalog: catalog,
        zones: zoneChanges,
        subscriptions: subscriptionChanges,
        subscriptionTable: subscriptions,
        firings: firings,
        eventBodies: eventBodies,
        records: recordChanges,
        indexes: indexes,
        indexEntries: indexEntries,
        ancestors: ancestors,
        usage: usage,
        quotas: quotas,
        devices: devices,
        accounts: accounts,
        publicAccesses: publicAccesses
      ),
      codec: codec,
      wakeUp: wakeUp,
      limits: limits
    )
    userDataReader = UserDataReader(
      connection,
      catalog: catalog,
      codec: codec,
      bodies: eventBodies,
      visibility: visibility
    )
    // Unowned, since it changes records.
    recordChanges.isKnownUser = { [unowned userEraser] in !userEraser.users.contains($0) }
    let keyExpiry = try KeyExpiry(connection, rotation: userRotation)
    maintenance = MaintenanceSchedule([
      ancestors,
      clientTokens,
      zoneRemover,
      developmentReset,
      userEraser,
      try IndexBuilder(connection, registry: indexes, entries: indexEntries, codec: codec),
      IndexPurge(entries: indexEntries, limits: limits),
      assetCollection,
      try TombstoneExpiry(
        connection,
        limits: limits,
        usage: usage,
        catalog: catalog
      ),
      try SharedRecordExpiry(connection, limits: limits),
      onceChannels,
      readerChannels,
      try NotificationRetention(connection, limits: limits, usage: usage, catalog: catalog),
      devices,
      keyExpiry,
      userRotation,
    ])
    beginStatement = try connection.prepare("BEGIN")
    commitStatement = try connection.prepare("COMMIT")
    // What remembers the zones and databases of the catalog comes after it.
    participants = [
      catalog, quotas, usage, devices, schemas, indexes, retentionSettings,
      accounts, publicAccesses, userRotation, userRotation.news, keyExpiry,
      ancestors, shareTable, assetCollection, zoneRemovals, zoneRemover, developmentReset,
      userEraser,
      subscriptions, channels, removalChannels, readerChannels, visibility,
      events, eventBodies, sharedFirings, onceChannels, readMarks, time,
    ]
  }

  // MARK: Transactions

  /// Opens a transaction for a group of calls.
  ///
  /// - Throws: `SQLError`; the next call of this tries again.
  public func begin() throws {
    if mustReload || reloadsAlways {
      for participant in participants { try participant.reload() }
      mustReload = false
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
    connection.abandon()
    // What they had done is taken back too.
    maintenance.wake()
    for participant in participants { participant.didRollback() }
    mustReload = true
  }

  /// Does a piece of the work that is not a caller's, in the open transaction.
  ///
  /// - Returns: How long until the next piece; `nil`: there is none.
  public func doMaintenance() throws -> Duration? {
    if wakeUp.isRaised {
      maintenance.wake()
      wakeUp.lower()
    }
    catalog.refusesResets = false
    if fetchLog.isPending { try fetchLog.write(at: moment.steady) }
    try time.save(ifOlderThan: StoreTime.idleSaveInterval)
    let pause = try maintenance.work(at: moment)
    return fetchLog.isPending ? min(pause ?? FetchLog.pause, FetchLog.pause) : pause
  }

  /// Makes several changes one call: zone and database subscriptions fire at its end, once for each zone
  /// that it changed.
  public func asOneCall<R>(
    by caller: Caller,
    _ body: (CallContext) throws -> R
  ) throws -> R {
    try firings.asOneCall(by: caller, at: moment, body)
  }

  /// A user's roles were written, in the open transaction: from now on calls, feeds and notifications
  /// follow them.
  ///
  /// The user's own channels get new topics.
  ///
  /// - Throws: `SQLError`.
  public func rolesChanged(of user: String) throws {
    publicAccesses.forget()
    try readerChannels.rolesChanged(of: user)
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

  /// Makes an asset known whose file is complete; from now on records may name it.
  ///
  /// - Parameters:
  ///   - asset: The asset.
  ///   - databaseID: The database.
  ///   - user: Who sent its bytes, or may read a record that names it.
  /// - Throws: `ItemError` `quotaExceeded` when there is no room for a record that names it; `SQLError`.
  public func addAsset(_ asset: Asset, in databaseID: DatabaseID, by user: String) throws {
    guard !isBeingErased(user) else {
      throw ItemError(
        .managedAccountRestricted,
        "the user \(Identifier.shown(user)) is being erased: the upload is not kept"
      )
    }
    let database = try catalog.makeDatabase(databaseID, by: user)
    if try !assets.isPaid(asset, in: database) {
      try checkRoom(for: asset, in: database, by: user)
    }
    try assets.add(asset, to: database, by: user, at: moment.steady)
    guard databaseID.scope == .public else { return }
    try assets.addUpload(asset, to: database, by: user)
  }

  /// Forgets no asset from the end of the open transaction until the hold is released.
  package func holdAssets() -> AssetHold { assetCollection.hold() }

  // MARK: Idempotency

  /// The first answer to a call, if it was answered.
  public func answer(to call: IdempotentCall) throws -> [UInt8]? {
    try answers.answer(to: call, at: moment.steady)
  }

  /// Keeps the first answer to a call, in the open transaction.
  public func keep(_ response: [UInt8], for call: IdempotentCall) throws {
    try answers.keep(response, for: call, at: moment.steady)
  }

  // MARK: Devices

  /// Refuses a call that writes under one device name too many of its user.
  ///
  /// - Throws: `ItemError` `limitExceeded`; `SQLError`.
  public func checkDevice(of caller: Caller) throws { try devices.check(caller, at: moment.steady) }
}
