// Where Swift is linked statically there is no Testing, and no test is built.
#if canImport(Testing)
public import Testing

/// Ends the servers that a test started, when the test ends: hundreds of them would idle until all
/// tests have ended.
///
/// A trait of each suite that starts some; `ServerProcess` refuses to start without it. Ports of ended
/// servers stay taken, so that a client that a test left behind never meets another test's server.
public struct EndsServers: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let started = StartedServers()
    do {
      try await StartedServers.$ofTest.withValue(started) { try await function() }
    } catch {
      await started.end()
      throw error
    }
    await started.end()
  }
}

extension Trait where Self == EndsServers {
  /// The servers that a test started end with it.
  public static var endsServers: Self { Self() }
}

/// The test that runs, for what tests share.
enum RunningTest {
  static var isThere: Bool { Test.current != nil }

  static func record(_ problem: String) { Issue.record(Comment(rawValue: problem)) }
}
#else
enum RunningTest {
  static var isThere: Bool { false }

  static func record(_ problem: String) {}
}
#endif
