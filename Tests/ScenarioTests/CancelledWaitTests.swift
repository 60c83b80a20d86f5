internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Calls that wait for something to happen, and that their clients give up.
@Suite(.endsServers) struct CancelledWaitTests {
  private static let limits = ["--limit", "waiting-calls-per-user-max=1"]
  private static let wait = GoogleProtobuf.Duration(seconds: 60)

  /// Calls that wait for a change of a user who has none.
  private static let waits = [
    RawCall(
      "tidings.v1.RecordService/FetchDatabaseChanges",
      TidingsV1.FetchDatabaseChangesRequest(maxWait: wait).encoded()
    ),
    RawCall(
      "tidings.v1.RecordService/FetchRecordZoneChanges",
      TidingsV1.FetchRecordZoneChangesRequest(zones: [.init()], maxWait: wait).encoded()
    ),
  ]

  /// Makes two calls, for which there is one place: one is refused, and the other one waits.
  ///
  /// - Returns: The number of the call that waits, or would.
  private func park(
    _ call: RawCall,
    as ids: (UInt64, UInt64),
    on socket: RawSocket
  ) async throws -> UInt64 {
    for id in [ids.0, ids.1] {
      var call = call
      call.header.callID = id
      try await socket.send([call.header.encoded(), call.body])
    }
    let (refused, _) = try await RawCall.answer(socket.receive())
    #expect(refused.status == StatusCode.resourceExhausted.rawValue)
    return refused.callID == ids.0 ? ids.1 : ids.0
  }

  /// Cancels a call.
  ///
  /// - Returns: The status with which it is answered.
  private func cancel(_ id: UInt64, on socket: RawSocket) async throws -> UInt32 {
    let header = TidingsRpcV1.RequestHeader(callID: id, kind: .cancel)
    try await socket.send([header.encoded(), []])
    let (answer, _) = try await RawCall.answer(socket.receive())
    #expect(answer.callID == id && answer.endOfStream)
    return answer.status
  }

  private func expectCancelled(_ call: RawCall, on socket: RawSocket) async throws {
    for round in 0..<3 as Range<UInt64> {
      let waiting = try await park(call, as: (2 * round, 2 * round + 1), on: socket)
      #expect(try await cancel(waiting, on: socket) == StatusCode.cancelled.rawValue)
    }
  }

  @Test(
    "a call that waits is answered with CANCELLED at once, and its place is free",
    arguments: waits
  )
  func cancelled(call: RawCall) async throws {
    let server = try await TestServer.start(arguments: Self.limits)
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    try await expectCancelled(call, on: socket)
    // One that is known no more is ignored, and so is that of another connection.
    let other = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    let waiting = try await park(call, as: (10, 11), on: socket)
    for (id, socket) in [(7, socket), (waiting, other)] {
      let header = TidingsRpcV1.RequestHeader(callID: id, kind: .cancel)
      try await socket.send([header.encoded(), []])
      #expect(try await RawCall(RawCall.fetchRecords).send(on: socket).0.callID == 7)
    }
    // The name of a call that is not answered is taken.
    var same = call
    same.header.callID = waiting
    let refused = try await same.send(on: socket).0
    #expect(refused.status == StatusCode.invalidArgument.rawValue)
    #expect(try await cancel(waiting, on: socket) == StatusCode.cancelled.rawValue)
  }

  @Test("a call whose connection has ended leaves room for another")
  func disconnected() async throws {
    let server = try await TestServer.start(arguments: Self.limits)
    var socket: RawSocket? = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    if let socket { _ = try await park(Self.waits[0], as: (1, 2), on: socket) }
    socket = nil
    let next = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    var id: UInt64 = 0
    try await waitUntil("the place of a lost connection to be free") {
      id += 2
      let waiting = try await park(Self.waits[0], as: (id, id + 1), on: next)
      return try await cancel(waiting, on: next) == StatusCode.cancelled.rawValue
    }
  }

  @Test("a sender that waits for deliveries is answered with CANCELLED")
  func sender() async throws {
    let server = try await TestServer.start()
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    let lease = RawCall("tidings.v1.DeliveryService/LeaseDeliveries")
    let leased = try TidingsV1.LeaseDeliveriesResponse(
      decoding: try await lease.send(on: socket).1
    )
    let request = TidingsV1.AwaitDeliveriesRequest(
      generation: leased.generation,
      timeout: Self.wait
    )
    var call = RawCall("tidings.v1.DeliveryService/AwaitDeliveries", request.encoded())
    call.header.callID = 3
    try await socket.send([call.header.encoded(), call.body])
    #expect(try await cancel(3, on: socket) == StatusCode.cancelled.rawValue)
  }

  #if PostgreSQL
  @Test(
    "a node that follows hands a cancellation on",
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL is not installed"),
    arguments: waits
  )
  func atFollower(call: RawCall) async throws {
    let world = try await NodeWorld(2, arguments: Self.limits)
    try await world.wait(forFollowers: 1, from: 1)
    let socket = try RawSocket(.dealer, connectedTo: world.nodes[1].rpcEndpoint)
    try await expectCancelled(call, on: socket)
    // So does one whose client is gone.
    var lost: RawSocket? = try RawSocket(.dealer, connectedTo: world.nodes[1].rpcEndpoint)
    if let lost { _ = try await park(call, as: (1, 2), on: lost) }
    lost = nil
    var id: UInt64 = 100
    try await waitUntil("the place of a lost connection to be free") {
      id += 2
      let waiting = try await park(call, as: (id, id + 1), on: socket)
      return try await cancel(waiting, on: socket) == StatusCode.cancelled.rawValue
    }
  }
  #endif
}
