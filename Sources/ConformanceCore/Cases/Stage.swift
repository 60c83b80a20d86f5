internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// What cases play on: the client under test and the servers, started when they are first needed.
final class Stage {
  typealias Action = TidingsConformanceV1.Task.Action
  typealias Outcome = TidingsConformanceV1.TaskResult.Outcome

  let settings: RunSettings
  /// What the client says it is.
  private(set) var description: TidingsConformanceV1.Description?
  private var client: ClientProcess?
  private var interopServer: InteropServer?
  private var recordServer: RecordServer?
  private var secureServer: RecordServer?
  private var pushRelay: PushRelay?
  private var count = 0

  init(_ settings: RunSettings) { self.settings = settings }

  /// A number that no other call gets: for names.
  func nextNumber() -> Int {
    count += 1
    return count
  }

  /// Starts the client unless it runs, and asks what it is.
  func startClient() async throws {
    guard client == nil else { return }
    let started = try ClientProcess(command: settings.command)
    client = started
    guard case .description(let description) = try await perform(.describe(.init())) else {
      await dropClient()
      throw CaseFailure("the client did not answer Describe with a Description")
    }
    self.description = description
  }

  /// Whether the client can do something.
  func has(_ feature: TidingsConformanceV1.Feature) -> Bool {
    description?.features.contains(feature) ?? false
  }

  /// Has the client do something.
  ///
  /// - Parameters:
  ///   - action: What to do.
  ///   - extra: Milliseconds that it may take in addition.
  /// - Returns: What came of it.
  /// - Throws: `CaseSkipped` when it cannot, `CaseFailure` when its program failed, `ClientFault`.
  func perform(_ action: Action, extra: Int = 0) async throws -> Outcome {
    guard let client else { throw CaseFailure("the client does not run") }
    let outcome: Outcome
    do {
      outcome = try await client.perform(
        action,
        within: settings.taskMillisecondsMax + extra
      )
    } catch {
      self.client = nil
      throw error
    }
    switch outcome {
    case .unsupported(let what): throw CaseSkipped(reason: "the client says: \(what)")
    case .failed(let why): throw CaseFailure("the client's program failed: \(why)")
    default: return outcome
    }
  }

  /// A fresh client for whoever comes next.
  func dropClient() async {
    await client?.end()
    client = nil
  }

  /// The server of gRPC's interoperability cases.
  func interop() async throws -> InteropServer {
    if let interopServer { return interopServer }
    let server = try await InteropServer()
    interopServer = server
    return server
  }

  /// A server of records, whose pushes go through a relay that behaves.
  func records() async throws -> (server: RecordServer, pushes: PushRelay) {
    if let recordServer, let pushRelay {
      pushRelay.use(.none)
      return (recordServer, pushRelay)
    }
    let relay = try PushRelay()
    let server = try await RecordServer(settings.rpcdPath, advertisedPush: relay.endpoint)
    relay.connect(to: server.pushEndpoint)
    (recordServer, pushRelay) = (server, relay)
    return (server, relay)
  }

  /// A server whose callers prove who they are.
  func secureRecords() async throws -> RecordServer {
    if let secureServer { return secureServer }
    let server = try await RecordServer(settings.rpcdPath, isSecure: true)
    secureServer = server
    return server
  }

  /// Ends all that was started.
  func end() async {
    await dropClient()
    await interopServer?.stop()
    await recordServer?.stop()
    await secureServer?.stop()
  }
}

// MARK: What most cases ask of a client.
extension Stage {
  func connect(_ connect: TidingsConformanceV1.Connect) async throws {
    guard case .connected(true) = try await perform(.connect(connect)) else {
      throw CaseFailure("Connect: expected connected, came something else")
    }
  }

  func invoke(
    _ invoke: TidingsConformanceV1.Invoke
  ) async throws -> TidingsConformanceV1.CallResult {
    let outcome = try await perform(.invoke(invoke), extra: Int(invoke.timeoutMs))
    guard case .call(let result) = outcome else {
      throw CaseFailure("Invoke: expected the result of a call, came \(brief(outcome))")
    }
    return result
  }

  /// Has the client call a method that answers with one message.
  func call<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    idempotencyKey: String = ""
  ) async throws -> Response {
    let result = try await invoke(
      .init(
        method: method.fullName,
        request: request.encoded(),
        idempotencyKey: idempotencyKey,
        isSafe: method.idempotency != .unknown
      )
    )
    return try Response(decoding: try result.response())
  }

  /// Converts a message.
  func roundTrip(
    _ type: String,
    _ payload: [UInt8],
    from: TidingsConformanceV1.Encoding = .binary,
    to: TidingsConformanceV1.Encoding = .binary
  ) async throws -> Result<[UInt8], Refusal> {
    let outcome = try await perform(
      .roundTrip(.init(messageType: type, payload: payload, from: from, to: to))
    )
    switch outcome {
    case .encoded_(let bytes): return .success(bytes)
    case .refused(let why): return .failure(Refusal(why: why))
    default: throw CaseFailure("RoundTrip: expected the message, came \(brief(outcome))")
    }
  }
}

/// A client refused its input.
struct Refusal: Error, Hashable, Sendable {
  let why: String
}
