internal import TidingsRPC
internal import TidingsZeroMQ

/// One call: what to do, and whom to answer.
struct ReadJob: Sendable {
  typealias Delivery = @Sendable (Core, LoopContext) -> Void

  let token: ReplyToken
  let deadline: ContinuousClock.Instant?
  /// What it holds while it waits.
  let bytes: Int
  /// What was worked on it in earlier slices.
  var worked = Duration.zero
  /// Works on a reader thread; returns what is left to do on the loop, or `nil` for another slice.
  let run:
    @Sendable (_ reader: () throws -> StoreReader, ReadSlice, _ worked: Duration) -> Delivery?
  /// Delivers that it was not worked on.
  let fail: @Sendable (RPCError) -> Delivery

  /// A call that is answered with bytes.
  init(
    token: ReplyToken,
    deadline: ContinuousClock.Instant?,
    bytes: Int,
    keyNumber: Int64?,
    answer: @escaping @Sendable (StoreReader) throws -> [UInt8]
  ) {
    self.init(
      token: token,
      deadline: deadline,
      bytes: bytes,
      keyNumber: keyNumber,
      work: answer,
      deliver: Self.reply(to: token)
    )
  }

  /// A call that is answered with bytes, and worked on in slices.
  ///
  /// - Parameters:
  ///   - token: Whom to answer.
  ///   - deadline: When the answer is no longer wanted.
  ///   - bytes: What it holds while it waits.
  ///   - keyNumber: The number of the key of the caller's connection.
  ///   - summary: Knows what it took.
  ///   - slices: Runs on a reader thread, each time within another snapshot; `nil`: another slice is
  ///     needed.
  init(
    token: ReplyToken,
    deadline: ContinuousClock.Instant?,
    bytes: Int,
    keyNumber: Int64?,
    summary: (any CallSummarizing & Sendable)? = nil,
    slices: @escaping @Sendable (StoreReader, ReadSlice) throws -> [UInt8]?
  ) {
    self.init(
      token: token,
      deadline: deadline,
      bytes: bytes,
      keyNumber: keyNumber,
      read: slices,
      deliver: Self.reply(to: token, summary)
    )
  }

  /// A call whose result the loop deals with.
  ///
  /// - Parameters:
  ///   - token: Whom to answer; only used if the work is never begun.
  ///   - deadline: When the answer is no longer wanted.
  ///   - bytes: What it holds while it waits.
  ///   - keyNumber: The number of the key of the caller's connection: if the key is refused by then,
  ///     that is what is delivered.
  ///   - work: Runs on a reader thread, within a snapshot.
  ///   - deliver: Answers the call, on the loop thread.
  init<Output: Sendable>(
    token: ReplyToken,
    deadline: ContinuousClock.Instant?,
    bytes: Int,
    keyNumber: Int64?,
    work: @escaping @Sendable (StoreReader) throws -> Output,
    deliver: @escaping @Sendable (Result<Output, RPCError>, Core, LoopContext) -> Void
  ) {
    self.init(
      token: token,
      deadline: deadline,
      bytes: bytes,
      keyNumber: keyNumber,
      read: { reader, _ in try work(reader) },
      deliver: deliver
    )
  }

  /// Work that needs nothing of the store, in slices.
  ///
  /// - Parameters:
  ///   - token: Whom to answer; only used if the work is never begun.
  ///   - deadline: When the answer is no longer wanted.
  ///   - bytes: What it holds while it waits.
  ///   - keyNumber: As above.
  ///   - compute: Runs on a reader thread; answers whether it is done.
  ///   - deliver: Goes on with the call, on the loop thread.
  init(
    token: ReplyToken,
    deadline: ContinuousClock.Instant?,
    bytes: Int,
    keyNumber: Int64?,
    compute: @escaping @Sendable (ReadSlice) -> Bool,
    deliver: @escaping @Sendable (Result<Void, RPCError>, Core, LoopContext) -> Void
  ) {
    self.init(token, deadline, bytes, keyNumber, deliver) { _, slice, _ in
      compute(slice) ? .success(()) : nil
    }
  }

  private init<Output: Sendable>(
    token: ReplyToken,
    deadline: ContinuousClock.Instant?,
    bytes: Int,
    keyNumber: Int64?,
    read: @escaping @Sendable (StoreReader, ReadSlice) throws -> Output?,
    deliver: @escaping @Sendable (Result<Output, RPCError>, Core, LoopContext) -> Void
  ) {
    self.init(token, deadline, bytes, keyNumber, deliver) { open, slice, worked in
      let reader: StoreReader
      do {
        reader = try open()
      } catch {
        return .failure(RPCError(callFailure: error))
      }
      do {
        return try reader.withSnapshot(until: deadline, worked: worked) {
          try read($0, slice)
        }.map { .success($0) }
      } catch {
        reader.failures.note(error, in: "a call that reads")
        return .failure(RPCError(callFailure: error))
      }
    }
  }

  private init<Output: Sendable>(
    _ token: ReplyToken,
    _ deadline: ContinuousClock.Instant?,
    _ bytes: Int,
    _ keyNumber: Int64?,
    _ deliver: @escaping @Sendable (Result<Output, RPCError>, Core, LoopContext) -> Void,
    run work:
      @escaping @Sendable (() throws -> StoreReader, ReadSlice, Duration) -> Result<
        Output, RPCError
      >?
  ) {
    self.token = token
    self.deadline = deadline
    self.bytes = bytes
    let delivery = { @Sendable (result: Result<Output, RPCError>) -> Delivery in
      { core, loop in
        // The caller may have been refused since the call began.
        let refusal = core.gate.refusal(ofKey: keyNumber)
        deliver(refusal.map { .failure($0) } ?? result, core, loop)
      }
    }
    fail = { delivery(.failure($0)) }
    run = { reader, slice, worked in work(reader, slice, worked).map(delivery) }
  }

  private static func reply(
    to token: ReplyToken,
    _ summary: (any CallSummarizing & Sendable)? = nil
  ) -> @Sendable (Result<[UInt8], RPCError>, Core, LoopContext) -> Void {
    { result, _, loop in
      switch result {
      case .success(let body): loop.reply(token, body: body, summary: summary)
      case .failure(let error): loop.fail(token, error)
      }
    }
  }
}
