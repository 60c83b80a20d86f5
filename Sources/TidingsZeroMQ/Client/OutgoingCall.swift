internal import TidingsRPC

/// Messages from tasks to a client's loop.
enum ClientMessage: Sendable {
  /// Make a call.
  case start(OutgoingCall)
  /// Nobody waits for a call any more.
  case cancel(UInt64)
  /// A stream may send more.
  case credit(UInt64, Int)
  /// End the connection.
  case close
}

/// A call on its way through a client's loop; an object, so that to hand it on is cheap.
final class OutgoingCall: Sendable {
  let id: UInt64
  let method: String
  let request: [UInt8]
  /// The metadata and the idempotency key.
  let context: RequestContext
  /// It may be sent again without knowing what became of the first time.
  let isSafe: Bool
  /// When nobody waits for it any more, by the clock of the connection.
  let deadline: Duration?
  /// How long it waits for a connection.
  let patience: Duration
  let sink: AnswerSink

  init(
    _ id: UInt64,
    _ method: String,
    _ request: [UInt8],
    _ context: RequestContext,
    isSafe: Bool,
    deadline: Duration?,
    patience: Duration,
    _ sink: AnswerSink
  ) {
    self.id = id
    self.method = method
    self.request = request
    self.context = context
    self.isSafe = isSafe
    self.deadline = deadline
    self.patience = patience
    self.sink = sink
  }

  /// Nothing is called: the connection itself is waited for.
  convenience init(_ id: UInt64, patience: Duration, _ sink: AnswerSink) {
    self.init(
      id,
      "",
      [],
      RequestContext(Metadata()),
      isSafe: true,
      deadline: nil,
      patience: patience,
      sink
    )
  }
}

/// Where a call's answers go.
enum AnswerSink: Sendable {
  case unary(PendingAnswer)
  case stream(ResponseStream.Continuation)
  /// There is a connection: that is all.
  case connection(PendingAnswer)

  func fail(_ error: RPCError) {
    switch self {
    case .unary(let answer), .connection(let answer): answer.resolve(.failure(error))
    case .stream(let continuation): continuation.finish(error)
    }
  }
}
