import CheckCore
import TestSupport
import Testing

/// The checkers against a real server: nothing is wrong with it, and what is done wrong on purpose is found.
@Suite(.endsServers) struct FaultTests {
  @Test("a run in which nothing is wrong reports nothing")
  func none() async throws {
    let seed = Seed.make("FaultTests.none")
    let server = try await TestServer.start()
    let settings = CheckSettings([server.rpcEndpoint], calls: 1000, seed: seed)
    let report = try await CheckRun(settings).run()
    #expect(report.isFine, "\(report.text)")
    #expect(report.rows.map(\.workload) == WorkloadName.allCases)
    for row in report.rows {
      #expect(row.ok > 200 && row.unknown == 0, "\(row.line)")
    }
    for row in report.rows.suffix(2) { #expect(row.notifications > 100, "\(row.line)") }
  }

  @Test("what is done wrong is found by the checker of its workload", arguments: Fault.allCases)
  func found(_ fault: Fault) async throws {
    let seed = Seed.make("FaultTests.\(fault.rawValue)")
    let server = try await TestServer.start()
    let settings = CheckSettings(
      [server.rpcEndpoint],
      workloads: [fault.workload],
      calls: 1000,
      fault: fault,
      seed: seed
    )
    let report = try await CheckRun(settings).run()
    let row = try #require(report.rows.first)
    #expect(!row.violations.isEmpty, "\(fault) was not found: \(row.line)")
    let words = try #require(Self.words[fault])
    let isFound = row.violations.contains { violation in
      words.contains { violation.what.contains($0) }
    }
    #expect(isFound, "\(row.violations)")
    #expect(!row.violations.contains { $0.isUndecided })
  }

  /// Parts of what may be reported.
  private static let words: [Fault: [String]] = [
    .lostInsert: ["is lost"], .phantomInsert: ["or it failed"], .staleRead: ["not linearizable"],
    .failedAsOK: ["not linearizable"], .halfBatch: ["total"], .skippedPage: ["does not continue"],
    .reordered: ["came after number"],
    .doubledNotification: ["more than once", "came after number"],
    .lostNotification: ["came after number", "is missing", "notifications of a zone"],
    .wrongSubscription: ["does not match"], .settledTwice: ["with two leases"],
    .sharedLease: ["before its lease ended", "went to two"],
  ]
}
