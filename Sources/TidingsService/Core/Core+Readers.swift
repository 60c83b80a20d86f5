internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Answers a call on a reader thread: with its snapshot, who calls, and the encoded request.
  typealias ReaderHandler =
    @Sendable (ReaderPool.Reader, Caller, _ body: UnsafeRawBufferPointer) throws -> [UInt8]

  /// Lets the reader threads answer a method that may take long.
  func registerReader(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    _ handler: @escaping ReaderHandler
  ) {
    loop.registerInline(method) { [self] call, loop in
      do {
        let caller = try CallerIdentity.caller(of: call)
        let body = Array(call.body)
        let job = ReaderPool.Job(
          token: call.token,
          deadline: call.deadline,
          bytes: body.count,
          keyNumber: call.keyNumber
        ) { reader in
          try body.withUnsafeBytes { try handler(reader, caller, $0) }
        }
        guard readers.submit(job, of: call.callerKey) else { throw RPCError.tooManyReaders }
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
  }
}

/// The answer to a call that reader threads work on in slices.
protocol SlicedAnswer: AnyObject, Sendable {
  /// Works for a slice; `nil`: the answer needs another one.
  func advance(_ reader: ReaderPool.Reader, _ slice: ReaderPool.Slice) throws -> [UInt8]?
}

extension Core {
  /// Lets the reader threads answer a method that may take long, in slices.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - loop: The loop.
  ///   - makeAnswer: Begins the answer to a call: who calls, and the encoded request.
  func registerSliced(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    _ makeAnswer: @escaping @Sendable (Caller, [UInt8]) -> any SlicedAnswer
  ) {
    loop.registerInline(method) { [self] call, loop in
      do {
        try answerOnReader(call, makeAnswer)
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
  }

  /// Lets the reader threads answer a call.
  ///
  /// - Throws: `RPCError` when too many calls wait for them.
  func answerOnReader(
    _ call: borrowing InlineCall,
    _ makeAnswer: @Sendable (Caller, [UInt8]) -> any SlicedAnswer
  ) throws {
    let answer = makeAnswer(try CallerIdentity.caller(of: call), Array(call.body))
    let job = ReaderPool.Job(
      token: call.token,
      deadline: call.deadline,
      bytes: call.body.count,
      keyNumber: call.keyNumber,
      slices: { try answer.advance($0, $1) }
    )
    guard readers.submit(job, of: call.callerKey) else { throw RPCError.tooManyReaders }
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
