internal import Foundation
internal import TestSupport
internal import Testing

/// Runs of `tidings-faults`: a server, its clients and its disk in one process.
///
/// `TIDINGS_FAULTS_ROUNDS` makes them longer, `TIDINGS_FAULTS_SEED` repeats one.
@Suite(.endsServers, .embeddedOnly) struct SimulationTests {
  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["TIDINGS_FAULTS_\(name)"]
  }

  private func run(_ arguments: [String]) async throws {
    let seed = Self.variable("SEED") ?? "\(UInt32.random(in: 1 ... .max))"
    let process = try ServerProcess("tidings-faults", arguments: arguments + ["--seed", seed])
    let exit = try await process.waitForExit()
    let seen = process.seen.value
    #expect(exit == .code(0), "\(seen.output) \(seen.errors)")
    print("SimulationTests: \(seen.output)")
  }

  @Test("what was acknowledged is kept by a disk that fails and loses its power")
  func lives() async throws {
    try await run(["run", "--rounds", Self.variable("ROUNDS") ?? "12"])
  }

  @Test("the power may fail before and after each sync")
  func points() async throws {
    try await run(["points", "--steps", Self.variable("STEPS") ?? "14"])
  }
}
