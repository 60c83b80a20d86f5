import CheckCore
import RandomSupport
import TestSupport
import Testing

/// A server that is killed and started again while it is checked.
@Suite(.endsServers) struct CheckedCrashTests {
  @Test("a server that is killed again and again violates nothing")
  func kills() async throws {
    let seed = Seed.make("CheckedCrashTests.kills")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    let settings = CheckSettings.underFaults([server.rpcEndpoint], calls: 3_000, seed: seed)
    let run = CheckRun(settings)
    let isDone = Observed(false)
    async let report = {
      defer { isDone.update { $0 = true } }
      return try await run.run()
    }()
    let end = settings.duration + .seconds(600)
    try await waitUntil("the end of the check", pausing: .zero, for: end) {
      // A random pause, so that each kill comes at another point of the work.
      try await Task.sleep(for: .milliseconds(200 + random.below(1500)))
      guard !isDone.value else { return true }
      try await server.crash()
      // A random pause, so that clients meet sometimes no server at all.
      if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(300))) }
      server = try await server.restarted()
      return false
    }
    let found = try await report
    #expect(found.isFine, "\(found.text)")
    print("CheckedCrashTests: \(found.text)")
    #expect(found.rows.contains { $0.unknown > 0 })
    for row in found.rows { #expect(row.ok > 20, "\(row.line)") }
  }
}
