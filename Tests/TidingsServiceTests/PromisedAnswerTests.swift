internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsRPC

@testable internal import TidingsService

@Suite struct PromisedAnswerTests {
  @Test("the first answer counts")
  func first() async throws {
    let value = try await PromisedAnswer<Int>.wait { answer in
      answer.give(.success(1))
      answer.give(.success(2))
    }
    #expect(value == 1)
  }

  @Test("who waits for what is dropped is notified, wherever it was dropped")
  func dropped() async throws {
    let kept = Mutex<[@Sendable () -> Void]>([])
    let task = Task {
      try await PromisedAnswer<Int>.wait { answer in
        kept.withLock { $0.append { answer.give(.success(1)) } }
      }
    }
    try await waitUntil("the answer to be promised") { kept.withLock { !$0.isEmpty } }
    kept.withLock { $0.removeAll() }
    let error = await #expect(throws: RPCError.self) { try await task.value }
    #expect(error?.code == .unavailable)
  }
}
