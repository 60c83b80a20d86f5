internal import TidingsRPC

/// Messages from tasks to a client's loop.
enum ClientMessage: Sendable {
  /// Make a call.
  case start(UInt64, OutgoingCall)
  /// Nobody waits for a call any more.
  case cancel(UInt64)
  /// A stream may send more.
  case credit(UInt64, Int)
  /// End the connection.
  case close
}

/// A call on its way through a client's loop.
struct OutgoingCall: Sendable {
  let method: String
  let request: [UInt8]
  let metadata: Metadata
  let idempotencyKey: String?
  /// It may be sent again without knowing what became of the first time.
  let isSafe: Bool
  let deadline: ContinuousClock.Instant?
  let sink: AnswerSink
}

/// Where a call's answers go.
enum AnswerSink: Sendable {
  case unary(PendingAnswer)
  case stream(ResponseStream.Continuation)

  func fail(_ error: RPCError) {
    switch self {
    case .unary(let answer): answer.resolve(.failure(error))
    case .stream(let continuation): continuation.finish(error)
    }
  }
}
