internal import TidingsInterop
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension ConformanceCase {
  /// What networks and servers do to clients, and what goes over the wire.
  static func connections() -> [Self] {
    [
      Self("stray_answers_ignored") { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        relay.use(.addsStrayAnswers)
        try await hello(stage)
        try await hello(stage)
      },
      Self("duplicate_answer_ignored") { stage in
        let relay = try await stage.relayedInterop()
        relay.use(.doublesAnswer)
        try await hello(stage)
        // The second answer is not taken for that of the next call.
        let request = InteropService.numbers([5])
        let result = try await stage.interopCall(InteropService.sized, request, connects: false)
        try expectEqual("the response's bytes", 5, try result.response().count)
      },
      Self("call_ids_differ") { stage in
        let relay = try await stage.relayedInterop()
        for _ in 0..<3 { try await hello(stage) }
        let headers = relay.takeSeen().filter { $0.method == InteropService.sized.fullName }
        try expectEqual("the number of calls", 3, headers.count)
        try expectEqual("the number of call ids", 3, Set(headers.map(\.callID)).count)
        // A header that says nothing is that of a call.
        let kinds = Set(headers.map(\.kind)).subtracting([.call, .unspecified])
        try expect(kinds.isEmpty, "expected kind CALL, came \(kinds)")
      },
      Self("deadline_propagation", needs: .deadlines) { stage in
        let relay = try await stage.relayedInterop()
        let result = try await stage.interopCall(
          InteropService.empty,
          timeoutMilliseconds: 30_000,
          connects: false
        )
        try result.expect(.ok)
        let header = relay.takeSeen().last { $0.method == InteropService.empty.fullName }
        let reported = header?.timeoutMs ?? 0
        try expect(
          (1...30_000).contains(reported),
          "expected timeout_ms from 1 to 30000 in the header, came \(reported)"
        )
      },
      Self("timeout_on_silent_server", needs: .deadlines) { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        relay.use(.swallows)
        let result = try await stage.interopCall(
          InteropService.empty,
          timeoutMilliseconds: 300,
          connects: false
        )
        try result.expect(.deadlineExceeded)
        relay.behave()
        try await hello(stage)
      },
      Self("cancel_is_told", needs: .cancel) { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        relay.use(.swallows)
        let result = try await stage.interopCall(
          InteropService.hang,
          cancelAfterMilliseconds: 100,
          connects: false
        )
        try result.expect(.cancelled)
        var headers: [TidingsRpcV1.RequestHeader] = []
        try await stage.waitFor("a header with kind CANCEL") {
          headers += relay.takeSeen()
          return headers.contains { $0.kind == .cancel }
        }
        let call = headers.last { $0.method == InteropService.hang.fullName && $0.kind != .cancel }
        let cancel = headers.last { $0.kind == .cancel }
        try expectEqual("the call id of the cancel", call?.callID, cancel?.callID)
      },
      Self("reconnect") { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        relay.use(.losesAnswer)
        _ = try await stage.interopCall(
          InteropService.sized,
          InteropService.numbers([1]),
          timeoutMilliseconds: stage.has(.deadlines) ? 5_000 : 0,
          connects: false
        )
        // Whatever became of that call, later ones have a connection again.
        try await recovers(stage, InteropService.empty, [])
      },
      Self("unread_answers_when_lost") { stage in
        let relay = try await stage.relayedInterop()
        for _ in 0..<10 {
          try await hello(stage)
          relay.use(.floods)
          _ = try await stage.interopCall(
            InteropService.sized,
            InteropService.numbers([1]),
            timeoutMilliseconds: stage.has(.deadlines) ? 5_000 : 0,
            connects: false
          )
          try await recovers(stage, InteropService.empty, [])
        }
      },
      Self("retry_safe_call", needs: .retries) { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        relay.use(.losesAnswer)
        let result = try await stage.invoke(
          .init(
            method: InteropService.sized.fullName,
            request: InteropService.numbers([9]),
            timeoutMs: 30_000,
            isSafe: true
          )
        )
        try expectEqual("the response's bytes", 9, try result.response().count)
      },
      Self("no_retry_of_unsafe_call", needs: .retries) { stage in
        let relay = try await stage.relayedInterop()
        try await hello(stage)
        _ = relay.takeSeen()
        relay.use(.losesAnswer)
        let result = try await stage.invoke(
          .init(
            method: InteropService.sized.fullName,
            request: InteropService.numbers([9]),
            timeoutMs: 5_000
          )
        )
        let sent = relay.takeSeen().filter {
          $0.method == InteropService.sized.fullName && $0.kind != .cancel
            && $0.idempotencyKey.isEmpty
        }
        try expect(
          sent.count <= 1,
          "a call that is not safe was sent \(sent.count) times without an idempotency key"
        )
        let code = StatusCode(rawValue: result.status)
        try expect(
          sent.isEmpty || [.unavailable, .deadlineExceeded].contains(code),
          "the status: expected \(StatusCode.unavailable) or \(StatusCode.deadlineExceeded), came \(code)"
        )
      },
      Self("retry_idempotent_replay", needs: .retries) { stage in
        let (server, _) = try await stage.records()
        let user = "user-\(stage.nextNumber())"
        let relay = try stage.relay(to: server.rpcEndpoint)
        try await stage.connect(.init(endpoint: relay.endpoint, user: user, device: "subject"))
        _ = try await stage.fetch(.init("nothing"))
        relay.use(.losesAnswer)
        // Without the key a repetition would be a conflict with the first.
        let request = TidingsV1.ModifyRecordsRequest(
          databaseID: .privateOne,
          recordsToSave: [TidingsV1.Record("once", value: 1)],
          savePolicy: .ifServerRecordUnchanged
        )
        let result = try await stage.invoke(
          .init(
            method: RecordMethods.modifyRecords.fullName,
            request: request.encoded(),
            timeoutMs: 30_000,
            idempotencyKey: "key-\(user)"
          )
        )
        let response = try TidingsV1.ModifyRecordsResponse(decoding: try result.response())
        let saved = try response.results[0].saved()
        let keys = relay.takeSeen().filter { $0.method == RecordMethods.modifyRecords.fullName }
          .map(\.idempotencyKey)
        try expect(
          keys.count >= 2 && Set(keys) == ["key-\(user)"],
          "expected the call twice with the key, came \(keys)"
        )
        let fetched = try await stage.fetch(.init("once")).saved()
        try expectEqual("the change tag", saved.changeTag, fetched.changeTag)
      },
      Self("server_restart") { stage in
        let (server, _) = try await stage.records()
        _ = try await stage.twoDevices()
        _ = try await stage.save(TidingsV1.Record("kept"))[0].saved()
        try await server.crashAndRestart()
        let request = TidingsV1.FetchRecordsRequest(
          databaseID: .privateOne,
          recordIDs: [.init("kept")]
        )
        try await recovers(stage, RecordMethods.fetchRecords, request.encoded())
        _ = try await stage.fetch(.init("kept")).saved()
      },
    ]
  }

  /// Calls succeed again; those that meet the lost connection may fail.
  private static func recovers(
    _ stage: Stage,
    _ method: MethodDescriptor,
    _ request: [UInt8]
  ) async throws {
    var last = TidingsConformanceV1.CallResult()
    for _ in 0..<20 {
      last = try await stage.invoke(
        .init(
          method: method.fullName,
          request: request,
          timeoutMs: stage.has(.deadlines) ? 5_000 : 0,
          isSafe: true
        )
      )
      if last.status == 0 { return }
    }
    try last.expect(.ok)
  }

  /// A call that must succeed.
  private static func hello(_ stage: Stage) async throws {
    let result = try await stage.interopCall(
      InteropService.sized,
      InteropService.numbers([3]),
      connects: false
    )
    try expectEqual("the response", [7, 7, 7], try result.response())
  }
}

extension Stage {
  /// The client, connected through a relay.
  func relayedInterop() async throws -> CallRelay {
    let relay = try relay(to: try await interop().endpoint)
    try await connect(.init(endpoint: relay.endpoint))
    return relay
  }

  func relay(to endpoint: String) throws -> CallRelay { try CallRelay(to: endpoint) }
}
