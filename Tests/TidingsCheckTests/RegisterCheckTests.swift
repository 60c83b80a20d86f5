import CheckCore
import RandomSupport
import Testing

@Suite struct RegisterCheckTests {
  private func v(_ value: Int64?, tag: String = "") -> Version { Version("r", value, tag: tag) }

  private func write(
    _ value: Int64,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok
  )
    -> Call
  {
    Call(.write, "r", at: times, sent: [v(value)], outcome)
  }

  private func read(_ value: Int64?, at times: ClosedRange<Int64>) -> Call {
    Call(.read, "r", at: times, got: [v(value)])
  }

  private func swap(
    _ from: Int64?,
    _ to: Int64,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok,
    found: Int64? = nil
  ) -> Call {
    Call(
      .swap,
      "r",
      at: times,
      sent: [v(from), v(to)],
      got: outcome == .failed ? [v(found)] : [],
      outcome,
      reason: outcome == .failed ? Call.conflict : ""
    )
  }

  private func violations(_ calls: Call...) -> String { RegisterCheck(calls).violations().text }

  @Test("a read finds what was written before it, or meanwhile")
  func reads() {
    #expect(violations(read(nil, at: 0...1), write(1, at: 2...3), read(1, at: 4...5)) == "")
    #expect(violations(write(1, at: 0...9), read(nil, at: 1...2), read(1, at: 3...4)) == "")
    #expect(violations(write(1, at: 0...1), read(nil, at: 2...3)) != "")
    #expect(violations(write(1, at: 0...9), read(1, at: 1...2), read(nil, at: 3...4)) != "")
    #expect(violations(write(1, at: 0...1), write(2, at: 2...3), read(1, at: 4...5)) != "")
  }

  @Test("a save with a change tag needs that version")
  func swaps() {
    #expect(violations(swap(nil, 1, at: 0...1), swap(1, 2, at: 2...3), read(2, at: 4...5)) == "")
    #expect(violations(write(1, at: 0...1), swap(1, 2, at: 2...9), swap(1, 3, at: 3...8)) != "")
    #expect(
      violations(
        write(1, at: 0...1),
        swap(1, 2, at: 2...9),
        swap(1, 3, at: 3...8, .failed, found: 2),
        read(2, at: 10...11)
      ) == ""
    )
    #expect(
      violations(write(1, at: 0...1), swap(1, 3, at: 3...8, .failed, found: 4)) != "",
      "it found what nobody wrote"
    )
  }

  @Test("a call of unknown outcome happened at any later time, or never")
  func unknown() {
    #expect(
      violations(write(1, at: 0...1, .unknown), read(nil, at: 2...3), read(1, at: 8...9)) == ""
    )
    #expect(violations(write(1, at: 0...1, .unknown), read(nil, at: 2...3)) == "")
    #expect(violations(write(1, at: 5...6, .unknown), read(1, at: 2...3)) != "")
    #expect(
      violations(
        write(1, at: 0...1, .unknown),
        read(1, at: 2...3),
        write(2, at: 4...5),
        read(1, at: 6...7)
      ) != "",
      "it happens once"
    )
  }

  @Test("a call that failed never happened")
  func failed() {
    #expect(violations(write(1, at: 0...1, .failed), read(nil, at: 2...3)) == "")
    #expect(violations(write(1, at: 0...1, .failed), read(1, at: 2...3)) != "")
  }

  @Test("a change tag stands for one version")
  func tags() {
    let calls = [
      Call(.write, "r", at: 0...1, sent: [v(1)], got: [v(1, tag: "a")]),
      Call(.write, "s", at: 2...3, sent: [Version("s", 2)], got: [Version("s", 2, tag: "a")]),
    ]
    #expect(RegisterCheck(calls).violations().text.contains("two versions"))
  }

  @Test("histories of a register are accepted, also with unknown outcomes")
  func generated() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let calls = SimulatedRegister.calls(120, processes: 6, unknownPercent: 8, &random)
      #expect(RegisterCheck(calls).violations().text == "", "seed \(seed)")
    }
  }

  @Test("the search decides as trying all orders does")
  func allOrders() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SplitMix64(seed: seed)
    var counts = (right: 0, wrong: 0)
    for _ in 0..<2000 {
      let calls = SimulatedRegister.anything(5, &random)
      let isRight = SimulatedRegister.hasOrder(calls)
      if isRight { counts.right += 1 } else { counts.wrong += 1 }
      #expect(RegisterCheck(calls).violations().isEmpty == isRight, "seed \(seed): \(calls)")
    }
    #expect(counts.right > 100 && counts.wrong > 100)
  }
}
