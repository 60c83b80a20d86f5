import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsMemory
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// What a server holds for connections that take nothing, or are used for nothing.
@Suite(.serialized, .endsServers) struct HeldBytesTests {
  private static func fetch(_ names: [String], as user: String, id: UInt64) -> [[UInt8]] {
    var call = RawCall(
      RawCall.fetchRecords,
      TidingsV1.FetchRecordsRequest(
        databaseID: .init(container: "t", scope: .public),
        recordIDs: names.map { .init($0) }
      ).encoded(),
      as: user
    )
    call.header.callID = id
    return [call.header.encoded(), call.body]
  }

  @Test("48 connections that do not read large answers take no more memory than is documented")
  func unreadAnswers() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    let names = (0..<12).map { "large\($0)" }
    for name in names {
      let results = try await ada.modify(
        [
          .init(
            "Pages",
            name,
            ["text": .init(stringLiteral: String(repeating: name, count: 90_000))]
          )
        ],
        in: .init(container: "t", scope: .public)
      )
      try #require(results.first?.record != nil, "\(results)")
    }
    var silent: [ZMTPPeer] = []
    for number in 0..<48 {
      let peer = try await ZMTPPeer.connect(server.rpcEndpoint, receiveBufferBytes: 4096)
      try await peer.send(
        messages: (1...6).map { Self.fetch(names, as: "user\(number)", id: $0) }
      )
      silent.append(peer)
    }
    // The calls of a user are begun in order: those before have been answered, or dropped.
    let reader = try await ZMTPPeer.connect(server.rpcEndpoint)
    for number in 0..<48 {
      let frames = await reader.ask(Self.fetch(["none"], as: "user\(number)", id: 1))
      #expect(try RawCall.answer(try #require(frames)).0.status == 0)
    }
    let peak = try server.process.memoryPeakBytes()
    print("48 connections that do not read: a peak of \(peak >> 20) MiB")
    // 512 MiB of answers, and what the process has and libzmq is about to give back.
    #expect(peak < 900 << 20)
    withExtendedLifetime(silent) {}
  }

  @Test(
    "connections of a user that ask for too many topics together are ended, others are not"
  )
  func topics() async throws {
    let server = try await SecureServer.start(arguments: ["--limit", "memory-bytes-max=201326592"])
    let memory = MemoryShares(bytes: MemoryShares.bytesMin)
    let topicsPerUser = memory[.topicsPerUser] / MemoryShares.topicCost(16)
    let eve = server.keys(try await server.createUser("eve"))
    let ended = Observed(0)
    var peers: [ZMTPPeer] = []
    for number in 0..<12 {
      let peer = try await ZMTPPeer.connect(server.server.pushEndpoint, keys: eve, .subscriber)
      peers.append(peer)
      Task {
        try await peer.waitForEnd()
        ended.update { $0 += 1 }
      }
      for topic in 0..<1_000 {
        let half = withUnsafeBytes(of: UInt64(number * 1_000 + topic).bigEndian) { Array($0) }
        // Some hide their topics behind a frame that is none.
        let hides = number % 2 == 1 && topic > 0
        let frames = (hides ? [[5]] : []) + [[1] + half + half]
        guard (try? await peer.send(frames)) != nil else { break }
      }
    }
    try await ended.wait("the connections beyond the bound to end") {
      $0 >= 12 - topicsPerUser / 1_000
    }
    let ada = server.keys(try await server.createUser("ada"))
    let other = try await ZMTPPeer.connect(server.server.pushEndpoint, keys: ada, .subscriber)
    for topic in 0..<1_000 {
      let half = withUnsafeBytes(of: UInt64(topic).bigEndian) { Array($0) }
      try await other.subscribe(half + half)
    }
    #expect(try await server.client().health.check(.init()).status == .serving)
    try await server.server.process.seen.wait("a warning") {
      $0.errors.contains("more topics than there is room for")
    }
    withExtendedLifetime(peers) {}
  }

  @Test("connections that are used for nothing are ended after a minute, others are not")
  func silence() async throws {
    let server = try await SecureServer.start()
    let eve = try await server.createUser("eve")
    let keys = server.keys(eve)
    let calls = try await ZMTPPeer.connect(server.server.rpcEndpoint, keys: keys)
    let pushes = try await ZMTPPeer.connect(server.server.pushEndpoint, keys: keys, .subscriber)
    let caller = try await ZMTPPeer.connect(server.server.rpcEndpoint, keys: keys)
    var check = RawCall("tidings.rpc.v1.HealthService/Check")
    check.header.metadata = [:]
    #expect(try await check.send(on: caller).0.status == 0)
    let open = Observed(2)
    for peer in [calls, pushes] {
      Task {
        try await peer.waitForEnd()
        open.update { $0 -= 1 }
      }
    }
    try await waitUntil("both silent connections to be ended", pausing: .seconds(1)) {
      guard open.value > 0 else { return true }
      let answer = try await check.send(on: caller).0
      #expect(answer.status == 0)
      return false
    }
    #expect(try await check.send(on: caller).0.status == 0)
  }
}
