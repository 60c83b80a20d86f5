internal import TidingsInterop
internal import TidingsProto
internal import TidingsRPC

extension ConformanceCase {
  /// Unary calls, on the interoperability service.
  static func calls() -> [Self] {
    [
      Self("empty_unary") { stage in
        let result = try await stage.interopCall(InteropService.empty)
        try expectEqual("the response", [], try result.response())
      },
      Self("large_unary") { stage in
        let request = InteropService.numbers([314_159], [UInt8](repeating: 1, count: 271_828))
        let result = try await stage.interopCall(InteropService.sized, request)
        let expected = [UInt8](repeating: 7, count: 314_159)
        try expectEqual("the response", expected, try result.response())
      },
      Self("max_size_exact") { stage in
        let size = InteropServer.frameBytesMax
        let request =
          InteropService.numbers([UInt32(size)]) + [UInt8](repeating: 0, count: size - 4)
        let result = try await stage.interopCall(InteropService.sized, request)
        try expectEqual("the response's bytes", size, try result.response().count)
      },
      Self("max_size_plus_one") { stage in
        let request = [UInt8](repeating: 0, count: InteropServer.frameBytesMax + 1)
        try await stage.interopCall(InteropService.sized, request).expect(.resourceExhausted)
        // The connection serves on.
        try await stage.interopCall(InteropService.empty, connects: false).expect(.ok)
      },
      Self("response_too_large") { stage in
        let request = InteropService.numbers([UInt32(InteropServer.frameBytesMax + 1)])
        try await stage.interopCall(InteropService.sized, request).expect(.resourceExhausted)
      },
      Self("custom_metadata") { stage in
        let result = try await stage.interopCall(
          InteropService.echoMetadata,
          metadata: ["x-first": "test_initial", "x-second": "\u{263A} and a\0b"]
        )
        let text = String(decoding: try result.response(), as: UTF8.self)
        try expectEqual("the metadata that came", "test_initial\n\u{263A} and a\0b", text)
      },
      Self("user_and_device") { stage in
        let server = try await stage.interop()
        try await stage.connect(.init(endpoint: server.endpoint, user: "ada", device: "tablet"))
        let result = try await stage.interopCall(InteropService.echoMetadata, connects: false)
        let text = String(decoding: try result.response(), as: UTF8.self)
        try expectEqual("tidings-device and tidings-user that came", "tablet\nada", text)
      },
      Self("status_and_details") { try await failing($0, .unknown, "test status message") },
      Self("special_status_message") {
        let message =
          "\t\ntest with whitespace\r\nand Unicode BMP \u{263A} and non-BMP \u{1F608}\t\n"
        try await failing($0, .unknown, message)
      },
      Self("status_codes") { stage in
        for code in 1...16 { try await failing(stage, StatusCode(rawValue: UInt32(code)), "why") }
      },
      Self("unimplemented_method") { try await refused($0, InteropService.missing) },
      Self("unimplemented_service") { try await refused($0, elsewhere) },
      Self("many_calls") { stage in
        for number in 0..<200 {
          let request = InteropService.numbers([UInt32(number)])
          let result = try await stage.interopCall(
            InteropService.sized,
            request,
            connects: number == 0
          )
          try expectEqual("the bytes of response \(number)", number, try result.response().count)
        }
      },
      Self("timeout_on_sleeping_server", needs: .deadlines) { stage in
        let result = try await stage.interopCall(InteropService.hang, timeoutMilliseconds: 100)
        try result.expect(.deadlineExceeded)
        try await stage.interopCall(InteropService.empty, connects: false).expect(.ok)
      },
      Self("cancel_in_flight", needs: .cancel) { stage in
        let probe = try await stage.interop().probe
        let before = probe.sightings
        let result = try await stage.interopCall(InteropService.hang, cancelAfterMilliseconds: 200)
        try result.expect(.cancelled)
        try await stage.interopCall(InteropService.empty, connects: false).expect(.ok)
        // It may have been given up before it began; what started is notified.
        if probe.sightings.started > before.started + 1 {
          try await stage.waitFor("the server to be notified of the cancelled call") {
            probe.sightings.cancelled > before.cancelled
          }
        }
      },
    ]
  }

  private static let elsewhere = MethodDescriptor(
    service: "tidings.test.NoService",
    name: "Missing",
    kind: .unary,
    idempotency: .unknown,
    inputType: "",
    outputType: ""
  )

  private static func failing(
    _ stage: Stage,
    _ code: StatusCode,
    _ message: String
  ) async throws {
    let request = InteropService.numbers([code.rawValue], Array(message.utf8))
    let result = try await stage.interopCall(InteropService.fail, request)
    try result.expect(code)
    try expectEqual("the message", message, result.message)
    let detail = GoogleProtobuf.`Any`(
      typeURL: "type.googleapis.com/tidings.test.Detail",
      value: [1, 2, 3]
    )
    try expectEqual("the details", [detail], result.details)
    try expectEqual("the number of responses", 0, result.responses.count)
  }

  private static func refused(_ stage: Stage, _ method: MethodDescriptor) async throws {
    let result = try await stage.interopCall(method)
    try result.expect(.unimplemented)
    try expectEqual("the number of details", 1, result.details.count)
  }
}

extension Stage {
  /// Calls a method of the interoperability service.
  func interopCall(
    _ method: MethodDescriptor,
    _ request: [UInt8] = [],
    metadata: [String: String] = [:],
    timeoutMilliseconds: UInt32 = 0,
    cancelAfterMilliseconds: UInt32 = 0,
    cancelAfterMessages: UInt32 = 0,
    credit: UInt32 = 0,
    connects: Bool = true
  ) async throws -> TidingsConformanceV1.CallResult {
    let server = try await interop()
    if connects { try await connect(.init(endpoint: server.endpoint)) }
    return try await invoke(
      .init(
        method: method.fullName,
        request: request,
        metadata: metadata,
        timeoutMs: timeoutMilliseconds,
        isStream: method.kind == .serverStreaming,
        credit: credit,
        cancelAfterMessages: cancelAfterMessages,
        cancelAfterMs: cancelAfterMilliseconds
      )
    )
  }

  /// Waits for what happens elsewhere.
  func waitFor(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .milliseconds(settings.taskMillisecondsMax)
    while try await !condition() {
      try expect(
        ContinuousClock.now < deadline,
        "waited for \(what): \(settings.taskMillisecondsMax) ms were not enough"
      )
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
