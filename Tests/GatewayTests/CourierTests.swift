internal import Foundation
internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// The long poll of a device token: each notification at least once, also when processes are killed.
@Suite(.endsServers) struct CourierTests {
  private func poll(_ url: String, at port: UInt16) async throws -> JSONObject? {
    let path = Self.path(url)
    let answer = try await blocking { try HTTPAnswer.to("GET", path, at: port) }
    try #require(answer.status == 200, "\(answer.text)")
    return answer.json?.object?["ck"]?.object?["qry"]?.object
  }

  /// The part of a URL behind the host.
  private static func path(_ url: String) -> String {
    "/" + (url.components(separatedBy: "/courier/").count == 2 ? "courier/" : "")
      + (url.components(separatedBy: "/courier/").last ?? "")
  }

  private static func url(in world: GatewayWorld) throws -> String {
    let created = try HTTPAnswer.to(
      "POST",
      "/device/1/app/development/tokens/create?ckAPIToken=x\(GatewayWorld.token("ada"))",
      at: world.port,
      body: Array(#"{"apnsEnvironment": "development", "clientId": "page"}"#.utf8)
    )
    return try #require(created.json?.object?["webcourierURL"]?.string)
  }

  /// Whether one poll waits at the gateway.
  private static func hasOneStream(_ operatorPort: ReservedPort) throws -> Bool {
    try HTTPAnswer.to("GET", "/metrics", at: operatorPort.number).text
      .contains("tidings_event_streams 1\n")
  }

  @Test("a poll whose client is gone takes no notification")
  func clientGone() async throws {
    let operatorPort = ReservedPort()
    let world = try await GatewayWorld.start(
      ["--operator-endpoint", "127.0.0.1:\(operatorPort.number)"]
    )
    let client = try await world.server.client(as: "ada")
    let url = try Self.url(in: world)
    _ = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    )
    for name in ["a", "b", "c"] {
      var gone: HTTPConnection? = try HTTPConnection(world.port)
      gone?.send("GET \(Self.path(url)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      try await waitUntil("the poll to wait") { try Self.hasOneStream(operatorPort) }
      gone = nil
      _ = try await client.modify([.init("Houses", name)], in: .init(container: "app"))
      // Whoever reads only a head would lose it.
      let path = Self.path(url)
      let head = try await blocking { try HTTPAnswer.to("HEAD", path, at: world.port) }
      #expect(head.status == 400)
      #expect(try await poll(url, at: world.port)?["rid"]?.string == name)
    }
  }

  @Test("a gateway that stops answers polls at once")
  func stops() async throws {
    let operatorPort = ReservedPort()
    let world = try await GatewayWorld.start(
      ["--operator-endpoint", "127.0.0.1:\(operatorPort.number)"]
    )
    let url = try Self.url(in: world)
    let port = world.port
    async let waiting = poll(url, at: port)
    try await waitUntil("the poll to wait") { try Self.hasOneStream(operatorPort) }
    let begin = ContinuousClock.now
    world.gateway.send(15)
    #expect(try await waiting == nil)
    #expect(try await world.gateway.waitForExit() == .code(0))
    // A poll would wait for 50 s.
    #expect(begin.duration(to: .now) < .seconds(40))
  }

  @Test("a poll waits for a notification, and gives each to the token that asked")
  func polls() async throws {
    var world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    let url = try Self.url(in: world)
    let port = world.port
    async let waiting = poll(url, at: port)
    // Also of a subscription that is made while the poll waits.
    _ = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    )
    _ = try await client.modify([.init("Houses", "a")], in: .init(container: "app"))
    #expect(try await waiting?["rid"]?.string == "a")
    // Killed while one waits: what comes next is for the next poll.
    let broken = try HTTPConnection(world.port)
    broken.send("GET \(Self.path(url)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    world.gateway.send(9)
    try await world.gateway.waitForExit()
    for name in ["b", "c"] {
      _ = try await client.modify([.init("Houses", name)], in: .init(container: "app"))
    }
    world = try await world.restartedGateway()
    // Without keys a gateway that starts has a new secret: its tokens are new, its groups are not.
    let next = try Self.url(in: world)
    var names: Set<String> = []
    // Perhaps once more "a", if the gateway was killed before it noted the answer.
    try await waitUntil("what came after the kill", pausing: .zero) {
      if let name = try await poll(next, at: world.port)?["rid"]?.string { names.insert(name) }
      return names.isSuperset(of: ["b", "c"])
    }
  }
}
