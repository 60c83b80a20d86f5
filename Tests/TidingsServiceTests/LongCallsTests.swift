internal import RandomSupport
internal import Testing
internal import TidingsThreads
internal import TidingsZeroMQ

@testable import TidingsService

/// One call at a time has the store, and everything that waited for it comes before the next.
@Suite struct LongCallsTests {
  private typealias Calls = LongCalls<String, Int>

  private func number(_ waiting: Calls.Waiting?) -> Int? {
    guard case .call(let call, of: _, bytes: _)? = waiting else { return nil }
    return call
  }

  @Test("what waits has its turn before the next long call")
  func order() {
    var calls = Calls(.init(countMax: 3, bytesMax: 10))
    calls.add("a")
    calls.add("b")
    #expect(calls.takeNext() == "a")
    #expect(calls.hold(1, of: "x", bytes: 4) == true)
    #expect(calls.hold(2, of: "x", bytes: 4) == true)
    #expect(calls.isWaiting("x") && !calls.isWaiting("y"))
    #expect(calls.takeNext() == nil)
    #expect(number(calls.takeWaiting()) == 1)
    #expect(calls.isWaiting("x"))
    #expect(number(calls.takeWaiting()) == 2)
    #expect(!calls.isWaiting("x") && !calls.isAnyWaiting)
    #expect(calls.takeNext() == "b")
    #expect(calls.takeNext() == nil && calls.takeWaiting() == nil)
  }

  @Test("what waits is bounded, and has room again")
  func bounds() {
    var calls = Calls(.init(countMax: 2, bytesMax: 10))
    #expect(calls.hold(1, of: "x", bytes: 8) == true)
    #expect(calls.hold(2, of: "x", bytes: 3) == false)
    #expect(calls.hold(3, of: "x", bytes: 2) == true)
    #expect(calls.hold(4, of: "y", bytes: 0) == false)
    #expect(number(calls.takeWaiting()) == 1)
    #expect(calls.hold(5, of: "y", bytes: 8) == true)
    #expect(number(calls.takeWaiting()) == 3)
    #expect(number(calls.takeWaiting()) == 5)
  }
}

/// Work and its owner take turns.
@Suite struct PausedWorkTests {
  @Test("work resumes where it paused, and never beside its owner")
  func turns() {
    final class Log: @unchecked Sendable { var steps: [String] = [] }
    let log = Log()
    var paused: PausedWork?
    let work = PausedWork {
      for step in 0..<3 {
        log.steps.append("work \(step)")
        paused?.pauseIfOver()
      }
    }
    paused = work
    var slices = 0
    while !work.isDone, slices < 100 {
      _ = work.resume(for: .zero)
      log.steps.append("owner")
      slices += 1
    }
    #expect(slices == 4)
    #expect(log.steps == ["work 0", "owner", "work 1", "owner", "work 2", "owner", "owner"])
  }
}
