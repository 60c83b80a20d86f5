internal import TidingsEngine
internal import TidingsMemory
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsZeroMQ

/// Calls that read a feed, and wait if it has no changes.
final class WaitingFeeds {
  /// Most woken calls on the reader threads at a time: one change may wake thousands.
  private static let rerunsMax = 64
  /// How long before its deadline a call is answered.
  private static let deadlineMargin = Duration.milliseconds(100)

  /// What a call does that is not answered.
  private enum Step {
    case reads
    /// It waits, or was woken.
    case waits(WaitingCalls<FeedCall>.ID)
    /// Its client gave it up; whoever has it answers it.
    case isCancelled
  }

  private let calls: GroupedCalls
  /// The calls that are not answered.
  private var open: [ReplyToken: Step] = [:]
  private var waiting: WaitingCalls<FeedCall>
  /// Woken calls on the reader threads.
  private var rerunCount = 0
  /// False while the server drains or stops.
  var letsCallsWait = true

  init(_ calls: GroupedCalls, limits: Limits) {
    self.calls = calls
    waiting = WaitingCalls(
      countMax: limits.waitingCallsMax,
      countPerCallerMax: limits.waitingCallsPerUserMax,
      bytesMax: limits.memory[.changeWaits]
    )
  }

  /// How many calls wait.
  var count: Int { waiting.count }

  /// When `timerFired` is due; `nil` if never.
  var nextTimer: ContinuousClock.Instant? { waiting.nextTimer }

  /// Registers a method that runs on the reader threads, and waits if there are no changes.
  func register(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    _ handler: @escaping FeedCall.Handler
  ) {
    calls.reads.registerCall(method, on: loop) { [self] call, _ in
      guard open[call.token] == nil else { throw RPCError.callIDInUse(call.token.callID) }
      let feedCall = FeedCall(
        token: call.token,
        caller: try CallerIdentity.caller(of: call),
        key: call.callerKey,
        keyNumber: call.keyNumber,
        body: call.keptBody,
        deadline: call.deadline,
        handler: handler
      )
      guard run(feedCall) else { throw RPCError.tooManyReaders }
      open[call.token] = .reads
    }
  }

  /// Wakes the calls that wait for a change of a transaction.
  ///
  /// - Parameters:
  ///   - transaction: What was committed.
  ///   - traces: Its calls that are recorded.
  ///   - loop: The loop.
  func wake(
    by transaction: CommittedTransaction,
    _ traces: [TracedCall],
    on loop: LoopContext
  ) {
    guard !waiting.isEmpty else { return }
    let wakers = traces.map(\.context)
    waiting.wake(
      transaction.zones,
      shares: transaction.shares,
      databases: transaction.sharedDatabases,
      note: wakers.isEmpty ? nil : { $0.wokenBy = wakers }
    )
    runWoken(on: loop)
  }

  /// Answers the calls whose wait is over.
  func timerFired(on loop: LoopContext) {
    for call in waiting.expire(loop.now) { answerUnchanged(call, on: loop) }
  }

  /// Answers all waiting calls; later calls no longer wait.
  func stop(on loop: LoopContext) {
    letsCallsWait = false
    for call in waiting.takeAll() { answerUnchanged(call, on: loop) }
  }

  /// A client gave up a call; one that is not known is ignored.
  func cancel(_ token: ReplyToken, on loop: LoopContext) {
    guard let step = open.updateValue(.isCancelled, forKey: token) else {
      open[token] = nil
      return
    }
    guard case .waits(let id) = step, let call = waiting.take(id) else { return }
    answerUnchanged(call, on: loop)
  }

  /// Ends the calls of callers whose access has ended, including streams and uploads.
  func end(_ ended: EndedAccess, on loop: LoopContext) {
    for call in waiting.take(where: { ended.includes($0.keyNumber, $0.caller.user) }) {
      answer(call, .failure(calls.gate.refusal(ofKey: call.keyNumber) ?? .accessEnded), on: loop)
    }
    loop.endCalls(
      where: { key, user in ended.includes(key, user) },
      .accessEnded
    )
  }

  /// Ends waiting calls of closed connections.
  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {
    for connection in connections {
      for call in waiting.take(on: connection) { abandon(call, on: loop) }
    }
  }

  private func answerUnchanged(_ call: FeedCall, on loop: LoopContext) {
    recordWait(of: call, on: loop)
    var call = call
    call.token = call.token.afterWait
    answer(call, .success(call.answer), on: loop)
  }

  /// Answers a call, unless its client gave it up.
  private func answer(_ call: FeedCall, _ result: Result<[UInt8], RPCError>, on loop: LoopContext) {
    if case .isCancelled? = open.removeValue(forKey: call.token) {
      return loop.fail(call.token, .cancelledByClient)
    }
    switch result {
    case .success(let body): loop.reply(call.token, body: body)
    case .failure(let error): loop.fail(call.token, error)
    }
  }

  private func abandon(_ call: FeedCall, on loop: LoopContext) {
    open[call.token] = nil
    loop.abandon(call.token)
  }

  private func isCancelled(_ call: FeedCall) -> Bool {
    if case .isCancelled? = open[call.token] { true } else { false }
  }

  /// Its wait is over: its trace shows it, if it is recorded.
  private func recordWait(of call: FeedCall, on loop: LoopContext) {
    guard let began = call.waitBegan, let span = loop.observed(call.token)?.span else { return }
    calls.tracer?.recordWait(of: span.context, from: began, changes: call.wokenBy)
  }

  private func run(_ call: FeedCall) -> Bool {
    calls.reads.submit(
      ReadJob(
        token: call.token,
        deadline: call.deadline,
        bytes: call.body.count + call.answer.count,
        keyNumber: call.keyNumber
      ) { reader in
        try call.body.withUnsafeBytes { try call.handler(reader, call.caller, $0) }
      } deliver: { result, core, loop in
        core.feeds.deliver(result, to: call, on: loop)
      },
      of: call.key
    )
  }

  private func runWoken(on loop: LoopContext) {
    while rerunCount < Self.rerunsMax, var call = waiting.popWoken() {
      recordWait(of: call, on: loop)
      (call.isRerun, call.token) = (true, call.token.afterWait)
      (call.waitBegan, call.wokenBy) = (nil, [])
      if !isCancelled(call), run(call) {
        rerunCount += 1
      } else {
        answer(call, .failure(.tooManyReaders), on: loop)
      }
    }
  }

  private func deliver(
    _ result: Result<FeedAnswer, RPCError>,
    to call: FeedCall,
    on loop: LoopContext
  ) {
    var call = call
    if call.isRerun {
      rerunCount -= 1
      call.isRerun = false
      runWoken(on: loop)
    }
    switch result {
    case .failure(let error): answer(call, .failure(error), on: loop)
    case .success where !loop.isConnected(call.token): abandon(call, on: loop)
    case .success where calls.isStoreTaken:
      calls.longCalls.hold { [self, call] loop in deliver(result, to: call, on: loop) }
    case .success(let answer):
      call.answer = answer.body
      let end = end(of: call, after: answer.wait, loop.now)
      guard let watch = answer.watch, answer.wait > .zero, letsCallsWait, !isCancelled(call),
        end > .now, let isCurrent = calls.isCurrent(watch, on: loop)
      else { return self.answer(call, .success(answer.body), on: loop) }
      call.end = end
      // A change was committed after the read and before the call waits.
      let refusal =
        isCurrent
        ? wait(call, for: watch, until: end, on: loop) : run(call) ? nil : .tooManyReaders
      if let refusal { self.answer(call, .failure(refusal), on: loop) }
    }
  }

  /// Lets a call wait.
  ///
  /// - Returns: Why it cannot: it is not answered at once instead, or its caller would ask again and again.
  private func wait(
    _ call: FeedCall,
    for watch: FeedWatch,
    until end: ContinuousClock.Instant,
    on loop: LoopContext
  ) -> RPCError? {
    var call = call
    if loop.observed(call.token)?.span != nil { call.waitBegan = unixNanoseconds() }
    let id = waiting.park(
      call,
      of: call.key,
      on: call.token.connection,
      for: watch,
      bytes: call.body.count + call.answer.count + watch.bytes,
      until: end
    )
    guard let id else { return .tooManyWaits }
    open[call.token] = .waits(id)
    return nil
  }

  private func end(
    of call: FeedCall,
    after wait: Duration,
    _ now: ContinuousClock.Instant
  )
    -> ContinuousClock.Instant
  {
    if let end = call.end { return end }
    let end = now.advanced(
      by: min(wait, .milliseconds(calls.engine.limits.changeWaitMillisecondsMax))
    )
    guard let deadline = call.deadline else { return end }
    return min(end, deadline.advanced(by: .zero - Self.deadlineMargin))
  }
}

extension EndedAccess {
  /// Whether the access of a caller has ended.
  fileprivate func includes(_ key: Int64?, _ user: String?) -> Bool {
    key.map(keys.contains) ?? false || user.map(users.contains) ?? false
  }
}

extension RPCError {
  /// Enough calls wait for something to happen.
  static let tooManyWaits = RPCError(
    .resourceExhausted,
    "too many calls wait for changes already, yours or all together: end some of them, or try again later",
    details: [.retryInfo(after: .seconds(1))]
  )

  /// The caller had access when the call started.
  fileprivate static let accessEnded = RPCError(
    callFailure: ItemError(
      .notAuthenticated,
      "access was ended by an administrator: call again for the reason"
    )
  )
}
