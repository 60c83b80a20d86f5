import Testing
import TidingsRPC

@testable import TidingsClient

@Suite struct PageLimitTests {
  private static let lost = RPCError(
    .unavailable,
    "the connection was lost",
    details: [.errorInfo(reason: RPCError.unknownOutcomeReason)]
  )

  @Test("a page that is lost is halved, down to one item")
  func halves() {
    var limit = PageLimit()
    #expect(limit.limit(0) == 0)
    #expect(limit.limit(1_000) == 1_000)
    var asked: [UInt32] = []
    while asked.count < 100, limit.lost(limit.limit(0)) { asked.append(limit.limit(0)) }
    #expect(asked == [200, 100, 50, 25, 12, 6, 3, 1])
    #expect(limit.limit(7) == 1)
  }

  @Test("after some pages that came it grows again, until nothing is bounded")
  func grows() {
    var limit = PageLimit()
    _ = limit.lost(30)
    #expect(limit.limit(0) == 15)
    var asked: [UInt32] = []
    while asked.count < 100, limit.bound != nil {
      for _ in 0..<PageLimit.passesMin { limit.passed(limit.limit(0), in: .milliseconds(100)) }
      asked.append(limit.limit(0))
    }
    #expect(asked == [30, 60, 120, 240, 0])
  }

  @Test("a page that takes long makes the next one smaller, and nothing grows to be slow")
  func slowNetwork() {
    var limit = PageLimit()
    limit.passed(0, in: .seconds(8))
    #expect(limit.limit(0) == 200)
    for _ in 0..<3 * PageLimit.passesMin { limit.passed(200, in: .seconds(2)) }
    #expect(limit.limit(0) == 200)
    for _ in 0..<PageLimit.passesMin { limit.passed(200, in: .milliseconds(500)) }
    #expect(limit.limit(0) == 0)
  }

  @Test("a page that timed out is asked for again with a quarter, some times")
  func late() async throws {
    let limits = PageLimits()
    var asked: [UInt32] = []
    let page = try await limits.page(of: 0, lateMax: 3) { limit throws(RPCError) in
      asked.append(limit)
      guard limit != 0, limit < 50 else { throw RPCError(.deadlineExceeded, "late") }
      return limit
    }
    #expect(page == 25 && asked == [0, 100, 25])
    await #expect(throws: RPCError(.deadlineExceeded, "late")) {
      try await limits.page(of: 0, lateMax: 3) { limit throws(RPCError) -> UInt32 in
        throw RPCError(.deadlineExceeded, "late")
      }
    }
    #expect(limits.limit(0) == 1)
  }

  @Test("several pages that are lost at once lower it once")
  func together() {
    var limit = PageLimit()
    _ = limit.lost(0)
    _ = limit.lost(0)
    #expect(limit.limit(0) == 200)
  }

  @Test("a network that cuts larger answers carries all pages, few of them in vain")
  func network() async throws {
    let limits = PageLimits()
    var (calls, items) = (0, 0)
    while items < 10_000 {
      items += try await limits.page(of: 0) { limit throws(RPCError) in
        calls += 1
        guard limit != 0, limit <= 60 else { throw Self.lost }
        return Int(limit)
      }
    }
    // 50 an answer, and one of nine in vain.
    #expect(calls < 240)
  }

  @Test("a page that does not fit into a frame is asked for with fewer items, and one item fails")
  func tooLarge() async throws {
    let limits = PageLimits()
    let tooLarge = RPCError.frameTooLarge(bytes: 2, bytesMax: 1)
    let page = try await limits.page(of: 0) { limit throws(RPCError) in
      guard limit != 0, limit <= 3 else { throw tooLarge }
      return limit
    }
    #expect(page == 3)
    await #expect(throws: tooLarge) {
      try await limits.page(of: 0) { _ throws(RPCError) -> UInt32 in throw tooLarge }
    }
  }

  @Test("what is refused is not asked for again, and what timed out only where that is wanted")
  func others() async throws {
    let limits = PageLimits()
    for error in [RPCError(.unavailable, "cannot reach"), RPCError(.deadlineExceeded, "late")] {
      var asked: [UInt32] = []
      await #expect(throws: error) {
        try await limits.page(of: 0) { limit throws(RPCError) in
          asked.append(limit)
          throw error
        }
      }
      #expect(asked == [0])
    }
    // The page that timed out lets the next one be smaller.
    let next = try await limits.page(of: 0) { limit throws(RPCError) in limit }
    #expect(next == 100)
  }
}
