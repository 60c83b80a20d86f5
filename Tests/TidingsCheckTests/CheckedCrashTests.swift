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
    var settings = CheckSettings([server.rpcEndpoint], calls: 100_000, seed: seed)
    settings.duration = CheckSettings.seconds(12)
    let run = CheckRun(settings)
    let isDone = Observed(false)
    async let report = {
      defer { isDone.update { $0 = true } }
      return try await run.run()
    }()
    while true {
      try await Task.sleep(for: .milliseconds(1500 + random.below(2000)))
      if isDone.value { break }
      try await server.crash()
      if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(300))) }
      server = try await server.restarted()
    }
    let found = try await report
    #expect(found.isFine, "\(found.text)")
    print("CheckedCrashTests: \(found.text)")
    #expect(found.rows.contains { $0.unknown > 0 })
    for row in found.rows { #expect(row.ok > 20, "\(row.line)") }
  }
}
