import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Connections claim routing ids: their owners', before and after, and those of nobody.
@Suite(.serialized, .endsServers) struct RoutingIDTests {
  /// A server, with keys or without, and how to reach it as `ada` and as another.
  private struct World {
    let server: TestServer
    let ada: ClientKeys?
    let other: ClientKeys?
    let client: Client

    static func start(withKeys: Bool, arguments: [String] = []) async throws -> World {
      guard withKeys else {
        let server = try await TestServer.start(arguments: arguments)
        return World(
          server: server,
          ada: nil,
          other: nil,
          client: try await server.client(as: "ada", device: "phone")
        )
      }
      let secure = try await SecureServer.start(arguments: arguments)
      let (ada, eve) = (try await secure.createUser("ada"), try await secure.createUser("eve"))
      return World(
        server: secure.server,
        ada: secure.keys(ada),
        other: secure.keys(eve),
        client: try await secure.client(ada, device: "phone")
      )
    }

    func peer(
      _ keys: ClientKeys?,
      claiming id: [UInt8],
      pieceBytes: Int = .max,
      usesLongFrames: Bool = false
    ) async throws -> ZMTPPeer {
      try await .connect(
        server.rpcEndpoint,
        keys: keys,
        .dealer(claiming: id),
        pieceBytes: pieceBytes,
        usesLongFrames: usesLongFrames
      )
    }

    /// A call as a user, who is proved where there are keys.
    func call(_ method: String, _ body: [UInt8] = [], as user: String) -> RawCall {
      var call = RawCall(method, body, as: user)
      if ada != nil { call.header.metadata["tidings-user"] = nil }
      return call
    }

    var check: RawCall { call("tidings.rpc.v1.HealthService/Check", as: "eve") }

    /// Waits as `ada` for her next change.
    func wait() async throws -> RawCall {
      var request = TidingsV1.FetchDatabaseChangesRequest()
      request.changeToken = try await client.records.fetchDatabaseChanges(request).changeToken
      request.maxWait = .init(seconds: 60)
      return call(
        "tidings.v1.RecordService/FetchDatabaseChanges",
        request.encoded(),
        as: "ada"
      )
    }

    /// Expects that a connection is sent its own answer, and nothing else before.
    ///
    /// - Parameters:
    ///   - peer: The connection.
    ///   - comment: Said if not.
    ///   - mayHaveEnded: It was silent for so long that the server may have ended it; it had not been sent
    ///     anything then.
    /// - Returns: Whether there was an answer.
    /// - Throws: When the connection has ended though it may not have.
    @discardableResult
    func expectOwnAnswer(
      on peer: ZMTPPeer,
      _ comment: Comment,
      mayHaveEnded: Bool = false
    ) async throws -> Bool {
      var check = check
      check.header.callID = .random(in: 1_000_000...(1 << 60))
      if mayHaveEnded {
        try? await peer.send([check.header.encoded(), check.body])
        guard let frames = try? await peer.receive() else { return false }
        let (header, _) = try RawCall.answer(frames)
        #expect(header.callID == check.header.callID && header.status == 0, comment)
      } else {
        let (header, _) = try await check.send(on: peer)
        #expect(header.callID == check.header.callID && header.status == 0, comment)
      }
      return true
    }
  }

  private static let counted: [UInt8] = [0, 0x12, 0x34, 0x56, 0x78]

  @Test(
    "who claims a caller's routing id is not sent the caller's answers",
    arguments: [false, true]
  )
  func claimed(withKeys: Bool) async throws {
    let world = try await World.start(withKeys: withKeys)
    var thieves: [ZMTPPeer] = []
    for id in [Self.counted, Array("ada".utf8), [1, 1, 0, 0, 0, 0, 0]] {
      // Before the owner has it, beside it, and after it.
      thieves.append(try await world.peer(world.other, claiming: id))
      let victim = try await world.peer(world.ada, claiming: id)
      try await world.expectOwnAnswer(on: victim, "\(id)")
      let wait = try await world.wait()
      try await victim.send([wait.header.encoded(), wait.body])
      try await world.expectOwnAnswer(on: victim, "\(id)")
      thieves.append(try await world.peer(world.other, claiming: id))
      victim.disconnect()
      for _ in 0..<5 { thieves.append(try await world.peer(world.other, claiming: id)) }
      let sender = try await world.peer(world.other, claiming: id)
      try await world.expectOwnAnswer(on: sender, "\(id)")
      thieves.append(sender)
      try await world.client.save(.init("Secrets", "s\(id)", ["text": "for ada alone"]))
    }
    var answeredCount = 0
    for thief in thieves {
      let isAnswered = try await world.expectOwnAnswer(
        on: thief,
        "sent another's answer",
        mayHaveEnded: true
      )
      if isAnswered { answeredCount += 1 }
    }
    #expect(answeredCount > 0)
  }

  @Test(
    "an answer goes to the connection that called, though its id is claimed",
    arguments: [false, true]
  )
  func duplicates(withKeys: Bool) async throws {
    let world = try await World.start(withKeys: withKeys)
    for id in [Self.counted, [7], [UInt8](repeating: 0xff, count: 255)] {
      var peers: [ZMTPPeer] = []
      for number in 0..<20 {
        peers.append(
          try await world.peer(number % 2 == 0 ? world.ada : world.other, claiming: id)
        )
      }
      var answeredCount = 0
      for (number, peer) in peers.enumerated() {
        // The first frame of a connection without an id would be taken for one.
        try? await peer.send([[0, 0, 0, 0, UInt8(number)], world.check.header.encoded(), []])
        _ = try? await peer.receive()
        let isAnswered = try await world.expectOwnAnswer(on: peer, "\(id)", mayHaveEnded: true)
        if isAnswered { answeredCount += 1 }
      }
      #expect(answeredCount > 0, "\(id)")
    }
  }

  @Test("claims by the thousand end nothing and take nothing", arguments: [false, true])
  func thousands(withKeys: Bool) async throws {
    let world = try await World.start(withKeys: withKeys)
    let start = UInt32.random(in: .min ... .max)
    var kept: [ZMTPPeer] = []
    for number in 0..<900 as Range<UInt32> {
      let id = [0] + withUnsafeBytes(of: (start &+ number).bigEndian) { Array($0) }
      let peer = try await world.peer(world.other, claiming: id)
      if number % 4 == 0 { try await peer.send([id, [], id]) }
      if number % 8 == 0 { kept.append(peer) }
      if number % 100 == 0 { _ = try await world.client.health.check(.init()) }
    }
    #expect(try await world.client.health.check(.init()).status == .serving)
    withExtendedLifetime(kept) {}
  }

  @Test(
    "a claim is ignored however it is written",
    arguments: [1, 2, 3, 7, 63, 64, 65, 100]
  )
  func fragments(pieceBytes: Int) async throws {
    let world = try await World.start(withKeys: false)
    for usesLongFrames in [false, true] {
      var peers: [ZMTPPeer] = []
      for _ in 0..<3 {
        peers.append(
          try await world.peer(
            nil,
            claiming: Self.counted,
            pieceBytes: pieceBytes,
            usesLongFrames: usesLongFrames
          )
        )
      }
      for peer in peers { try await world.expectOwnAnswer(on: peer, "pieces of \(pieceBytes)") }
    }
    let odd: [ZMTPPeer.Properties] = [
      .init([("Identity", [7]), ("Socket-Type", Array("DEALER".utf8)), ("Identity", [8])]),
      .init([("", []), ("Identity", [7]), ("Socket-Type", Array("REQ".utf8))]),
      .init([("X", [UInt8](repeating: 7, count: 300)), ("Identity", [7])]),
      .init([("Identit", [1]), ("Identity", [7]), ("Identityy", [1])]),
    ]
    for properties in odd {
      var peers: [ZMTPPeer] = []
      for _ in 0..<2 {
        peers.append(
          try await .connect(world.server.rpcEndpoint, properties, pieceBytes: pieceBytes)
        )
      }
      for peer in peers { try await world.expectOwnAnswer(on: peer, "\(properties)") }
    }
  }

  @Test("a call that waits ends with its connection", arguments: [false, true])
  func waitEnds(withKeys: Bool) async throws {
    let world = try await World.start(
      withKeys: withKeys,
      arguments: ["--limit", "waiting-calls-per-user-max=1"]
    )
    let first = try await world.peer(world.ada, claiming: [])
    let wait = try await world.wait()
    try await first.send([wait.header.encoded(), wait.body])
    try await world.expectOwnAnswer(on: first, "it waits")
    first.disconnect()
    // While the first one counts against the limit, the next is answered immediately, without changes.
    try await waitUntil(
      "the waiting call of a closed connection to be counted no longer",
      pausing: .zero,
      for: .seconds(40)
    ) { try await letsWait(world) }
  }

  /// Whether a call of `ada` may wait for a change.
  private func letsWait(_ world: World) async throws -> Bool {
    let peer = try await world.peer(world.ada, claiming: [])
    var (wait, check) = (try await world.wait(), world.check)
    wait.header.callID = 1
    try await peer.send([wait.header.encoded(), wait.body])
    for number in 2...20 as ClosedRange<UInt64> {
      check.header.callID = number
      if try await check.send(on: peer).0.callID == 1 { return false }
    }
    try await world.client.save(.init("Houses", "h\(UInt32.random(in: .min ... .max))"))
    let (_, body) = try await RawCall.answer(peer.receive())
    return try !TidingsV1.FetchDatabaseChangesResponse(decoding: body).changedZoneIDs.isEmpty
  }
}
