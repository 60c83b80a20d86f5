internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// A handler cannot answer yet, and is to be run again.
struct CallPostponed: Error {
  /// When.
  enum Cause {
    /// When this is done, on another thread, with the encoded request.
    case computing(@Sendable (_ body: [UInt8], ReaderPool.Slice) -> Bool)
    /// In another turn: a piece of the call is written.
    case nextTurn
    /// On a reader thread.
    case reading
    /// When it may have the store for itself, and pause (`Pace`): nothing of it is written.
    case alone
  }

  let cause: Cause
  /// What the next run goes on from.
  let progress: (any CallProgress)?
}

/// What a call keeps between the runs of its handler: they share it with the work between them, and never
/// touch it at the same time.
protocol CallProgress: AnyObject, Sendable {}

extension Core {
  /// The calls of one user on one connection, which keep their order.
  struct CallLine: Hashable {
    let connection: UInt64
    let caller: CallerKey
  }

  /// A call that is run after the turn in which it came.
  struct HeldCall {
    let token: ReplyToken
    let line: CallLine
    let caller: Caller
    let keyNumber: Int64?
    let deadline: ContinuousClock.Instant?
    /// Empty: it has none.
    let idempotencyKey: String
    let method: String
    let body: [UInt8]
    let access: Access
    let answering: Answering
    var progress: (any CallProgress)?
    /// Why what it wrote so far was taken back.
    var failure: RPCError?
  }

  /// Most calls that are postponed or wait behind one, and what they hold.
  static let postponedBounds = PostponedCalls<CallLine, HeldCall>.Bounds(
    countMax: 4_096,
    bytesMax: 128 << 20,
    countPerLineMax: 1_024
  )
  /// Calls that were held are run so long in one turn.
  static let heldCallsTurn = Duration.milliseconds(3)

  /// Lets a call wait behind a postponed one, if there is one.
  ///
  /// - Returns: Whether it waits.
  /// - Throws: `RPCError` when it should and there is no room.
  func holds(
    _ call: borrowing InlineCall,
    _ access: Access,
    _ answering: Answering
  ) throws -> Bool {
    let line = CallLine(connection: call.token.connection, caller: call.callerKey)
    guard postponed.holds(line) else { return false }
    let held = try heldCall(call, line, access, answering)
    guard postponed.hold(held, bytes: held.body.count, of: line) else {
      throw RPCError.tooManyPostponed
    }
    return true
  }

  /// A call that is to be run again: it is held until then.
  func postpone(
    _ call: borrowing InlineCall,
    _ postponement: CallPostponed,
    _ access: Access,
    on loop: LoopContext,
    _ answering: Answering
  ) throws {
    if case .reading = postponement.cause, let reading = answering.reading {
      return try answerOnReader(call, reading)
    }
    let line = CallLine(connection: call.token.connection, caller: call.callerKey)
    var held = try heldCall(call, line, access, answering)
    held.progress = postponement.progress ?? held.progress
    guard postponed.postpone(held, bytes: held.body.count, of: line) else {
      throw RPCError.tooManyPostponed
    }
    wait(held, for: postponement.cause, on: loop)
  }

  func heldCall(
    _ call: borrowing InlineCall,
    _ line: CallLine,
    _ access: Access,
    _ answering: Answering
  ) throws -> HeldCall {
    heldCall(call, line, try CallerIdentity.caller(of: call), access, answering)
  }

  func heldCall(
    _ call: borrowing InlineCall,
    _ line: CallLine,
    _ caller: Caller,
    _ access: Access,
    _ answering: Answering
  ) -> HeldCall {
    HeldCall(
      token: call.token,
      line: line,
      caller: caller,
      keyNumber: call.keyNumber,
      deadline: call.deadline,
      idempotencyKey: String(decoding: call.idempotencyKey, as: UTF8.self),
      method: call.method.fullName,
      body: Array(call.body),
      access: access,
      answering: answering
    )
  }

  func wait(_ held: HeldCall, for cause: CallPostponed.Cause, on loop: LoopContext) {
    let line = held.line
    switch cause {
    case .nextTurn:
      notePartlyWritten(line)
      loop.remote.submit { loop in (loop.turn as? Core)?.resume(line, .success(()), on: loop) }
    case .alone: longCalls.add(line)
    case .reading: preconditionFailure("a call that is read by a reader waits for none")
    case .computing(let work):
      let job = ReaderPool.Job(
        token: held.token,
        deadline: held.deadline,
        bytes: held.body.count,
        keyNumber: held.keyNumber,
        compute: { [body = held.body] in work(body, $0) },
        deliver: { result, loop in (loop.turn as? Core)?.resume(line, result, on: loop) }
      )
      guard !readers.submit(job, of: line.caller) else { return }
      loop.remote.submit { loop in
        (loop.turn as? Core)?.resume(line, .failure(.tooManyReaders), on: loop)
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
      loop.remote.submit { loop in (loop.turn as? Core)?.resume(line, .success(()), on: loop) }
      return
    }
  }

  /// Runs a call that was held.
  ///
  /// - Throws: `CallPostponed`; why it failed.
  func answer(_ held: HeldCall, on loop: LoopContext) throws {
    if let failure = held.failure { throw failure }
    if let refusal = gate.refusal(ofKey: held.keyNumber) { throw refusal }
    defer { loop.arena.reset() }
    let isKept = try held.body.withUnsafeBytes { body in
      try answer(
        held.token,
        until: held.deadline,
        held.access,
        held.call(body, on: loop),
        held.idempotentCall(body),
        held.answering
      )
    }
    if isKept, committer.group.hasWrites { committer.group.keep(held) }
  }

  /// - Returns: Whether it is answered; if not, it is postponed again.
  private func run(_ held: HeldCall, on loop: LoopContext) -> Bool {
    do {
      try answer(held, on: loop)
      return true
    } catch let postponement as CallPostponed {
      if case .reading = postponement.cause { return read(held) }
      var again = held
      again.progress = postponement.progress ?? held.progress
      postponed.replaceFirst(with: again, of: held.line)
      wait(again, for: postponement.cause, on: loop)
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
    let job = ReaderPool.Job(
      token: held.token,
      deadline: held.deadline,
      bytes: held.body.count,
      keyNumber: held.keyNumber,
      slices: { try answer.advance($0, $1) }
    )
    if !readers.submit(job, of: held.line.caller) { fail(held, .tooManyReaders) }
    return true
  }

  /// What calls wrote in a turn was taken back, and they go on: they fail instead.
  func failPartlyWritten(_ lines: [CallLine], _ error: RPCError) {
    for line in lines {
      guard var held = postponed.first(of: line) else { continue }
      held.failure = error
      postponed.replaceFirst(with: held, of: line)
    }
  }

  /// Ends all calls that are held.
  func endPostponed(on loop: LoopContext) {
    for held in postponed.takeAll() {
      loop.fail(held.token, RPCError(.unavailable, "the server is stopping"))
    }
  }
}

extension Core.HeldCall {
  /// The call as handlers see it.
  func call(
    _ body: UnsafeRawBufferPointer,
    on loop: LoopContext,
    memory: Core.CallMemory? = nil
  ) -> Core.Call {
    Core.Call(
      caller: caller,
      keyNumber: keyNumber,
      body: body,
      loop: loop,
      progress: progress,
      memory: memory,
      connection: token.connection
    )
  }

  /// What its idempotency key stands for; `nil`: it has none.
  func idempotentCall(_ body: UnsafeRawBufferPointer) -> IdempotentCall? {
    guard access == .write, !idempotencyKey.isEmpty else { return nil }
    return IdempotentCall(owner: caller.user, key: idempotencyKey, method: method, request: body)
  }
}

extension RPCError {
  /// Too much waits behind calls that take long.
  static let tooManyPostponed = RPCError(
    .resourceExhausted,
    "too many calls wait for calls that take long: wait for answers before you send more",
    details: [.retryInfo(after: .seconds(1))]
  )
}
