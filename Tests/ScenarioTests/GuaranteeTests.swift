internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// What notifications promise, in etcd's words for its watch, each shown over a real server.
///
/// `ProofTests` shows all of it at once under random load.
@Suite(.endsServers) struct GuaranteeTests {
  private func names(_ range: Range<Int>) -> [String] { range.map { "r\($0)" } }

  private func records(_ names: [String]) -> [TidingsV1.Record] {
    names.map { .init("Houses", $0) }
  }

  private func key(_ notification: TidingsV1.Notification) -> String { notification.notificationID }

  private func recordNames(_ notifications: [TidingsV1.Notification]) -> [String] {
    notifications.compactMap(\.recordID?.recordName)
  }

  @Test("ordered: numbers of a channel rise by 1, and the log is in the order of the commits")
  func ordered() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let writers = try await ["ada", "bob"].asyncMap { try await server.client(as: $0) }
    try await laptop.subscribe(.init("own", "Houses", on: [.create, .update, .delete]))
    let isPublic = TidingsV1.DatabaseID(scope: .public)
    _ = try await laptop.subscriptions.modifySubscriptions(
      .init(databaseID: isPublic, subscriptionsToSave: [.init("all", "Houses")])
    )
    let stream = Collector(laptop)
    // One after the other, in two databases: the order of the commits is known.
    for index in 0..<40 {
      let saves = [TidingsV1.Record("Houses", "r\(index)")]
      _ = try await writers[index % 2].modify(saves, in: index % 2 == 0 ? nil : isPublic)
    }
    let log = try await laptop.feed(pageLimit: 7).notifications
    #expect(recordNames(log) == names(0..<40))
    let times = log.compactMap(\.committed).map { ($0.seconds, $0.nanos) }
    #expect(times.count == 40 && zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })

    // At once: the change tags show the order in which they were committed.
    let saved = try await withThrowingTaskGroup(of: [TidingsV1.RecordResult].self) { group in
      for (number, writer) in writers.enumerated() {
        group.addTask {
          var results: [TidingsV1.RecordResult] = []
          for index in 0..<30 {
            results += try await writer.modify(
              [.init("Houses", "w\(number)-\(index)")],
              in: isPublic
            )
          }
          return results
        }
      }
      return try await group.reduce([]) { $0 + $1 }
    }.compactMap(\.record).sorted {
      UInt64($0.changeTag, radix: 36) ?? 0 < UInt64($1.changeTag, radix: 36) ?? 0
    }
    let seen = try await stream.wait(for: 100)
    for notifications in [try await laptop.feed().notifications, seen] {
      let channels = Dictionary(grouping: notifications) { $0.position?.channelID ?? "" }
      #expect(channels.count == 2)
      for events in channels.values {
        let numbers = events.compactMap(\.position?.sequenceNumber)
        #expect(numbers == Array(1...UInt64(events.count)))
      }
      let tail = notifications.filter { $0.recordID?.recordName.hasPrefix("w") ?? false }
      #expect(recordNames(tail) == saved.compactMap(\.recordID?.recordName))
    }
  }

  @Test("unique: nothing comes twice, and never again what was committed")
  func unique() async throws {
    // Every push comes twice, and late.
    let proxy = try PushProxy(.init(doubled: 1, heldBack: 3), seed: Seed.make("unique"))
    let server = try await TestServer.start(arguments: ["--advertise-push", proxy.endpoint])
    proxy.connect(to: server.pushEndpoint)
    let laptop = try await server.client(
      as: "ada",
      device: "laptop",
      reconcileInterval: .seconds(2)
    )
    let writer = try await server.client(as: "ada", device: "writer")
    try await laptop.subscribe(.init("all", "Houses"))
    let stream = Collector(laptop)
    for name in names(0..<200) { try await writer.save(.init("Houses", name)) }
    try await stream.wait(for: 200)
    // Behind this nothing of before can come any more.
    proxy.use(.none)
    try await writer.save(.init("Houses", "end"))
    try await #expect(recordNames(stream.wait(for: 201)) == names(0..<200) + ["end"])
    try await stream.stop()
    #expect(proxy.counts.value.doubled > 0)

    let (first, token) = try await laptop.feed()
    #expect(Set(first.map(key)).count == 201)
    #expect(try await laptop.feed(after: token).notifications == [])
    try await writer.save(.init("Houses", "later"))
    #expect(try await recordNames(laptop.feed(after: token).notifications) == ["later"])
    let next = Collector(laptop, after: token)
    try await #expect(recordNames(next.wait(for: 1)) == ["later"])
  }

  @Test("reliable: no gap, though pushes are lost and the server is killed")
  func reliable() async throws {
    let proxy = try PushProxy(.init(lost: 2), seed: Seed.make("reliable"))
    var server = try await TestServer.startLasting(
      arguments: ["--advertise-push", proxy.endpoint]
    )
    proxy.connect(to: server.pushEndpoint)
    let laptop = try await server.client(as: "ada", device: "laptop")
    let writer = try await server.client(as: "ada", device: "writer")
    try await laptop.subscribe(.init("all", "Houses"))
    let stream = Collector(laptop)
    for round in 0..<5 {
      for index in 0..<20 { try await writer.save(.init("Houses", "r\(round * 20 + index)")) }
      try await server.crash()
      server = try await server.restarted()
    }
    // A push that arrives shows what those before it were.
    proxy.use(.none)
    for name in ["end-0", "end-1"] { try await writer.save(.init("Houses", name)) }
    let seen = try await stream.wait(for: 102)
    #expect(recordNames(seen) == names(0..<100) + ["end-0", "end-1"])
    #expect(seen.compactMap(\.position?.sequenceNumber) == Array(1...102))
    try await stream.stop()
    #expect(proxy.counts.value.lost > 0)
  }

  @Test("atomic: what a call caused is there as a whole or not at all, and no page splits it")
  func atomic() async throws {
    var server = try await TestServer.startLasting()
    var laptop = try await server.client(as: "ada", device: "laptop")
    try await laptop.subscribe(.init("all", "Houses"))
    try await laptop.subscribe(.init("created", "Houses", on: .create))
    // Killed at any moment between the first and the last of 100 calls.
    var random = SplitMix64(seed: Seed.make("atomic"))
    for round in 0..<4 {
      let burst = try await SaveBurst(
        "r\(round)",
        calls: 25,
        records: 20,
        at: server,
        together: false
      )
      let count = 1 + random.below(20)
      try await burst.acknowledged.wait("answers") { $0.count >= count }
      try await server.crash()
      _ = await burst.end()
      server = try await server.restarted()
      laptop = try await server.client(as: "ada", device: "laptop")
    }
    func calls(_ notifications: [TidingsV1.Notification]) -> [String: Int] {
      Dictionary(grouping: recordNames(notifications)) { name in
        name.split(separator: "-").prefix(2).joined(separator: "-")
      }.mapValues(\.count)
    }
    let log = try await laptop.feed(pageLimit: 400).notifications
    #expect(calls(log).count >= 4 && calls(log).values.allSatisfy { $0 == 40 })

    // Pages that a call fits into have whole calls.
    var token: [UInt8] = []
    var found: [TidingsV1.Notification] = []
    while true {
      let page = try await laptop.notifications.fetchNotificationChanges(
        .init(changeToken: token, limit: 90)
      )
      #expect(calls(page.notifications).values.allSatisfy { $0 == 40 } && !page.isSplit)
      (found, token) = (found + page.notifications, page.changeToken)
      if !page.moreComing { break }
    }
    #expect(found == log)

    // Those that it does not fit into say so, until its end.
    (found, token) = ([], [])
    while true {
      let page = try await laptop.notifications.fetchNotificationChanges(
        .init(changeToken: token, limit: 15)
      )
      #expect(calls(page.notifications).count == 1)
      (found, token) = (found + page.notifications, page.changeToken)
      #expect(page.isSplit == (found.count % 40 != 0))
      if !page.moreComing { break }
    }
    #expect(found == log)
  }

  @Test("resumable: any token continues exactly, on any device, after a restart too")
  func resumable() async throws {
    var server = try await TestServer.startLasting()
    var laptop = try await server.client(as: "ada", device: "laptop")
    let writer = try await server.client(as: "ada", device: "writer")
    for index in 0..<3 {
      try await laptop.subscribe(.init("s\(index)", "Houses", where: "n > \(index)", keys: ["n"]))
    }
    for index in 0..<30 {
      try await writer.save(
        .init("Houses", "r\(index)", ["n": .init(.int64Value(Int64(index % 5)))])
      )
    }
    let log = try await laptop.feed().notifications
    var locations: [(token: [UInt8], count: Int)] = [([], 0)]
    var isLast = false
    while !isLast, let location = locations.last {
      let page = try await laptop.notifications.fetchNotificationChanges(
        .init(changeToken: location.token, limit: 1)
      )
      locations.append((page.changeToken, location.count + page.notifications.count))
      isLast = !page.moreComing
    }
    #expect(locations.last?.count == log.count)
    for round in 0..<2 {
      for (token, count) in locations {
        let rest = try await laptop.feed(after: token, pageLimit: UInt32(round * 10))
        #expect(rest.notifications == Array(log[count...]))
      }
      try await server.crash()
      server = try await server.restarted()
      laptop = try await server.client(as: "ada", device: round == 0 ? "phone" : "laptop")
    }
  }

  @Test("bookmarkable: a token moves on though nothing matched, or all was the device's own")
  func bookmarkable() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    for index in 0..<11 {
      try await laptop.subscribe(.init("s\(index)", "Houses", where: "n > -\(index + 1)"))
    }
    try await server.client(as: "bob").subscribe(.init("all", "Houses"))
    let begin = try await laptop.feed().token

    // More of its own than a page looks at: the page has nothing, and yet the token is further.
    let fields: [String: TidingsV1.FieldValue] = ["n": 1]
    let own = try await laptop.modify((0..<400).map { .init("Houses", "r\($0)", fields) })
    #expect(own.allSatisfy { $0.record != nil })
    var tokens = [begin]
    var isLast = false
    while !isLast, let token = tokens.last {
      let page = try await laptop.notifications.fetchNotificationChanges(.init(changeToken: token))
      #expect(page.notifications == [] && page.changeToken != token)
      tokens.append(page.changeToken)
      isLast = !page.moreComing
    }
    #expect(tokens.count > 2)

    // What another user is notified of is nothing to this one, and is left behind too.
    _ = try await server.client(as: "bob", device: "laptop").modify(records(names(0..<3)))
    let page = try await laptop.notifications.fetchNotificationChanges(
      .init(changeToken: tokens[tokens.count - 1])
    )
    #expect(page.notifications == [] && page.changeToken != tokens.last && !page.moreComing)

    // From each of them on the next one is found, without the way there.
    try await server.client(as: "ada", device: "phone").save(.init("Houses", "end", fields))
    for token in tokens + [page.changeToken] {
      let rest = try await laptop.feed(after: token).notifications
      #expect(Set(recordNames(rest)) == ["end"] && rest.count == 11)
    }
  }
}
