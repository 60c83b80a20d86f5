internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// Notifications as server-sent events: each reaches a page once, whatever ends in between.
@Suite(.endsServers) struct EventTests {
  private func subscribe(_ client: Client) async throws {
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(container: "app"),
        subscriptionsToSave: [.init("s", "Houses")]
      )
    )
    try #require(saved.results.first?.subscription != nil)
  }

  private func save(_ names: [String], _ client: Client) async throws {
    let results = try await client.modify(
      names.map { .init("Houses", $0) },
      in: .init(container: "app")
    )
    for result in results { try #require(result.error == nil) }
  }

  /// Subscribes to `Type0`, `Type1`, …, and reads what comes from now on.
  private func read(
    types count: Int,
    of client: Client,
    in world: GatewayWorld
  ) async throws -> EventReader {
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(container: "app"),
        subscriptionsToSave: (0..<count).map { .init("s\($0)", "Type\($0)") }
      )
    )
    try #require(saved.results.allSatisfy { $0.subscription != nil })
    let reader = try EventReader(world.port, query: "&from=now")
    try await reader.seen.wait("a position") { !$0.position.isEmpty }
    return reader
  }

  @Test("events come as records change, carry positions, and go on behind one")
  func positions() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    try await save(["before"], client)
    try await subscribe(client)
    let first = try EventReader(world.port)
    try await first.seen.wait("answer") { $0.status == 200 }
    try await save(["a"], client)
    try await save(["b", "c"], client)
    let seen = try await first.seen.wait("three") { $0.names.count == 3 }
    #expect(seen.names == ["a", "b", "c"])
    let positions = seen.events.filter { $0.name == "notification" }.map(\.id)
    #expect(positions.last?.flatMap { $0 } != nil)
    try await save(["d"], client)
    let second = try EventReader(world.port, after: seen.position)
    #expect(try await second.seen.wait("the rest") { !$0.names.isEmpty }.names == ["d"])
    let now = try EventReader(world.port, query: "&from=now")
    try await now.seen.wait("a position") { !$0.position.isEmpty }
    try await save(["e"], client)
    #expect(try await now.seen.wait("the newest") { !$0.names.isEmpty }.names == ["e"])
  }

  @Test("the position behind each event is exact: from it the rest comes, and nothing again")
  func exactPositions() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    try await subscribe(client)
    let first = try EventReader(world.port, query: "&from=now")
    try await first.seen.wait("a position") { !$0.position.isEmpty }
    let names = (0..<12).map { "r\($0)" }
    var positions: [String] = []
    for name in names {
      try await save([name], client)
      let seen = try await first.seen.wait(name) { $0.names.last == name }
      positions.append(seen.position)
    }
    #expect(first.seen.value.names == names)
    #expect(Set(positions).count == positions.count)
    for (index, position) in positions.enumerated() {
      let reader = try EventReader(world.port, after: position)
      let rest = Array(names.dropFirst(index + 1)) + ["end-\(index)"]
      try await save([rest[rest.count - 1]], client)
      let earlier = (0..<index).map { "end-\($0)" }
      let seen = try await reader.seen.wait("the rest") { $0.names.last == rest.last }
      #expect(seen.names == names.dropFirst(index + 1) + earlier + rest.suffix(1))
    }
    let wrong = try HTTPAnswer.to(
      "GET",
      "/events/app/development?ckAPIToken=x\(GatewayWorld.token("ada"))&lastEventId=IwEp",
      at: world.port
    )
    #expect(wrong.status == 400, "\(wrong.text)")
  }

  @Test("positions stay short enough for a header, however many subscriptions fire")
  func manyChannels() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    let count = 100
    let reader = try await read(types: count, of: client, in: world)
    for number in 0..<count {
      let results = try await client.modify(
        [.init("Type\(number)", "r\(number)")],
        in: .init(container: "app")
      )
      try #require(results.first?.error == nil)
      try await reader.seen.wait("r\(number)") { $0.names.last == "r\(number)" }
    }
    let seen = reader.seen.value
    #expect(seen.names == (0..<count).map { "r\($0)" })
    #expect(seen.events.allSatisfy { ($0.id?.utf8.count ?? 0) < 4_096 })
    let next = try EventReader(world.port, after: seen.position)
    try await save(["unwatched"], client)
    let results = try await client.modify([.init("Type0", "last")], in: .init(container: "app"))
    try #require(results.first?.error == nil)
    #expect(try await next.seen.wait("the last") { !$0.names.isEmpty }.names == ["last"])
  }

  @Test("more pushes at once than a stream remembers, of many channels, arrive once and in order")
  func bursts() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    let count = 150
    let reader = try await read(types: count, of: client, in: world)
    for round in 0..<3 {
      let results = try await client.modify(
        (0..<count).map { .init("Type\($0)", "\(round)-\($0)") },
        in: .init(container: "app")
      )
      for result in results { try #require(result.error == nil) }
    }
    let seen = try await reader.seen.wait("all") { $0.names.count >= 3 * count }
    #expect(Set(seen.names).count == 3 * count && seen.names.count == 3 * count)
    for number in 0..<count {
      let ofOne = seen.names.filter { $0.hasSuffix("-\(number)") }
      #expect(ofOne == (0..<3).map { "\($0)-\(number)" })
    }
  }

  @Test("the badge is sent as notifications increment it, and as they are read elsewhere")
  func badges() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    var badging = TidingsV1.Subscription("s", "Houses")
    badging.notificationInfo = .init(alertBody: "a house", shouldBadge: true)
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [badging])
    )
    try #require(saved.results.first?.subscription != nil)
    let reader = try EventReader(world.port, query: "&from=now")
    try await reader.seen.wait("a position") { !$0.position.isEmpty }
    try await save(["a"], client)
    try await reader.seen.wait("1") { $0.badges.last == 1 }
    try await save(["b"], client)
    let seen = try await reader.seen.wait("2") { $0.badges.last == 2 }
    #expect(seen.names == ["a", "b"])
    let last = try #require(seen.events.last { $0.name == "notification" })
    let payload = try #require((try JSONValue(parsing: last.data)).object)
    #expect(payload["aps"]?.object?["badge"] == .integer(2))
    let read = try #require(payload["ck"]?.object?["nid"]?.string)
    _ = try await client.notifications.markNotificationsRead(
      .init(container: "app", notificationIDs: [read])
    )
    let after = try await reader.seen.wait("1 again") { $0.badges.last == 1 }
    #expect(after.events.contains { $0.name == "read" && $0.data.contains(read) })
    // A stream that was away gets no notification of that.
    _ = try await client.notifications.modifyBadge(.init(container: "app", badgeValue: 0))
    let resumed = try EventReader(world.port, after: after.position)
    try await resumed.seen.wait("the badge") { $0.badges == [0] }
  }

  @Test("nothing is missed when the gateway or the server is killed")
  func kills() async throws {
    var world = try await GatewayWorld.start()
    var server = world.server
    var client = try await server.client(as: "ada")
    try await subscribe(client)
    var position = ""
    var names: [String] = []
    for round in 0..<4 {
      let reader = try EventReader(world.port, after: position)
      try await reader.seen.wait("answer") { $0.status == 200 }
      try await save(["\(round)-live"], client)
      try await reader.seen.wait("live") { $0.names.contains("\(round)-live") }
      if round % 2 == 0 {
        world.gateway.send(9)
        try await world.gateway.waitForExit()
      } else {
        try await server.crash()
        server = try await server.restarted()
        client = try await server.client(as: "ada")
      }
      // Where only the server was killed, a stream that lasts may bring this before its gateway ends.
      try await save(["\(round)-missed"], client)
      world.gateway.send(9)
      try await world.gateway.waitForExit()
      let seen = try await reader.seen.wait("the end") { $0.isEnded }
      names += seen.names
      position = seen.position
      world = try await world.restartedGateway(before: server)
    }
    let expected = (0..<4).flatMap { ["\($0)-live", "\($0)-missed"] }
    let last = try EventReader(world.port, after: position)
    let rest = try await last.seen.wait("the rest") { [names] seen in
      Set(names + seen.names).isSuperset(of: expected)
    }
    names += rest.names
    // Behind a position everything comes again that the page did not see to its end.
    var distinct: [String] = []
    for name in names where !distinct.contains(name) { distinct.append(name) }
    #expect(distinct == expected)
  }

  @Test("a stream goes on when the server restarts behind it")
  func serverRestart() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    try await subscribe(client)
    let reader = try EventReader(world.port)
    try await save(["a"], client)
    try await reader.seen.wait("the first") { $0.names == ["a"] }
    try await world.server.crash()
    let server = try await world.server.restarted()
    try await save(["b"], try await server.client(as: "ada"))
    // The stream may have ended with the server; then the next one has it.
    let seen = try await reader.seen.wait("the second, or the end") {
      $0.names == ["a", "b"] || $0.isEnded
    }
    if seen.isEnded {
      let next = try EventReader(world.port, after: seen.position)
      try await next.seen.wait("the second") { $0.names.contains("b") }
    }
  }

  @Test("a gateway that had no descriptors while the server was away goes on afterwards")
  func descriptors() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    try await subscribe(client)
    let reader = try EventReader(world.port)
    try await save(["a"], client)
    try await reader.seen.wait("the first") { $0.names == ["a"] }
    // It is accepted before the later one is answered.
    let early = try HTTPConnection(world.port)
    #expect(try world.post("private/zones/list").status == 200)
    try world.gateway.limitDescriptors(to: 1)
    try await world.server.crash()
    early.send(
      Array(
        """
        POST \(GatewayWorld.path("private/zones/list")) HTTP/1.1\r
        Host: localhost\r
        Content-Length: 2\r
        Connection: close\r
        \r
        {}
        """.utf8
      )
    )
    let away = try await blocking { [early = Lent(early)] in HTTPAnswer(early.value.readAll()) }
    #expect(away?.status == 503)
    try world.gateway.limitDescriptors(to: 1_024)
    let server = try await world.server.restarted()
    try await waitUntil("an answer of the server that is back") {
      try await blocking { try world.post("private/zones/list") }.status == 200
    }
    try await save(["b"], try await server.client(as: "ada"))
    let seen = try await reader.seen.wait("the second, or the end") {
      $0.names == ["a", "b"] || $0.isEnded
    }
    if seen.isEnded {
      let next = try EventReader(world.port, after: seen.position)
      try await next.seen.wait("the second") { $0.names.contains("b") }
    }
  }

  @Test("notifications with many bytes of fields come, however many are in the log")
  func largeNotifications() async throws {
    let world = try await GatewayWorld.start()
    let client = try await world.server.client(as: "ada")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(container: "app"),
        subscriptionsToSave: [.init("s", "Houses", keys: ["text"])]
      )
    )
    try #require(saved.results.first?.subscription != nil)
    let text = String(repeating: "long ", count: 12_000)
    let names = (0..<40).map { "r\($0)" }
    for name in names {
      let record = TidingsV1.Record("Houses", name, ["text": .init(.stringValue(text))])
      let results = try await client.modify([record], in: .init(container: "app"))
      try #require(results.first?.record != nil)
    }
    let reader = try EventReader(world.port)
    let seen = try await reader.seen.wait("all") { $0.names.count == names.count || $0.isEnded }
    #expect(!seen.isEnded)
    #expect(seen.names == names)
  }

  @Test("events need a user, and a stopping gateway ends streams")
  func ends() async throws {
    let world = try await GatewayWorld.start()
    let refused = try HTTPAnswer.to("GET", "/events/app/development?ckAPIToken=x", at: world.port)
    #expect(refused.status == 421)
    let reader = try EventReader(world.port)
    try await reader.seen.wait("answer") { $0.status == 200 }
    world.gateway.send(15)
    #expect(try await world.gateway.waitForExit() == .code(0))
    try await reader.seen.wait("the end") { $0.isEnded }
  }
}
