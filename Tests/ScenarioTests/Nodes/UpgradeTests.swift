#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Nodes of this version and of the next one on one database.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct UpgradeTests {
  /// What makes a node one of the next version, which has a data format of its own.
  private static let next = ["TIDINGS_TEST_NEXT_FORMAT": "1"]
  private static let refusal = "THIS NODE CANNOT LEAD"

  private func errors(of node: TestServer) -> String { node.process.seen.value.errors }

  private func refusalCount(_ node: TestServer) -> Int {
    errors(of: node).components(separatedBy: Self.refusal).count - 1
  }

  @Test(
    "nodes that are replaced by the next version one by one, under load, lose and double nothing, and fail no call that can be repeated",
    arguments: [[1, 2, 0], [0, 1, 2]]
  )
  func rolling(order: [Int]) async throws {
    let seed = Seed.make("UpgradeTests.rolling")
    var world = try await NodeWorld()
    let format = try world.dataFormat()
    let writers = try await CountingWriters(world.nodes, movesOn: true)
    for (round, index) in order.enumerated() {
      try await writers.wait(forMore: 40)
      let client = try await world.nodes[index].client(as: "root")
      _ = try await TidingsV1.AdminService.Client(client.transport)
        .drain(.init(action: .drain, stops: true))
      #expect(try await world.nodes[index].process.waitForExit() == .code(0))
      try await writers.wait(forMore: 20)
      if round == 0 { #expect(try world.dataFormat() == format) }
      try await world.restart(index, environment: Self.next)
    }
    let results = try await writers.stop()
    try await writers.verify(on: world.nodes[1], seed)
    #expect(results.keyedFailureCount == 0)
    let status = try await world.status(from: order[0])
    #expect(status.dataFormat == UInt64(format + 1))
    #expect(status.nodes.map(\.dataFormat) == Array(repeating: UInt64(format + 1), count: 3))
    #expect(try world.dataFormat() == format + 1)
  }

  @Test("a node of the next version that follows changes nothing in the database")
  func nextFollows() async throws {
    var world = try await NodeWorld(2, environments: [[:], Self.next])
    let format = try world.dataFormat()
    try await world.nodes[1].client(as: "ada").saveHouse("h1")
    try await world.nodes[1].crash()
    try await world.restart(1)
    try await world.nodes[1].client(as: "ada").saveHouse("h2")
    let status = try await world.status(from: 1)
    #expect(status.dataFormat == UInt64(format) && status.term == 1)
    #expect(status.nodes.map(\.dataFormat) == [UInt64(format), UInt64(format + 1)])
    #expect(try world.dataFormat() == format)
  }

  @Test("a node of an older version follows a newer one, never leads after it, and says so once")
  func oldFollows() async throws {
    var world = try await NodeWorld(2, environments: [[:], Self.next])
    let format = try world.dataFormat()
    try await world.nodes[0].client(as: "ada").saveHouse("h1")
    try await world.nodes[0].crash()
    #expect(try await world.leader(from: 1) == 1)
    #expect(try world.dataFormat() == format + 1)
    try await world.restart(0)
    let client = try await world.nodes[0].client(as: "ada", retries: false)
    try await world.nodes[0].client(as: "ada").saveHouse("h2")
    #expect(try await client.fetch([.init("h1")])[0].record != nil)
    try await world.nodes[0].process.seen.wait("the refusal") { $0.errors.contains(Self.refusal) }
    // It is not the next one that leads, and does not end.
    try await world.nodes[1].crash()
    try await waitUntil("nobody to lead", pausing: .zero) {
      let error = await failure { _ = try await client.fetch([.init("h1")]) }
      if error?.details.contains(.errorInfo(reason: "NO_LEADER")) == true { return true }
      #expect(error?.code == .unavailable)
      return false
    }
    #expect(world.nodes[0].process.seen.value.exit == nil)
    // One that starts has nobody to follow.
    let refused = await #expect(throws: (any Error).self) {
      _ = try await TestServer.start(environment: ["RPCD_DATABASE": world.uri])
    }
    #expect("\(refused as Any)".contains("data format \(format + 1)"), "\(refused as Any)")
    try await world.restart(1, environment: Self.next)
    let later = try await world.nodes[0].client(as: "ada")
    try await later.saveHouse("h3")
    let status = try await world.status(from: 0)
    #expect(status.nodes.map(\.dataFormat) == [UInt64(format + 1), UInt64(format)])
    #expect(refusalCount(world.nodes[0]) == 1, "\(errors(of: world.nodes[0]))")
  }

  @Test("a leader that is drained does not leave the database to nodes that cannot read it")
  func drainWithoutSuccessor() async throws {
    let world = try await NodeWorld(1, environments: [Self.next])
    let old = try await TestServer.start(environment: ["RPCD_DATABASE": world.uri])
    try await old.client(as: "ada").saveHouse("h1")
    let root = try await world.nodes[0].client(as: "root")
    let administration = TidingsV1.AdminService.Client(root.transport)
    _ = try await administration.drain(.init(action: .drain))
    _ = try await administration.drain(.init(action: .resume))
    try await old.client(as: "ada").saveHouse("h2")
    #expect(try await world.status(from: 0).term == 1)
  }

  @Test("nodes without a common version of their protocol say so once, follow nobody, and can lead")
  func protocols() async throws {
    var world = try await NodeWorld(
      2,
      environments: [[:], ["TIDINGS_TEST_NODE_PROTOCOL": "7"]]
    )
    let client = try await world.nodes[1].client(as: "ada", retries: false)
    for _ in 0..<2 {
      let error = await failure { _ = try await client.fetch([.init("h1")]) }
      #expect(error?.details.contains(.errorInfo(reason: "NO_LEADER")) == true, "\(error as Any)")
    }
    let said = errors(of: world.nodes[1])
    let message = "no version of the protocol between nodes in common (7; 1)"
    #expect(said.components(separatedBy: message).count == 2, "\(said)")
    #expect(try await world.status(from: 0).nodes.map(\.name) == ["node-0"])
    try await world.nodes[0].crash()
    #expect(try await world.leader(from: 1) == 1)
    try await world.nodes[1].client(as: "ada").saveHouse("h1")
    try await world.restart(0)
    try await world.nodes[0].process.seen.wait("what it says") {
      $0.errors.contains("in common (1; 7)")
    }
  }
}
#endif
