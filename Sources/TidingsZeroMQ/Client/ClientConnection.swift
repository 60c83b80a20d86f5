internal import Synchronization
public import TidingsRPC
internal import TidingsThreads

/// A connection to a server, shared by any number of tasks.
///
/// One thread owns the socket; calls reach it in batches. The connection is made at the first
/// chance and made again whenever it is lost, to the next endpoint if there are several; `close` ends
/// it, and so does dropping the last reference.
public final class ClientConnection: ClientTransport {
  private let configuration: ConnectionConfiguration
  private let clock = ConnectionClock()
  /// Of calls that bring none of their own.
  private let context: RequestContext
  private let driver: ClientDriver
  private let ended: OneTimeSignal
  private let nextID = Atomic<UInt64>(0)

  /// Starts connecting.
  ///
  /// - Parameters:
  ///   - configuration: Which server, and how patient.
  ///   - context: To share an I/O thread with other connections; `nil`: one of its own.
  /// - Throws: When the endpoints are malformed, or the process out of resources. A server that is
  ///   not there is reported by the calls.
  public init(
    _ configuration: ConnectionConfiguration,
    context: Context? = nil
  ) async throws {
    if let problem = EndpointList.problem(in: configuration.endpoints) {
      throw TransportError(problem)
    }
    self.configuration = configuration
    self.context = RequestContext(configuration.metadata)
    let driver = try ClientDriver(configuration, clock, context: context ?? Context())
    let ended = OneTimeSignal()
    (self.driver, self.ended) = (driver, ended)
    try startLoopThread("tidings-client") {
      driver.run()
      ended.fire()
    }
  }

  deinit { _ = driver.send(.close) }

  /// Fails what is waiting with CANCELLED, and closes the socket.
  public func close() async {
    _ = driver.send(.close)
    await ended.wait()
  }

  /// Waits until there is a connection.
  ///
  /// - Parameter patience: How long; `nil`: as long as calls wait for one.
  /// - Throws: UNAVAILABLE with the reason why there is none; UNAUTHENTICATED if the key is not admitted.
  public func connected(within patience: Duration?) async throws(RPCError) {
    if driver.isConnected { return }
    let answer = PendingAnswer()
    let id = nextID.add(1, ordering: .relaxed).newValue
    send(OutgoingCall(id, patience: patience ?? configuration.connectTimeout, .connection(answer)))
    _ = try await result(of: id, answer)
  }

  /// Makes a unary call; cancelling the task cancels the call.
  ///
  /// - Throws: The status of a call that failed.
  public func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    if let refusal = refusal(request, options) { throw refusal }
    let answer = PendingAnswer()
    let id = nextID.add(1, ordering: .relaxed).newValue
    send(id, method, request, options, .unary(answer))
    return try await result(of: id, answer)
  }

  private func result(of id: UInt64, _ answer: PendingAnswer) async throws(RPCError) -> [UInt8] {
    let driver = driver
    let result = await withTaskCancellationHandler {
      await answer.value()
    } onCancel: {
      let cancelled = RPCError(.cancelled, "the call was cancelled")
      if answer.resolve(.failure(cancelled)) { _ = driver.send(.cancel(id)) }
    }
    return try result.get()
  }

  /// Starts a server-streaming call.
  public func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    if let refusal = refusal(request, options) { return .failed(refusal) }
    let driver = driver
    let id = nextID.add(1, ordering: .relaxed).newValue
    let (stream, continuation) = ResponseStream.makeStream(
      onCredit: { _ = driver.send(.credit(id, $0)) },
      onCancel: { _ = driver.send(.cancel(id)) }
    )
    send(id, method, request, options, .stream(continuation))
    return stream
  }

  /// What the server would refuse, said at once.
  private func refusal(_ request: [UInt8], _ options: CallOptions) -> RPCError? {
    if let refusal = options.refusal { return refusal }
    if request.count > configuration.frameBytesMax {
      return .frameTooLarge(bytes: request.count, bytesMax: configuration.frameBytesMax)
    }
    return nil
  }

  private func send(
    _ id: UInt64,
    _ method: MethodDescriptor,
    _ request: [UInt8],
    _ options: CallOptions,
    _ sink: AnswerSink
  ) {
    let timeout = options.timeout ?? (method.kind == .unary ? configuration.timeout : nil)
    let options =
      configuration.retry.attemptsMax > 1 ? options.withRepetitionKey(for: method) : options
    let call = OutgoingCall(
      id,
      method.fullName,
      request,
      context(of: options),
      isSafe: options.isSafe(method),
      deadline: timeout.map { clock.now + $0 },
      patience: configuration.connectTimeout,
      sink
    )
    send(call)
  }

  private func send(_ call: OutgoingCall) {
    if !driver.send(.start(call)) {
      call.sink.fail(RPCError(.cancelled, "the connection is closed"))
    }
  }

  private func context(of options: CallOptions) -> RequestContext {
    let trace = configuration.traceContext?()
    if trace == nil, options.metadata.isEmpty, options.idempotencyKey == nil { return context }
    var metadata = configuration.metadata
    if let trace { metadata[Metadata.traceParentKey] = trace.text }
    for (key, value) in options.metadata.entries { metadata[key] = value }
    return RequestContext(metadata, idempotencyKey: options.idempotencyKey)
  }
}
