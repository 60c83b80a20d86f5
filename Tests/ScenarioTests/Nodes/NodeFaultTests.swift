#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC

/// Nodes of one database whose connections to each other, and whose clocks, are not what they should be.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct NodeFaultTests {
  /// What stands between each node and the others.
  private final class Mesh: Sendable {
    private let proxies = Mutex<[CallProxy]>([])

    /// Stands before a node.
    ///
    /// - Parameters:
    ///   - endpoint: Of the node.
    ///   - bytesMax: What a connection carries at most.
    ///   - seed: What decides where connections are cut.
    /// - Returns: What others connect to.
    /// - Throws: `WaitingFailure`.
    func stand(before endpoint: String, cutWithin bytesMax: Int, seed: UInt64) throws -> String {
      try proxies.withLock { proxies in
        let number = UInt64(proxies.count)
        proxies.append(try CallProxy(to: endpoint, cutWithin: bytesMax, seed: seed + number))
        return proxies[proxies.count - 1].endpoint
      }
    }

    var cutCount: Int { proxies.withLock { $0.map(\.cutCount).reduce(0, +) } }

    /// Cuts nothing more.
    func behave() { proxies.withLock { for proxy in $0 { proxy.behave() } } }

    /// Ends all connections between the nodes, for good.
    func end() { proxies.withLock { $0 = [] } }
  }

  @Test(
    "connections between nodes that are cut anywhere lose no save, double none, and contradict nobody"
  )
  func cutMesh() async throws {
    let seed = Seed.make("NodeFaultTests.cutMesh")
    let mesh = Mesh()
    let world = try await NodeWorld(advertised: {
      try mesh.stand(before: $0, cutWithin: 30_000, seed: seed)
    })
    let writers = try await CountingWriters(world.nodes)
    var rounds = 0
    while mesh.cutCount < 12, rounds < 40 {
      guard try await writers.wait(forMore: 20).contradictions.isEmpty else { break }
      rounds += 1
    }
    mesh.behave()
    _ = try await writers.stop()
    try await writers.verify(on: world.nodes[2], seed)
    #expect(mesh.cutCount >= 12)
    // Nobody was ended for it.
    #expect(try await world.status(from: 0).term == 1)
  }

  @Test("a node that cannot reach the leader says so and ends nobody, and clients go on at others")
  func separatedNode() async throws {
    let mesh = Mesh()
    let world = try await NodeWorld(
      2,
      advertised: { try mesh.stand(before: $0, cutWithin: .max, seed: 0) }
    )
    let before = try await world.nodes[1].client(as: "ada", device: "one", retries: false)
    try await before.save(.init("Houses", "h1"))
    mesh.end()
    try await waitUntil("the node to reach no leader", pausing: .zero) {
      // What was on its way is of unknown outcome.
      let error = await failure { _ = try await before.fetch([.init("h1")]) }
      return error?.details.contains(.errorInfo(reason: "NO_LEADER")) == true
    }
    let client = try await world.nodes[1].client(as: "ada", device: "two", or: [world.nodes[0]])
    _ = try await client.modify([.init("Houses", "h2")], key: "h2")
    #expect(try await client.fetch([.init("h1"), .init("h2")]).allSatisfy { $0.record != nil })
    let status = try await world.status(from: 0)
    #expect(status.term == 1 && status.nodes.first?.name == "node-0")
  }

  @Test(
    "a leader that ends amid calls that take long goes on as a node, and nothing of it stays behind",
    arguments: [LeaderEnd.silence, .lostCommits]
  )
  func endsAmidLongCalls(_ end: LeaderEnd) async throws {
    // Each step of a call is a slice of its own, with turns of the loop between them.
    let world = try await NodeWorld(2, arguments: ["--limit", "call-cost-max=0"])
    for round in 1...4 {
      let leader = try await world.leader(from: 0)
      let term = try await world.status(from: 0).term
      let saved = Observed(0)
      let isOver = Observed(false)
      let writers = try await (0..<3).asyncMap { number in
        let client = try await world.nodes[leader].client(as: "user-\(number)", retries: false)
        return Task {
          // Who has just been answered when the role ends connects again, and saves through the node that it became.
          while !isOver.value {
            let records = (0..<400).map { TidingsV1.Record("Notes", "n\($0)") }
            if (try? await client.modify(records)) == nil { return }
            saved.update { $0 += 1 }
          }
        }
      }
      try await saved.wait("calls") { $0 >= 3 }
      let process = world.nodes[leader].process
      try process.pause()
      switch end {
      case .silence:
        try await waitUntil("the next term", pausing: .milliseconds(20)) {
          try await world.status(from: 1 - leader).term != term
        }
      case .lostCommits:
        let database = try world.database()
        try database.execute("UPDATE commits SET number = number + 1000 WHERE term = \(term)")
        // Unless it has become the leader meanwhile.
        try await world.waitUntilRead(database, inTerm: term)
        try database.execute("UPDATE commits SET number = number - 1000 WHERE term = \(term)")
      }
      process.resume()
      try await waitUntil("the next term", pausing: .milliseconds(20)) {
        (try? await world.status(from: 1 - leader).term) ?? term != term
      }
      isOver.update { $0 = true }
      for writer in writers { await writer.value }
      for node in world.nodes {
        // The connection may be lost once more, when roles change.
        _ = try await node.client(as: "ada").modify(
          [.init("Notes", "after-\(round)")],
          key: "after-\(round)"
        )
      }
    }
  }

  /// Why a leader ends.
  enum LeaderEnd {
    /// It leaves no signs of life, and another node takes over.
    case silence
    /// Another node has seen commits that the database does not have.
    case lostCommits
  }

  @Test(
    "nodes whose clocks differ by hours lose no save, double none, and keep tokens and keys valid"
  )
  func clocks() async throws {
    let seed = Seed.make("NodeFaultTests.clocks")
    let clocks = try (0..<3).map { number in
      let clock = try ClockFault()
      try clock.setTimeOfDay(ahead: .seconds((number - 1) * 3_600))
      // Each is a machine of its own.
      try clock.startMachine(uptime: .seconds(number * 1_000_000))
      return clock
    }
    var world = try await NodeWorld(environments: clocks.map(\.environment))
    let client = try await world.nodes[0].client(as: "eve")
    let first = try await client.modify([.init("Counter", "first", ["number": 1])], key: "first")
    let token = try await TidingsV1.RecordService.Client(client.transport)
      .fetchDatabaseChanges(.init()).changeToken
    let writers = try await CountingWriters(world.nodes)
    for _ in 0..<4 {
      guard try await writers.wait(forMore: 40).contradictions.isEmpty else { break }
      let leader = try await world.leader(from: 1)
      try await world.nodes[leader].crash()
      try await writers.wait(forMore: 20)
      try await world.restart(leader)
    }
    _ = try await writers.stop()
    try await writers.verify(on: world.nodes[0], seed)
    let later = try await world.nodes[2].client(as: "eve")
    // The key is remembered, and the token is valid.
    let repeated = try await later.modify([.init("Counter", "first", ["number": 1])], key: "first")
    #expect(repeated == first, "\(repeated)")
    let changes = try await TidingsV1.RecordService.Client(later.transport)
      .fetchDatabaseChanges(.init(changeToken: token))
    #expect(changes.changedZoneIDs.isEmpty, "\(changes)")
  }
}
#endif
