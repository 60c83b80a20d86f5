internal import TidingsEngine
internal import TidingsMemory
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsThreads
internal import TidingsTracing
internal import TidingsZeroMQ

// A call that changes much has the store for itself, in a transaction of its own, and pauses: the loop has its
// turns meanwhile. What reads is answered by the reader threads from what is committed, what needs the writer's
// connection waits.
extension GroupedCalls {
  /// The call that has the store.
  final class RunningLongCall {
    let held: HeldCall
    let work: PausedWork
    /// Its group, while it pauses.
    var group = CallGroup()
    private let end: End

    /// Where the work leaves what its handler came to.
    final class End {
      var result: Result<Outcome, any Error>?
    }

    init(_ held: HeldCall, _ end: End, _ work: PausedWork) {
      (self.held, self.end, self.work) = (held, end, work)
    }

    /// What its handler came to.
    var result: Result<Outcome, any Error> {
      guard let result = end.result else { preconditionFailure("the work is not done") }
      return result
    }
  }

  /// What waits for the store while a call has it.
  static func longCallBounds(_ memory: MemoryShares) -> LongCalls<CallLine, HeldCall>.Bounds {
    .init(countMax: 4_096, bytesMax: memory[.callsBehindLong])
  }
  /// How often a long call starts again when the store was out of reach.
  private static let longCallAttemptsMax = 3
  /// A turn's part of a call that takes long.
  private var longCallSlice: Duration {
    min(.milliseconds(2), .microseconds(engine.limits.callCostMax))
  }

  /// A call has the store, a group is committed beside the loop, or what waited has its turn before others; of a remote
  /// store, everything waits for its turn.
  var isStoreTaken: Bool {
    if isServingWaiting { return runningLongCall != nil || !beside.isNone }
    return gathers || runningLongCall != nil || !beside.commits.isEmpty || longCalls.isAnyWaiting
  }

  // MARK: The call

  /// Begins the next call that takes long, if there is one.
  ///
  /// - Parameters:
  ///   - isItsTurn: It does not go behind what waits for the store.
  ///   - loop: The loop.
  func beginLongCall(isItsTurn: Bool = false, on loop: LoopContext) {
    guard runningLongCall == nil, beside.isNone,
      let line = longCalls.takeNext(isItsTurn: isItsTurn || gathers),
      let held = postponed.first(of: line)
    else { return }
    do {
      let refusal = gate.refusal(ofKey: held.keyNumber, calling: held.method)
      if let failure = held.failure ?? refusal { throw failure }
      if let deadline = held.deadline, deadline <= .now {
        throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
      }
      try committer.open(for: held.access)
      if held.access == .write, !held.caller.device.isEmpty {
        try engine.checkDevice(of: held.caller)
      }
    } catch {
      return longCallFailed(held, error, on: loop)
    }
    let end = RunningLongCall.End()
    let long = RunningLongCall(held, end, work(on: held, end, loop))
    runningLongCall = long
    committer.exchange(&long.group, isOpen: false)
    continueLongCall(on: loop)
  }

  private func work(
    on held: HeldCall,
    _ end: RunningLongCall.End,
    _ loop: LoopContext
  ) -> PausedWork {
    PausedWork { [self] in
      let memory = StoreCall.Memory(bytesMax: loop.configuration.memory.decodedBytesMax)
      do {
        let outcome = try held.body.withUnsafeBytes { body in
          let call = held.call(body, on: loop, memory: memory)
          guard let span = call.observed?.span?.context else {
            return try self.run(call, held.idempotentCall(body), held.answering)
          }
          let first = engine.pendingEventCount
          engine.beginMeasuringMatching()
          defer { _ = engine.endMeasuringMatching() }
          let outcome = try self.run(call, held.idempotentCall(body), held.answering)
          noteTrace(span, held.access, eventsFrom: first)
          return outcome
        }
        if case .answered(let answer) = outcome {
          committer.group.effects.add(answer)
          try committer.prepare()
        }
        end.result = .success(outcome)
      } catch {
        end.result = .failure(error)
      }
    }
  }

  /// Does a slice of the call that has the store.
  private func continueLongCall(on loop: LoopContext) {
    guard let long = runningLongCall, beside.isNone else { return }
    answerRefused(on: loop)
    committer.exchange(&long.group, isOpen: true)
    engine.pace.pause = { [work = long.work] in work.pauseIfOver() }
    loop.waitedProcessorTime += long.work.resume(for: longCallSlice)
    engine.pace.pause = nil
    guard long.work.isDone else {
      committer.exchange(&long.group, isOpen: false)
      remote.submit { core, loop in core.calls.continueLongCall(on: loop) }
      return
    }
    switch long.result {
    case .success(.answered(let answer)):
      committer.group.keep(.success(answer.body), to: long.held.token)
      // The more it wrote, the longer its commit takes.
      commitBeside(on: loop)
    case .success(.postponed(let postponement)):
      runningLongCall = nil
      longCallPauses(long.held, postponement, on: loop)
    case .failure(let error):
      runningLongCall = nil
      longCallFailed(long.held, error, on: loop)
    }
  }

  /// The commit of a long call has ended.
  func commitEnded(
    of long: RunningLongCall,
    _ error: SQLError?,
    since begin: Int64,
    on loop: LoopContext
  ) {
    runningLongCall = nil
    guard let error else {
      groupEnded(committer.commitEnded(), since: begin, on: loop)
      return lineGoesOn(long.held.line, on: loop)
    }
    if runsAgain(long.held, after: error, on: loop) { return }
    giveUpGroup(after: error, on: loop)
    lineGoesOn(long.held.line, on: loop)
  }

  /// Starts a long call again that the store could not be reached for.
  ///
  /// - Returns: `false`: it fails.
  private func runsAgain(_ held: HeldCall, after error: any Error, on loop: LoopContext) -> Bool {
    guard isTransient(error), held.attempts < Self.longCallAttemptsMax else { return false }
    var again = held
    again.attempts += 1
    // Its only answer is not sent.
    committer.group = CallGroup()
    runGroupAgain(after: error, on: loop)
    postponed.replaceFirst(with: again, of: held.line)
    longCalls.add(held.line)
    return true
  }

  /// A long call failed, or is to be run again: nothing of it is kept.
  private func longCallFailed(_ held: HeldCall, _ error: any Error, on loop: LoopContext) {
    if runsAgain(held, after: error, on: loop) { return }
    fail(held, RPCError(callFailure: error))
    callFailed(error, held.access, on: loop)
    endGroup(loop)
    lineGoesOn(held.line, on: loop)
  }

  /// A long call is to be run again, though it had the store.
  private func longCallPauses(
    _ held: HeldCall,
    _ postponement: Postponement,
    on loop: LoopContext
  ) {
    let again = held.goingOn(after: postponement)
    postponed.replaceFirst(with: again, of: held.line)
    // The group has what it wrote.
    wait(again, for: postponement.cause, since: held, on: loop)
    endGroup(loop)
    serveWaiting(on: loop)
  }

  /// Another turn follows, with those behind a long call on its line, and the next long call.
  private func lineGoesOn(_ line: CallLine, on loop: LoopContext) {
    let hasMore = postponed.finishFirst(of: line) != nil
    remote.submit { core, loop in
      // A line without calls is free: what comes on it meanwhile is not to be run before its time.
      if hasMore { core.calls.resume(line, .success(()), on: loop) }
    }
    serveWaiting(on: loop)
  }

  /// Goes on with the call that has the store to its end: the server is about to stop.
  func finishLongCall(on loop: LoopContext) {
    while runningLongCall != nil {
      if beside.isNone { continueLongCall(on: loop) } else { awaitBeside(on: loop) }
    }
    while !gathers, longCalls.isAnyWaiting { serveWaiting(on: loop) }
  }

  /// Goes on with the call that has the store to its end, and keeps nothing of it: the loop ends at once.
  ///
  /// The thread of the work would otherwise wait for its next slice, and keep the loop with its sockets and the session of the store,
  /// whose transaction ends with it.
  func abandonLongCall() {
    guard let long = runningLongCall else { return }
    runningLongCall = nil
    guard !long.work.isDone else { return }
    committer.exchange(&long.group, isOpen: true)
    engine.pace.pause = nil
    while !long.work.isDone { _ = long.work.resume(for: .seconds(3_600)) }
  }

  // MARK: What waits

  /// Answers a call on a reader thread, or lets it wait for the store.
  func waitForStore(
    _ call: borrowing InlineCall,
    _ access: StoreAccess,
    on loop: LoopContext,
    _ answering: Answering
  ) throws {
    let line = CallLine(call)
    // The next group of a remote store reads ahead, for many calls at once.
    if let reading = answering.reading, !gathers || runningLongCall != nil,
      !longCalls.isWaiting(line), !beside.holds(line)
    {
      return try reads.answer(call, reading)
    }
    let held = HeldCall(call, of: try CallerIdentity.caller(of: call), access, answering)
    guard longCalls.hold(held, of: line, bytes: held.body.count) else {
      throw RPCError.tooManyPostponed
    }
  }

  /// Does what waited for the store, as much as fits in a turn.
  func serveWaiting(on loop: LoopContext) {
    // At the end of the turn, or when the group is durable that is committed beside the loop.
    guard !gathers, beside.isNone else { return }
    isServingWaiting = true
    defer { isServingWaiting = false }
    let end = ContinuousClock.now.advanced(by: Self.heldCallsTurn)
    while let waiting = longCalls.takeWaiting() {
      switch waiting {
      case .work(let work): work(loop)
      case .call(let held, of: let line, let bytes): serve(held, line, bytes, on: loop)
      }
      guard longCalls.isAnyWaiting, end <= .now else { continue }
      remote.submit { core, loop in core.calls.serveWaiting(on: loop) }
      return
    }
  }

  /// Runs a call that came earlier, when nobody has the store.
  func serveInTurn(_ held: HeldCall, on loop: LoopContext) {
    guard isStoreTaken else { return serve(held, held.line, held.body.count, on: loop) }
    if !longCalls.hold(held, of: held.line, bytes: held.body.count) {
      loop.fail(held.token, .tooManyPostponed)
    }
  }

  func serve(_ held: HeldCall, _ line: CallLine, _ bytes: Int, on loop: LoopContext) {
    guard !postponed.holds(line) else {
      if !postponed.hold(held, bytes: bytes, of: line) { fail(held, .tooManyPostponed) }
      return
    }
    do {
      guard let postponement = try answer(held, on: loop) else { return }
      if case .reading = postponement.cause {
        _ = read(held)
        return
      }
      let again = held.goingOn(after: postponement)
      guard postponed.postpone(again, bytes: bytes, of: line) else {
        return fail(held, .tooManyPostponed)
      }
      wait(again, for: postponement.cause, since: held, on: loop)
    } catch  where isTransient(error) {
      afterCommits(on: loop) { [self] loop in
        runGroupAgain(after: error, with: .call(held, of: line, bytes: bytes), on: loop)
      }
    } catch {
      fail(held, RPCError(callFailure: error))
      if isProvisional, keepsFailed(error) {
        committer.group.keep(held)
      }
      if !GroupFailure(error).isOfStore { return callFailed(error, held.access, on: loop) }
      afterCommits(on: loop) { [self] loop in callFailed(error, held.access, on: loop) }
    }
  }

  /// Sends what was refused while a call has the store: there is no group that it would wait for.
  func answerRefused(on loop: LoopContext) {
    for answer in committer.group.answers {
      guard case .failure(let error) = answer.result else { continue }
      loop.fail(answer.token, error)
    }
    committer.group = CallGroup()
  }
}
