import CheckCore
import Foundation
import TestSupport
import Testing

/// The checkers against a real server that breaks a promise (`ServerSabotage`), and against one that keeps all.
@Suite(.endsServers) struct SabotageTests {
  /// A promise that a server breaks.
  struct Sabotage: Sendable, CustomTestStringConvertible {
    /// The name of the case of `ServerSabotage`.
    let name: String
    /// The workload whose checker must find it.
    let workload: WorkloadName
    /// Parts of what may be reported.
    let words: [String]

    init(_ name: String, _ workload: WorkloadName, _ words: String...) {
      (self.name, self.workload, self.words) = (name, workload, words)
    }

    var testDescription: String { name }
  }

  static let all = [
    Sabotage("unstoredSave", .set, "is lost"),
    Sabotage("halfBatch", .bank, "with a total of"),
    Sabotage("partOfBatch", .set, "a part of an atomic batch"),
    Sabotage("staleRead", .register, "not linearizable"),
    Sabotage("ignoredKey", .register, "not linearizable"),
    Sabotage("lostUpdate", .register, "not linearizable"),
    Sabotage("skippedChange", .append, "not in the feed", "has an older version", "the copy has"),
    Sabotage("lostDeletion", .append, "is not deleted in the feed", "the copy has"),
    Sabotage("feedOrder", .append, "after a larger change tag"),
    Sabotage("lostEvent", .subscriptions, "a notification is missing"),
    Sabotage("lostZoneEvent", .subscriptions, "notifications of a zone are missing"),
    Sabotage("doubledEvent", .subscriptions, "more than once", "without a change of the zone"),
    Sabotage("skippedNotification", .subscriptions, "came after number", "missing"),
    Sabotage("sharedLease", .leases, "before its lease ended"),
    Sabotage("lostRelease", .leases, "were not done in the end"),
    Sabotage("repeatedWork", .leases, "with two leases", "after it was done"),
  ]

  /// One for each workload, or all of them with `TIDINGS_SABOTAGE=all`.
  static let chosen: [Sabotage] = {
    guard ProcessInfo.processInfo.environment["TIDINGS_SABOTAGE"] != "all" else { return all }
    return WorkloadName.allCases.compactMap { workload in
      all.filter { $0.workload == workload }.randomElement()
    }
  }()

  private func report(
    _ workload: WorkloadName,
    at server: TestServer,
    seed: UInt64
  ) async throws -> CheckReport {
    let settings = CheckSettings(
      [server.rpcEndpoint],
      workloads: [workload],
      calls: 600,
      seed: seed
    )
    return try await CheckRun(settings).run()
  }

  @Test("a promise that a server breaks is found by the checker of its workload", arguments: chosen)
  func found(_ sabotage: Sabotage) async throws {
    let seed = Seed.make("SabotageTests.\(sabotage.name)")
    let server = try await TestServer.start(environment: ["TIDINGS_TEST_SABOTAGE": sabotage.name])
    let report = try await report(sabotage.workload, at: server, seed: seed)
    let row = try #require(report.rows.first)
    let isFound = row.violations.contains { violation in
      sabotage.words.contains { violation.what.contains($0) }
    }
    #expect(isFound, "\(sabotage.name) was not found: \(report.text)")
    #expect(!row.violations.contains { $0.isUndecided })
    #expect(!report.isFine)
  }

  @Test(
    "the same runs find nothing if a server keeps its promises",
    arguments: WorkloadName.allCases
  )
  func none(_ workload: WorkloadName) async throws {
    let seed = Seed.make("SabotageTests.\(workload.rawValue)")
    let server = try await TestServer.start()
    let report = try await report(workload, at: server, seed: seed)
    #expect(report.isFine, "\(report.text)")
  }
}
