import CheckCore
import Testing

@Suite struct EvidenceTests {
  /// What each workload has to show at least; changes end at 3, and final reads begin at 4.
  private static func calls(_ workload: WorkloadName) -> [Call] {
    switch workload {
    case .register: [Call(.write, "r", at: 2...3), Call(.read, "r", at: 4...5)]
    case .set:
      [
        Call(.insert, "s", at: 2...3, sent: [Version("e", 1)], got: [Version("e", 1)]),
        Call(.list, "s", at: 4...5, got: [Version("e", 1)]),
        Call(.list, at: 4...5, got: [Version("e", 1)]),
      ]
    case .bank:
      [
        Call(.open, at: 0...1, sent: [Version("a", 100)]),
        Call(.transfer, at: 2...3, sent: [Version("a", 100, tag: "1")]),
      ]
        + ["fetch", "feed", Call.query].map {
          Call(.audit, at: 4...5, got: [Version("a", 100)], manner: $0)
        }
    case .append:
      [
        Call(.save, "z", at: 2...3, sent: [Version("a", 1)]),
        last(Call(.page, "follower/z", at: 4...5, got: [Version("a", 1, tag: "1")])),
        Call(.fresh, "z", at: 6...7, got: [Version("a", 1, tag: "1")]),
      ]
    case .subscriptions:
      [
        subscription, Call(.save, "z", at: 2...3, sent: [Version("a", 1)]),
        last(Call(.log, "log", at: 4...5, notices: [notice])),
        Call(.delivery, "inbox", at: 4...4, manner: Call.stored, notices: [notice]),
      ]
    case .leases:
      [
        subscription, Call(.save, "z", at: 2...3, sent: [Version("a", 1)]),
        Call(.settle, "group", at: 4...5, manner: Call.done, notices: [notice]),
        last(Call(.lease, "group", at: 6...7)),
      ]
    }
  }

  private static let notice = Notice(
    subscription: "all",
    record: "a",
    value: 1,
    reason: "created",
    number: 1
  )

  private static var subscription: Call {
    var call = Call(.subscribe, "all", at: 0...1, notices: [Notice(subscription: "all")])
    call.rule = Rule(0..<100, ["created"])
    return call
  }

  private static func last(_ call: Call) -> Call {
    var call = call
    call.isLast = true
    return call
  }

  private func row(_ workload: WorkloadName, _ calls: [Call]) -> CheckReport.Row? {
    CheckReport(History(seed: 1, calls: [workload: calls])).rows.first
  }

  @Test("calls that succeeded and final reads are enough", arguments: WorkloadName.allCases)
  func enough(_ workload: WorkloadName) {
    let report = CheckReport(History(seed: 1, calls: [workload: Self.calls(workload)]))
    #expect(report.isFine, "\(report.text)")
    #expect(report.text.hasSuffix("no violation found, seed 1\n"))
  }

  @Test("a history without one of them is incomplete", arguments: WorkloadName.allCases)
  func missing(_ workload: WorkloadName) throws {
    let calls = Self.calls(workload)
    for index in calls.indices {
      for outcome in [Call.Outcome.failed, .unknown] {
        var others = calls
        // What may have been done need not be done again.
        if calls[index].kind == .settle, outcome == .unknown { continue }
        others[index].outcome = outcome
        let found = try #require(row(workload, others))
        #expect(!found.isFine, "\(calls[index])")
        // What an inbox or a worker did not get is a violation.
        let isDecided = [.delivery, .settle].contains(calls[index].kind)
        #expect(found.line.hasSuffix(isDecided ? "VIOLATED" : "INCOMPLETE"), "\(found.line)")
      }
    }
    let empty = CheckReport(History(seed: 1, calls: [workload: []]))
    #expect(!empty.isFine && empty.text.contains("succeeded"), "\(empty.text)")
  }

  @Test("a read before the last change is not a final one", arguments: WorkloadName.allCases)
  func early(_ workload: WorkloadName) throws {
    let changes: [Call.Kind] = [.write, .insert, .transfer, .save]
    var calls = Self.calls(workload)
    let change = try #require(calls.firstIndex { changes.contains($0.kind) })
    calls[change].end = 100
    #expect(row(workload, calls)?.failure != nil)
    // Nobody knows when one takes effect whose outcome is unknown.
    calls = Self.calls(workload)
    var unknown = calls[change]
    (unknown.outcome, unknown.end, unknown.sent) = (.unknown, 100, [Version("b", 2)])
    #expect(row(workload, calls + [unknown])?.failure == nil)
  }

  @Test("a feed and a log that do not come to their ends are incomplete")
  func endless() {
    for workload in [WorkloadName.append, .subscriptions, .leases] {
      let calls = Self.calls(workload).map { call in
        var call = call
        call.isLast = false
        return call
      }
      #expect(row(workload, calls)?.failure != nil)
    }
    let unread = Call(.fresh, "other", at: 6...7)
    let failure = row(.append, Self.calls(.append) + [unread])?.failure
    #expect(failure == "the feed of 'other' was not read to its end")
  }

  @Test("a run without workloads has checked nothing")
  func nothing() {
    let report = CheckReport(History(seed: 1))
    #expect(!report.isFine && report.text == "nothing was checked, seed 1\n")
  }
}
