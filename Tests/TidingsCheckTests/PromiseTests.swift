import CheckCore
import TestSupport
import Testing

/// The checkers against a real server.
///
/// `tools/check-mutations` runs this against servers that break a promise, which it must find.
@Suite(.endsServers) struct PromiseTests {
  @Test("a server keeps the promises of each workload", arguments: WorkloadName.allCases)
  func kept(_ workload: WorkloadName) async throws {
    let seed = Seed.make("PromiseTests.\(workload.rawValue)")
    let server = try await TestServer.start()
    let settings = CheckSettings(
      [server.rpcEndpoint],
      workloads: [workload],
      calls: 600,
      seed: seed
    )
    let report = try await CheckRun(settings).run()
    #expect(report.isFine, "\(report.text)")
  }
}
