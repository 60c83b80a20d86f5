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

/// rpcd on PostgreSQL, while connections to it are cut and its processes die.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.canMake,
    "no PostgreSQL server of these tests: run tools/install-dependencies --postgres"
  )
)
struct PostgresFaultTests {
  /// With `TIDINGS_CUT_COMMITS=1000` as many commits are cut.
  private static let faultsMin =
    ProcessInfo.processInfo.environment["TIDINGS_CUT_COMMITS"].flatMap(Int.init) ?? 40

  /// Lets writers save until there were enough faults, or something is wrong.
  private static func disturb(
    _ writers: CountingWriters,
    until isEnough: () -> Bool
  ) async throws {
    let patience = Duration.seconds(300 + 10 * faultsMin)
    try await waitUntil("\(faultsMin) faults", pausing: .zero, for: patience) {
      if isEnough() { return true }
      return try await !writers.wait(forMore: 1).isRight
    }
  }

  @Test("connections that are cut anywhere lose no save, double none and fail no call")
  func cuts() async throws {
    let world = try await World(PostgresCluster.shared())
    let proxy = try CallProxy(
      to: "tcp://127.0.0.1:\(world.port)",
      cutWithin: 400_000,
      seed: world.seed
    )
    let port = try #require(proxy.endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    let server = try await world.startPatiently(through: port)
    let writers = try await CountingWriters(server)
    try await Self.disturb(writers) { proxy.cutCount >= Self.faultsMin }
    proxy.behave()
    let results = try await writers.stop()
    try await writers.verify(on: server, world.seed)
    #expect(results.failedCount + results.unknownCount == 0, "seed \(world.seed)")
  }

  @Test("no commit that is cut, or that comes too late, is lost, doubled, or fails a call")
  func commits() async throws {
    let world = try await World(PostgresCluster.shared())
    // A group is run again three times.
    let proxy = try DatabaseProxy(to: world.port, oneCommitIn: 4, mercy: 1, seed: world.seed)
    let server = try await world.startPatiently(through: proxy.port)
    let writers = try await CountingWriters(server)
    try await Self.disturb(writers) { proxy.faults.total >= Self.faultsMin }
    proxy.behave()
    let results = try await writers.stop()
    try await writers.verify(on: server, world.seed)
    print("PostgresFaultTests: \(results.total) saves, \(proxy.faults)")
    let errors = server.process.seen.value.errors
    #expect(results.failedCount + results.unknownCount == 0, "seed \(world.seed): \(errors)")
  }

  @Test(
    "subscriptions of calls that take several turns are as acknowledged, whichever commits are cut"
  )
  func subscriptions() async throws {
    let world = try await World(PostgresCluster.shared())
    let proxy = try DatabaseProxy(to: world.port, oneCommitIn: 3, mercy: 1, seed: world.seed)
    let server = try await world.startPatiently(through: proxy.port)
    let client = try await server.client(as: "ada")
    var (round, known) = (0, 0)
    while proxy.faults.total < Self.faultsMin / 2, round < 10 * Self.faultsMin {
      round += 1
      // So large that it is read on another thread, and written in more than one piece.
      let names = (0..<60).map { "round-\(round)-subscription-\($0)" }
      let wanted = names.map {
        TidingsV1.Subscription($0, "Houses", where: "price > 1 AND city == '\($0)'")
      }
      let saved = await outcome {
        try await client.subscriptions.modifySubscriptions(.init(subscriptionsToSave: wanted))
      }
      let found = try await Self.names(client)
      if let saved {
        known += 1
        #expect(saved.results.allSatisfy { $0.subscription != nil }, "seed \(world.seed)")
        #expect(found.isSuperset(of: names), "seed \(world.seed), round \(round)")
      }
      let deleted = await outcome {
        try await client.subscriptions.modifySubscriptions(.init(subscriptionIDsToDelete: names))
      }
      if deleted != nil {
        known += 1
        #expect(try await Self.names(client).isDisjoint(with: names), "seed \(world.seed)")
      }
    }
    proxy.behave()
    #expect(known > round, "\(known) of \(2 * round) calls")
  }

  /// The subscriptions that there are; a call that shares its group with one whose commit is cut fails with it.
  private static func names(_ client: Client) async throws -> Set<String> {
    var names: Set<String> = []
    try await waitUntil("an answer about subscriptions", pausing: .milliseconds(20)) {
      do {
        let found = try await client.subscriptions.fetchSubscriptions(.init())
        names = Set(found.results.map(\.subscriptionID))
        return true
      } catch let error as RPCError where error.code == .unavailable {
        return false
      }
    }
    return names
  }

  /// What a call answered; `nil`: it failed.
  private func outcome<Value>(_ call: () async throws -> Value) async -> Value? {
    try? await call()
  }

  @Test("where commits are cut without mercy, what calls say is true")
  func mercilessCuts() async throws {
    let world = try await World(PostgresCluster.shared())
    let proxy = try DatabaseProxy(to: world.port, oneCommitIn: 2, mercy: 0, seed: world.seed)
    let server = try await world.startPatiently(through: proxy.port)
    let writers = try await CountingWriters(server)
    try await Self.disturb(writers) { proxy.faults.total >= Self.faultsMin }
    proxy.behave()
    let results = try await writers.stop()
    try await writers.verify(on: server, world.seed)
    print("PostgresFaultTests: \(results.failedCount) failed, \(results.unknownCount) unknown")
  }

  @Test("a connection that the server ends loses no save, doubles none and fails no call")
  func backends() async throws {
    let world = try await World(PostgresCluster.shared())
    let server = try await world.start()
    let observer = PostgresConnection(try PostgresAddress(world.uri))
    let writers = try await CountingWriters(server)
    for _ in 0..<Self.faultsMin {
      // With nobody's help a new one is there for the next group.
      try world.endBackends(observer)
      guard try await writers.wait(forMore: 10).isRight else { break }
    }
    let results = try await writers.stop()
    try await writers.verify(on: server, world.seed)
    #expect(results.failedCount + results.unknownCount == 0, "seed \(world.seed)")
  }

  @Test(
    "a crash of the database, or kill -9 of one of its processes, loses no acknowledged save",
    arguments: [false, true]
  )
  func crash(ofOneProcess: Bool) async throws {
    // Its clients are not those of other tests.
    let cluster = try PostgresCluster()
    guard cluster.folder != nil else { return }
    let world = try await World(cluster)
    let server = try await world.start()
    let writers = try await CountingWriters(server)
    for _ in 0..<3 {
      guard try await writers.wait(forMore: 60).isRight else { break }
      if ofOneProcess { try cluster.killBackend() } else { try cluster.crash() }
    }
    _ = try await writers.stop()
    try await writers.verify(on: server, world.seed)
  }

  @Test("kill -9 of rpcd, whose commits are cut too, loses no acknowledged save and doubles none")
  func crashOfServer() async throws {
    let world = try await World(PostgresCluster.shared())
    let proxy = try DatabaseProxy(to: world.port, oneCommitIn: 8, mercy: 0, seed: world.seed)
    var server = try await world.startPatiently(through: proxy.port)
    let writers = try await CountingWriters(server)
    var random = SplitMix64(seed: world.seed)
    for _ in 0..<5 {
      guard try await writers.wait(forMore: 1 + random.below(60)).isRight else { break }
      try await server.crash()
      server = try await world.startPatiently(through: proxy.port, again: server)
    }
    proxy.behave()
    _ = try await writers.stop()
    try await writers.verify(on: server, world.seed)
  }

  @Test("what is read behind a commit that fails is answered when it is durable, not before")
  func readBehindFailure() async throws {
    let world = try await World(PostgresCluster.shared())
    let server = try await world.start()
    let writer = try await server.client(as: "ada", device: "writer")
    let reader = try await server.client(as: "ada", device: "reader")
    let saved = try await writer.modify([.init("Counter", "r", ["number": 1])])
    let administrator = PostgresConnection(try PostgresAddress(world.uri))
    let observer = PostgresConnection(try PostgresAddress(world.uri))
    let clock = try observer.prepare("SELECT CAST(clock_timestamp() AS TEXT)")
    _ = try clock.step()
    let begin = clock.string(0)
    clock.reset()
    // Others can read.
    try administrator.execute("BEGIN; LOCK TABLE records IN EXCLUSIVE MODE")
    let save = Task {
      var next = TidingsV1.Record("Counter", "r", ["number": 2])
      next.changeTag = saved.first?.record?.changeTag ?? ""
      return try await writer.modify([next])
    }
    let first = try await world.session(observer, "wait_event_type = 'Lock'")
    let answers = Observed(0)
    let fetch = Task {
      let found = try await reader.fetch([.init("r")])
      answers.update { $0 += 1 }
      return found
    }
    // It was read ahead, by the first who needed that, and is decided behind the save.
    _ = try await world.session(
      observer,
      "backend_start > '\(begin)' AND state = 'idle' AND query = 'COMMIT'"
    )
    let terminate = try observer.prepare("SELECT pg_terminate_backend(\(first))")
    try terminate.forEachRow {}
    _ = try await world.session(observer, "pid <> \(first) AND wait_event_type = 'Lock'")
    #expect(answers.value == 0, "the save that it saw was lost")
    try administrator.execute("COMMIT")
    #expect(try await save.value.first?.record != nil)
    let found = try await fetch.value.first?.record
    #expect(found?.fields["number"] == .init(.int64Value(2)))
  }

  /// A database with the tables of a server that has stopped: a first start is not what is disturbed.
  private struct World {
    let seed = Seed.make("PostgresFaultTests")
    let uri: String
    /// The database server's own.
    let port: UInt16
    private let cluster: PostgresCluster

    init(_ cluster: PostgresCluster) async throws {
      uri = try cluster.makeDatabaseURI()
      port = try cluster.port()
      self.cluster = cluster
      try await start().stop()
    }

    func start() async throws -> TestServer {
      try await TestServer.startLasting(environment: ["RPCD_DATABASE": uri])
    }

    /// Starts a server that reaches the database through a proxy.
    ///
    /// A start whose connection is cut fails with the reason, and is repeated by what supervises it.
    func startPatiently(
      through port: UInt16,
      again previous: TestServer? = nil
    ) async throws -> TestServer {
      let address = try cluster.uri(of: uri, through: port)
      var failure: any Error = WaitingFailure(description: "not started")
      for _ in 0..<50 {
        do {
          if let previous { return try await previous.restarted() }
          return try await TestServer.startLasting(environment: ["RPCD_DATABASE": address])
        } catch { failure = error }
      }
      throw failure
    }

    /// Waits for a session of rpcd that is as a condition says.
    ///
    /// - Returns: The number of its process.
    func session(_ observer: PostgresConnection, _ condition: String) async throws -> Int64 {
      let select = try observer.prepare(
        """
        SELECT CAST(pid AS BIGINT) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'rpcd' AND \(condition)
        """
      )
      var pid: Int64?
      try await waitUntil("a session with \(condition)") {
        try select.forEachRow { pid = select.int64(0) }
        return pid != nil
      }
      return try #require(pid)
    }

    func endBackends(_ observer: PostgresConnection) throws {
      let terminate = try observer.prepare(
        """
        SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'rpcd' AND pid <> pg_backend_pid()) AS t
        """
      )
      try terminate.forEachRow {}
    }
  }
}

extension CountingWriters.Results {
  fileprivate var isRight: Bool { contradictions.isEmpty }
}

extension [DatabaseProxy.Fault: Int] {
  fileprivate var total: Int { values.reduce(0, +) }
}
#endif
