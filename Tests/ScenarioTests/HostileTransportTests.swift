import Foundation
import RandomSupport
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Whatever strangers do on the sockets of a server with keys, those who are admitted are served.
@Suite(.endsServers) struct HostileTransportTests {
  /// The server's memory after an attack: what it needs anyway in a debug build, and some.
  private static let memoryBytesMax = 400 << 20

  private func expectServing(_ server: SecureServer) async throws {
    let client = try await server.client()
    #expect(try await client.health.check(.init()).status == .serving)
    await client.close()
    #expect(server.server.process.seen.value.exit == nil)
    #expect(try server.server.process.memoryPeakBytes() < Self.memoryBytesMax)
  }

  private func refusal(
    _ client: Client,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> RPCError? {
    await #expect(throws: RPCError.self, sourceLocation: sourceLocation) {
      _ = try await client.health.check(.init())
    }
  }

  @Test("an unknown key, a wrong server key and no key are distinguished")
  func keys() async throws {
    let server = try await SecureServer.start()
    let unknown = await refusal(try await server.client(KeyPair()))
    #expect(unknown?.code == .unauthenticated, "\(String(describing: unknown))")
    let wrong = await refusal(
      try await server.client(serverKey: KeyPair().publicKey, connectTimeout: .seconds(2))
    )
    #expect(wrong?.message.contains("check the server key") == true, "\(String(describing: wrong))")
    var plain = ClientConfiguration(endpoint: server.server.rpcEndpoint)
    plain.connectTimeout = .seconds(2)
    let none = await refusal(try await Client(plain))
    #expect(none?.message.contains("key file") == true, "\(String(describing: none))")
    try await expectServing(server)
  }

  @Test("a client with keys finds no fault with itself at a server without")
  func curveClientOnPlainServer() async throws {
    let server = try await TestServer.start()
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = ClientKeys(KeyPair(), server: KeyPair().publicKey)
    configuration.connectTimeout = .seconds(2)
    let error = await refusal(try await Client(configuration))
    // The server may close the connection before the client has read that it has no keys.
    #expect(
      error?.message.contains("development mode") == true,
      "\(String(describing: error))"
    )
    #expect(try await server.client(as: "ada").health.check(.init()).status == .serving)
  }

  @Test("a revoked key calls no more on an open connection, and cannot connect again")
  func revoked() async throws {
    let server = try await SecureServer.start()
    let pair = try await server.createUser("ada")
    let client = try await server.client(pair)
    _ = try await client.zones.fetchRecordZones(.init())
    _ = try await server.administration().revokeKey(.init(publicKey: "\(pair.publicKey)"))
    let open = await #expect(throws: RPCError.self) {
      _ = try await client.zones.fetchRecordZones(.init())
    }
    #expect(open?.code == .unauthenticated, "\(String(describing: open))")
    let again = await refusal(try await server.client(pair))
    #expect(again?.code == .unauthenticated, "\(String(describing: again))")
    try await expectServing(server)
  }

  @Test("an expired key cannot connect")
  func expired() async throws {
    let clock = try ClockFault()
    let server = try await SecureServer.start(environment: clock.environment)
    let pair = try await server.createUser("ada")
    let client = try await server.client(pair)
    let day = Duration.seconds(86_400)
    let tomorrow = Date.now.addingTimeInterval(day / .seconds(1)).timeIntervalSince1970
    _ = try await server.administration().authorizeKey(
      .init(
        userName: "ada",
        publicKey: .init(key: "\(pair.publicKey)", expires: .init(seconds: Int64(tomorrow)))
      )
    )
    _ = try await client.zones.fetchRecordZones(.init())
    try clock.setTimeOfDay(ahead: day)
    let open = await #expect(throws: RPCError.self) {
      _ = try await client.zones.fetchRecordZones(.init())
    }
    #expect(open?.code == .unauthenticated, "\(String(describing: open))")
    let again = await refusal(try await server.client(pair))
    #expect(again?.code == .unauthenticated, "\(String(describing: again))")
    try await expectServing(server)
  }

  @Test("a connection that claims a routing id is served like any other, and disturbs nobody")
  func chosenRoutingID() async throws {
    let server = try await SecureServer.start()
    let (ada, eve) = (try await server.createUser("ada"), try await server.createUser("eve"))
    let client = try await server.client(ada)
    _ = try await client.health.check(.init())
    var check = RawCall("tidings.rpc.v1.HealthService/Check")
    check.header.metadata = [:]
    for id in [Array("ada".utf8), [1], [UInt8](repeating: 7, count: 255), [1, 2, 3, 4, 5]] {
      var sockets: [RawSocket] = []
      for pair in [eve, ada, eve] {
        sockets.append(
          try RawSocket(
            .dealer,
            connectedTo: server.server.rpcEndpoint,
            keys: server.keys(pair),
            routingID: id
          )
        )
      }
      for (number, socket) in sockets.enumerated() {
        check.header.callID = UInt64(number)
        let (header, _) = try await check.send(on: socket)
        #expect(header.status == 0 && header.callID == UInt64(number), "\(header)")
      }
      _ = try await client.health.check(.init())
    }
    try await expectServing(server)
  }

  @Test("nobody cancels or feeds what another key began")
  func foreignCancel() async throws {
    let server = try await SecureServer.start()
    let (ada, eve) = (try await server.createUser("ada"), try await server.createUser("eve"))
    let endpoint = server.server.rpcEndpoint
    let first = try RawSocket(.dealer, connectedTo: endpoint, keys: server.keys(ada))
    let second = try RawSocket(.dealer, connectedTo: endpoint, keys: server.keys(eve))
    var watch = RawCall("tidings.rpc.v1.HealthService/Watch")
    watch.header.metadata = [:]
    let (state, _) = try await watch.send(on: first)
    #expect(state.status == 0 && !state.endOfStream)
    var cancel = watch
    cancel.header.kind = .cancel
    try await second.send([cancel.header.encoded(), []])
    // Answered after the cancel was handled.
    var check = RawCall("tidings.rpc.v1.HealthService/Check")
    check.header.metadata = [:]
    #expect(try await check.send(on: second).0.status == 0)
    check.header.callID = 8
    #expect(try await check.send(on: first).0.callID == 8)
    try await first.send([cancel.header.encoded(), []])
    let (end, _) = try RawCall.answer(await first.receive())
    #expect(end.callID == 7 && end.status == StatusCode.cancelled.rawValue)
    try await expectServing(server)
  }

  @Test("junk on both ports: greetings cut anywhere, wrong mechanisms, random frames")
  func junk() async throws {
    let seed = Seed.make("junk")
    var random = SplitMix64(seed: seed)
    let server = try await SecureServer.start()
    // ZMTP 3.1: signature, version, mechanism, as-server, filler.
    func greeting(_ mechanism: String) -> [UInt8] {
      let name = Array(mechanism.utf8)
      return [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 1] + name
        + [UInt8](repeating: 0, count: 20 - name.count) + [UInt8](repeating: 0, count: 32)
    }
    for endpoint in [server.server.rpcEndpoint, server.server.pushEndpoint] {
      let whole = greeting("CURVE")
      #expect(whole.count == 64)
      var connections: [TCPConnection] = []
      for length in 0...whole.count {
        let connection = try TCPConnection(endpoint)
        connection.send(Array(whole[..<length]))
        connections.append(connection)
      }
      for mechanism in ["NULL", "PLAIN", "GSSAPI", "", "CURVECURVECURVECURVE"] {
        let connection = try TCPConnection(endpoint)
        connection.send(greeting(mechanism) + random.bytes(random.below(300)))
        connections.append(connection)
      }
      for _ in 0..<200 {
        let connection = try TCPConnection(endpoint)
        var bytes = random.bytes(random.below(2000))
        if Bool.random(using: &random) { bytes = whole + bytes }
        // A command frame, HELLO with a random box among others.
        if Bool.random(using: &random) {
          bytes = whole + [4, 200, 5] + Array("HELLO".utf8) + random.bytes(194)
        }
        connection.send(bytes)
        connections.append(connection)
      }
      // A frame that claims to be larger than any memory.
      let huge = try TCPConnection(endpoint)
      huge.send(whole + [6, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
      // Older protocols than CURVE's.
      for start in [[0x01, 0x00], [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1, 5]] as [[UInt8]] {
        let connection = try TCPConnection(endpoint)
        connection.send(start + random.bytes(100))
        connections.append(connection)
      }
      try await expectServing(server)
      withExtendedLifetime((connections, huge)) {}
    }
  }

  @Test("an admitted key that sends too much is cut off, and others are served")
  func oversize() async throws {
    let server = try await SecureServer.start()
    let eve = try await server.createUser("eve")
    for _ in 0..<3 {
      let peer = try await ZMTPPeer.connect(
        server.server.rpcEndpoint,
        keys: server.keys(eve)
      )
      try? await peer.send([[1], [UInt8](repeating: 7, count: 20 << 20)])
      try await peer.waitForEnd()
      try await expectServing(server)
    }
    // On the push port only topics are taken.
    let subscriber = try RawSocket(
      .subscriber,
      connectedTo: server.server.pushEndpoint,
      keys: server.keys(eve),
      subscribes: false
    )
    subscriber.subscribe([UInt8](repeating: 7, count: 8 << 10))
    try await expectServing(server)
  }

  @Test("subscriptions to very many topics are a matter of memory that is bounded")
  func subscriptionFlood() async throws {
    let server = try await SecureServer.start()
    let eve = try await server.createUser("eve")
    let subscriber = try RawSocket(
      .subscriber,
      connectedTo: server.server.pushEndpoint,
      keys: server.keys(eve),
      subscribes: false
    )
    for number in 0..<50_000 as Range<UInt64> {
      subscriber.subscribe(withUnsafeBytes(of: number.byteSwapped) { Array($0) + Array($0) })
    }
    try await expectServing(server)
  }

  @Test("refused handshakes are in the audit log, counted together")
  func audit() async throws {
    let server = try await SecureServer.start()
    let stranger = KeyPair()
    _ = await refusal(try await server.client(stranger))
    let administration = try await server.administration()
    var entry: TidingsV1.AuditEntry?
    try await waitUntil("the refusal to be in the audit log", pausing: .zero) {
      entry = try await administration.fetchAuditLog(.init()).entries
        .first { $0.publicKey == "\(stranger.publicKey)" }
      return entry != nil
    }
    #expect(entry?.refused == true && entry?.address == "127.0.0.1")
    #expect(entry?.action == "handshake")
  }
}
