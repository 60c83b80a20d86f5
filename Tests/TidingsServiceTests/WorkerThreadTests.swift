internal import TestSupport
internal import Testing
internal import TidingsRPC

@testable internal import TidingsService

@Suite struct WorkerThreadTests {
  private final class Log { var numbers: [Int] = [] }

  @Test("jobs have the thread's own state, one after the other")
  func order() async throws {
    let thread = WorkerThread { Log() }
    for number in 0..<100 { thread.runDetached { $0.numbers.append(number) } }
    #expect(try await thread.run { $0.numbers } == Array(0..<100))
    await #expect(throws: RPCError.self) {
      try await thread.run { _ in throw RPCError(.aborted, "") }
    }
    thread.stop()
  }

  @Test("when the thread ends, everybody is reported: those who wait, and those who come later")
  func stop() async throws {
    let thread = WorkerThread { Log() }
    let begun = Observed(false)
    let outcomes = try await withThrowingTaskGroup(of: RPCError?.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await failure {
            try await thread.run { _ in begun.update { $0 = true } }
          }
        }
      }
      try await begun.wait("the first job") { $0 }
      try await blocking { thread.stop() }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == 50)
    #expect(outcomes.allSatisfy { $0 == nil || $0?.code == .unavailable })
    let late = await failure { try await thread.run { _ in _ = Issue.record("it has ended") } }
    #expect(late?.code == .unavailable)
  }
}
