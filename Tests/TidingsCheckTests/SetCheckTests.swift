import CheckCore
import Testing

@Suite struct SetCheckTests {
  private func insert(
    _ names: String...,
    at times: ClosedRange<Int64>,
    _ outcome: Call.Outcome = .ok
  ) -> Call {
    let versions = names.map { Version($0, 1) }
    return Call(
      .insert,
      "s",
      at: times,
      sent: versions,
      got: outcome == .ok ? versions : [],
      outcome
    )
  }

  private func list(_ names: String..., at times: ClosedRange<Int64>) -> Call {
    Call(.list, "s", at: times, got: names.map { Version($0, 1) })
  }

  private func violations(_ calls: Call...) -> String { SetCheck(calls).violations().text }

  @Test("a read contains what was acknowledged before, and may contain what runs meanwhile")
  func right() {
    #expect(violations(insert("a", at: 0...1), list("a", at: 2...3)) == "")
    #expect(violations(insert("a", at: 0...5), list(at: 2...3), list("a", at: 6...7)) == "")
    #expect(violations(insert("a", at: 0...5), list("a", at: 2...3)) == "")
    #expect(
      violations(insert("a", at: 0...1, .unknown), list(at: 2...3), list("a", at: 4...5)) == ""
    )
  }

  @Test("what is lost, or vanishes, is found")
  func lost() {
    #expect(violations(insert("a", at: 0...1), list(at: 2...3)).contains("'a'"))
    #expect(
      violations(insert("a", at: 0...9, .unknown), list("a", at: 2...3), list(at: 4...5)) != ""
    )
    #expect(violations(insert("a", at: 0...9), list("a", at: 2...3), list(at: 4...5)) != "")
  }

  @Test("what failed, was not begun, or appears more than once is found")
  func phantoms() {
    #expect(violations(insert("a", at: 0...1, .failed), list("a", at: 2...3)) != "")
    #expect(violations(insert("a", at: 6...7), list("a", at: 2...3)) != "")
    #expect(violations(insert("a", at: 0...1), list("a", "b", at: 2...3)) != "")
    #expect(violations(insert("a", at: 0...1), list("a", "a", at: 2...3)) != "")
  }

  @Test("a batch of which a part was acknowledged is found")
  func torn() {
    var call = insert("a", "b", at: 0...1)
    call.got.removeLast()
    #expect(violations(call).contains("batch"))
  }
}
