internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// An inbox hands out each notification until its work is committed, whatever crashes.
@Suite(.endsServers) struct NotificationInboxTests {
  private func save(_ range: Range<Int>, with client: Client) async throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 400) {
      let end = min(start + 400, range.upperBound)
      let results = try await client.modify((start..<end).map { .init("Houses", "r\($0)") })
      #expect(results.allSatisfy { $0.record != nil })
    }
  }

  private func name(_ item: InboxNotification) -> String {
    item.notification.recordID?.recordName ?? ""
  }

  /// Reads so many notifications.
  private func read(
    _ count: Int,
    from iterator: inout NotificationInbox.AsyncIterator
  ) async throws -> [InboxNotification] {
    var items: [InboxNotification] = []
    while items.count < count { items.append(try #require(try await iterator.next())) }
    return items
  }

  @Test("what is committed does not come again, what is not does, in the middle of a page too")
  func commits() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    try await save(0..<20, with: device)
    let path = server.folder.file("inbox")

    let first = try laptop.notificationInbox(at: path)
    var iterator = first.makeAsyncIterator()
    let items = try await read(10, from: &iterator)
    #expect(items.map(name) == (0..<10).map { "r\($0)" })
    try await first.commit(upTo: items[6])
    try await first.commit(upTo: items[3])

    // The same inbox again: after what is committed; the earlier iteration is over.
    var second = first.makeAsyncIterator()
    #expect(try await name(read(1, from: &second)[0]) == "r7")
    #expect(try await iterator.next() == nil)
    await #expect(throws: InboxError.self) { try await first.commit(upTo: items[9]) }
    #expect(throws: InboxError.self) { try laptop.notificationInbox(at: path) }
    await first.close()
    #expect(try await second.next() == nil)
    await #expect(throws: InboxError.closed) { try await first.commit() }

    // Another program, later.
    let next = try laptop.notificationInbox(at: path)
    iterator = next.makeAsyncIterator()
    #expect(try await read(13, from: &iterator).map(name) == (7..<20).map { "r\($0)" })
    try await next.commit()
    try await save(20..<22, with: device)
    #expect(try await read(2, from: &iterator).map(name) == ["r20", "r21"])
    await next.close()
    let last = try laptop.notificationInbox(at: path)
    iterator = last.makeAsyncIterator()
    #expect(try await name(read(1, from: &iterator)[0]) == "r20")
    await last.close()

    let bob = try await server.client(as: "bob", device: "laptop")
    #expect {
      try bob.notificationInbox(at: path)
    } throws: { error in
      if case InboxError.positionOwnerMismatch = error { true } else { false }
    }
  }

  @Test("a consumer that keeps the position with its work does each once, whatever crashes")
  func exactlyOnce() async throws {
    let seed = Seed.make("NotificationInbox")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    try await laptop.subscribe(
      .init("odd", "Houses", where: "recordName ENDSWITH '1'", on: .create)
    )

    // The application's own database: its work and the position change together.
    var (work, position) = ([] as [String], nil as InboxPosition?)
    var (saved, expected) = (0, 0)
    for round in 0..<12 {
      let count = 1 + random.below(60)
      try await save(saved..<saved + count, with: device)
      expected += count + (saved..<saved + count).filter { $0 % 10 == 1 }.count
      saved += count
      if round % 4 == 2 {
        try await server.crash()
        server = try await server.restarted()
      }
      let inbox = try laptop.notificationInbox(
        from: try position.map { try InboxPosition(bytes: $0.bytes) }
      )
      var iterator = inbox.makeAsyncIterator()
      // The consumer crashes somewhere, with work begun that is not kept.
      let limit = round == 11 ? expected : work.count + random.below(count + 1)
      while work.count < limit {
        let item = try #require(try await iterator.next())
        work.append(item.notification.subscriptionID + " " + name(item))
        position = item.position
        if random.oneIn(20), round < 11 { break }
      }
      if round < 11, work.count < expected { _ = try await iterator.next() }
    }
    #expect(work.count == expected, "seed \(seed)")
    #expect(Set(work).count == work.count, "seed \(seed)")
    #expect(
      work.filter { $0.hasPrefix("all ") } == (0..<saved).map { "all r\($0)" },
      "seed \(seed)"
    )
  }

  @Test("a lost connection and its end are reported")
  func outage() async throws {
    var server = try await TestServer.startLasting()
    // Soon tired of waiting: the inbox tries again.
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.user = "ada"
    configuration.device = "laptop"
    configuration.timeout = .seconds(2)
    configuration.connectTimeout = .seconds(1)
    let laptop = try await Client(configuration)
    let device = try await server.client(as: "ada", device: "server")
    try await device.subscribe(.init("all", "Houses"))
    try await save(0..<1, with: device)
    let events = Observed<[NotificationInbox.Event]>([])
    var options = NotificationInbox.Options()
    options.onEvent = { event in events.update { $0.append(event) } }
    let inbox = try laptop.notificationInbox(from: nil, options: options)
    let seen = Observed<[String]>([])
    let reader = Task {
      for try await item in inbox { seen.update { $0.append(name(item)) } }
    }
    try await seen.wait("the first", for: .seconds(600)) { $0 == ["r0"] }
    // It comes when there is a connection for pushes: one that never was is not lost.
    try await save(1..<2, with: device)
    try await seen.wait("the second", for: .seconds(600)) { $0 == ["r0", "r1"] }
    try await server.crash()
    try await events.wait("the loss", for: .seconds(600)) {
      $0.contains { if case .lost = $0 { true } else { false } }
    }
    server = try await server.restarted()
    try await save(2..<3, with: device)
    try await seen.wait("the third", for: .seconds(600)) { $0 == ["r0", "r1", "r2"] }
    try await events.wait("the end of the loss", for: .seconds(600)) {
      $0.contains { if case .restored(let time) = $0 { time > .zero } else { false } }
    }
    await inbox.close()
    try await reader.value
  }

  @Test("a slow consumer loses nothing over many pages and pushes, and hinders nobody")
  func slowConsumer() async throws {
    // As many pushes as events.
    let server = try await TestServer.start(
      arguments: ["--limit", "pushes-per-second-max=1000000"]
    )
    let laptop = try await server.client(as: "ada", device: "laptop")
    let tablet = try await server.client(as: "ada", device: "tablet")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    try await save(0..<1_000, with: device)
    let slow = try laptop.notificationInbox(from: nil)
    var iterator = slow.makeAsyncIterator()
    var names = try await read(1, from: &iterator).map(name)
    let quick = Collector(tablet)
    try await quick.wait(for: 1_000)
    // More than a connection keeps for its reader, while the slow one does not read.
    try await save(1_000..<12_000, with: device)
    try await quick.wait(for: 12_000)
    names += try await read(11_999, from: &iterator).map(name)
    #expect(names == (0..<12_000).map { "r\($0)" })
    try await slow.commit()
  }

  @Test("a position of a store that was lost ends the inbox, which can starts again")
  func expired() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("inbox")
    for _ in 0..<2 {
      let server = try await TestServer.start()
      let laptop = try await server.client(as: "ada", device: "laptop")
      let device = try await server.client(as: "ada", device: "server")
      try await laptop.subscribe(.init("all", "Houses"))
      try await save(0..<3, with: device)
      let inbox = try laptop.notificationInbox(at: path)
      var iterator = inbox.makeAsyncIterator()
      do {
        _ = try await read(1, from: &iterator)
      } catch InboxError.changeTokenExpired(let message) {
        #expect(message.contains("restored"))
        try await inbox.restart()
        iterator = inbox.makeAsyncIterator()
        _ = try await read(1, from: &iterator)
      }
      #expect(try await read(2, from: &iterator).map(name) == ["r1", "r2"])
      try await inbox.commit()
      await inbox.close()
    }
  }
}
