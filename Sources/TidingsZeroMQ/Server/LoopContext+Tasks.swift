internal import TidingsProto
public import TidingsRPC
internal import TidingsThreads

/// Messages from other threads to a server's loop.
enum LoopMessage: Sendable {
  /// A stream's task has a message; credit for it was taken.
  case message(UInt64, [UInt8])
  /// A task ended.
  case finished(UInt64, Result<[UInt8], RPCError>)
  /// Nobody decides any more who may connect, or sends pushes.
  case socketFailed(TransportError)
  /// Stop, after a grace period at most.
  case stop(grace: Duration)
}

/// A call that runs as a task.
struct RunningCall {
  let task: Task<Void, Never>
  /// Of streams only.
  let gate: StreamGate?
  /// Who began it.
  let keyNumber: Int64?
  /// The same as a user.
  let user: String?
  /// For whoever measures it.
  let mark: CallMark
  /// A server that drains waits for its end: not for a client that watches the health.
  let isAwaited: Bool
}

extension LoopContext {
  /// Begins a call as a task.
  func start(_ call: borrowing InlineCall, _ service: any RPCService) {
    let isStream = call.method.kind == .serverStreaming
    let key = ServerCallTable<ReplyToken.Peer>.Key(
      peer: call.token.peer,
      callID: call.token.callID
    )
    let credit = call.header.credit
    let caller = Self.callerKey(call.header, user: call.user, keyNumber: call.keyNumber)
    let start = calls.start(
      key,
      of: caller,
      // As it came, and decoded.
      bytes: 2 * call.body.count,
      credit: isStream ? credit : nil,
      deadline: call.deadline,
      now: now
    )
    switch start {
    case .refuse(let error): refuseUnbegun(call.token, error)
    case .run(let number):
      let (request, serverCall) = (call.keptBody, call.makeServerCall())
      if isStream {
        runStream(number, service, serverCall, request, call.token.mark, credit: credit)
      } else {
        runUnary(number, service, serverCall, request, call.token.mark)
      }
    }
  }

  /// Handles what the tasks sent.
  ///
  /// - Returns: Whether there was anything.
  func drainInbox() -> [LoopMessage] {
    let messages = inbox.drain()
    for message in messages {
      switch message {
      case .message(let number, let body):
        if let key = calls.message(number, now: now) {
          let token = Self.token(key, running[number]?.mark)
          body.withUnsafeBytes {
            answer(token, on: connection(of: token), $0, endsStream: false)
          }
        }
      case .finished(let number, let result): finish(number, result)
      case .stop, .socketFailed: break
      }
    }
    return messages
  }

  /// Lets a stream's writer go on.
  func grant(_ count: UInt32, _ token: ReplyToken) {
    let key = ServerCallTable<ReplyToken.Peer>.Key(peer: token.peer, callID: token.callID)
    guard let number = calls.credit(key, count: count) else { return }
    running[number]?.gate?.grant(Int(count))
  }

  func perform(_ actions: [ServerCallTable<ReplyToken.Peer>.Action]) {
    // The task of a call that fails is cancelled before.
    var mark: CallMark?
    for action in actions {
      switch action {
      case .fail(let key, let error):
        let token = Self.token(key, mark)
        mark = nil
        refuse(token, on: connection(of: token), error)
      case .cancelTask(let number, let error):
        mark = running[number]?.mark
        running[number]?.gate?.close(error)
        running[number]?.task.cancel()
      }
    }
  }

  /// Ends the calls that run as tasks for some callers.
  ///
  /// - Parameters:
  ///   - isEnded: Whether the calls of a key, and of its user, end.
  ///   - error: What they are answered with.
  public func endCalls(
    where isEnded: (_ keyNumber: Int64?, _ user: String?) -> Bool,
    _ error: RPCError
  ) {
    let ended = running.filter { isEnded($0.value.keyNumber, $0.value.user) }.keys.sorted()
    perform(ended.flatMap { calls.end($0, error) })
  }

  private func finish(_ number: UInt64, _ result: Result<[UInt8], RPCError>) {
    let run = running.removeValue(forKey: number)
    let isStream = run?.gate != nil
    guard let key = calls.finished(number) else {
      if let run { forget(run.mark) }
      return
    }
    let token = Self.token(key, run?.mark)
    let connection = connection(of: token)
    switch result {
    case .success(let body):
      body.withUnsafeBytes {
        answer(token, on: connection, $0, endsStream: true, hasMessage: !isStream)
      }
    case .failure(let error):
      failed(error)
      refuse(token, on: connection, error)
    }
  }

  /// A call failed that no inline handler answers, and its caller waits: what led to it is not sent.
  func failed(_ error: RPCError) {
    if error.cause != nil { delegate?.callFailed(error, self) }
  }

  private func runUnary(
    _ number: UInt64,
    _ service: any RPCService,
    _ call: ServerCall,
    _ request: KeptBody,
    _ mark: CallMark
  ) {
    let inbox = inbox
    let task = Task {
      do {
        inbox.send(.finished(number, .success(try await service.handleUnary(call, request.bytes))))
      } catch {
        inbox.send(.finished(number, .failure(.thrown(error))))
      }
    }
    running[number] = RunningCall(
      task: task,
      gate: nil,
      keyNumber: call.keyNumber,
      user: call.user,
      mark: mark,
      isAwaited: call.method.isAwaited
    )
  }

  private func runStream(
    _ number: UInt64,
    _ service: any RPCService,
    _ call: ServerCall,
    _ request: KeptBody,
    _ mark: CallMark,
    credit: UInt32
  ) {
    let inbox = inbox
    let gate = StreamGate(requested: credit)
    let writer = LoopWriter(
      number: number,
      gate: gate,
      inbox: inbox,
      frameBytesMax: configuration.frameBytesMax
    )
    let task = Task {
      do {
        try await service.handleServerStreaming(call, request.bytes, writer)
        inbox.send(.finished(number, .success([])))
      } catch {
        inbox.send(.finished(number, .failure(.thrown(error))))
      }
    }
    running[number] = RunningCall(
      task: task,
      gate: gate,
      keyNumber: call.keyNumber,
      user: call.user,
      mark: mark,
      isAwaited: call.method.isAwaited
    )
  }

  private static func token(
    _ key: ServerCallTable<ReplyToken.Peer>.Key,
    _ mark: CallMark?
  ) -> ReplyToken {
    ReplyToken(peer: key.peer, callID: key.callID, mark: mark ?? CallMark(started: 0))
  }
}

extension MethodDescriptor {
  /// A server that drains waits for its calls: not for clients that watch the health.
  fileprivate var isAwaited: Bool {
    fullName != TidingsRpcV1.HealthService.Methods.watch.fullName
  }
}

/// Passes a stream's messages to the loop as its credit allows.
///
/// The mailbox needs no bound of its own: at most the credit of the running streams is in it.
private struct LoopWriter: ResponseWriter {
  let number: UInt64
  let gate: StreamGate
  let inbox: Mailbox<LoopMessage>
  let frameBytesMax: Int

  func write(_ message: [UInt8]) async throws(RPCError) {
    if message.count > frameBytesMax {
      throw .frameTooLarge(bytes: message.count, bytesMax: frameBytesMax)
    }
    try await gate.pass()
    inbox.send(.message(number, message))
  }
}
