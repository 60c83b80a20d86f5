internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsZeroMQ

// In a remote store a group waits twice: for what its calls read, all of it together, and for its commit. The calls that
// arrive meanwhile are gathered, and are the next group. Groups of calls that only read and change records overlap: while
// one is made durable, the next is decided from what memory knows, and grows until it can be committed. If one fails, so
// does the next, and both are run again.
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
    finishBeside(on: loop)
    guard runningLongCall == nil else { return answerRefused(on: loop) }
    // Refusals wait for nothing.
    if !committer.isOpen { endGroup(loop) }
    guard rollBackFailedGroups(on: loop) else { return }
    putBackWhatFailed()
    if let runsAgainAt {
      guard runsAgainAt <= .now else { return }
      self.runsAgainAt = nil
    }
    guard beside.isNone else { return beginBehind(on: loop) }
    // Long calls and groups have their turns one after the other.
    if longCallIsNext { beginLongCall(on: loop) }
    longCallIsNext = runningLongCall == nil
    guard runningLongCall == nil, beside.isNone else { return }
    beginGathered(on: loop)
    if beside.isNone { beginLongCall(on: loop) }
    // Calls that did not come to the store have no end that wakes the loop.
    if beside.isNone, runningLongCall == nil, runsAgainAt == nil, longCalls.isAnyWaiting {
      remote.submit { _, _ in }
    }
  }

  /// Begins a group with what has waited longest, when nothing else is under way.
  private func beginGathered(on loop: LoopContext) {
    firstWaitsAlone = false
    var (waiting, works): ([Waiting], [Waiting]) = ([], [])
    while waiting.count + works.count < Self.gatheredMax, let next = longCalls.takeWaiting() {
      // Last, since what was read ahead is of no use behind them.
      if case .work = next { works.append(next) } else { waiting.append(next) }
    }
    waiting += works
    guard !waiting.isEmpty else { return }
    guard waiting.count >= Self.readAheadCallsMin else {
      return runGathered(waiting, nil, on: loop)
    }
    for next in waiting { _ = expect(next, looksUp: true) }
    begin(waiting, on: loop)
  }

  /// Begins a group behind others that are not durable yet, with calls that read and change records.
  private func beginBehind(on loop: LoopContext) {
    guard beside.reading == nil, beside.letsNextBegin, !longCalls.isAnyLong, !firstWaitsAlone
    else { return }
    var waiting: [Waiting] = []
    while waiting.count < Self.gatheredMax, let next = longCalls.takeWaiting() {
      guard expect(next, looksUp: false) else {
        // It waits until nothing is under way.
        firstWaitsAlone = true
        longCalls.putBack([next])
        break
      }
      waiting.append(next)
    }
    if !waiting.isEmpty { begin(waiting, on: loop) }
  }

  /// Lets the store read what calls are going to read, if that is anything.
  private func begin(_ waiting: [Waiting], on loop: LoopContext) {
    guard let reads = try? engine.takeReadsAhead(), !reads.statements.isEmpty else {
      return runGathered(waiting, nil, on: loop)
    }
    readBeside(reads, for: waiting)
  }

  /// Lets the engine know what a call is going to read.
  ///
  /// - Parameters:
  ///   - waiting: The call.
  ///   - looksUp: Zones that are not known are looked up, which waits for the store.
  /// - Returns: Whether that is all that it reads, as far as one can know.
  private func expect(_ waiting: Waiting, looksUp: Bool) -> Bool {
    guard case .call(let held, _, _) = waiting, let expecting = held.answering.expecting else {
      return false
    }
    return held.body.withUnsafeBytes { body in
      if let idempotent = held.idempotentCall(body) { engine.expect(idempotent) }
      return expecting(held.caller, body, looksUp)
    }
  }

  /// Runs gathered calls.
  ///
  /// - Parameters:
  ///   - waiting: The calls, and other work.
  ///   - reads: What was read ahead for them; `nil`: nothing.
  ///   - loop: The loop.
  func runGathered(_ waiting: [Waiting], _ reads: ReadsAhead?, on loop: LoopContext) {
    var rest = waiting[...]
    goOnGrowing()
    do {
      if let reads {
        try committer.open(for: .read)
        try engine.use(reads)
      }
      isServingWaiting = true
      while runsAgainAt == nil, failedGroups.isEmpty, !isGroupFull,
        let next = rest.popFirst()
      {
        run(next, on: loop)
      }
      isServingWaiting = false
    } catch {
      afterCommits(on: loop) { [self] loop in groupFailed(after: error, on: loop) }
      rest = rest.compactMap { runAgain($0, after: error, on: loop) }[...]
    }
    longCalls.putBack(Array(rest))
    putBackWhatFailed()
    endGathered(letsNextBegin: waiting.allSatisfy(\.onlyConcernsRecords), on: loop)
  }

  private func run(_ waiting: Waiting, on loop: LoopContext) {
    switch waiting {
    case .work(let work):
      engine.forgetReadsAhead()
      work(loop)
    case .call(let held, let line, let bytes):
      if held.access == .write, !waiting.onlyConcernsRecords { engine.forgetReadsAhead() }
      serve(held, line, bytes, on: loop)
    }
  }

  /// Lets the store commit the group, if there is one; behind others it grows until they are durable.
  func endGathered(letsNextBegin: Bool, on loop: LoopContext) {
    guard committer.isOpen else { return endGroup(loop) }
    let isLarge =
      isGroupFull || committer.group.answers.count >= BesideWork.growingMax
    if !beside.commits.isEmpty, letsNextBegin, !isLarge {
      return grow()
    }
    do {
      try committer.prepare()
    } catch {
      return afterCommits(on: loop) { [self] loop in groupFailed(after: error, on: loop) }
    }
    commitBeside(letsNextBegin: letsNextBegin, on: loop)
  }

  /// Ends all groups, because the server is stopping.
  func finishGathered(on loop: LoopContext) {
    while true {
      awaitBeside(on: loop)
      guard beside.isNone else { continue }
      _ = rollBackFailedGroups(on: loop)
      runsAgainAt = nil
      putBackWhatFailed()
      beginGathered(on: loop)
      if beside.isNone, failedGroups.isEmpty, failedWaiting.isEmpty, !longCalls.isAnyWaiting {
        return
      }
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
    groupsRunAgain += 1
    let group = takeBack(after: error, on: loop, othersRunAgain: true)
    sendSettledAnswers(of: group, orFail: RPCError(callFailure: error), on: loop)
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
    // The group before is the one that fails often.
    if (error as? SQLError)?.follows == true { return waiting }
    guard held.attempts < Self.pausesBeforeRunning.count else {
      loop.fail(held.token, RPCError(callFailure: error))
      return nil
    }
    let pause = ContinuousClock.now.advanced(by: Self.pausesBeforeRunning[held.attempts])
    runsAgainAt = max(runsAgainAt ?? pause, pause)
    held.attempts += 1
    return .call(held, of: line, bytes: bytes)
  }

  func putBackWhatFailed() {
    guard !failedWaiting.isEmpty else { return }
    longCalls.putBack(failedWaiting)
    failedWaiting = []
  }
}

extension LongCalls<CallLine, HeldCall>.Waiting {
  /// It is a call that reads or changes records, and has no other effect in memory.
  fileprivate var onlyConcernsRecords: Bool {
    if case .call(let held, _, _) = self { held.answering.expecting != nil } else { false }
  }
}
