internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsZeroMQ

// In a remote store a group waits twice: for what its calls read, all of it together, and for its commit. The calls that
// arrive meanwhile are gathered, and are the next group.
extension GroupedCalls {
  typealias Waiting = LongCalls<CallLine, HeldCall>.Waiting

  /// Most calls of a group.
  private static let gatheredMax = 256
  /// How long a group waits before each time that it is run again.
  private static let pausesBeforeRunning: [Duration] = [
    .milliseconds(20), .milliseconds(400), .seconds(2),
  ]
  /// Reads of one call are not worth a thread.
  private static let readAheadCallsMin = 2

  /// When a group that failed is run again.
  var nextTimer: ContinuousClock.Instant? { runsAgainAt }

  /// Ends a turn in which calls were gathered.
  func gatheringTurnEnded(_ loop: LoopContext) {
    if beside?.outcome.isDone == true { finishBeside(on: loop) }
    guard beside == nil, runningLongCall == nil else { return answerRefused(on: loop) }
    putBackWhatFailed()
    // Of tasks and timers.
    endGathered(on: loop)
    guard beside == nil else { return }
    if let runsAgainAt {
      guard runsAgainAt <= .now else { return }
      self.runsAgainAt = nil
    }
    // Long calls and groups have their turns one after the other.
    if longCallIsNext { beginLongCall(on: loop) }
    longCallIsNext = runningLongCall == nil
    guard runningLongCall == nil, beside == nil else { return }
    beginGathered(on: loop)
    if beside == nil { beginLongCall(on: loop) }
  }

  /// Begins a group with what has waited longest.
  private func beginGathered(on loop: LoopContext) {
    var (waiting, works): ([Waiting], [Waiting]) = ([], [])
    while waiting.count + works.count < Self.gatheredMax, let next = longCalls.takeWaiting() {
      // Last, since what was read ahead is of no use behind them.
      if case .work = next { works.append(next) } else { waiting.append(next) }
    }
    waiting += works
    guard !waiting.isEmpty else { return }
    var reads = ReadsAhead()
    do {
      if waiting.count >= Self.readAheadCallsMin {
        try committer.open(for: .read)
        waiting.forEach(expect)
        reads = try engine.takeReadsAhead()
      }
    } catch {
      return runGathered(waiting, reads, SQLError(of: error), on: loop)
    }
    guard !reads.statements.isEmpty else { return runGathered(waiting, reads, nil, on: loop) }
    readBeside(reads, for: waiting)
  }

  /// Lets the engine know what a call is going to read.
  private func expect(_ waiting: Waiting) {
    guard case .call(let held, _, _) = waiting, let expecting = held.answering.expecting else {
      return
    }
    held.body.withUnsafeBytes { body in
      if let idempotent = held.idempotentCall(body) { engine.expect(idempotent) }
      expecting(held.caller, body)
    }
  }

  /// Runs gathered calls, for which was read ahead.
  func runGathered(
    _ waiting: [Waiting],
    _ reads: ReadsAhead,
    _ error: SQLError?,
    on loop: LoopContext
  ) {
    var rest = waiting[...]
    do {
      if let error { throw error }
      try engine.use(reads)
      isServingWaiting = true
      while runsAgainAt == nil, let next = rest.popFirst() { run(next, on: loop) }
      isServingWaiting = false
    } catch {
      groupFailed(after: error, on: loop)
      rest = rest.compactMap { runAgain($0, after: error, on: loop) }[...]
    }
    failedWaiting += rest
    putBackWhatFailed()
    endGathered(on: loop)
  }

  private func run(_ waiting: Waiting, on loop: LoopContext) {
    switch waiting {
    case .work(let work):
      engine.forgetReadsAhead()
      work(loop)
    case .call(let held, let line, let bytes):
      if held.access == .write, held.answering.expecting == nil { engine.forgetReadsAhead() }
      serve(held, line, bytes, on: loop)
    }
  }

  /// Lets the store commit the group, if there is one.
  private func endGathered(on loop: LoopContext) {
    guard committer.isOpen else { return endGroup(loop) }
    do {
      try committer.prepare()
    } catch {
      return groupFailed(after: error, on: loop)
    }
    commitBeside(on: loop)
  }

  /// Ends all groups, because the server is stopping.
  func finishGathered(on loop: LoopContext) {
    while true {
      finishBeside(on: loop)
      runsAgainAt = nil
      guard beside == nil else { continue }
      putBackWhatFailed()
      beginGathered(on: loop)
      if beside == nil, failedWaiting.isEmpty, !longCalls.isAnyWaiting { return }
    }
  }

  // MARK: Groups that failed

  /// The network or another transaction took the group back: its calls are run again, and none of them sees it.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - failing: The call that met it.
  ///   - loop: The loop.
  func runGroupAgain(after error: any Error, with failing: Waiting? = nil, on loop: LoopContext) {
    let group = takeBack(after: error, on: loop)
    // They were answered before the group wrote anything.
    for answer in group.answers where !answer.hasCall {
      switch answer.result {
      case .success(let body): loop.reply(answer.token, body: body)
      case .failure(let error): loop.fail(answer.token, error)
      }
    }
    let tasks = group.tasks.map { Waiting.work($0.again) }
    let calls = group.calls.map { Waiting.call($0, of: $0.line, bytes: $0.body.count) }
    let again = (tasks + calls + [failing].compactMap(\.self))
    failedWaiting += again.compactMap { runAgain($0, after: error, on: loop) }
    if runsAgainAt == nil { runsAgainAt = .now.advanced(by: Self.pausesBeforeRunning[0]) }
  }

  /// Something that is run again; `nil` for a call that was run often enough, which fails.
  private func runAgain(
    _ waiting: Waiting,
    after error: any Error,
    on loop: LoopContext
  ) -> Waiting? {
    guard case .call(var held, let line, let bytes) = waiting else { return waiting }
    guard held.attempts < Self.pausesBeforeRunning.count else {
      loop.fail(held.token, RPCError(callFailure: error))
      return nil
    }
    let pause = ContinuousClock.now.advanced(by: Self.pausesBeforeRunning[held.attempts])
    runsAgainAt = max(runsAgainAt ?? pause, pause)
    held.attempts += 1
    return .call(held, of: line, bytes: bytes)
  }

  private func putBackWhatFailed() {
    guard !failedWaiting.isEmpty else { return }
    longCalls.putBack(failedWaiting)
    failedWaiting = []
  }
}

extension SQLError {
  /// The error of a store, whatever it was wrapped in.
  fileprivate init(of error: any Error) {
    self = error as? SQLError ?? SQLError(.statement, "\(error)")
  }
}
