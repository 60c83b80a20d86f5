internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A stream catches up, follows, and yields each notification once, whatever happens to the server.
@Suite(.endsServers) struct NotificationStreamTests {
  private func names(_ range: Range<Int>) -> [String] { range.map { "r\($0)" } }

  private func save(_ names: [String], with client: Client) async throws {
    var rest = names[...]
    while !rest.isEmpty {
      let results = try await client.modify(rest.prefix(400).map { .init("Houses", $0) })
      #expect(results.allSatisfy { $0.record != nil })
      rest = rest.dropFirst(400)
    }
  }

  private func expect(_ seen: [TidingsV1.Notification], _ names: [String]) {
    #expect(seen.compactMap(\.recordID?.recordName) == names)
  }

  @Test("a stream yields what waited in the log, over many pages, then what comes")
  func catchesUpAndFollows() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    try await save(names(0..<1000), with: device)
    let stream = Collector(laptop)
    try await stream.wait(for: 1000)
    try await save(names(1000..<1003), with: device)
    try await expect(stream.wait(for: 1003), names(0..<1003))
    try await stream.stop()
  }

  @Test("a stream survives a server that stops, or crashes, and comes back on its ports")
  func survivesRestarts() async throws {
    var server = try await TestServer.startLasting()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    let stream = Collector(laptop)
    for round in 0..<6 {
      try await save(names(round * 10..<round * 10 + 5), with: device)
      // Sometimes the stream has was notified of all saves before the server goes, sometimes not.
      if round % 3 == 0 { try await stream.wait(for: round * 10 + 5) }
      if round % 2 == 0 { try await server.crash() } else { try await server.stop() }
      server = try await server.restarted()
      try await save(names(round * 10 + 5..<round * 10 + 10), with: device)
    }
    try await expect(stream.wait(for: 60), names(0..<60))
    try await stream.stop()
  }

  @Test("a stream follows a new subscription though the push that announces it is lost")
  func lostAnnouncement() async throws {
    let proxy = try PushProxy(.none, seed: 1)
    let clock = try ClockFault()
    let server = try await TestServer.start(
      arguments: ["--advertise-push", proxy.endpoint],
      environment: clock.environment
    )
    proxy.connect(to: server.pushEndpoint)
    let laptop = try await server.client(as: "ada", device: "laptop")
    let phone = try await server.client(as: "ada", device: "phone")
    try await laptop.subscribe(.init("first", "Houses"))
    try await laptop.save(.init("Notes", "other"))
    let stream = Collector(phone)
    for number in 0..<5 {
      try await laptop.save(.init("Houses", "r\(number)"))
      try await stream.wait(for: number + 1)
    }
    // Nothing is repeated before the test wants it.
    try clock.holdUptime()
    proxy.use(.init(lost: 1))
    let lostCount = proxy.counts.value.lost
    try await laptop.subscribe(.init("second", "Notes"))
    try await proxy.counts.wait("the announcement to be lost") { $0.lost > lostCount }
    proxy.use(.none)
    try await laptop.save(.init("Notes", "r5"))
    try clock.passUptime(.seconds(2))
    try await expect(stream.wait(for: 6), names(0..<6))
    try await stream.stop()
  }

  @Test("two devices of a user each get all but their own, with and without a name")
  func twoDevices() async throws {
    let server = try await TestServer.start()
    let first = try await server.client(as: "ada", device: "first")
    let second = try await server.client(as: "ada", device: "second")
    let nameless = try await server.client(as: "ada")
    try await first.subscribe(.init("all", "Houses"))
    let streams = (Collector(first), Collector(second), Collector(nameless))
    let all = names(0..<30)
    for (index, name) in all.enumerated() {
      try await save([name], with: [first, second, nameless][index % 3])
    }
    try await save(["end"], with: server.client(as: "ada", device: "third"))
    let own = { (device: Int) in
      all.enumerated().filter { $0.offset % 3 != device }.map(\.element) + ["end"]
    }
    try await expect(streams.0.wait(for: 21), own(0))
    try await expect(streams.1.wait(for: 21), own(1))
    try await expect(streams.2.wait(for: 31), all + ["end"])
  }

  @Test("a consumer that is slower than the pushes loses nothing")
  func slowConsumer() async throws {
    // As many pushes as events.
    let server = try await TestServer.start(
      arguments: ["--limit", "pushes-per-second-max=1000000"]
    )
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    var iterator = laptop.notificationStream().makeAsyncIterator()
    try await save(["r0"], with: device)
    var seen = [try #require(try await iterator.next())]
    // More than the connection keeps for its reader.
    try await save(names(1..<12_000), with: device)
    while seen.count < 12_000 { seen.append(try #require(try await iterator.next())) }
    expect(seen, names(0..<12_000))
  }

  @Test("a stream is notified of subscriptions that come and go while it runs")
  func subscriptionsChange() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    let stream = Collector(laptop)
    for round in 0..<5 {
      try await device.subscribe(.init("s\(round)", "Houses", where: "n = \(round)"))
      _ = try await device.modify(
        (0..<5).map { .init("Houses", "r\(round)-\($0)", ["n": .init(.int64Value(Int64($0)))]) }
      )
      _ = try await device.subscriptions.modifySubscriptions(
        .init(subscriptionIDsToDelete: ["s\(round)"])
      )
      try await save(["unseen-\(round)"], with: device)
    }
    let seen = try await stream.wait(for: 5)
    expect(seen, (0..<5).map { "r\($0)-\($0)" })
    #expect(seen.map(\.subscriptionID) == (0..<5).map { "s\($0)" })
  }

  @Test("a stream that begins at another's token misses nothing that the other had not yielded")
  func changeTokenCoversWhatWasYielded() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    try await save(names(0..<5), with: device)

    var iterator = laptop.notificationStream().makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.recordID == .init("r0"))
    let next = Collector(laptop, after: iterator.changeToken)
    let rest = try await next.seen.wait("the last") { $0.last?.recordID == .init("r4") }
      .compactMap(\.recordID?.recordName)
    #expect(rest.suffix(4) == ["r1", "r2", "r3", "r4"])
  }

  @Test("a cancelled reader gets the end of the stream")
  func cancellation() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let reader = Task {
      var iterator = laptop.notificationStream().makeAsyncIterator()
      return try await iterator.next() == nil
    }
    reader.cancel()
    #expect(try await reader.value)
  }
}
