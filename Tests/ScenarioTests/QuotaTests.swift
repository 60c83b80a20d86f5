internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// What users may take, and how fast they may call.
@Suite(.endsServers) struct QuotaTests {
  @Test("a quota of records is reached, reported with figures, and released; a crash loses nothing")
  func records() async throws {
    let server = try await TestServer.startLasting(arguments: [
      "--limit", "records-per-user-max=3,bytes-per-user-max=100000",
    ])
    let client = try await server.client(as: "ada", device: "laptop")
    for name in ["a", "b", "c"] { try await client.save(.init("Houses", name)) }
    let refused = try await client.modify([.init("Houses", "d")])[0]
    #expect(refused.error?.code == .quotaExceeded)
    #expect(refused.error?.message.contains("3 records of at most 3") == true)
    try await server.crash()
    let restarted = try await server.restarted()
    let again = try await restarted.client(as: "ada", device: "laptop")
    #expect(try await again.modify([.init("Houses", "d")])[0].error?.code == .quotaExceeded)
    #expect(try await again.modify([.init("Houses", "a", ["n": 1])])[0].error == nil)
    let bytes = TidingsV1.Record(
      "Houses",
      "a",
      ["text": .init(.bytesValue(.init(repeating: 1, count: 100_000)))]
    )
    #expect(try await again.modify([bytes])[0].error?.code == .quotaExceeded)
    _ = try await again.modify(delete: [.init("b")])
    #expect(try await again.modify([.init("Houses", "d")])[0].error == nil)
    // Others have quotas of their own.
    let bob = try await restarted.client(as: "bob", device: "phone")
    #expect(try await bob.modify([.init("Houses", "a")])[0].error == nil)
  }

  @Test("who calls too fast is reported how long to wait, and a client waits that long")
  func rates() async throws {
    let server = try await TestServer.start(arguments: [
      "--limit", "calls-per-second-per-user-max=5",
    ])
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    let count = 200
    var call = RawCall(RawCall.fetchRecords)
    #expect(try await call.send(on: socket).0.status == 0)
    // They all come at the same time, however slowly they were sent.
    try server.process.pause()
    for id in 1...count {
      call.header.callID = UInt64(id)
      try await socket.send([call.header.encoded(), call.body])
    }
    server.process.resume()
    var refused = 0
    for _ in 1...count {
      let (header, _) = try await RawCall.answer(socket.receive())
      if header.status == 0 { continue }
      refused += 1
      #expect(header.status == StatusCode.resourceExhausted.rawValue)
      let urls = header.details.map(\.typeURL)
      #expect(urls.contains { $0.hasSuffix("tidings.rpc.v1.RetryInfo") })
      let detail = try #require(header.details.first { $0.typeURL.hasSuffix("v1.ItemError") })
      let error = try TidingsV1.ItemError(decoding: detail.value)
      #expect(error.code == .requestRateLimited && error.retryAfter != nil)
    }
    #expect(refused > 0)
    // Another user is not concerned; and one whose client waits gets everything, in the end.
    let bob = try await server.client(as: "bob", device: "phone")
    try await withThrowingTaskGroup { group in
      for _ in 0..<12 { group.addTask { _ = try await bob.fetch([.init("x")]) } }
      try await group.waitForAll()
    }
    let log = try await TidingsV1.AdminService.Client(bob.transport).fetchAuditLog(.init())
    let entries = log.entries.filter { $0.action == "rate" && $0.userName == "ada" }
    #expect(entries.allSatisfy(\.refused) && entries.map(\.count).reduce(0, +) == refused)
  }

  @Test("connections beyond the bound are reported so, those within go on")
  func connections() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "connections-per-user-max=2"])
    let sockets = try (0..<3).map { _ in
      try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    }
    var statuses: [UInt32] = []
    for socket in sockets + sockets {
      statuses.append(try await RawCall(RawCall.fetchRecords).send(on: socket).0.status)
    }
    let exhausted = StatusCode.resourceExhausted.rawValue
    #expect(statuses == [0, 0, exhausted, 0, 0, exhausted])
    let bob = RawCall(RawCall.fetchRecords, as: "bob")
    #expect(try await bob.send(on: sockets[2]).0.status == 0)
  }
}
