#if PostgreSQL
import CheckCore
import PostgresTestSupport
import RPCTestSupport
import RandomSupport
import TestSupport
import Testing

/// Three nodes of one database, of which any is killed while they are checked.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct CheckedNodeTests {
  @Test("nodes that are killed one after the other violate nothing")
  func kills() async throws {
    let seed = Seed.make("CheckedNodeTests.kills")
    var random = SplitMix64(seed: seed)
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    var nodes: [TestServer] = []
    for number in 0..<3 {
      let (rpc, push) = (ReservedPort(), ReservedPort())
      nodes.append(
        try await TestServer.start(
          rpc: rpc.endpoint,
          push: push.endpoint,
          keeping: [rpc, push],
          arguments: ["--node-name", "node-\(number)"],
          environment: ["RPCD_DATABASE": uri]
        )
      )
    }
    var settings = CheckSettings(nodes.map(\.rpcEndpoint), calls: 100_000, seed: seed)
    settings.duration = CheckSettings.seconds(20)
    let run = CheckRun(settings)
    let isDone = Observed(false)
    async let report = {
      defer { isDone.update { $0 = true } }
      return try await run.run()
    }()
    while true {
      try await Task.sleep(for: .milliseconds(1000 + random.below(2000)))
      if isDone.value { break }
      let victim = random.below(nodes.count)
      try await nodes[victim].crash()
      if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(1000))) }
      nodes[victim] = try await nodes[victim].restarted()
    }
    let found = try await report
    #expect(found.isFine, "\(found.text)")
    print("CheckedNodeTests: \(found.text)")
    for row in found.rows { #expect(row.ok > 20, "\(row.line)") }
  }
}
#endif
