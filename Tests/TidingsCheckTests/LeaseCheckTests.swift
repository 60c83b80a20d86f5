import CheckCore
import Testing

@Suite struct LeaseCheckTests {
  private let job = Call(.save, "z", at: 0...1, sent: [Version("j", 100)])

  /// Times are milliseconds; leases last for a second.
  private func lease(_ lease: String, _ count: Int64, at times: ClosedRange<Int64>) -> Call {
    var call = Call(.lease, "group", at: nanoseconds(times), notices: [notice(lease, count)])
    call.milliseconds = 1000
    return call
  }

  private func settle(
    _ lease: String,
    _ manner: String = Call.done,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok
  ) -> Call {
    var call = Call(
      .settle,
      "group",
      at: nanoseconds(times),
      outcome,
      manner: manner,
      notices: [notice(lease, 1)]
    )
    call.milliseconds = manner == Call.extended ? 1000 : 0
    return call
  }

  private func notice(_ lease: String, _ count: Int64) -> Notice {
    Notice(
      id: "n",
      subscription: "jobs",
      record: "j",
      value: 100,
      lease: lease,
      deliveryCount: count
    )
  }

  private func nanoseconds(_ times: ClosedRange<Int64>) -> ClosedRange<Int64> {
    times.lowerBound * 1_000_000...times.upperBound * 1_000_000
  }

  private func violations(_ calls: Call...) -> String {
    LeaseCheck([job] + calls).violations().text
  }

  @Test("a lease that ends, is released or extended, and a job that is done once are right")
  func right() {
    #expect(violations(lease("a", 1, at: 10...12), settle("a", at: 20...21)) == "")
    #expect(
      violations(
        lease("a", 1, at: 10...12),
        lease("b", 2, at: 1005...1020),
        settle("a", at: 1030...1031, .failed),
        settle("b", at: 1040...1041)
      ) == ""
    )
    #expect(
      violations(
        lease("a", 1, at: 10...12),
        settle("a", Call.released, at: 13...20),
        lease("b", 2, at: 14...15),
        settle("b", at: 20...21)
      ) == ""
    )
    // Its answer was lost, and what the client asked again was refused.
    #expect(
      violations(
        lease("a", 1, at: 10...12),
        settle("a", Call.released, at: 13...40, .failed),
        lease("b", 2, at: 20...25),
        settle("b", at: 30...31)
      ) == ""
    )
  }

  @Test("a lease that was given away too early is found")
  func shared() {
    let first = lease("a", 1, at: 10...12)
    let done = settle("b", at: 1100...1101)
    #expect(
      violations(first, lease("b", 2, at: 500...809), done).contains("before its lease ended")
    )
    // The server's time begins with its transaction.
    #expect(violations(first, lease("b", 2, at: 500...811), done) == "")
    #expect(
      violations(
        first,
        settle("a", Call.extended, at: 600...601),
        lease("b", 2, at: 1050...1060),
        done
      ).contains("before its lease ended")
    )
    #expect(
      violations(
        first,
        settle("a", Call.extended, at: 600...601, .unknown),
        lease("b", 2, at: 1050...1060),
        done
      ) == ""
    )
    #expect(
      violations(
        first,
        lease("b", 2, at: 20...25),
        settle("a", Call.released, at: 26...40, .failed),
        done
      ).contains("before its lease ended")
    )
    #expect(violations(first, lease("a", 1, at: 13...14), settle("a", at: 20...21)).contains("two"))
  }

  @Test("what was done twice, or delivered after it was done, is found")
  func repeated() {
    let first = lease("a", 1, at: 10...12)
    #expect(
      violations(
        first,
        settle("a", at: 13...14),
        lease("b", 2, at: 1500...1501),
        settle("b", at: 1510...1511)
      ).contains("two leases")
    )
    #expect(
      violations(first, settle("a", at: 13...14), lease("b", 2, at: 1500...1501))
        .contains("after it was done")
    )
    #expect(
      violations(first, settle("a", at: 13...14, .unknown), lease("b", 2, at: 1500...1501)) == ""
    )
  }

  @Test("a job that is not done in the end, and one that nobody saved, are found")
  func unsettled() {
    #expect(violations(lease("a", 1, at: 10...12)).contains("not done"))
    let subscription = Call(.subscribe, "jobs", at: 0...1)
    let failed = Call(.save, "z", at: 2...3, sent: [Version("j", 100)], .failed)
    let calls = [subscription, failed, lease("a", 1, at: 10...12), settle("a", at: 13...14)]
    #expect(LeaseCheck(calls).violations().text.contains("not saved"))
  }
}
