internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// One caller's flood beside another caller's call: who is answered first.
///
/// Both are on one connection, so that it is certain which call came first: a server that takes calls in
/// order answers the one after the many, whatever the size of the flood and the speed of the machine.
@Suite(.endsServers) struct FloodTests {
  /// Sends many calls of one user, then one of another, before the server looks at any.
  ///
  /// - Returns: How many of the many were answered before the one.
  private func answeredBefore(
    _ quiet: RawCall,
    beside flood: RawCall,
    count: Int,
    on socket: RawSocket,
    of server: TestServer
  ) async throws -> Int {
    var (flood, quiet) = (flood, quiet)
    var messages: [[[UInt8]]] = []
    for id in 1...count {
      flood.header.callID = UInt64(id)
      messages.append([flood.header.encoded(), flood.body])
    }
    quiet.header.callID = 1_000_000
    messages.append([quiet.header.encoded(), quiet.body])
    try server.process.pause()
    for message in messages { try await socket.send(message) }
    server.process.resume()
    var before: Int?
    for answered in 0...count {
      let (header, _) = try await RawCall.answer(socket.receive())
      #expect(header.status == 0, "\(header.message)")
      if header.callID == quiet.header.callID { before = answered }
    }
    return try #require(before)
  }

  /// Expects that the one is answered before half of the many.
  ///
  /// The server may have worked on some of the flood before the one came over the connection, so there
  /// are larger and larger floods until it is so. In order, it is so in none of them.
  private func expectTurns(
    _ quiet: RawCall,
    beside flood: RawCall,
    on socket: RawSocket,
    of server: TestServer
  ) async throws {
    var seen: [String] = []
    for count in [60, 120, 240, 480] {
      let before = try await answeredBefore(
        quiet,
        beside: flood,
        count: count,
        on: socket,
        of: server
      )
      if before < count / 2 { return }
      seen.append("\(before) of \(count)")
    }
    Issue.record("came first: \(seen)")
  }

  private static let fetch = RawCall(
    RawCall.fetchRecords,
    TidingsV1.FetchRecordsRequest(recordIDs: [.init("x")]).encoded(),
    as: "bob"
  )

  private static func saves(_ count: Int) -> RawCall {
    RawCall(
      RawCall.modifyRecords,
      TidingsV1.ModifyRecordsRequest(
        recordsToSave: (0..<count).map {
          .init("Houses", "h\($0)", ["n": 1, "city": "Hillsborough"])
        },
        savePolicy: .changedKeys
      ).encoded()
    )
  }

  @Test("a fetch does not wait for the large saves of another caller")
  func saves() async throws {
    let server = try await TestServer.start()
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    try await expectTurns(Self.fetch, beside: Self.saves(200), on: socket, of: server)
  }

  @Test("a query does not wait for the slow queries of another caller")
  func queries() async throws {
    let server = try await TestServer.start()
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    for start in 0..<5 {
      var call = Self.saves(1)
      call.body =
        TidingsV1.ModifyRecordsRequest(
          recordsToSave: (0..<400).map {
            .init("Houses", "h\(start)-\($0)", ["text": "one two three four"])
          }
        ).encoded()
      #expect(try await call.send(on: socket).0.status == 0)
    }
    let query = "tidings.v1.RecordService/QueryRecords"
    let slow = TidingsV1.QueryRecordsRequest(
      recordType: "Houses",
      predicate: .init(text: "text LIKE '*x*y*z*'")
    )
    try await expectTurns(
      RawCall(query, TidingsV1.QueryRecordsRequest(recordType: "T").encoded(), as: "bob"),
      beside: RawCall(query, slow.encoded()),
      on: socket,
      of: server
    )
  }

  @Test("a caller has so many waiting calls; the next is refused, another caller's waits")
  func waitingCalls() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "waiting-calls-per-user-max=2"])
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    let method = "tidings.v1.RecordService/FetchDatabaseChanges"
    var request = TidingsV1.FetchDatabaseChangesRequest()
    request.maxWait = .init(seconds: 60)
    for (id, user) in ["ada", "ada", "bob", "ada"].enumerated() {
      var call = RawCall(method, request.encoded(), as: user)
      call.header.callID = UInt64(id)
      // Each waits before the next one comes.
      try await socket.send([call.header.encoded(), call.body])
    }
    // Three of ada's race for two places; bob's is not concerned.
    let (early, _) = try await RawCall.answer(socket.receive())
    #expect(early.status == StatusCode.resourceExhausted.rawValue && early.callID != 2)
    let bob = try await server.client(as: "bob", device: "phone")
    try await bob.save(.init("Houses", "h"))
    let (woken, _) = try await RawCall.answer(socket.receive())
    #expect(woken.status == 0 && woken.callID == 2)
  }
}
