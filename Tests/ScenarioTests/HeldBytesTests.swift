import TestSupport
import Testing
import TidingsClient
import TidingsKeys
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

  @Test("a connection that asks for too many topics is ended, another is not")
  func topics() async throws {
    let server = try await SecureServer.start()
    let eve = try await server.createUser("eve")
    let greedy = try await ZMTPPeer.connect(
      server.server.pushEndpoint,
      keys: server.keys(eve),
      .subscriber
    )
    // The bound is 50,000; what was sent on its way to the end does not count.
    let count = try await greedy.subscribeEndlessly(countMax: 1_000_000)
    #expect(count > 50_000 && count < 1_000_000)
    let other = try await ZMTPPeer.connect(
      server.server.pushEndpoint,
      keys: server.keys(eve),
      .subscriber
    )
    try await other.subscribe([2])
    #expect(try await server.client(eve).health.check(.init()).status == .serving)
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
