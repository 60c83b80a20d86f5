internal import Testing

@testable import TidingsService

/// Calls behind a postponed one keep their order, and others go on.
@Suite struct PostponedCallsTests {
  private typealias Calls = PostponedCalls<String, Int>

  private func calls() -> Calls { Calls(.init(countMax: 5, bytesMax: 100, countPerLineMax: 3)) }

  @Test("calls of a line come in their order, those of others are not held")
  func order() {
    var calls = calls()
    #expect(calls.isEmpty)
    #expect(calls.postpone(1, bytes: 1, of: "a") == true)
    #expect(calls.holds("a") && !calls.holds("b"))
    #expect(calls.hold(2, bytes: 1, of: "a") == true)
    #expect(calls.hold(3, bytes: 1, of: "a") == true)
    #expect(calls.first(of: "a") == 1)
    calls.replaceFirst(with: 11, of: "a")
    #expect(calls.first(of: "a") == 11)
    #expect(calls.finishFirst(of: "a") == 2)
    #expect(calls.hold(4, bytes: 1, of: "a") == true)
    #expect(calls.finishFirst(of: "a") == 3)
    #expect(calls.finishFirst(of: "a") == 4)
    #expect(calls.finishFirst(of: "a") == nil)
    #expect(calls.isEmpty && !calls.holds("a"))
  }

  @Test("what is held is bounded, and what was held has room again")
  func bounds() {
    var calls = calls()
    #expect(calls.postpone(1, bytes: 60, of: "a") == true)
    #expect(calls.postpone(2, bytes: 41, of: "b") == false)
    #expect(calls.hold(2, bytes: 41, of: "a") == false)
    for call in 2...4 { #expect(calls.hold(call, bytes: 1, of: "a") == true) }
    #expect(calls.hold(5, bytes: 1, of: "a") == false)
    #expect(calls.postpone(6, bytes: 1, of: "b") == true)
    #expect(calls.postpone(7, bytes: 1, of: "c") == false)
    #expect(calls.finishFirst(of: "a") == 2)
    #expect(calls.postpone(7, bytes: 60, of: "c") == true)
    let left = calls.takeAll()
    #expect(left.sorted() == [2, 3, 4, 6, 7])
    #expect(calls.isEmpty)
  }
}
