import CheckCore
import Testing

@Suite struct FeedCheckTests {
  private func save(
    _ version: Version,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok
  ) -> Call {
    let sent = Version(version.name, version.value)
    return Call(.save, "z", at: times, sent: [sent], got: outcome == .ok ? [version] : [], outcome)
  }

  private func page(
    _ token: String,
    _ next: String,
    _ got: [Version],
    at times: ClosedRange<Int64>,
    isLast: Bool = true
  ) -> Call {
    var call = Call(.page, "follower/z", at: times, got: got)
    (call.token, call.nextToken, call.isLast) = (token, next, isLast)
    return call
  }

  private let a1 = Version("a", 1, tag: "1")
  private let b2 = Version("b", 2, tag: "2")
  private let a3 = Version("a", 3, tag: "3")

  private func violations(_ calls: Call...) -> String { FeedCheck(calls).violations().text }

  @Test("pages that continue each other and a copy that equals a fresh read are right")
  func right() {
    let saves = [save(a1, at: 0...1), save(b2, at: 2...3), save(a3, at: 6...7)]
    let deletion = Call(.delete, "z", at: 10...11, sent: [Version("b")])
    let calls =
      saves + [
        deletion,
        page("", "x", [a1], at: 4...5, isLast: false),
        page("x", "y", [b2], at: 8...9, isLast: false),
        page("y", "z", [a3, Version("b")], at: 12...13), Call(.fresh, "z", at: 14...15, got: [a3]),
      ]
    #expect(FeedCheck(calls).violations().text == "")
    // A reader that begins after a deletion is not notified of it.
    let late = [page("", "z", [a3], at: 12...13), Call(.fresh, "z", at: 14...15, got: [a3])]
    #expect(FeedCheck(saves + [deletion] + late).violations().text == "")
  }

  @Test("a page that was skipped is found")
  func skipped() {
    let pages = [page("", "x", [], at: 0...1), page("y", "z", [], at: 2...3)]
    #expect(FeedCheck([save(a1, at: 8...9)] + pages).violations().text.contains("continue"))
  }

  @Test("a change that is missing, or older, is found")
  func missing() {
    #expect(
      violations(save(a1, at: 0...1), page("", "x", [], at: 2...3)).contains("not in the feed")
    )
    let older = violations(save(a1, at: 0...1), save(a3, at: 2...3), page("", "x", [a1], at: 4...5))
    #expect(older.contains("older version"))
    let unfinished = page("", "x", [], at: 2...3, isLast: false)
    #expect(violations(save(a1, at: 0...1), unfinished) == "")
    let deletion = Call(.delete, "z", at: 2...3, sent: [Version("a")])
    #expect(
      violations(
        save(a1, at: 0...1),
        page("", "x", [a1], at: 1...2),
        deletion,
        page("x", "y", [], at: 4...5)
      ).contains("not deleted")
    )
  }

  @Test("what was not saved, failed, or was not deleted is found")
  func phantoms() {
    #expect(violations(save(a1, at: 0...1, .failed), page("", "x", [a1], at: 2...3)) != "")
    #expect(violations(save(a1, at: 0...1), page("", "x", [a1, b2], at: 2...3)) != "")
    #expect(violations(save(a1, at: 0...1), page("", "x", [Version("a")], at: 2...3)) != "")
    #expect(violations(save(a1, at: 0...1, .unknown), page("", "x", [a1], at: 2...3)) == "")
  }

  @Test("change tags that do not ascend are found, in a feed and among saves")
  func order() {
    let saves = [save(a1, at: 0...9), save(b2, at: 0...9)]
    let page = page("", "x", [b2, a1], at: 10...11)
    #expect(FeedCheck(saves + [page]).violations().text.contains("larger change tag"))
    #expect(violations(save(b2, at: 0...1), save(a1, at: 2...3)).contains("no larger change tag"))
  }

  @Test("a copy that differs from a fresh read is found")
  func copy() {
    let fresh = Call(.fresh, "z", at: 4...5, got: [])
    #expect(violations(save(a1, at: 0...1), page("", "x", [a1], at: 2...3), fresh) != "")
  }

  @Test("a zone of which nobody got a page, and one in which nobody saved, are compared")
  func empty() {
    let fresh = Call(.fresh, "z", at: 4...5, got: [a1])
    #expect(violations(save(a1, at: 0...1), fresh).contains("the copy has no a"))
    #expect(violations(fresh).contains("the copy has no a"))
    #expect(violations(page("", "x", [a1], at: 2...3)).contains("was not saved"))
    let unknown = save(a1, at: 0...1, .unknown)
    #expect(violations(unknown, fresh) == "" && violations(Call(.fresh, "z", at: 4...5)) == "")
  }
}
