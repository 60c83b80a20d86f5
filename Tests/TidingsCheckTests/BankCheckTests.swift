import CheckCore
import Testing

@Suite struct BankCheckTests {
  private let open = Call(.open, at: 0...1, sent: [Version("a", 100), Version("b", 100)])

  private func transfer(
    _ accounts: [Version],
    tag: String,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok
  ) -> Call {
    let got = accounts.map { Version($0.name, $0.value, tag: tag) }
    return Call(.transfer, at: times, sent: accounts, got: outcome == .ok ? got : [], outcome)
  }

  private func audit(
    _ a: Int64,
    _ b: Int64,
    tags: (String, String) = ("1", "1"),
    at times: ClosedRange<Int64>,
    manner: String = "feed"
  ) -> Call {
    let got = [Version("a", a, tag: tags.0), Version("b", b, tag: tags.1)]
    return Call(.audit, at: times, got: got, manner: manner)
  }

  private var moved: [Version] { [Version("a", 70, tag: "1"), Version("b", 130, tag: "1")] }

  private func violations(_ calls: Call...) -> String {
    BankCheck([open] + calls).violations().text
  }

  @Test("transfers that are complete or did not happen are right")
  func right() {
    let transfer = transfer(moved, tag: "2", at: 4...5)
    #expect(violations(audit(100, 100, at: 2...3)) == "")
    #expect(violations(transfer, audit(70, 130, tags: ("2", "2"), at: 6...7)) == "")
    #expect(violations(transfer, audit(100, 100, at: 3...6)) == "")
  }

  @Test("half a transfer is found, also that of an unknown outcome")
  func half() {
    let unknown = transfer(moved, tag: "2", at: 4...5, .unknown)
    #expect(violations(unknown, audit(70, 100, tags: ("2", "1"), at: 6...7)).contains("total"))
    let missing = Call(.audit, at: 2...3, got: [Version("a", 200)])
    #expect(violations(missing).contains("1 accounts"))
  }

  @Test("a query counts only if nothing can happen meanwhile")
  func query() {
    let torn = audit(70, 100, tags: ("2", "1"), at: 6...7, manner: Call.query)
    #expect(violations(transfer(moved, tag: "2", at: 4...5, .unknown), torn) == "")
    #expect(violations(transfer(moved, tag: "2", at: 4...5), torn) != "")
  }

  @Test("a transfer that was lost, and two from one version, are found")
  func lost() {
    let first = transfer(moved, tag: "2", at: 4...5)
    #expect(violations(first, audit(100, 100, at: 6...7)).contains("older version"))
    let second = transfer(moved, tag: "3", at: 4...5)
    #expect(violations(first, second).contains("same version"))
  }
}
