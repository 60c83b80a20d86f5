#if PostgreSQL
internal import PostgresTestSupport
internal import TestSupport
internal import Testing

/// The example of several nodes does what the page about them says.
@Suite(
  .enabled(
    if: PostgresCluster.canMake,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct NodesExampleTests {
  @Test("nothing is lost when the node that leads is killed, and when PostgreSQL crashes")
  func failover() async throws {
    let folder = try Repository.program("rpcd").dropLast("/rpcd".count)
    let run = try await ForeignProgram.run(
      Repository.root + "/docs/examples/nodes/failover",
      [],
      environment: ["TIDINGS_BIN": String(folder)]
    )
    #expect(run.exit == 0, "\(run.output)\n\(run.errors)")
    #expect(run.output.contains("failover-2  saved through node 2"), "\(run.output)")
    #expect(run.errors == "")
  }
}
#endif
