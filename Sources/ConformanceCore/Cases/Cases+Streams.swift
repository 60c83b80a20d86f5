internal import TidingsInterop
internal import TidingsProto
internal import TidingsRPC

extension ConformanceCase {
  /// Server-streaming calls, on the interoperability service.
  static func streams() -> [Self] {
    [
      Self("server_streaming", needs: .streams) {
        try await sizes($0, [31_415, 9, 2_653, 58_979])
      },
      Self("empty_stream", needs: .streams) { try await sizes($0, []) },
      Self("stream_credit", needs: .streams) { try await flood($0, credit: 0) },
      Self("stream_credit_of_one", needs: .streams) { try await flood($0, credit: 1) },
      Self("stream_status", needs: .streams) { stage in
        let missing = MethodDescriptor(
          service: InteropService.name,
          name: "MissingStream",
          kind: .serverStreaming,
          idempotency: .unknown,
          inputType: "",
          outputType: ""
        )
        try await stage.interopCall(missing).expect(.unimplemented)
      },
      Self("timeout_on_stream", needs: .streams, .deadlines) { stage in
        let result = try await stage.interopCall(
          InteropService.firstThenHang,
          timeoutMilliseconds: 200
        )
        try result.expect(.deadlineExceeded)
      },
      Self("cancel_after_first_response", needs: .streams, .cancel) { stage in
        let probe = try await stage.interop().probe
        let before = probe.sightings.cancelled
        let result = try await stage.interopCall(
          InteropService.firstThenHang,
          cancelAfterMessages: 1
        )
        try result.expect(.cancelled)
        try expectEqual("the messages", [[1]], result.responses)
        try await stage.waitFor("the server to be notified of the cancelled stream") {
          probe.sightings.cancelled > before
        }
      },
    ]
  }

  private static func sizes(_ stage: Stage, _ sizes: [UInt32]) async throws {
    let result = try await stage.interopCall(
      InteropService.sizes,
      InteropService.numbers(sizes)
    )
    try result.expect(.ok)
    try expectEqual("the sizes of the messages", sizes.map(Int.init), result.responses.map(\.count))
  }

  private static func flood(_ stage: Stage, credit: UInt32) async throws {
    let count: UInt32 = 500
    let result = try await stage.interopCall(
      InteropService.flood,
      InteropService.numbers([count]),
      credit: credit
    )
    try result.expect(.ok)
    try expectEqual("the number of messages", Int(count), result.responses.count)
    let expected = (0..<count).map { InteropService.numbers([$0]) }
    try expect(result.responses == expected, "the messages came in another order")
  }
}
