// Where Swift is linked statically there is no Testing, and no test is built.
#if canImport(Testing)
internal import Foundation
public import Testing

/// Ends the servers that a test started, when the test ends: hundreds of them would idle until all
/// tests have ended.
///
/// A failure of the test shows the ends of their logs. A trait of each suite that starts some; `ServerProcess`
/// refuses to start without it. Ports of ended servers stay taken, so that a client that a test left behind never
/// meets another test's server.
public struct EndsServers: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let started = StartedServers()
    let alarm = Task { try await Self.end(started, after: Self.patience) }
    defer { alarm.cancel() }
    let showsLogs = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments += started.newLogEnds().map(Comment.init(rawValue:))
      return issue
    }
    do {
      try await showsLogs.provideScope(for: test, testCase: testCase) {
        try await StartedServers.$ofTest.withValue(started) { try await function() }
      }
    } catch {
      await started.end()
      throw error
    }
    await started.end()
  }

  /// No test takes as long, also on a busy machine; unless it is asked to.
  private static var patience: Duration {
    let settings = ProcessInfo.processInfo.environment.keys
    let isAsked = settings.contains { name in
      name.hasPrefix("TIDINGS_") && (name.hasSuffix("_SECONDS") || name.hasSuffix("_COMMITS"))
    }
    return isAsked ? .seconds(1_000_000) : .seconds(20 * 60)
  }

  /// A test that waits for what does not come is named, and ends with its servers.
  private static func end(_ started: StartedServers, after patience: Duration) async throws {
    try await Task.sleep(for: patience)
    RunningTest.record("it does not end: its servers are ended")
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
