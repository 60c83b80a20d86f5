internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// The answer to a call that reader threads work on in slices.
protocol SlicedAnswer: CallSummarizing, Sendable {
  /// Works for a slice; `nil`: the answer needs another one.
  func advance(_ reader: StoreReader, _ slice: ReadSlice) throws -> [UInt8]?
}

extension SlicedAnswer {
  /// Nothing is known.
  func summarize(_ call: ObservedCall) {}
}

/// Hands calls that may take long to the reader threads.
struct ReadDispatch {
  /// Answers a call on a reader thread: with its snapshot, who calls, and the encoded request.
  typealias Handler =
    @Sendable (StoreReader, Caller, _ body: UnsafeRawBufferPointer) throws -> [UInt8]

  /// Begins the answer to a call: who calls, and the encoded request.
  typealias MakeAnswer = @Sendable (Caller, KeptBody) -> any SlicedAnswer

  private let pool: ReaderPool
  private let loopReader: LoopReader
  /// The loop may read what is quick.
  private let readsOnLoop: Bool

  init(_ pool: ReaderPool, readsOnLoop: Bool) {
    (self.pool, self.readsOnLoop) = (pool, readsOnLoop)
    loopReader = LoopReader { try pool.openReader() }
  }

  /// Lets the reader threads answer a method that may take long.
  func register(_ method: MethodDescriptor, on loop: LoopContext, _ handler: @escaping Handler) {
    registerCall(method, on: loop) { call, _ in
      let (caller, body) = (try CallerIdentity.caller(of: call), call.keptBody)
      let job = ReadJob(
        token: call.token,
        deadline: call.deadline,
        bytes: body.count,
        keyNumber: call.keyNumber
      ) { reader in
        try body.withUnsafeBytes { try handler(reader, caller, $0) }
      }
      try self.add(job, of: call.callerKey)
    }
  }

  /// Lets the reader threads answer a method that may take long, in slices.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - loop: The loop.
  ///   - beginsOnLoop: Whether the loop answers what is quick itself.
  ///   - makeAnswer: Begins the answer to a call.
  func registerSliced(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    beginsOnLoop: Bool = false,
    _ makeAnswer: @escaping MakeAnswer
  ) {
    registerCall(method, on: loop) { call, loop in
      let answer = makeAnswer(try CallerIdentity.caller(of: call), call.keptBody)
      if beginsOnLoop, readsOnLoop, call.body.count <= LoopContext.readBytesMax,
        let bytes = try loopReader.advance(answer, until: call.deadline)
      {
        return loop.reply(call.token, body: bytes, summary: answer)
      }
      try self.add(answer, to: call)
    }
  }

  /// Reads on the loop what a call asks for and is quick; `nil`: it is not, or the loop does not read.
  func readOnLoop<Output>(
    _ call: borrowing InlineCall,
    _ work: (StoreReader) throws -> Output?
  ) throws -> Output? {
    guard readsOnLoop, call.body.count <= LoopContext.readBytesMax else { return nil }
    return try loopReader.read(until: call.deadline, work)
  }

  /// Lets a closure hand the calls of a method to the reader threads, which read their requests.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - loop: The loop.
  ///   - begin: Hands a call over; its error is the answer.
  func registerCall(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    _ begin: @escaping (borrowing InlineCall, LoopContext) throws -> Void
  ) {
    loop.registerInline(method, requestBytesMax: .max) { call, loop in
      do {
        try begin(call, loop)
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
  }

  /// Lets the reader threads answer a call.
  ///
  /// - Throws: `RPCError` when too many calls wait for them.
  func answer(_ call: borrowing InlineCall, _ makeAnswer: MakeAnswer) throws {
    try add(makeAnswer(try CallerIdentity.caller(of: call), call.keptBody), to: call)
  }

  private func add(_ answer: any SlicedAnswer, to call: borrowing InlineCall) throws {
    let job = ReadJob(
      token: call.token,
      deadline: call.deadline,
      bytes: call.body.count,
      keyNumber: call.keyNumber,
      summary: answer,
      slices: { try answer.advance($0, $1) }
    )
    try add(job, of: call.callerKey)
  }

  /// Hands a job to the threads.
  ///
  /// - Throws: `RPCError` when too many jobs wait for them.
  func add(_ job: ReadJob, of caller: CallerKey) throws(RPCError) {
    if !submit(job, of: caller) { throw RPCError.tooManyReaders }
  }

  /// How many calls wait for a reader thread.
  var jobCount: Int { pool.jobCount }

  /// Hands a job to the threads.
  ///
  /// - Returns: `false` when too many jobs wait for them; it will not be answered.
  func submit(_ job: ReadJob, of caller: CallerKey) -> Bool { pool.submit(job, of: caller) }

  /// Ends the threads, and fails the calls that were not begun.
  func stop(_ loop: LoopContext) {
    loopReader.stop()
    for job in pool.stop() {
      loop.fail(job.token, RPCError(.unavailable, "the server is stopping"))
    }
  }
}

extension RPCError {
  /// All reader threads are busy, and enough calls wait for them.
  static let tooManyReaders = RPCError(
    .resourceExhausted,
    "too many queries and feeds wait already: try again later",
    details: [.retryInfo(after: .seconds(1))]
  )
}
