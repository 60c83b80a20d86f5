internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsZeroMQ

/// Answers the calls that need the store, in groups: all that arrived in one turn of the loop share a
/// transaction and its commit.
///
/// Answers leave after the commit. So an acknowledged save is durable, and so are its events; no read
/// tells what a crash can take back; and libzmq sends a group's answers in few system calls.
final class Core: LoopTurn {
  /// What a call does to the store.
  enum Access {
    /// It reads.
    case read
    /// It may write.
    case write
  }

  /// A call as the store's handlers see it: who calls, and with what.
  struct Call: ~Copyable {
    let caller: Caller
    /// The number of the key of the caller's connection; `nil` in development mode.
    let keyNumber: Int64?
    let body: UnsafeRawBufferPointer
    let loop: LoopContext
    /// What an earlier run of the handler left; `nil`: this is the first.
    var progress: (any CallProgress)?
    /// The memory of a call that pauses; others use the loop's, which is empty again after each turn.
    var memory: CallMemory?
    /// The number of the caller's connection; 0: it was not asked for.
    var connection: UInt64 = 0

    var arena: Arena {
      _read { if let memory { yield memory.arena } else { yield loop.arena } }
    }
  }

  /// The memory of one call.
  final class CallMemory {
    let arena = Arena()
  }

  /// Answers a call with the encoded response.
  typealias Handler = (borrowing Call) throws -> [UInt8]

  /// Makes of the first answer to a call, which its key repeats, what the caller may get now.
  typealias Repetition = (borrowing Call, _ answer: [UInt8]) throws -> [UInt8]

  /// How the calls of a method are answered.
  struct Answering {
    let handler: Handler
    var repeating: Repetition = { $1 }
    /// Answers it on a reader thread instead, while another call has the store.
    var reading: (@Sendable (Caller, [UInt8]) -> any SlicedAnswer)?
  }

  let engine: Engine
  let logger: Logger
  private(set) var counters = CoreCounters()

  let connection: SQLiteConnection
  let folder: DataFolder
  /// Who administered what, and who was refused what.
  let audit: AuditLog
  /// How it is known who calls.
  let callerMode: CallerMode
  /// Says it, and refuses who may not call.
  let gate: IdentityGate
  let log: StoreLog
  private let tracker: CommitTracker
  let readers: ReaderPool
  let assets: AssetFiles
  let failures: StoreFailures
  /// The one backup or check that runs.
  let walks = StoreWalkSlot()
  private var maintenanceDue: ContinuousClock.Instant?
  private var administrationWatch = AdministrationWatch()
  /// The answer of the call at hand is kept for its idempotency key: not if it changes nothing.
  var keepsAnswer = true
  /// What is kept of the answer instead of all; `nil`: all.
  var keptAnswer: [UInt8]?
  /// Gathers calls, and commits them together.
  let committer: Committer
  /// Calls that are run again, and those behind them.
  var postponed = PostponedCalls<CallLine, HeldCall>(postponedBounds)
  /// Calls that take long, and what waits for the store behind one.
  var longCalls = LongCalls<CallLine, HeldCall>(longCallBounds)
  /// What waited for the store is being done.
  var isServingWaiting = false
  /// The one that has the store.
  var runningLongCall: RunningLongCall?
  private(set) var publisher: Publisher

  /// Calls that wait for a change.
  var waitingCalls: WaitingCalls<FeedCall>
  /// Woken calls that the readers have.
  var rerunCount = 0
  /// Not when the server is stopping.
  var letsCallsWait = true
  /// Tells whether the server serves.
  var health: HealthState?
  /// An administrator drained the server, and wants it to end: called once.
  var onDrained: (() -> Void)?

  /// A core on an open database; the folder stays locked as long as the core lives.
  init(
    _ connection: SQLiteConnection,
    _ folder: DataFolder,
    limits: Limits,
    reloadsAlways: Bool = false,
    sealsPushes: Bool,
    callerMode: CallerMode,
    admittedKeys: AdmittedKeys,
    auditSyslogPath: String? = nil,
    logger: Logger,
    remote: LoopRemote
  ) throws {
    self.connection = connection
    self.folder = folder
    self.logger = logger
    let steadyClock = SteadyClock()
    engine = try Engine(
      connection,
      codec: ProtoBodyCodec(),
      limits: limits,
      admittedKeys: admittedKeys,
      steadyClock: steadyClock,
      reloadsAlways: reloadsAlways,
      clock: { .now }
    )
    self.callerMode = callerMode
    audit = AuditLog(folder: folder.path, syslogPath: auditSyslogPath, logger: logger)
    failures = StoreFailures(logger: logger)
    gate = IdentityGate(engine, mode: callerMode, audit: audit)
    engine.pace.givesUpLongCalls = true
    if callerMode == .authenticated {
      engine.requireKnownParticipants()
      engine.letOnlyDevelopersTeach()
    }
    publisher = Publisher(limits, key: sealsPushes ? engine.pushKey : nil)
    waitingCalls = WaitingCalls(
      countMax: limits.waitingCallsMax,
      countPerCallerMax: limits.waitingCallsPerUserMax,
      bytesMax: limits.waitingBytesMax
    )
    // What a crash left in the log is written and synced again before anything is added to it.
    try connection.moveWholeLog()
    tracker = try CommitTracker(
      folder,
      connection,
      limits: limits,
      now: steadyClock.now,
      logger: logger
    )
    connection.setMovesLogOnClose(true)
    log = StoreLog(
      connection,
      path: folder.databasePath,
      bytesMax: limits.logBytesMax,
      logger: logger,
      wake: { remote.submit { ($0.turn as? Core)?.restartLog() } }
    )
    committer = Committer(engine, log: log)
    assets = try AssetFiles(
      path: folder.assetsPath,
      databasePath: folder.databasePath,
      limits: limits,
      sweepsAfter: tracker.sweepsAfter,
      steadyClock: steadyClock,
      logger: logger
    )
    readers = ReaderPool(
      path: folder.databasePath,
      gate: log.checkpointer.gate,
      limits: limits,
      failures: failures,
      steadyClock: steadyClock,
      remote: remote
    )
    maintenanceDue = .now
    if callerMode == .authenticated { administrationWatch.begin(at: .now) }
  }

  /// The server is about to serve: from now on commits are noted beside the store.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func beginRun() throws { try tracker.begin() }

  // MARK: Calls

  /// Lets the loop answer a method from the store.
  func register(
    _ method: MethodDescriptor,
    _ access: Access,
    on loop: LoopContext,
    repeating: @escaping Repetition = { $1 },
    reading: (@Sendable (Caller, [UInt8]) -> any SlicedAnswer)? = nil,
    _ handler: @escaping Handler
  ) {
    let answering = Answering(handler: handler, repeating: repeating, reading: reading)
    loop.registerInline(method) { [self] call, loop in
      answerInGroup(call, access, on: loop, answering)
    }
  }

  /// Answers a call from the store when the group of this turn is committed.
  func answerInGroup(
    _ call: borrowing InlineCall,
    _ access: Access,
    on loop: LoopContext,
    _ answering: Answering
  ) {
    do {
      if !postponed.isEmpty, try holds(call, access, answering) { return }
      if isStoreTaken { return try waitForStore(call, access, on: loop, answering) }
      let caller = try CallerIdentity.caller(of: call)
      do {
        let isKept = try answer(
          call.token,
          until: call.deadline,
          access,
          Call(
            caller: caller,
            keyNumber: call.keyNumber,
            body: call.body,
            loop: loop,
            connection: call.token.connection
          ),
          access == .write ? Self.idempotentCall(call, caller) : nil,
          answering
        )
        if isKept, committer.group.hasWrites { keep(call, of: caller, access, answering) }
      } catch let postponement as CallPostponed {
        try postpone(call, postponement, access, on: loop, answering)
      }
    } catch {
      fail(call.token, RPCError(callFailure: error))
      if error.isCallersMistake, committer.group.hasWrites,
        let caller = try? CallerIdentity.caller(of: call)
      {
        keep(call, of: caller, access, answering)
      }
      callFailed(error, access, on: loop)
    }
  }

  /// A call saw or wrote what its group has written: should that be taken back, it is made again.
  private func keep(
    _ call: borrowing InlineCall,
    of caller: Caller,
    _ access: Access,
    _ answering: Answering
  ) {
    let line = CallLine(connection: call.token.connection, caller: call.callerKey)
    committer.group.keep(heldCall(call, line, caller, access, answering))
  }

  /// Runs a handler in the group of this turn, and keeps the answer until it is committed.
  ///
  /// - Returns: Whether the group goes on.
  /// - Throws: `CallPostponed` when the handler is to be run again; why the call failed.
  func answer(
    _ token: ReplyToken,
    until deadline: ContinuousClock.Instant?,
    _ access: Access,
    _ call: consuming Call,
    _ idempotent: IdempotentCall?,
    _ answering: Answering
  ) throws -> Bool {
    if let deadline, deadline <= .now {
      throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
    }
    // It was admitted before, and has waited.
    if engine.isErasing, engine.isBeingErased(call.caller.user) { throw ItemError.beingErased }
    try committer.open(for: access)
    if access == .write, !call.caller.device.isEmpty { try engine.checkDevice(of: call.caller) }
    let loop = call.loop
    let answer = try answer(call, idempotent, answering)
    committer.group.keep(.success(answer), to: token)
    guard committer.group.isFull else { return true }
    endGroup(loop)
    return false
  }

  /// A call fails when the group of this turn is committed.
  func fail(_ token: ReplyToken, _ error: RPCError) {
    committer.group.keep(.failure(error), to: token)
  }

  /// A held call fails.
  func fail(_ held: HeldCall, _ error: RPCError) { fail(held.token, error) }

  /// A part of a call is written in this turn, and the call goes on in another.
  func notePartlyWritten(_ line: CallLine) {
    committer.group.partlyWritten.append(line)
  }

  /// Works on the store for a task, in the group of this turn.
  ///
  /// - Parameters:
  ///   - access: What the work does to the store.
  ///   - body: The work.
  ///   - loop: The loop.
  ///   - done: Called when the group is committed or given up.
  func work<Value>(
    _ access: Access,
    _ body: @escaping (Engine) throws -> Value,
    on loop: LoopContext,
    _ done: @escaping (Result<Value, any Error>) -> Void
  ) {
    if isStoreTaken {
      return longCalls.hold { [self] loop in work(access, body, on: loop, done) }
    }
    do {
      try committer.open(for: access)
      let value = try body(engine)
      committer.group.waiting.append { failure in
        done(failure.map { .failure($0) } ?? .success(value))
      }
    } catch {
      done(.failure(error))
      callFailed(error, access, on: loop)
    }
  }

  /// The channels of a user changed: tell the user's devices after the commit.
  func channelsChanged(of user: String, container: String, environment: Environment) throws {
    announce(
      on: try engine.controlTopic(of: user, container: container, environment: environment)
    )
  }

  /// Devices that listen to a control topic are to register again, after the commit.
  func announce(on controlTopic: [UInt8]) {
    committer.group.announcedTopics.insert(controlTopic)
  }

  /// Nothing more is to be published on these topics once the group is committed.
  func retire(_ topics: [[UInt8]]) { committer.group.retiredTopics += topics }

  /// Notes what an administrator did, once the group is committed.
  func auditWhenCommitted(_ entry: AuditEntry) { committer.group.audits.append(entry) }

  func answer(
    _ call: borrowing Call,
    _ idempotent: IdempotentCall?,
    _ answering: Answering
  ) throws -> [UInt8] {
    engine.pace.begin()
    guard let idempotent else { return try handle(call, answering) }
    if let first = try engine.answer(to: idempotent) {
      return try answering.repeating(call, first)
    }
    (keepsAnswer, keptAnswer) = (true, nil)
    let answer = try handle(call, answering)
    if keepsAnswer { try engine.keep(keptAnswer ?? answer, for: idempotent) }
    return answer
  }

  private func handle(_ call: borrowing Call, _ answering: Answering) throws -> [UInt8] {
    do {
      return try answering.handler(call)
    } catch is LongCall {
      throw CallPostponed(cause: .alone, progress: nil)
    }
  }

  private static func idempotentCall(
    _ call: borrowing InlineCall,
    _ caller: Caller
  )
    -> IdempotentCall?
  {
    guard !call.idempotencyKey.isEmpty else { return nil }
    return IdempotentCall(
      owner: caller.user,
      key: String(decoding: call.idempotencyKey, as: UTF8.self),
      method: call.method.fullName,
      request: call.body
    )
  }

  /// Notes that a page of the log brought notifications to a device.
  func noteFetch(_ reached: [Int64: Int64], by caller: Caller) {
    guard !engine.isBeingErased(caller.user),
      let pause = engine.noteFetch(reached, by: caller, at: .now)
    else { return }
    let due = ContinuousClock.now.advanced(by: pause)
    maintenanceDue = maintenanceDue.map { min($0, due) } ?? due
  }

  /// Counts what counts once the group is committed.
  func countRecords(saved: Int, deleted: Int) {
    committer.group.counters.recordsSaved += UInt64(saved)
    committer.group.counters.recordsDeleted += UInt64(deleted)
  }

  // MARK: Groups

  func turnEnded(_ loop: LoopContext) {
    guard runningLongCall == nil else { return answerRefused(on: loop) }
    endGroup(loop)
    beginLongCall(on: loop)
  }

  /// Commits the group of this turn, and sends what waited for that.
  func endGroup(_ loop: LoopContext) {
    guard committer.isAwaited else { return }
    do {
      groupEnded(try committer.commit(), on: loop)
    } catch {
      giveUpGroup(after: error, on: loop)
    }
  }

  /// Tells what a group came to.
  func groupEnded(_ group: CommittedGroup, on loop: LoopContext) {
    if group.calls.hasWrites { tracker.committed() }
    for entry in group.calls.audits { audit.add(entry) }
    for answer in group.calls.answers {
      switch answer.result {
      case .success(let body): loop.reply(answer.token, body: body)
      case .failure(let error): loop.fail(answer.token, error)
      }
    }
    for done in group.calls.waiting { done(nil) }
    if let transaction = group.transaction { publisher.publish(transaction.events, on: loop) }
    publisher.retire(group.retiredTopics)
    publisher.announceChannels(group.calls.announcedTopics, on: loop)
    if let transaction = group.transaction { tell(transaction, on: loop) }
    if group.calls.hasWrites {
      if engine.hasUrgentMaintenance { maintenanceDue = .now }
      log.committed()
    }
    log.restart()
    counters += group.counters
  }

  /// Tells what a transaction changed for those who did not call.
  private func tell(_ transaction: CommittedTransaction, on loop: LoopContext) {
    publish(transaction.readMarks, on: loop)
    if transaction.hasChangedQuotas { quotasChanged(on: loop) }
    if !transaction.endedAccess.isEmpty { endCalls(of: transaction.endedAccess, on: loop) }
    if !waitingCalls.isEmpty { wakeWaitingCalls(by: transaction, on: loop) }
    note(transaction.finishedErasures)
    assets.collect(transaction.collectedAssets)
  }

  /// Tells users' devices what others marked read.
  private func publish(_ marks: [StoredReadMarks], on loop: LoopContext) {
    guard !marks.isEmpty else { return }
    do {
      publisher.publish(try marks.map(pushed), on: loop)
    } catch {
      // They are in the log, where devices look every minute.
      logger.log(.error, "read marks were not published", ["reason": "\(error)"])
    }
  }

  private func pushed(_ marks: StoredReadMarks) throws -> PushedReadMarks {
    let topic = try engine.controlTopic(
      of: marks.owner,
      container: marks.container,
      environment: marks.environment
    )
    return PushedReadMarks(
      topic: topic,
      originTag: engine.originTag(
        of: Caller(user: marks.owner, device: marks.device),
        topic: topic
      ),
      previous: marks.previous,
      last: marks.last,
      notificationIDs: marks.ids.map(\.description)
    )
  }

  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {
    endWaits(onConnections: connections, loop)
  }

  func stopping(_ loop: LoopContext) {
    finishLongCall(on: loop)
    endGroup(loop)
    publisher.publishRest(on: loop)
    keepTime()
    endAllWaits(on: loop)
    endPostponed(on: loop)
    for job in readers.stop() {
      loop.fail(job.token, RPCError(.unavailable, "the server is stopping"))
    }
    assets.stop()
    log.checkpointer.stop()
    tracker.stop()
    audit.stop()
  }

  var nextTimer: ContinuousClock.Instant? {
    [publisher.nextTimer, maintenanceDue, waitingCalls.nextTimer, administrationWatch.due].lazy
      .compactMap(\.self).min()
  }

  func timerFired(_ loop: LoopContext) {
    if let timer = publisher.nextTimer, timer <= loop.now { publisher.timerFired(on: loop) }
    if let maintenanceDue, maintenanceDue <= loop.now { doMaintenance(on: loop) }
    if let timer = waitingCalls.nextTimer, timer <= loop.now { endWaits(on: loop) }
    if administrationWatch.isDue(at: loop.now) { watchAdministration() }
  }

  /// The next run need not find out how much time passed.
  private func keepTime() {
    do {
      try engine.keepTime()
    } catch {
      engine.rollback()
      logger.log(.warning, "the store's time was not kept", ["reason": "\(error)"])
    }
  }

  private func watchAdministration() {
    do {
      guard let warning = AdministrationWatch.warning(try engine.administration, at: .now) else {
        return
      }
      logger.log(.warning, warning)
    } catch {
      failures.note(error, in: "the look at the administrators' keys")
    }
  }

  private func doMaintenance(on loop: LoopContext) {
    guard !isStoreTaken else {
      maintenanceDue = .now.advanced(by: Self.maintenancePauseDuringLongCall)
      return
    }
    guard !log.isFull else {
      maintenanceDue = .now.advanced(by: Self.maintenancePauseAfterFailure)
      return
    }
    do {
      try committer.openForMaintenance()
      if let notice = engine.takeClockNotice() {
        logger.log(notice.isWarning ? .warning : .info, notice.description)
      }
      maintenanceDue = try engine.doMaintenance().map {
        .now.advanced(by: max($0, Self.maintenancePause))
      }
    } catch {
      maintenanceDue = .now.advanced(by: Self.maintenancePauseAfterFailure)
      giveUpCall(after: error, on: loop)
    }
  }

  /// Between two pieces of the engine's own work callers have their turns.
  private static let maintenancePause = Duration.milliseconds(1)
  private static let maintenancePauseAfterFailure = Duration.seconds(10)
  private static let maintenancePauseDuringLongCall = Duration.milliseconds(10)

  /// Nothing that a call waits for is committed, or will be with this group.
  ///
  /// - Returns: `nil` when the store cannot be asked.
  func isCurrent(_ watch: FeedWatch, on loop: LoopContext) -> Bool? {
    do {
      try committer.open(for: .read)
      return try engine.isCurrent(watch)
    } catch {
      callFailed(error, .read, on: loop)
      return nil
    }
  }

  /// The checkpointer waits for it; an open group does it at its end.
  private func restartLog() {
    if !committer.isOpen, runningLongCall == nil { log.restart() }
  }
}
