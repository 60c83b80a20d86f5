internal import EngineTestSupport
internal import Testing
internal import TidingsMemory
internal import TidingsModel

@testable internal import TidingsEngine

/// What is stored and always in memory has a share of it.
@Suite struct StoredMemoryTests {
  private static func begin(_ engine: Engine, _ apiToken: String, _ number: Int) throws {
    _ = try engine.beginWebSession(of: "user\(number / 20)", apiToken: apiToken, isKept: true)
  }

  @Test("sessions of all users have a share of the memory, also after a start")
  func sessions() throws {
    var limits = Limits()
    limits.memoryBytesMax = MemoryShares.bytesMin
    let harness = try ZoneStore(limits: limits)
    let most = limits.memory[.webTokens] / MemoryShares.webTokenCost(count: 1)
    let request = WebTokenRequest(
      container: "default",
      environment: .development,
      label: "website",
      expires: nil,
      .apiToken(origins: [], callbackURL: "")
    )
    let text = try harness.commit { try $0.createWebToken(request, requiresAccount: false).text }
    let apiToken = try #require(text)
    try harness.commit { engine in
      for number in 0..<most { try Self.begin(engine, apiToken, number) }
    }
    for _ in 1...2 {
      let refusal = #expect(throws: ItemError.self) {
        try harness.commit { try Self.begin($0, apiToken, most) }
      }
      #expect(refusal?.code == .limitExceeded)
      #expect(refusal?.message.contains("memory-bytes-max") ?? false)
      try harness.restart()
    }
    let stored = try harness.engine.storedMemory().filter { $0.bytes > $0.bytesMax }
    #expect(stored.map(\.what) == ["credentials of callers on the web"])
  }
}
