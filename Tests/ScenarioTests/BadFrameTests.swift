internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Bytes that no client of ours sends get a clear answer, and the server goes on.
@Suite(.endsServers) struct BadFrameTests {
  private func withSocket(
    _ kind: RawSocket.Kind = .dealer,
    _ body: (TestServer, RawSocket) async throws -> Void
  ) async throws {
    let server = try await TestServer.start()
    try await body(server, RawSocket(kind, connectedTo: server.rpcEndpoint))
    try await expectHealthy(server)
  }

  private func expectHealthy(_ server: TestServer) async throws {
    let health = try await server.client(as: "nurse").health.check(.init())
    #expect(health.status == .serving)
    #expect(server.process.seen.value.exit == nil)
  }

  private func expect(
    _ frames: [[UInt8]],
    _ code: StatusCode,
    callID: UInt64 = 0,
    about words: String
  ) throws {
    let (header, body) = try RawCall.answer(frames)
    #expect(header.status == code.rawValue, "\(header)")
    #expect(header.message.contains(words), "\(header.message)")
    #expect(header.callID == callID)
    #expect(header.endOfStream)
    #expect(body == [])
  }

  @Test("an unknown method and an unknown service are UNIMPLEMENTED, by name")
  func unknownMethod() async throws {
    try await withSocket { _, socket in
      for (method, reason) in [
        ("tidings.v1.RecordService/Explode", "METHOD_NOT_FOUND"),
        ("tidings.v1.NoService/Call", "SERVICE_NOT_FOUND"), ("\u{0}/\u{0}", "_NOT_FOUND"),
      ] {
        let (header, _) = try await RawCall(method).send(on: socket)
        #expect(header.status == StatusCode.unimplemented.rawValue, "\(method): \(header)")
        let info = try #require(header.details.first)
        #expect(try TidingsRpcV1.ErrorInfo(decoding: info.value).reason.hasSuffix(reason))
      }
      for method in ["", "no slash", "/", "a/", "/b", String(repeating: "m", count: 256)] {
        let (header, _) = try await RawCall(method).send(on: socket)
        #expect([3, 12].contains(header.status) && !header.message.isEmpty, "\(method)")
      }
    }
  }

  @Test("a request that is read between the turns of others is refused where it is large, unread")
  func largeRequests() async throws {
    try await withSocket { _, socket in
      // Whatever the method makes of the bytes, it does not come to that.
      let body = [UInt8](repeating: 0xff, count: 2_000_000)
      for method in [
        RawCall.fetchRecords, "tidings.v1.ZoneService/ModifyRecordZones",
        "tidings.v1.NotificationService/RegisterDevice", "tidings.rpc.v1.HealthService/Check",
      ] {
        try await socket.send([RawCall(method).header.encoded(), body])
        try expect(await socket.receive(), .resourceExhausted, callID: 7, about: method)
      }
      // These are read by other threads.
      for method in [
        RawCall.modifyRecords, "tidings.v1.SubscriptionService/ModifySubscriptions",
        "tidings.v1.RecordService/QueryRecords",
        "tidings.v1.NotificationService/FetchNotificationChanges",
        "tidings.v1.RecordService/FetchRecordZoneChanges",
      ] {
        try await socket.send([RawCall(method).header.encoded(), body])
        try expect(await socket.receive(), .invalidArgument, callID: 7, about: "cannot be decoded")
      }
    }
  }

  @Test("a wrong number of frames and an empty header are INVALID_ARGUMENT")
  func wrongFrames() async throws {
    try await withSocket { server, socket in
      try await socket.send([[1, 2, 3]])
      try expect(await socket.receive(), .invalidArgument, about: "header and a body")
      try await socket.send([[], []])
      try expect(await socket.receive(), .invalidArgument, about: "header is empty")
      try await socket.send(Array(repeating: [1], count: 100))
      try expect(await socket.receive(), .invalidArgument, about: "frames")

      let request = try RawSocket(.request, connectedTo: server.rpcEndpoint)
      try await request.send([[1, 2, 3]])
      try expect(await request.receive(), .invalidArgument, about: "header is empty")
      let check = RawCall("tidings.rpc.v1.HealthService/Check")
      try await request.send([check.header.encoded(), []])
      let (header, body) = try RawCall.answer(await request.receive())
      #expect(header.status == 0 && header.callID == 7)
      #expect(try TidingsRpcV1.CheckResponse(decoding: body).status == .serving)
    }
  }

  @Test("a header that is no header, of any length, is INVALID_ARGUMENT")
  func brokenHeader() async throws {
    let seed = Seed.make("brokenHeader")
    var random = SplitMix64(seed: seed)
    try await withSocket { _, socket in
      let good = RawCall(RawCall.fetchRecords).header.encoded()
      for length in 1..<good.count {
        try await socket.send([Array(good[..<length]), []])
        let (header, _) = try RawCall.answer(await socket.receive())
        #expect(header.status != 0, "cut to \(length)")
      }
      for _ in 0..<500 {
        let bytes = [0xff] + random.bytes(random.below(300))
        try await socket.send([bytes, random.bytes(random.below(50))])
        // What happens to be a cancel or a credit is not answered; 0xff begins no such header.
        let (header, _) = try RawCall.answer(await socket.receive())
        #expect(header.status != 0, "seed \(seed)")
      }
    }
  }

  @Test("a body that is truncated or random is answered, and changes nothing that it does not say")
  func brokenBody() async throws {
    let seed = Seed.make("brokenBody")
    var random = SplitMix64(seed: seed)
    try await withSocket { server, socket in
      let good = TidingsV1.ModifyRecordsRequest(
        recordsToSave: [
          .init(
            "Houses",
            "h1",
            ["a": "text", "b": 1, "c": .init(.stringListValue(.init(values: ["x", "y"])))]
          )
        ],
        savePolicy: .allKeys
      ).encoded()
      for length in 1..<good.count {
        let (header, _) = try await RawCall(RawCall.modifyRecords, Array(good[..<length]))
          .send(on: socket)
        #expect([0, 3].contains(header.status), "cut to \(length): \(header)")
      }
      for _ in 0..<1000 {
        var bytes = random.oneIn(4) ? random.bytes(random.below(200)) : good
        for _ in 0..<random.below(4) where !bytes.isEmpty {
          bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        }
        let method = random.pick([
          RawCall.modifyRecords, RawCall.fetchRecords, "tidings.v1.ZoneService/ModifyRecordZones",
          "tidings.v1.SubscriptionService/ModifySubscriptions",
          "tidings.v1.NotificationService/FetchNotificationChanges",
          "tidings.v1.NotificationService/MarkNotificationsRead",
        ])
        let (header, body) = try await RawCall(method, bytes).send(on: socket)
        #expect(header.status != StatusCode.internal.rawValue, "seed \(seed): \(header)")
        #expect(header.status == 0 || !header.message.isEmpty && body.isEmpty, "seed \(seed)")
      }
      _ = server
    }
  }

  @Test("a frame over the limit is RESOURCE_EXHAUSTED; one far over it ends its connection only")
  func oversizedFrames() async throws {
    try await withSocket { server, socket in
      let limits = try await server.client(as: "ada").server.fetchServerInfo(.init()).limits
      let most = Int(try #require(limits).frameBytesMax)
      let call = RawCall(RawCall.modifyRecords, [UInt8](repeating: 0, count: most + 1))
      try await socket.send([call.header.encoded(), call.body])
      try expect(await socket.receive(), .resourceExhausted, callID: 7, about: "\(most)")

      try await socket.send([[UInt8](repeating: 1, count: 1 << 20), []])
      try expect(await socket.receive(), .resourceExhausted, about: "bytes")

      let far = try await ZMTPPeer.connect(server.rpcEndpoint)
      // It may end amid the frame.
      try? await far.send([call.header.encoded(), [UInt8](repeating: 0, count: most + (2 << 20))])
      try await far.waitForEnd()
      try await socket.send([call.header.encoded(), call.body])
      try expect(await socket.receive(), .resourceExhausted, callID: 7, about: "\(most)")
    }
  }

  @Test("messages nested 10,000 deep are refused, in every field that nests")
  func deepNesting() async throws {
    try await withSocket { _, socket in
      for field in [1, 2, 3, 5, 7, 200] {
        var nested: [UInt8] = []
        for _ in 0..<10_000 { nested = WireBytes().field(field, nested).bytes }
        for method in [
          RawCall.modifyRecords, RawCall.fetchRecords,
          "tidings.v1.SubscriptionService/ModifySubscriptions",
        ] {
          let (header, _) = try await RawCall(method, nested).send(on: socket)
          // What nests in an unknown field is not looked at; a field of bytes may be too long.
          #expect([0, 3, 8].contains(header.status), "\(header)")
        }
        try await socket.send([nested, []])
        let (header, _) = try RawCall.answer(await socket.receive())
        #expect(header.status != 0)
      }
    }
  }

  @Test("text that is not UTF-8 is refused with the path to it, wherever it stands")
  func invalidUTF8() async throws {
    try await withSocket { server, socket in
      let bad: [UInt8] = [0x61, 0xff, 0xc0]
      let value = { (field: Int) in WireBytes().field(2, WireBytes().field(field, bad)) }
      let id = WireBytes().field(1, "h1")
      let records: [(WireBytes, String)] = [
        (.init().field(1, id).field(2, "Houses").field(3, value(1).field(1, "name")), "name"),
        (.init().field(1, id).field(2, "Houses").field(3, value(1).field(1, bad)), "fields"),
        (.init().field(1, id).field(2, bad), "record_type"),
        (.init().field(1, WireBytes().field(1, bad)).field(2, "Houses"), "record_name"),
        (.init().field(1, id).field(2, "Houses").field(4, bad), "change_tag"),
      ]
      for (record, path) in records {
        let request = WireBytes().field(2, record).varint(4, 3)
        let (header, body) = try await RawCall(RawCall.modifyRecords, request.bytes)
          .send(on: socket)
        // Without its name nobody knows which record is refused.
        let isCalls = path == "record_name"
        #expect((header.status == StatusCode.invalidArgument.rawValue) == isCalls, "\(path)")
        let results = try TidingsV1.ModifyRecordsResponse(decoding: body).results
        let message = isCalls ? header.message : results.first?.error?.message ?? ""
        #expect(message.contains("UTF-8") && message.contains(path), "\(message)")
      }
      let subscription = WireBytes().field(
        2,
        WireBytes().field(1, "s").varint(2, 1).field(3, "Houses").field(
          4,
          WireBytes().field(1, bad)
        )
      )
      let (header, _) = try await RawCall(
        "tidings.v1.SubscriptionService/ModifySubscriptions",
        subscription.bytes
      ).send(on: socket)
      #expect(header.status == StatusCode.invalidArgument.rawValue)
      #expect(header.message.contains("UTF-8"))
      let client = try await server.client(as: "ada")
      #expect(try await client.fetch([.init("h1")])[0].error?.code == .unknownItem)
    }
  }

  @Test("metadata that breaks the rules is refused")
  func badMetadata() async throws {
    try await withSocket { _, socket in
      let faults: [([String: String], StatusCode)] = [
        (["tidings-user": "no spaces"], .invalidArgument),
        (["tidings-user": "\u{fc}"], .invalidArgument),
        (["tidings-user": String(repeating: "u", count: 256)], .invalidArgument),
        (["tidings-user": ""], .unauthenticated), ([:], .unauthenticated),
        (["tidings-user": "ada", "Upper": "case"], .invalidArgument),
        (["tidings-user": "ada", "x": String(repeating: "x", count: 9000)], .resourceExhausted),
      ]
      for (metadata, code) in faults {
        var call = RawCall(RawCall.modifyRecords)
        call.header.metadata = metadata
        let (header, _) = try await call.send(on: socket)
        #expect(header.status == code.rawValue, "\(metadata.keys): \(header)")
      }
      var call = RawCall(RawCall.modifyRecords)
      call.header.idempotencyKey = String(repeating: "k", count: 65)
      let (header, _) = try await call.send(on: socket)
      #expect(header.status == StatusCode.invalidArgument.rawValue)
    }
  }

  @Test("whatever is sent to the push endpoint, pushes go on")
  func hostileSubscriber() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    try await laptop.subscribe(.init("all", "Houses"))
    let stream = Collector(laptop)
    let hostile = try RawSocket(.dealer, connectedTo: server.pushEndpoint)
    let nosy = try RawSocket(.subscriber, connectedTo: server.pushEndpoint)
    try? await hostile.send([[1], [UInt8](repeating: 1, count: 100_000)])
    try await server.client(as: "ada", device: "server").save(.init("Houses", "h1"))
    try await stream.wait(for: 1)
    _ = nosy
    try await expectHealthy(server)
  }
}
