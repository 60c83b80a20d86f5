#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// Several rpcd on one PostgreSQL database: any of them can be called, and any of them can end.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct NodeTests {
  @Test(
    "a message that is too large for one of two nodes ends no connection between them",
    arguments: [true, false]
  )
  func frames(ofSmallLeader isSmall: Bool) async throws {
    let (small, large) = (["memory-bytes-max=268435456"], ["memory-bytes-max=1073741824"])
    let limits = isSmall ? [small, large] : [large, small]
    let world = try await NodeWorld(
      2,
      arguments: ["--limit", "answer-bytes-max=15000000"],
      ownArguments: limits.map { ["--limit"] + $0 }
    )
    let (leader, follower) = (
      try await world.nodes[0].client(as: "ada", retries: false),
      try await world.nodes[1].client(as: "ada", retries: false)
    )
    #expect(
      try await follower.server.fetchServerInfo(.init()).limits?.frameBytesMax == 6 << 20
    )
    let houses = (0..<10).map { index in
      let bytes = [UInt8](repeating: UInt8(index), count: 950_000)
      return TidingsV1.Record("Houses", "h\(index)", ["bytes": .init(.bytesValue(bytes))])
    }
    // A frame that is 1 MiB larger than the largest ends a connection: that of the nodes, or that of the client.
    let tooMany = isSmall ? houses[...] : houses[..<7]
    let failure = await failure { _ = try await follower.modify(Array(tooMany)) }
    #expect(failure?.code == .resourceExhausted, "\(String(describing: failure))")
    for half in [houses[..<5], houses[5...]] { _ = try await leader.modify(Array(half)) }
    // What the leader can send is handed on, also by a node that has less memory.
    let page = try await follower.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init())])
    ).zones.first
    #expect(page?.changedRecords.count == (isSmall ? 5 : 10))
    let log = world.nodes[1].process.seen.value.errors
    #expect(!log.contains("cannot be reached"), "\(log)")
  }

  @Test("what is saved at one node is read, queried and notified at the others")
  func anyNode() async throws {
    let world = try await NodeWorld()
    let devices = try await (0..<3).asyncMap {
      try await world.nodes[$0].client(as: "ada", device: "device-\($0)")
    }
    try await devices[0].subscribe(.init("all", "Houses", keys: ["street"]))
    var streams: [AsyncThrowingStream<String, any Error>] = []
    for device in devices { streams.append(names(of: device)) }
    for (index, device) in devices.enumerated() {
      try await device.save(.init("Houses", "h\(index)", ["street": "s"]))
      for other in devices {
        #expect(try await other.fetch([.init("h\(index)")])[0].record != nil)
      }
    }
    // Each device gets those that the others have made.
    for (index, stream) in streams.enumerated() {
      var missing = Set((0..<3).filter { $0 != index }.map { "h\($0)" })
      for try await name in stream {
        missing.remove(name)
        if missing.isEmpty { break }
      }
    }
    let status = try await world.status(from: 2)
    #expect(status.term == 1 && status.nodes.map(\.name) == ["node-0", "node-1", "node-2"])
    #expect(status.nodes.map(\.role) == [.leader, .follower, .follower])
    #expect(status.nodes.map(\.isCalled) == [false, false, true])
    let registration = try await devices[2].notifications.registerDevice(.init())
    #expect(registration.pushEndpoint == world.nodes[2].pushEndpoint)
  }

  @Test(
    "nodes that are killed and started again lose no save, double none, and contradict nobody",
    arguments: [[], ["--reload-always"]]
  )
  func kills(arguments: [String]) async throws {
    let seed = Seed.make("NodeTests.kills")
    var random = SplitMix64(seed: seed)
    var world = try await NodeWorld(arguments: arguments)
    let writers = try await CountingWriters(world.nodes)
    for round in 0..<6 {
      guard try await writers.wait(forMore: 20 + random.below(60)).contradictions.isEmpty else {
        break
      }
      // Half of the time the one that leads.
      let leads = try await world.leader(from: round % 3)
      let victim = round % 2 == 0 ? leads : random.below(3)
      try await world.nodes[victim].crash()
      if random.below(2) == 0 { try await writers.wait(forMore: 20) }
      try await world.restart(victim)
    }
    let results = try await writers.stop()
    try await writers.verify(on: world.nodes[random.below(3)], seed)
    let (failed, unknown) = (results.failedCount, results.unknownCount)
    print("NodeTests: \(results.total) saves, \(failed) failed, \(unknown) unknown")
  }

  @Test("a leader that is paused is replaced; what it wakes up with changes nothing")
  func pause() async throws {
    let seed = Seed.make("NodeTests.pause")
    let world = try await NodeWorld()
    // Not at the node that is paused.
    let writers = try await CountingWriters([world.nodes[1], world.nodes[2]])
    try await writers.wait(forMore: 40)
    try world.nodes[0].process.pause()
    let next = try await world.leader(from: 1, other: 0)
    try await writers.wait(forMore: 40)
    world.nodes[0].process.resume()
    try await world.wait(forFollowers: 2, from: next)
    // It can be called, and does not answer from before.
    let client = try await world.nodes[0].client(as: "ada")
    #expect(try await client.fetch([.init("writer-0")])[0].record != nil)
    _ = try await writers.stop()
    try await writers.verify(on: world.nodes[0], seed)
  }

  @Test("a device at a node that stays is notified of everything, also while the leader changes")
  func pushes() async throws {
    var world = try await NodeWorld()
    let listener = try await world.nodes[2].client(as: "ada", device: "listener")
    try await listener.subscribe(.init("all", "Houses"))
    let stream = names(of: listener)
    let writer = try await world.nodes[1].client(as: "ada", device: "writer")
    var number = 0
    for round in 0..<3 {
      for _ in 0..<20 {
        _ = try await writer.modify([.init("Houses", "h\(number)")], key: "save-\(number)")
        number += 1
      }
      // Those that stay are the listener's and the writer's; the leader is started again behind them.
      guard round < 2, try await world.leader(from: 2) == 0 else { continue }
      try await world.nodes[0].crash()
      try await world.restart(0)
    }
    var expected = (0..<number).map { "h\($0)" }[...]
    for try await name in stream {
      #expect(name == expected.first)
      expected = expected.dropFirst()
      if expected.isEmpty { break }
    }
  }

  @Test("a leader that is killed costs clients of the others no call that can be repeated")
  func takeover() async throws {
    let world = try await NodeWorld()
    let (calls, hasEnded) = (Observed(0), Observed(false))
    // One of these two nodes takes over, and closes its connections for that.
    let callers = try await (0..<6).asyncMap { number in
      let client = try await world.nodes[1 + number % 2].client(as: "user-\(number)")
      return Task {
        var count = 0
        while !hasEnded.value {
          count += 1
          _ = try await client.modify([.init("Houses", "h")], key: "\(number)-\(count)")
          _ = try await client.fetch([.init("h")])
          calls.update { $0 += 1 }
        }
      }
    }
    try await calls.wait("calls") { $0 >= 20 }
    try await world.nodes[0].crash()
    let before = calls.value
    try await calls.wait("calls of the next leader") { $0 >= before + 60 }
    hasEnded.update { $0 = true }
    for caller in callers { try await caller.value }
  }

  @Test("a node that takes the database just as it begins to follow answers at once")
  func leadsAgain() async throws {
    let world = try await NodeWorld(1)
    let client = try await world.nodes[0].client(as: "ada")
    let database = try world.database()
    var shortest = Duration.seconds(1_000)
    // It would wait 5 s for another leader; a busy machine may take as long, but not each time.
    for _ in 0..<10 where shortest > .seconds(4) {
      let term = try await world.status(from: 0).term + 1_000
      // As if another node had led: it follows, finds nobody, and takes the database again.
      try database.execute("UPDATE leader SET term = term + 1000")
      try await waitUntil("the node to take the database", pausing: .milliseconds(5)) {
        let newest = try database.prepare("SELECT term FROM leader")
        defer { newest.reset() }
        return try newest.step() && newest.int64(0) != Int64(term)
      }
      let begin = ContinuousClock.now
      _ = try await client.fetch([.init("h")])
      shortest = min(shortest, begin.duration(to: .now))
    }
    #expect(shortest < .seconds(4))
  }

  @Test("a node that is drained refuses calls and exits, and nobody else is disturbed")
  func drain() async throws {
    var world = try await NodeWorld()
    for index in [2, 0] {
      let client = try await world.nodes[index].client(as: "root", retries: false)
      _ = try await TidingsV1.AdminService.Client(client.transport)
        .drain(.init(action: .drain, stops: true))
      #expect(try await world.nodes[index].process.waitForExit() == .code(0))
      let other = try await world.nodes[1].client(as: "ada")
      try await other.save(.init("Houses", "after-\(index)"))
      try await world.restart(index)
    }
    #expect(try await world.leader(from: 0) != 0)
    // It follows now, and the others were not drained.
    for node in world.nodes {
      let client = try await node.client(as: "ada")
      try await client.save(.init("Houses", "last"))
    }
  }

  @Test("a leader that is drained lets another one lead, and takes calls again when it is asked to")
  func drainedLeader() async throws {
    let world = try await NodeWorld(2)
    let client = try await world.nodes[0].client(as: "root")
    let administration = TidingsV1.AdminService.Client(client.transport)
    _ = try await administration.drain(.init(action: .drain))
    #expect(try await world.leader(from: 1, other: 0) == 1)
    let refused = try await world.nodes[0].client(as: "ada", retries: false)
    try await waitUntil("a refusal, because the node drains", pausing: .milliseconds(20)) {
      let error = await failure { _ = try await refused.fetch([.init("h")]) }
      // The connection to the leader that it was is lost once.
      return error?.details.contains(.errorInfo(reason: "DRAINING")) == true
    }
    _ = try await administration.drain(.init(action: .resume))
    let other = try await world.nodes[0].client(as: "ada")
    try await other.save(.init("Houses", "h"))
    #expect(try await world.leader(from: 0) == 1)
  }

  @Test("nodes that are restarted one after the other under load fail no call that can be repeated")
  func rollingRestart() async throws {
    let seed = Seed.make("NodeTests.rollingRestart")
    var world = try await NodeWorld()
    let writers = try await CountingWriters(world.nodes, movesOn: true)
    for index in world.nodes.indices {
      try await writers.wait(forMore: 40)
      #expect(try await world.nodes[index].stop() == .code(0))
      try await writers.wait(forMore: 20)
      try await world.restart(index)
    }
    let results = try await writers.stop()
    try await writers.verify(on: world.nodes[1], seed)
    // The others learn that it is not known what became of a call that was on its way when sockets were closed.
    #expect(results.keyedFailureCount == 0)
  }

  @Test("a database that lost commits gets a new incarnation with the next leader")
  func lostCommits() async throws {
    let world = try await NodeWorld(2)
    let client = try await world.nodes[1].client(as: "ada")
    try await client.save(.init("Houses", "h1"))
    let records = TidingsV1.RecordService.Client(client.transport)
    let token = try await records.fetchDatabaseChanges(.init()).changeToken
    let database = try world.database()
    // The other node has seen a commit that comes after these.
    try database.execute("UPDATE commits SET number = number + 1000 WHERE term = 1")
    try await world.waitUntilRead(database)
    // As if a standby had been promoted that was behind.
    try world.nodes[0].process.pause()
    try database.execute("UPDATE commits SET number = 1 WHERE term = 1")
    try await world.nodes[0].crash()
    #expect(try await world.leader(from: 1) == 1)
    let later = try await world.nodes[1].client(as: "ada")
    let error = await failure {
      _ = try await TidingsV1.RecordService.Client(later.transport)
        .fetchDatabaseChanges(.init(changeToken: token))
    }
    #expect("\(error as Any)".contains("token"), "\(error as Any)")
    let errors = world.nodes[1].process.seen.value.errors
    #expect(errors.contains("THE DATABASE HAS LOST COMMITS"), "\(errors)")
  }

  @Test("commits that a node which follows has seen, and the leader has not, are missed too, once")
  func lostCommitsOfOthers() async throws {
    let world = try await NodeWorld(3)
    let client = try await world.nodes[1].client(as: "ada")
    try await client.save(.init("Houses", "h1"))
    let token = try await TidingsV1.RecordService.Client(client.transport)
      .fetchDatabaseChanges(.init()).changeToken
    let database = try world.database()
    try database.execute("UPDATE commits SET number = number + 1000 WHERE term = 1")
    try await world.waitUntilRead(database)
    // As if a standby had been promoted that was behind, with which the leader goes on.
    try database.execute("UPDATE commits SET number = number - 1000 WHERE term = 1")
    // A change of roles takes a moment.
    try await waitUntil("the token to expire", pausing: .milliseconds(20)) {
      let client = try await world.nodes[0].client(as: "ada")
      let error = await failure {
        _ = try await TidingsV1.RecordService.Client(client.transport)
          .fetchDatabaseChanges(.init(changeToken: token))
      }
      return "\(error as Any)".contains("token")
    }
    try await world.wait(forFollowers: 2, from: 0)
    // Nobody misses them any more.
    try await world.waitUntilRead(database)
    try await world.nodes[2].client(as: "ada").save(.init("Houses", "h2"))
    let errors = world.nodes.map { $0.process.seen.value.errors }.joined()
    #expect(errors.components(separatedBy: "THE DATABASE HAS LOST COMMITS").count == 2, "\(errors)")
  }

  /// The names of the records of which a device is notified, in order.
  private func names(of client: Client) -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          for try await notification in client.notificationStream() {
            continuation.yield(notification.recordID?.recordName ?? "")
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
#endif
