internal import Synchronization
public import TidingsRPC
internal import TidingsThreads

/// A connection to a server, shared by any number of tasks.
///
/// One thread owns the socket; calls reach it in batches. The connection is made at the first
/// chance and made again whenever it is lost; `close` ends it, and so does dropping the last
/// reference.
public final class ClientConnection: ClientTransport {
  private let configuration: ConnectionConfiguration
  private let inbox: Mailbox<ClientMessage>
  private let ended: OneTimeSignal
  private let nextID = Atomic<UInt64>(0)

  /// Starts connecting.
  ///
  /// - Parameters:
  ///   - configuration: Which server, and how patient.
  ///   - context: To share an I/O thread with other connections; `nil`: one of its own.
  /// - Throws: When the endpoint is malformed, or the process out of resources. A server that is
  ///   not there is reported by the calls.
  public init(
    _ configuration: ConnectionConfiguration,
    context: Context? = nil
  ) async throws {
    self.configuration = configuration
    let (inbox, ended) = (Mailbox<ClientMessage>(), OneTimeSignal())
    (self.inbox, self.ended) = (inbox, ended)
    try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
      do {
        try startLoopThread("tidings-client") {
          Self.runThread(configuration, context, inbox, ready)
          ended.fire()
        }
      } catch {
        ready.resume(throwing: error)
      }
    }
  }

  deinit { inbox.send(.close) }

  /// Fails what is waiting with CANCELLED, and closes the socket.
  public func close() async {
    inbox.send(.close)
    await ended.wait()
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
    let inbox = inbox
    let result = await withTaskCancellationHandler {
      await answer.value()
    } onCancel: {
      let cancelled = RPCError(.cancelled, "the call was cancelled")
      if answer.resolve(.failure(cancelled)) { inbox.send(.cancel(id)) }
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
    let inbox = inbox
    let id = nextID.add(1, ordering: .relaxed).newValue
    let (stream, continuation) = ResponseStream.makeStream(
      onCredit: { inbox.send(.credit(id, $0)) },
      onCancel: { inbox.send(.cancel(id)) }
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
    var metadata = configuration.metadata
    for (key, value) in options.metadata.entries { metadata[key] = value }
    let timeout = options.timeout ?? (method.kind == .unary ? configuration.timeout : nil)
    let call = OutgoingCall(
      method: method.fullName,
      request: request,
      metadata: metadata,
      idempotencyKey: options.idempotencyKey,
      isSafe: options.isSafe(method),
      deadline: timeout.map { ContinuousClock.now.advanced(by: $0) },
      sink: sink
    )
    if !inbox.send(.start(id, call)) {
      sink.fail(RPCError(.cancelled, "the connection is closed"))
    }
  }

  private static func runThread(
    _ configuration: ConnectionConfiguration,
    _ context: Context?,
    _ inbox: Mailbox<ClientMessage>,
    _ ready: CheckedContinuation<Void, any Error>
  ) {
    let loop: ClientLoop
    do {
      loop = try ClientLoop(configuration, context: context ?? Context(), inbox: inbox)
    } catch {
      return ready.resume(throwing: error)
    }
    ready.resume()
    loop.run()
  }
}
