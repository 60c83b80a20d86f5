internal import Foundation
internal import TestSupport
internal import Testing

/// The server answers as the in-memory model does, whatever is asked in whatever order.
///
/// `TIDINGS_ORACLE_SECONDS` makes it go on with ever new seeds for that long, `TIDINGS_ORACLE_SEED`
/// repeats one seed.
@Suite(.endsServers) struct OracleTests {
  private static let operationCount = 1500
  private static let shorteningTime = Duration.seconds(90)

  @Test("thousands of random operations are answered as the model answers them")
  func randomOperations() async throws {
    let settings = ProcessInfo.processInfo.environment
    let seconds = settings["TIDINGS_ORACLE_SECONDS"].flatMap(Int.init) ?? 0
    let given = settings["TIDINGS_ORACLE_SEED"].flatMap(UInt64.init)
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      let seed = given ?? UInt64.random(in: 1...UInt64.max)
      guard try await isEqual(seed) else { return }
    } while ContinuousClock.now < end
  }

  private func isEqual(_ seed: UInt64) async throws -> Bool {
    let scenario = try await OracleScenario.random(seed: seed, count: Self.operationCount)
    guard let complaint = scenario.complaint, let last = scenario.operations.last else {
      return true
    }
    let shorter = try await scenario.shortened(within: Self.shorteningTime)
    Issue.record(
      """
      operation \(scenario.operations.count) was not answered as the model answers it
      \(last)
      \(complaint)
      repeat it with: TIDINGS_ORACLE_SEED=\(seed) tools/test --filter OracleTests
      \(shorter.operations.count) operations that show a difference as well:
      \(shorter.story)
      """
    )
    return false
  }
}
