internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// One caller's flood beside another caller's call: who is answered first.
///
/// Both are on one connection, so that it is certain which call came first.
@Suite struct FloodTests {
  /// Sends many calls of one user, then one of another.
  ///
  /// - Returns: How many of the many were answered before the one, and what the one was answered.
  private func answeredBefore(
    _ quiet: RawCall,
    beside flood: RawCall,
    count: Int,
    on socket: RawSocket
  ) async throws -> (Int, UInt32) {
    var (flood, quiet) = (flood, quiet)
    for id in 1...count {
      flood.header.callID = UInt64(id)
      try await socket.send([flood.header.encoded(), flood.body])
    }
    quiet.header.callID = 1_000_000
    try await socket.send([quiet.header.encoded(), quiet.body])
    var before: (Int, UInt32)?
    for answered in 0...count {
      let (header, _) = try await RawCall.answer(socket.receive())
      if header.callID == 1_000_000 { before = (answered, header.status) }
    }
    return try #require(before)
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
    let count = 60
    let (before, status) = try await answeredBefore(
      Self.fetch,
      beside: Self.saves(200),
      count: count,
      on: socket
    )
    #expect(status == 0 && before < count, "\(before) of \(count) came first")
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
    let count = 60
    let (before, status) = try await answeredBefore(
      RawCall(query, TidingsV1.QueryRecordsRequest(recordType: "T").encoded(), as: "bob"),
      beside: RawCall(query, slow.encoded()),
      count: count,
      on: socket
    )
    #expect(status == 0 && before < count, "\(before) of \(count) came first")
  }

  @Test("a caller has so many waiting calls; the next is answered at once, another caller's waits")
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
    #expect(early.status == 0 && early.callID != 2)
    let bob = try await server.client(as: "bob", device: "phone")
    try await bob.save(.init("Houses", "h"))
    let (woken, _) = try await RawCall.answer(socket.receive())
    #expect(woken.status == 0 && woken.callID == 2)
  }
}
