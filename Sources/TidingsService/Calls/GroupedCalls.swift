internal import TidingsEngine
internal import TidingsLogging
internal import TidingsMemory
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsZeroMQ

/// Notified of each group of calls, on the loop thread.
protocol GroupObserver: AnyObject {
  /// A group is durable, and its calls are answered.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - committed: When it became durable, in nanoseconds of the monotonic clock.
  ///   - pushes: Spans of its pushes that are recorded.
  ///   - loop: The loop.
  func groupCommitted(
    _ group: CommittedGroup,
    at committed: Int64,
    _ pushes: [PushTrace],
    on loop: LoopContext
  )
  /// A group was rolled back: data that was read meanwhile may include its writes.
  func groupRolledBack(on loop: LoopContext)
}

/// Answers calls from the store, in groups: all that arrived in one turn of the loop share a
/// transaction and its commit.
///
/// Answers are sent after the commit. An acknowledged save and its events are therefore durable, no read
/// returns data that a crash could roll back, and libzmq sends a group's answers in few system calls.
final class GroupedCalls {
  let engine: Engine
  let store: any Store
  /// Rejects callers whose access has ended.
  let gate: IdentityGate
  /// Executes read calls on the reader threads.
  let reads: ReadDispatch
  let remote: CoreRemote
  let audit: AuditLog
  let failures: StoreFailures
  let logger: Logger
  /// Gathers calls, and commits them together.
  let committer: Committer
  weak var observer: (any GroupObserver)?
  /// Records spans; `nil`: nobody collects them.
  var tracer: Tracer?
  /// Bytes of answers of one group, above which it is committed before the end of the turn.
  private let groupAnswersMax: Int
  /// What groups came to.
  @exclusivity(unchecked) private(set) var metrics = GroupMetrics()
  /// Calls that are executed again, and those queued behind them.
  ///
  /// Unchecked, as `longCalls`: values that are changed by functions that call nothing beyond them, on the loop's thread.
  @exclusivity(unchecked) var postponed: PostponedCalls<CallLine, HeldCall>
  /// Long calls, and the calls that wait for the store meanwhile.
  @exclusivity(unchecked) var longCalls: LongCalls<CallLine, HeldCall>
  /// Whether calls that waited for the store are being executed.
  @exclusivity(unchecked) var isServingWaiting = false
  /// Whether the calls of a group that failed are being executed again, each in a group of its own.
  var isServingAlone = false
  /// The long call that uses the store.
  @exclusivity(unchecked) var runningLongCall: RunningLongCall?
  /// What threads of the store do.
  @exclusivity(unchecked) var beside = BesideWork()
  /// Where groups are committed; not of a remote store.
  @exclusivity(unchecked) var commitPace = CommitPace()
  /// Calls wait until the turn ends, and are a group then.
  let gathers: Bool
  /// Those that failed while others before them are made durable, in their order.
  var failedGroups: [FailedGroup] = []
  /// What has waited longest cannot be decided before everything else is durable.
  var firstWaitsAlone = false
  /// Of a group that failed: what is run again.
  var failedWaiting: [Waiting] = []
  /// How many groups were.
  var groupsRunAgain: UInt64 = 0
  /// When; `nil`: no group has failed.
  var runsAgainAt: ContinuousClock.Instant?
  /// The last that had the store was a gathered group.
  var longCallIsNext = false

  init(
    _ engine: Engine,
    _ store: any Store,
    gate: IdentityGate,
    reads: ReadDispatch,
    remote: CoreRemote,
    audit: AuditLog,
    auditTable: AuditTable?,
    failures: StoreFailures,
    logger: Logger
  ) {
    (self.engine, self.store) = (engine, store)
    (self.gate, self.reads, self.remote) = (gate, reads, remote)
    (self.audit, self.failures, self.logger) = (audit, failures, logger)
    let memory = engine.limits.memory
    groupAnswersMax = memory[.groupAnswers]
    postponed = PostponedCalls(Self.postponedBounds(memory))
    longCalls = LongCalls(Self.longCallBounds(memory))
    committer = Committer(engine, store: store, auditTable: auditTable)
    gathers = store.isRemote
  }

  // MARK: Calls

  /// Whether the group must be committed before the end of the turn, to limit memory use.
  var isGroupFull: Bool { committer.group.bytes > groupAnswersMax }

  /// Lets the loop answer a method from the store.
  func register(
    _ method: MethodDescriptor,
    _ access: StoreAccess,
    on loop: LoopContext,
    repeating: @escaping Answering.Repetition = { $1 },
    keeping: Answering.Keeping = .whileThereIsRoom,
    reading: ReadDispatch.MakeAnswer? = nil,
    expecting: Answering.Expecting? = nil,
    requestBytesMax: Int = LoopContext.readBytesMax,
    handler: @escaping Answering.Handler
  ) {
    let answering = Answering(
      repeating: repeating,
      keeping: keeping,
      reading: reading,
      expecting: expecting,
      handler: handler
    )
    loop.registerInline(method, requestBytesMax: requestBytesMax) { [self] call, loop in
      answerInGroup(call, access, on: loop, answering)
    }
  }

  /// The same for a method whose calls have no other effect than what they write.
  func register(
    _ method: MethodDescriptor,
    _ access: StoreAccess,
    on loop: LoopContext,
    keeping: Answering.Keeping = .whileThereIsRoom,
    _ body: @escaping (borrowing StoreCall) throws -> [UInt8]
  ) {
    register(
      method,
      access,
      on: loop,
      keeping: keeping,
      handler: { .answered(CallAnswer(try body($0))) }
    )
  }

  /// Answers a call from the store when the group of this turn is committed.
  func answerInGroup(
    _ call: borrowing InlineCall,
    _ access: StoreAccess,
    on loop: LoopContext,
    _ answering: Answering
  ) {
    do {
      if !postponed.isEmpty, try holds(call, access, answering) { return }
      if isStoreTaken { return try waitForStore(call, access, on: loop, answering) }
      let caller = try CallerIdentity.caller(of: call)
      let idempotent =
        access == .write && answering.keeping != .never ? Self.idempotentCall(call, caller) : nil
      let postponement = try answer(
        call.token,
        until: call.deadline,
        access,
        StoreCall(
          caller: caller,
          keyNumber: call.keyNumber,
          body: call.body,
          loop: loop,
          connection: call.token.connection,
          observed: loop.observed(call.token),
          hasKey: idempotent != nil
        ),
        idempotent,
        answering
      )
      if let postponement {
        return try postpone(call, postponement, access, on: loop, answering)
      }
      if committer.group.mayHaveWritten { keep(call, of: caller, access, answering) }
      endFullGroup(loop)
    } catch {
      fail(call.token, RPCError(callFailure: error))
      if keepsFailed(error), committer.group.mayHaveWritten,
        let caller = try? CallerIdentity.caller(of: call)
      {
        keep(call, of: caller, access, answering)
      }
      callFailed(error, access, on: loop)
    }
  }

  /// Keeps a call that read or wrote data of its group, to execute it again after a rollback.
  private func keep(
    _ call: borrowing InlineCall,
    of caller: Caller,
    _ access: StoreAccess,
    _ answering: Answering
  ) {
    committer.group.keep(HeldCall(call, of: caller, access, answering))
  }

  /// Runs a handler in the group of this turn, and keeps the answer until it is committed.
  ///
  /// - Returns: When the handler is to be run again; `nil`: the call is answered.
  /// - Throws: Why the call failed.
  func answer(
    _ token: ReplyToken,
    until deadline: ContinuousClock.Instant?,
    _ access: StoreAccess,
    _ call: consuming StoreCall,
    _ idempotent: IdempotentCall?,
    _ answering: Answering
  ) throws -> Postponement? {
    if let deadline, deadline <= .now {
      throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
    }
    // It was admitted before, and has waited.
    if engine.isErasing, engine.isBeingErased(call.caller.user) { throw ItemError.beingErased }
    try committer.open(for: access)
    if access == .write, !call.caller.device.isEmpty { try engine.checkDevice(of: call.caller) }
    let span = call.observed?.span?.context
    let first = span == nil ? 0 : engine.pendingEventCount
    if span != nil { engine.beginMeasuringMatching() }
    defer { if span != nil { _ = engine.endMeasuringMatching() } }
    switch try run(call, idempotent, answering) {
    case .postponed(let postponement): return postponement
    case .answered(let answer):
      if let span { noteTrace(span, access, eventsFrom: first) }
      committer.group.keep(answer, to: token, isRead: access == .read)
      return nil
    }
  }

  /// Ends the group of this turn before the end of the turn, if it holds too much; its last call is kept before.
  func endFullGroup(_ loop: LoopContext) {
    if isGroupFull, !gathers { endGroup(loop) }
  }

  /// A recorded call is a part of the group.
  func noteTrace(_ call: TraceContext, _ access: StoreAccess, eventsFrom first: Int) {
    let events = first..<max(first, engine.pendingEventCount)
    tracer?.recordMatching(engine.endMeasuringMatching(), of: call, events: events.count)
    guard access == .write else { return }
    committer.group.traced.append(TracedCall(context: call, events: events))
  }

  /// A call fails when the group of this turn is committed.
  func fail(_ token: ReplyToken, _ error: RPCError) {
    committer.group.keep(.failure(error), to: token)
  }

  /// A held call fails.
  func fail(_ held: HeldCall, _ error: RPCError) { fail(held.token, error) }

  /// A part of a call is written in this turn, and the call goes on in another.
  func notePartlyWritten(_ before: HeldCall, _ effects: CallEffects) {
    committer.group.partlyWritten.append(before)
    committer.group.effects.add(effects)
  }

  /// Works on the store for a task, in the group of this turn.
  ///
  /// - Parameters:
  ///   - access: What the work does to the store.
  ///   - attempts: How often it is done again when the store was out of reach.
  ///   - body: The work.
  ///   - loop: The loop.
  ///   - done: Called when the group is committed or given up.
  func work<Value>(
    _ access: StoreAccess,
    attempts: Int = 3,
    _ body: @escaping (Engine) throws -> Value,
    on loop: LoopContext,
    _ done: @escaping (Result<Value, any Error>) -> Void
  ) {
    if isStoreTaken {
      return longCalls.hold { [self] loop in
        work(access, attempts: attempts, body, on: loop, done)
      }
    }
    do {
      try committer.open(for: access)
      let value = try body(engine)
      committer.group.tasks.append(
        CallGroup.Task(
          done: { failure in done(failure.map { .failure($0) } ?? .success(value)) },
          again: { [self] loop in
            guard attempts > 0 else { return done(.failure(RPCError.storeIsOutOfReach)) }
            work(access, attempts: attempts - 1, body, on: loop, done)
          }
        )
      )
    } catch  where attempts > 0 && isTransient(error) {
      let again: Waiting = .work { [self] loop in
        work(access, attempts: attempts - 1, body, on: loop, done)
      }
      runGroupAgain(after: error, with: again, on: loop)
    } catch {
      done(.failure(error))
      callFailed(error, access, on: loop)
    }
  }

  /// Runs a handler, or repeats what its call was answered before.
  func run(
    _ call: borrowing StoreCall,
    _ idempotent: IdempotentCall?,
    _ answering: Answering
  ) throws -> Outcome {
    engine.pace.begin()
    guard let idempotent else { return try handle(call, answering) }
    if let first = try engine.answer(to: idempotent) {
      return .answered(CallAnswer(try answering.repeating(call, first)))
    }
    if answering.keeping == .whileThereIsRoom {
      try engine.checkRoomForAnswers(of: idempotent.owner)
    }
    let outcome = try handle(call, answering)
    if case .answered(let answer) = outcome, let kept = answer.keptBody {
      try engine.keep(kept, for: idempotent)
    }
    return outcome
  }

  private func handle(_ call: borrowing StoreCall, _ answering: Answering) throws -> Outcome {
    do {
      return try answering.handler(call)
    } catch is LongCall {
      return .postponed(Postponement(cause: .alone))
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

  // MARK: Groups

  /// Ends the turn: commits its group, and starts a long call, if there is one.
  func turnEnded(_ loop: LoopContext) {
    guard !gathers else { return gatheringTurnEnded(loop) }
    guard runningLongCall == nil, beside.isNone else { return answerRefused(on: loop) }
    if commitPace.isSlow, committer.isOpen, committer.group.mayHaveWritten {
      endGroupBeside(loop)
    } else {
      endGroup(loop)
    }
    beginLongCall(on: loop)
  }

  /// Commits the group of this turn, and sends its answers.
  func endGroup(_ loop: LoopContext) {
    guard committer.isAwaited else { return }
    let begin = monotonicNanoseconds()
    do {
      let writes = committer.isOpen && committer.group.mayHaveWritten && !gathers
      let group = try committer.commit()
      if writes { commitPace.note(.nanoseconds(monotonicNanoseconds() - begin), at: .now) }
      groupEnded(group, since: begin, on: loop)
    } catch {
      groupFailed(after: error, on: loop)
    }
  }

  /// Commits the group of this turn on a thread of its own; until then calls wait for the store, as for a long call, and
  /// what reads is answered by the reader threads.
  private func endGroupBeside(_ loop: LoopContext) {
    do {
      try committer.prepare()
    } catch {
      return groupFailed(after: error, on: loop)
    }
    commitBeside(on: loop)
  }

  /// Answers the calls of a group, and passes it to the observer.
  ///
  /// - Parameters:
  ///   - group: The group, which is durable.
  ///   - begin: When its commit began, in nanoseconds of the monotonic clock.
  ///   - loop: The loop.
  func groupEnded(_ group: CommittedGroup, since begin: Int64, on loop: LoopContext) {
    if group.calls.mayHaveWritten { store.didCommit() }
    let committed = loop.answersBegin()
    metrics.note(group, from: begin, to: committed)
    var pushes: [PushTrace] = []
    if let tracer, !group.calls.traced.isEmpty {
      pushes = tracer.recordCommit(group.calls, from: begin, to: committed)
    }
    if let added = group.calls.addedAudits {
      audit.added(added)
    } else {
      for entry in group.calls.effects.audits { audit.add(entry) }
    }
    for answer in group.calls.answers {
      switch answer.result {
      case .success(let body): loop.reply(answer.token, body: body)
      case .failure(let error): loop.fail(answer.token, error)
      }
    }
    loop.answersEnded()
    for task in group.calls.tasks { task.done(nil) }
    observer?.groupCommitted(group, at: committed, pushes, on: loop)
    store.betweenTransactions(hasWritten: group.calls.mayHaveWritten)
  }

  /// Answers all remaining calls, because the server is stopping.
  func stop(_ loop: LoopContext) {
    if !gathers, !beside.isNone { awaitBeside(on: loop) }
    finishLongCall(on: loop)
    if gathers { finishGathered(on: loop) }
    endGroup(loop)
  }

  /// Drops everything that waits, because the loop has ended: tasks among it find that out.
  ///
  /// What waits refers to its calls in turn, and would never go.
  func abandon() {
    let memory = engine.limits.memory
    postponed = PostponedCalls(Self.postponedBounds(memory))
    longCalls = LongCalls(Self.longCallBounds(memory))
    (failedGroups, failedWaiting) = ([], [])
    beside = BesideWork()
    committer.group = CallGroup()
  }

  /// Whether maintenance tasks may write.
  var hasRoom: Bool { !store.isFull }

  /// Whether there is no change that a call waits for, neither committed nor in this group.
  ///
  /// - Returns: `nil` if the store cannot be read.
  func isCurrent(_ watch: FeedWatch, on loop: LoopContext) -> Bool? {
    do {
      try committer.open(for: .read)
      return try engine.isCurrent(watch)
    } catch {
      callFailed(error, .read, on: loop)
      return nil
    }
  }

  /// The store waits for a moment between two transactions; an open group comes to it at its end.
  func tidyStore() {
    if runningLongCall != nil { return store.transactionGoesOn() }
    if !committer.isOpen, beside.isNone {
      store.betweenTransactions(hasWritten: false)
    }
  }
}

extension RPCError {
  /// The network lost what was done, again and again.
  fileprivate static let storeIsOutOfReach = RPCError(
    .unavailable,
    "the database cannot be reached; nothing was changed: try again later",
    details: [.retryInfo(after: .seconds(1))]
  )
}
