internal import TidingsEngine
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsMemory
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// The state of the loop thread: the store, the engine, and the parts that run in turns.
///
/// `GroupedCalls` executes calls in groups, `ReadDispatch` executes long reads on the reader threads,
/// `WaitingFeeds` lets calls wait for a change, `Publisher` publishes the events of committed groups, and
/// `MaintenanceTurns` runs maintenance tasks. The handlers of methods are extensions.
final class Core {
  typealias Call = StoreCall

  let engine: Engine
  let logger: Logger
  let folder: DataFolder
  let store: any Store
  let assets: any AssetStorage
  /// Administrative calls and rejected calls.
  let audit: AuditLog
  /// How callers are identified.
  let callerMode: CallerMode
  /// Identifies callers, and rejects those without access.
  let gate: IdentityGate
  /// Access to the core from other threads.
  let remote: CoreRemote
  let reads: ReadDispatch
  let calls: GroupedCalls
  let largeDecoding: LargeDecoding
  let rights: AdministrativeRights
  let senders = WaitingSenders()
  let feeds: WaitingFeeds
  let maintenance: MaintenanceTurns
  var publisher: Publisher
  var counters = CoreCounters()
  /// Calls that are logged.
  let callLog: CallLog
  /// Metrics for which the store is read.
  let sizesWatch: StoreSizesWatch?
  /// The running backup or check; at most one.
  let walks = StoreWalkSlot()
  /// The health of the server.
  var health: HealthState?
  /// Called once when an administrator drained the server and it must exit.
  var onDrained: (() -> Void)?
  /// What is done for the nodes that follow; `nil`: the database is embedded.
  var leadership: Leadership?
  /// Called once when this node cannot go on in its role.
  var onRoleEnd: ((RoleEnd) -> Void)?
  /// Warnings of what the loop does to connections.
  private var refusedConnections = PacedWarning()
  private var connectionsWithoutRoom = PacedWarning()
  private var connectionsWithTopics = PacedWarning()

  /// A core on an open database; the folder stays locked as long as the core lives.
  init(
    _ database: any OpenDatabase,
    _ folder: DataFolder,
    limits: Limits,
    reloadsAlways: Bool = false,
    sealsPushes: Bool,
    callerMode: CallerMode,
    admittedKeys: AdmittedKeys,
    auditSyslogPath: String? = nil,
    logger: Logger,
    callLog: CallLog? = nil,
    remote loop: LoopRemote
  ) throws {
    self.folder = folder
    self.logger = logger
    self.callerMode = callerMode
    self.callLog = callLog ?? CallLog(logger, slowMilliseconds: 0)
    let remote = CoreRemote(loop)
    self.remote = remote
    let steadyClock = SteadyClock()
    engine = try Engine(
      database.connection,
      readingAhead: database.readingAhead,
      limits: limits,
      admittedKeys: admittedKeys,
      steadyClock: steadyClock,
      assetContents: database.assetContents,
      deliveryKeys: { [keys = DeliveryKeyFile(path: folder.deliveryKeyPath)] in
        try keys.ring(isMade: $0)
      },
      reloadsAlways: reloadsAlways,
      clock: { .now }
    )
    engine.pace.givesUpLongCalls = true
    if callerMode == .authenticated {
      engine.requireKnownParticipants()
      engine.letOnlyDevelopersTeach()
    }
    let auditStorage = database.auditStorage
    audit = try AuditLog(auditStorage, syslogPath: auditSyslogPath, logger: logger)
    let failures = StoreFailures(logger: logger)
    gate = IdentityGate(engine, mode: callerMode, audit: audit)
    rights = AdministrativeRights(engine: engine, callerMode: callerMode, audit: audit)
    largeDecoding = LargeDecoding(limits.memory)
    publisher = Publisher(limits, key: sealsPushes ? engine.pushKey : nil)
    store = try database.makeStore(
      for: StoreUser(
        limits: limits,
        now: steadyClock.now,
        logger: logger,
        wake: { remote.submit { core, _ in core.calls.tidyStore() } }
      )
    )
    assets = try store.openAssets(
      for: AssetStorageUser(limits: limits, steadyClock: steadyClock, logger: logger)
    )
    reads = ReadDispatch(
      ReaderPool(
        readers: store.readers,
        limits: limits,
        failures: failures,
        steadyClock: steadyClock,
        remote: remote
      ),
      readsOnLoop: !store.isRemote
    )
    calls = GroupedCalls(
      engine,
      store,
      gate: gate,
      reads: reads,
      remote: remote,
      audit: audit,
      auditTable: try auditStorage.table(on: database.connection),
      failures: failures,
      logger: logger
    )
    feeds = WaitingFeeds(calls, limits: limits)
    maintenance = MaintenanceTurns(calls, isAdministered: callerMode == .authenticated)
    calls.tracer = self.callLog.tracer
    sizesWatch = StoreSizesWatch(store.readers)
    calls.observer = self
    remote.attach(self)
  }

  /// The server is about to serve: from now on commits are noted beside the store.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func beginRun() throws { try store.begin() }
}

extension Core: LoopDelegate {
  func turnEnded(_ loop: LoopContext) {
    calls.turnEnded(loop)
    answerFollowers(on: loop)
  }

  var nextTimer: ContinuousClock.Instant? {
    let timer = earlier(
      earlier(publisher.nextTimer, maintenance.nextTimer),
      earlier(earlier(feeds.nextTimer, senders.nextTimer), calls.nextTimer)
    )
    return leadership.map { earlier(timer, $0.nextTimer) } ?? timer
  }

  /// Each turn asks twice: the least of a list took 6,700 instructions.
  private func earlier(
    _ first: ContinuousClock.Instant?,
    _ second: ContinuousClock.Instant?
  ) -> ContinuousClock.Instant? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  /// Nodes that follow wait for publications of this one; they ask again at once.
  var idleCallCount: Int { leadership?.waitingCount ?? 0 }

  func timerFired(_ loop: LoopContext) {
    if let timer = publisher.nextTimer, timer <= loop.now { publisher.timerFired(on: loop) }
    maintenance.timerFired(on: loop)
    if let timer = feeds.nextTimer, timer <= loop.now { feeds.timerFired(on: loop) }
    senders.timerFired(on: loop)
    beatIfDue(on: loop)
  }

  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {
    feeds.connectionsEnded(connections, loop)
    senders.connectionsEnded(connections, loop)
    for token in leadership?.connectionsEnded(connections) ?? [] { loop.abandon(token) }
  }

  func stopping(_ loop: LoopContext) {
    calls.stop(loop)
    publisher.publishRest(on: loop)
    maintenance.stop()
    feeds.stop(on: loop)
    senders.stop(on: loop)
    calls.endPostponed(on: loop)
    for token in leadership?.takeAll() ?? [] {
      loop.fail(token, RPCError(.unavailable, "the node that leads is stopping"))
    }
    reads.stop(loop)
    assets.stop()
    store.stop()
    audit.stop()
  }

  func abandoned(_ loop: LoopContext) {
    for token in leadership?.takeAll() ?? [] {
      loop.fail(token, RPCError(.unavailable, "this node does not lead any more"))
    }
    // Beside a disk that has failed nothing more is done, and the process ends.
    guard store.isRemote else { return }
    calls.abandonLongCall()
    reads.stop(loop)
    assets.stop()
    store.stop()
    audit.stop()
    calls.abandon()
  }

  func admit(
    key: Int64?,
    method: @autoclosure () -> MethodDescriptor?,
    claiming claim: CallerClaim
  ) -> CallAdmission {
    gate.admit(key: key, method: method(), claiming: claim)
  }

  func callFailed(_ error: RPCError, _ loop: LoopContext) {
    calls.failures.note(error, in: "a call")
  }

  func callCancelled(_ token: ReplyToken, _ loop: LoopContext) {
    feeds.cancel(token, on: loop)
    senders.cancel(token, on: loop)
  }

  func handshakesRefused(_ refusals: [RefusedHandshake], _ loop: LoopContext) {
    for refusal in refusals {
      var entry = AuditEntry(
        "handshake",
        publicKey: refusal.publicKey?.description ?? "",
        address: refusal.address,
        isRefused: true,
        detail: "the key is not admitted"
      )
      entry.count = UInt64(refusal.count)
      audit.addRefusal(entry)
    }
  }

  func connectionsRefused(_ loop: LoopContext) {
    guard refusedConnections.isDue(at: loop.now) else { return }
    logger.log(
      .warning,
      "there is no room for more connections, new connections are not accepted: raise the limit of open files, or "
        + "memory-bytes-max",
      ["pauses": "\(loop.counters.acceptPauses)"]
    )
  }

  func subscriber(ofKey key: Int64) -> CallerKey {
    guard let user = try? engine.holder(ofKey: key)?.user, !user.isEmpty else {
      return CallerKey(guestKey: key)
    }
    return CallerKey(user: user)
  }

  func connectionsEndedForTopics(_ loop: LoopContext) {
    guard connectionsWithTopics.isDue(at: loop.now) else { return }
    logger.log(
      .warning,
      "connections were ended that asked for more topics than there is room for: if they are honest, raise "
        + "memory-bytes-max",
      ["closed": "\(loop.counters.connectionsEnded)"]
    )
  }

  func connectionsEndedForRoom(_ loop: LoopContext) {
    guard connectionsWithoutRoom.isDue(at: loop.now) else { return }
    logger.log(
      .warning,
      "connections were ended that had begun large messages and did not end them, for which there is no "
        + "room: if they are honest, raise memory-bytes-max",
      ["closed": "\(loop.counters.connectionsEnded)"]
    )
  }
}
