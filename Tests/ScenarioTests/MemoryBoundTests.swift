import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// What a server takes when many ask for much at once.
@Suite(.serialized, .endsServers) struct MemoryBoundTests {
  private static func frames(
    _ method: String,
    _ body: some Message,
    as user: String,
    id: UInt64
  ) -> [[UInt8]] {
    var call = RawCall(method, body.encoded(), as: user)
    call.header.callID = id
    return [call.header.encoded(), call.body]
  }

  @Test(
    "12 connections that send batches of 5 MiB one after the other",
    arguments: MemoryBound.available
  )
  func largeBatches(bound: MemoryBound) async throws {
    let server = try await bound.startServer()
    let statuses = try await withThrowingTaskGroup(of: [UInt32].self) { group in
      for number in 0..<12 {
        group.addTask {
          let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
          try await peer.send(
            messages: (1...6).map { LargeBatch("p\($0)").frames(as: "user\(number)", id: $0) }
          )
          var statuses: [UInt32] = []
          for _ in 1...6 { statuses.append(try RawCall.answer(try await peer.receive()).0.status) }
          return statuses
        }
      }
      return try await group.reduce([], +)
    }
    #expect(statuses.contains(0))
    #expect(statuses.allSatisfy { [0, StatusCode.resourceExhausted.rawValue].contains($0) })
    try MemoryBound.expectKept(by: server)
  }

  @Test("8 users who read no answers, on two connections each", arguments: MemoryBound.available)
  func unreadAnswers(bound: MemoryBound) async throws {
    let server = try await bound.startServer()
    let ada = try await server.client(as: "ada")
    let names = (0..<8).map { "large\($0)" }
    let database = TidingsV1.DatabaseID(container: "t", scope: .public)
    for name in names {
      let text = String(repeating: name, count: 130_000)
      _ = try await ada.modify(
        [.init("Pages", name, ["text": .init(stringLiteral: text)])],
        in: database
      )
    }
    let fetch = TidingsV1.FetchRecordsRequest(
      databaseID: database,
      recordIDs: names.map { .init($0) }
    )
    var silent: [ZMTPPeer] = []
    for number in 0..<16 {
      let peer = try await ZMTPPeer.connect(server.rpcEndpoint, receiveBufferBytes: 4096)
      // A connection that holds more than the others is ended.
      try? await peer.send(
        messages: (1...40).map {
          Self.frames(RawCall.fetchRecords, fetch, as: "user\(number / 2)", id: $0)
        }
      )
      silent.append(peer)
    }
    let reader = try await ZMTPPeer.connect(server.rpcEndpoint)
    for number in 0..<8 {
      let frames = await reader.ask(
        Self.frames(
          RawCall.fetchRecords,
          TidingsV1.FetchRecordsRequest(databaseID: database, recordIDs: [.init("none")]),
          as: "user\(number)",
          id: 1
        )
      )
      #expect(try RawCall.answer(try #require(frames)).0.status == 0)
    }
    try MemoryBound.expectKept(by: server)
    withExtendedLifetime(silent) {}
  }

  @Test(
    "connections that begin large frames and do not end them make room for others",
    arguments: MemoryBound.available
  )
  func unfinishedFrames(bound: MemoryBound) async throws {
    let server = try await bound.startServer()
    let ada = try await server.client(as: "ada")
    var silent: [ZMTPPeer] = []
    for _ in 0..<60 {
      let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
      try? await peer.begin(frameOf: 6 << 20, sending: 11 << 19)
      silent.append(peer)
    }
    #expect(try await ada.modify([.init("Pages", "p", ["text": "small"])]).first?.record != nil)
    let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
    let answer = try #require(await peer.ask(LargeBatch("p").frames(as: "bob")))
    #expect(try RawCall.answer(answer).0.status == 0, "a large frame comes through beside them")
    try MemoryBound.expectKept(by: server)
    withExtendedLifetime(silent) {}
  }

  @Test(
    "a message whose frames do not end costs its sender the connection",
    arguments: [false, true]
  )
  func endlessMessage(isSecure: Bool) async throws {
    let secure = isSecure ? try await SecureServer.start(arguments: MemoryBound.arguments) : nil
    let server =
      if let secure { secure.server } else {
        try await TestServer.start(arguments: MemoryBound.arguments)
      }
    var keys: ClientKeys?
    if let secure { keys = secure.keys(try await secure.createUser("eve")) }
    for (endpoint, properties) in [
      (server.rpcEndpoint, ZMTPPeer.Properties.dealer(claiming: [])),
      (server.pushEndpoint, .subscriber),
    ] {
      let peer = try await ZMTPPeer.connect(endpoint, keys: keys, properties)
      let frame = [UInt8](repeating: 0, count: 1_000)
      #expect(try await peer.sendEndlessMessage(of: frame, countMax: 1_000_000) < 1_000_000)
    }
    let client =
      if let secure { try await secure.client() } else { try await server.client(as: "ada") }
    #expect(try await client.health.check(.init()).status == .serving)
    try MemoryBound.expectKept(by: server)
    try await server.process.seen.wait("a warning") {
      $0.errors.contains("for which there is no room")
    }
    if !isSecure {
      let administrator = TidingsV1.AdminService.Client(client.transport)
      let families = try await administrator.fetchMetrics(.init()).families
      let closed = families.first { $0.name == "tidings_connections_closed_total" }
      #expect(closed?.metrics.first?.value ?? 0 >= 2)
    }
  }
}
