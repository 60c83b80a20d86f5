internal import Synchronization

/// Carries calls to services of the same process, with the semantics of the wire.
///
/// Deadlines, cancellation, credits, limits and unknown methods behave as over a socket; bytes go
/// in and come out. For tests, and for programs that hold both ends.
public struct InProcessTransport: ClientTransport {
  private let router: CallRouter
  private let frameBytesMax: Int

  /// A transport to the services of a router.
  public init(router: CallRouter, frameBytesMax: Int = WireLimits.frameBytesMax) {
    self.router = router
    self.frameBytesMax = frameBytesMax
  }

  /// Makes a unary call.
  ///
  /// - Throws: The status of a call that failed.
  public func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    let (service, call) = try admit(method, request, options)
    let answer = PendingAnswer()
    let work = Task { [frameBytesMax] in
      do {
        let response = try await service.handleUnary(call, request)
        answer.resolve(Self.bounded(response, by: frameBytesMax))
      } catch {
        answer.resolve(.failure(RPCError.thrown(error).withoutCause))
      }
    }
    let timer = call.deadline.map { deadline in
      Task {
        try await Task.sleep(until: deadline, clock: .continuous)
        answer.resolve(.failure(.deadlinePassed))
      }
    }
    let result = await withTaskCancellationHandler {
      await answer.value()
    } onCancel: {
      answer.resolve(.failure(RPCError(.cancelled, "the call was cancelled")))
    }
    timer?.cancel()
    work.cancel()
    return try result.get()
  }

  /// Starts a server-streaming call.
  public func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    let service: any RPCService
    let call: ServerCall
    do throws(RPCError) {
      (service, call) = try admit(method, request, options)
    } catch {
      return .failed(error)
    }
    let gate = StreamGate(requested: 0)
    let tasks = StreamTasks()
    let (stream, continuation) = ResponseStream.makeStream(
      onCredit: { gate.grant($0) },
      onCancel: { tasks.end(gate, .cancelledByClient) }
    )
    let writer = Writer(gate: gate, continuation: continuation, frameBytesMax: frameBytesMax)
    tasks.add(
      Task {
        do {
          try await service.handleServerStreaming(call, request, writer)
          continuation.finish()
        } catch {
          continuation.finish(RPCError.thrown(error).withoutCause)
        }
        tasks.end(gate, RPCError(.cancelled, "the call is over"))
      }
    )
    if let deadline = call.deadline {
      tasks.add(
        Task {
          try await Task.sleep(until: deadline, clock: .continuous)
          continuation.finish(.deadlinePassed)
          tasks.end(gate, .deadlinePassed)
        }
      )
    }
    return stream
  }

  private func admit(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    _ options: CallOptions
  ) throws(RPCError) -> (any RPCService, ServerCall) {
    if let refusal = options.refusal { throw refusal }
    _ = try Self.bounded(request, by: frameBytesMax).get()
    let route = try router.route(method.fullName)
    if let timeout = options.timeout, timeout <= .zero { throw .deadlinePassed }
    let call = ServerCall(
      method: route.method,
      metadata: options.metadata,
      deadline: options.timeout.map { ContinuousClock.now.advanced(by: $0) },
      idempotencyKey: options.idempotencyKey
    )
    return (route.service, call)
  }

  private static func bounded(_ frame: [UInt8], by countMax: Int) -> Result<[UInt8], RPCError> {
    frame.count <= countMax
      ? .success(frame) : .failure(.frameTooLarge(bytes: frame.count, bytesMax: countMax))
  }
}

extension RPCError {
  /// A frame is larger than allowed.
  package static func frameTooLarge(bytes: Int, bytesMax: Int) -> Self {
    Self(
      .resourceExhausted,
      "a frame of \(bytes) bytes; at most \(bytesMax) are allowed",
      details: [.errorInfo(reason: frameTooLargeReason)]
    )
  }
}

/// Writes a stream's messages straight into the consumer's buffer.
private struct Writer: ResponseWriter {
  let gate: StreamGate
  let continuation: ResponseStream.Continuation
  let frameBytesMax: Int

  func write(_ message: [UInt8]) async throws(RPCError) {
    if message.count > frameBytesMax {
      throw .frameTooLarge(bytes: message.count, bytesMax: frameBytesMax)
    }
    try await gate.pass()
    _ = continuation.yield(message)
  }
}

/// The tasks of one stream, which end together.
private final class StreamTasks: Sendable {
  private let state = Mutex((tasks: [Task<Void, any Error>](), ended: false))

  func add(_ task: Task<Void, any Error>) {
    let ended = state.withLock { state in
      if !state.ended { state.tasks.append(task) }
      return state.ended
    }
    if ended { task.cancel() }
  }

  func end(_ gate: StreamGate, _ reason: RPCError) {
    gate.close(reason)
    let tasks = state.withLock { state in
      state.ended = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
