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
    let settings = CheckSettings.underFaults(nodes.map(\.rpcEndpoint), calls: 1_500, seed: seed)
    let run = CheckRun(settings)
    let isDone = Observed(false)
    async let report = {
      defer { isDone.update { $0 = true } }
      return try await run.run()
    }()
    let end = settings.duration + .seconds(600)
    try await waitUntil("the end of the check", pausing: .zero, for: end) {
      // A random pause, so that each kill comes at another point of the work.
      try await Task.sleep(for: .milliseconds(500 + random.below(2000)))
      guard !isDone.value else { return true }
      let victim = random.below(nodes.count)
      try await nodes[victim].crash()
      // A random pause, so that the others notice sometimes before it is back.
      if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(1000))) }
      nodes[victim] = try await nodes[victim].restarted()
      return false
    }
    let found = try await report
    #expect(found.isFine, "\(found.text)")
    print("CheckedNodeTests: \(found.text)")
    for row in found.rows { #expect(row.ok > 20, "\(row.line)") }
  }
}
#endif
