public import TidingsInterop
public import TidingsRPC

/// gRPC's interoperability cases, for any transport to an `InteropService`.
///
/// Each returns what went wrong; `nil`: nothing.
public struct InteropCases: Sendable {
  public let transport: any ClientTransport
  public let probe: Probe
  /// The server's limit.
  public let frameBytesMax: Int

  public init(_ transport: any ClientTransport, probe: Probe, frameBytesMax: Int) {
    self.transport = transport
    self.probe = probe
    self.frameBytesMax = frameBytesMax
  }

  public enum Name: String, CaseIterable, Sendable, CustomStringConvertible {
    case emptyUnary = "empty_unary"
    case largeUnary = "large_unary"
    case serverStreaming = "server_streaming"
    case emptyStream = "empty_stream"
    case customMetadata = "custom_metadata"
    case statusCodeAndMessage = "status_code_and_message"
    case specialStatusMessage = "special_status_message"
    case unimplementedMethod = "unimplemented_method"
    case unimplementedService = "unimplemented_service"
    case cancelAfterBegin = "cancel_after_begin"
    case cancelAfterFirstResponse = "cancel_after_first_response"
    case cancelledTaskEndsStream = "cancelled_task_ends_stream"
    case timeoutOnSleepingServer = "timeout_on_sleeping_server"
    case timeoutOnStream = "timeout_on_stream"
    case expiredBeforeStart = "expired_before_start"
    case concurrentLargeUnary = "concurrent_large_unary"
    case maxSizeExact = "max_size_exact"
    case maxSizePlusOne = "max_size_plus_one"
    case responseTooLarge = "response_too_large"
    case slowReader = "slow_reader"
    case badMetadata = "bad_metadata"

    public var description: String { rawValue }
  }

  public func run(_ name: Name) async -> String? {
    do {
      switch name {
      case .emptyUnary: return try await emptyUnary()
      case .largeUnary: return try await largeUnary()
      case .serverStreaming: return try await streaming([31415, 9, 2653, 58979])
      case .emptyStream: return try await streaming([])
      case .customMetadata: return try await customMetadata()
      case .statusCodeAndMessage: return try await status(.unknown, "test status message")
      case .specialStatusMessage:
        return try await status(
          .unknown,
          "\t\ntest with whitespace\r\nand Unicode BMP \u{263A} and non-BMP \u{1F608}\t\n"
        )
      case .unimplementedMethod: return await refusal(InteropService.missing, "METHOD_NOT_FOUND")
      case .unimplementedService: return await refusal(Self.elsewhere, "SERVICE_NOT_FOUND")
      case .cancelAfterBegin: return await cancelAfterBegin()
      case .cancelAfterFirstResponse: return try await cancelAfterFirstResponse()
      case .cancelledTaskEndsStream: return await cancelledTaskEndsStream()
      case .timeoutOnSleepingServer: return await timeoutOnSleepingServer()
      case .timeoutOnStream: return await timeoutOnStream()
      case .expiredBeforeStart: return await expiredBeforeStart()
      case .concurrentLargeUnary: return try await concurrentLargeUnary()
      case .maxSizeExact: return try await maxSizeExact()
      case .maxSizePlusOne: return await maxSizePlusOne()
      case .responseTooLarge: return await responseTooLarge()
      case .slowReader: return try await slowReader()
      case .badMetadata: return await badMetadata()
      }
    } catch {
      return "threw \(error)"
    }
  }

  private static let elsewhere = MethodDescriptor(
    service: "tidings.test.NoService",
    name: "Missing",
    kind: .unary,
    idempotency: .unknown,
    inputType: "",
    outputType: ""
  )
  private let patient = CallOptions(timeout: .seconds(600))

  private func emptyUnary() async throws -> String? {
    let response = try await transport.unary(InteropService.empty, [], options: patient)
    return response.isEmpty ? nil : "\(response.count) bytes"
  }

  private func largeUnary() async throws -> String? {
    let request = InteropService.numbers([314_159], [UInt8](repeating: 1, count: 271_828))
    let response = try await transport.unary(InteropService.sized, request, options: patient)
    return response == [UInt8](repeating: 7, count: 314_159) ? nil : "\(response.count) bytes"
  }

  private func streaming(_ sizes: [UInt32]) async throws -> String? {
    var received: [Int] = []
    let stream = transport.serverStreaming(
      InteropService.sizes,
      InteropService.numbers(sizes),
      options: patient
    )
    for try await message in stream { received.append(message.count) }
    return received == sizes.map(Int.init) ? nil : "\(received)"
  }

  private func customMetadata() async throws -> String? {
    var options = patient
    options.metadata = ["x-first": "test_initial", "x-second": "\u{263A} and a\0b"]
    let response = try await transport.unary(InteropService.echoMetadata, [], options: options)
    let text = String(decoding: response, as: UTF8.self)
    return text == "test_initial\n\u{263A} and a\0b" ? nil : text
  }

  private func status(_ code: StatusCode, _ message: String) async throws -> String? {
    let request = InteropService.numbers([code.rawValue], Array(message.utf8))
    let error = await failure {
      _ = try await transport.unary(InteropService.fail, request, options: patient)
    }
    let expected = RPCError(
      code,
      message,
      details: [.init(typeURL: "type.googleapis.com/tidings.test.Detail", value: [1, 2, 3])]
    )
    return error == expected ? nil : "\(String(describing: error))"
  }

  private func refusal(_ method: MethodDescriptor, _ reason: String) async -> String? {
    let error = await failure { _ = try await transport.unary(method, [], options: patient) }
    return error?.code == .unimplemented && error?.details == [.errorInfo(reason: reason)]
      ? nil : "\(String(describing: error))"
  }

  private func cancelAfterBegin() async -> String? {
    let call = Task { try await transport.unary(InteropService.hang, [], options: patient) }
    await probe.wait { $0.started == 1 }
    call.cancel()
    let error = await failure { _ = try await call.value }
    await probe.wait { $0.cancelled == 1 }
    return error?.code == .cancelled ? nil : "\(String(describing: error))"
  }

  private func cancelAfterFirstResponse() async throws -> String? {
    let stream = transport.serverStreaming(InteropService.firstThenHang, [], options: patient)
    for try await message in stream {
      if message != [1] { return "\(message)" }
      break
    }
    await probe.wait { $0.cancelled == 1 }
    return nil
  }

  private func cancelledTaskEndsStream() async -> String? {
    let reader = Task {
      let stream = transport.serverStreaming(InteropService.firstThenHang, [], options: patient)
      for try await _ in stream { probe.note { $0.consumed += 1 } }
    }
    await probe.wait { $0.consumed == 1 }
    reader.cancel()
    let error = await failure { try await reader.value }
    await probe.wait { $0.cancelled == 1 }
    return error?.code == .cancelled ? nil : "\(String(describing: error))"
  }

  private func timeoutOnSleepingServer() async -> String? {
    let options = CallOptions(timeout: .milliseconds(20))
    let error = await failure {
      _ = try await transport.unary(InteropService.hang, [], options: options)
    }
    // The call may have expired before it began; if it did begin, it is cancelled.
    await probe.wait { $0.cancelled == $0.started }
    return error?.code == .deadlineExceeded ? nil : "\(String(describing: error))"
  }

  private func timeoutOnStream() async -> String? {
    let options = CallOptions(timeout: .milliseconds(20))
    let error = await failure {
      for try await _ in transport.serverStreaming(
        InteropService.firstThenHang,
        [],
        options: options
      ) {}
    }
    return error?.code == .deadlineExceeded ? nil : "\(String(describing: error))"
  }

  private func expiredBeforeStart() async -> String? {
    let options = CallOptions(timeout: .zero)
    let error = await failure {
      _ = try await transport.unary(InteropService.empty, [], options: options)
    }
    return error?.code == .deadlineExceeded && probe.sightings.started == 0
      ? nil : "\(String(describing: error))"
  }

  private func concurrentLargeUnary() async throws -> String? {
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<32 { group.addTask { try await largeUnary() } }
      for try await fault in group where fault != nil { return fault }
      return nil
    }
  }

  private func maxSizeExact() async throws -> String? {
    let request =
      InteropService.numbers([UInt32(frameBytesMax)])
      + [UInt8](repeating: 0, count: frameBytesMax - 4)
    let response = try await transport.unary(InteropService.sized, request, options: patient)
    return response.count == frameBytesMax ? nil : "\(response.count) bytes"
  }

  private func maxSizePlusOne() async -> String? {
    let request = [UInt8](repeating: 0, count: frameBytesMax + 1)
    let error = await failure {
      _ = try await transport.unary(InteropService.sized, request, options: patient)
    }
    return error?.code == .resourceExhausted && probe.sightings.started == 0
      ? nil : "\(String(describing: error))"
  }

  private func responseTooLarge() async -> String? {
    let request = InteropService.numbers([UInt32(frameBytesMax + 1)])
    let error = await failure {
      _ = try await transport.unary(InteropService.sized, request, options: patient)
    }
    return error?.code == .resourceExhausted ? nil : "\(String(describing: error))"
  }

  private func slowReader() async throws -> String? {
    let count = 1000
    let stream = transport.serverStreaming(
      InteropService.flood,
      InteropService.numbers([UInt32(count)]),
      options: patient
    )
    await probe.wait { $0.written == WireLimits.creditDefault }
    var expected: UInt32 = 0
    for try await message in stream {
      if message != InteropService.numbers([expected]) { return "\(message) at \(expected)" }
      expected += 1
      probe.note { $0.consumed += 1 }
    }
    // The reader notes a message after the transport did, so the writer may seem one batch ahead.
    let sightings = probe.sightings
    return expected == count && sightings.aheadMax <= WireLimits.creditDefault * 3 / 2 + 1
      ? nil : "\(expected) messages, \(sightings.aheadMax) ahead"
  }

  private func badMetadata() async -> String? {
    var options = patient
    options.metadata = ["Upper": "case"]
    let badKey = await failure {
      _ = try await transport.unary(InteropService.empty, [], options: options)
    }
    options.metadata = ["big": String(repeating: "x", count: WireLimits.metadataBytesMax)]
    let tooBig = await failure {
      _ = try await transport.unary(InteropService.empty, [], options: options)
    }
    return badKey?.code == .invalidArgument && tooBig?.code == .resourceExhausted
      ? nil : "\(String(describing: badKey)), \(String(describing: tooBig))"
  }
}

/// Returns the error that a closure throws.
public func failure(_ body: () async throws -> Void) async -> RPCError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? RPCError ?? RPCError(.unknown, "not an RPCError: \(error)")
  }
}
