internal import TidingsEngine
internal import TidingsMemory
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension GroupedCalls {
  /// Most calls that are postponed or wait behind one, and what they hold.
  static func postponedBounds(_ memory: MemoryShares) -> PostponedCalls<CallLine, HeldCall>.Bounds {
    .init(countMax: 4_096, bytesMax: memory[.callsPostponed], countPerLineMax: 1_024)
  }
  /// How often a call that was held is run again when the store was out of reach.
  private static let resumedAttemptsMax = 3
  /// Calls that were held are run so long in one turn.
  static let heldCallsTurn = Duration.milliseconds(3)

  /// Lets a call wait behind a postponed one, if there is one.
  ///
  /// - Returns: Whether it waits.
  /// - Throws: `RPCError` when it should and there is no room.
  func holds(
    _ call: borrowing InlineCall,
    _ access: StoreAccess,
    _ answering: Answering
  ) throws -> Bool {
    let line = CallLine(call)
    guard postponed.holds(line) else { return false }
    let held = HeldCall(call, of: try CallerIdentity.caller(of: call), access, answering)
    guard postponed.hold(held, bytes: held.body.count, of: line) else {
      throw RPCError.tooManyPostponed
    }
    return true
  }

  /// A call that is to be run again: it is held until then.
  func postpone(
    _ call: borrowing InlineCall,
    _ postponement: Postponement,
    _ access: StoreAccess,
    on loop: LoopContext,
    _ answering: Answering
  ) throws {
    if case .reading = postponement.cause, let reading = answering.reading {
      return try reads.answer(call, reading)
    }
    let before = HeldCall(call, of: try CallerIdentity.caller(of: call), access, answering)
    let held = before.goingOn(after: postponement)
    guard postponed.postpone(held, bytes: held.body.count, of: held.line) else {
      throw RPCError.tooManyPostponed
    }
    wait(held, for: postponement.cause, since: before, on: loop)
  }

  /// Lets a call wait until it is to be run again.
  ///
  /// - Parameters:
  ///   - held: The call.
  ///   - cause: When that is.
  ///   - before: The call as it was before this run.
  ///   - loop: The loop.
  func wait(
    _ held: HeldCall,
    for cause: Postponement.Cause,
    since before: HeldCall,
    on loop: LoopContext
  ) {
    let line = held.line
    switch cause {
    case .nextTurn(let effects):
      notePartlyWritten(before, effects)
      remote.submit { core, loop in core.calls.resume(line, .success(()), on: loop) }
    case .alone: longCalls.add(line)
    case .reading: preconditionFailure("a call that is read by a reader waits for none")
    case .computing(let work):
      let job = ReadJob(
        token: held.token,
        deadline: held.deadline,
        bytes: held.body.count,
        keyNumber: held.keyNumber,
        compute: { [body = held.body] in work(body, $0) },
        deliver: { result, core, loop in core.calls.resume(line, result, on: loop) }
      )
      guard !reads.submit(job, of: line.caller) else { return }
      remote.submit { core, loop in
        core.calls.resume(line, .failure(.tooManyReaders), on: loop)
      }
    }
  }

  /// Runs the postponed call of a line again, and those behind it.
  func resume(_ line: CallLine, _ result: Result<Void, RPCError>, on loop: LoopContext) {
    if isStoreTaken {
      return longCalls.hold { [self] loop in resume(line, result, on: loop) }
    }
    guard let first = postponed.first(of: line) else { return }
    var next: HeldCall? = first
    if case .failure(let error) = result {
      fail(first, error)
      next = postponed.finishFirst(of: line)
    }
    let end = ContinuousClock.now.advanced(by: Self.heldCallsTurn)
    while let held = next {
      guard run(held, on: loop) else { return }
      next = postponed.finishFirst(of: line)
      guard let next, end <= .now else { continue }
      // Another turn goes on with it; nothing of it is written.
      let line = next.line
      remote.submit { core, loop in core.calls.resume(line, .success(()), on: loop) }
      return
    }
  }

  /// Runs a call that was held.
  ///
  /// - Returns: When it is to be run again; `nil`: it is answered.
  /// - Throws: Why it failed.
  func answer(_ held: HeldCall, on loop: LoopContext) throws -> Postponement? {
    if let failure = held.failure { throw failure }
    if let refusal = gate.refusal(ofKey: held.keyNumber, calling: held.method) { throw refusal }
    defer { loop.arena.reset() }
    let postponement = try held.body.withUnsafeBytes { body in
      try answer(
        held.token,
        until: held.deadline,
        held.access,
        held.call(body, on: loop),
        held.idempotentCall(body),
        held.answering
      )
    }
    if let postponement { return postponement }
    if isProvisional { committer.group.keep(held) }
    endFullGroup(loop)
    return nil
  }

  /// - Returns: Whether it is answered; if not, it is postponed again.
  private func run(_ held: HeldCall, on loop: LoopContext) -> Bool {
    do {
      guard let postponement = try answer(held, on: loop) else { return true }
      if case .reading = postponement.cause { return read(held) }
      let again = held.goingOn(after: postponement)
      postponed.replaceFirst(with: again, of: held.line)
      wait(again, for: postponement.cause, since: held, on: loop)
      return false
    } catch  where isTransient(error) && held.attempts < Self.resumedAttemptsMax {
      var again = held
      again.attempts += 1
      postponed.replaceFirst(with: again, of: held.line)
      let resumption: Waiting = .work { [self] loop in resume(held.line, .success(()), on: loop) }
      runGroupAgain(after: error, with: resumption, on: loop)
      return false
    } catch {
      fail(held, RPCError(callFailure: error))
      callFailed(error, held.access, on: loop)
      return true
    }
  }

  /// Lets the reader threads answer a call that was held.
  ///
  /// - Returns: `true`: nothing waits for it.
  func read(_ held: HeldCall) -> Bool {
    guard let reading = held.answering.reading else {
      preconditionFailure("a call that is read by a reader can be")
    }
    let answer = reading(held.caller, held.body)
    let job = ReadJob(
      token: held.token,
      deadline: held.deadline,
      bytes: held.body.count,
      keyNumber: held.keyNumber,
      slices: { try answer.advance($0, $1) }
    )
    if !reads.submit(job, of: held.line.caller) { fail(held, .tooManyReaders) }
    return true
  }

  /// Pieces of calls were rolled back: each is made again, or its call fails.
  func takeBackPieces(_ pieces: [HeldCall], after error: any Error, canRunAgain: Bool) {
    for piece in pieces {
      var again = piece
      again.attempts += 1
      if !canRunAgain || again.attempts > Self.resumedAttemptsMax {
        let hasWritten = piece.progress?.hasWritten == true
        again.failure = hasWritten ? .partlyWritten(error) : RPCError(callFailure: error)
      }
      postponed.replaceFirst(with: again, of: piece.line)
    }
  }

  /// Ends all calls that are held.
  func endPostponed(on loop: LoopContext) {
    for held in postponed.takeAll() {
      loop.fail(held.token, RPCError(.unavailable, "the server is stopping"))
    }
  }
}

extension RPCError {
  /// Pieces of a call are durable, and the rest cannot be.
  fileprivate static func partlyWritten(_ error: any Error) -> RPCError {
    RPCError(
      .unavailable,
      "the server's store failed when a part of the call had taken effect: look what is there, and repeat the rest",
      details: [.errorInfo(reason: "OUTCOME_UNKNOWN")],
      cause: error
    )
  }

  /// Too much waits behind calls that take long.
  static let tooManyPostponed = RPCError(
    .resourceExhausted,
    "too many calls wait for calls that take long: wait for answers before you send more",
    details: [.retryInfo(after: .seconds(1))]
  )
}
