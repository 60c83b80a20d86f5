import CheckCore
import Testing

@Suite struct SubscriptionCheckTests {
  private let subscribed: Call = {
    var call = Call(.subscribe, "low", at: 0...1, notices: [Notice(subscription: "low", number: 4)])
    call.rule = Rule(0..<40, ["created", "updated", "left"])
    return call
  }()

  private func save(
    _ name: String,
    _ value: Int64,
    at time: Int64,
    _ outcome: Call.Outcome = .ok
  )
    -> Call
  {
    Call(.save, "z", at: time...time + 1, sent: [Version(name, value)], outcome)
  }

  private func notice(
    _ number: Int64,
    _ name: String,
    _ value: Int64,
    _ reason: String = "created"
  )
    -> Notice
  {
    Notice(subscription: "low", record: name, value: value, reason: reason, number: number)
  }

  private func log(
    _ notices: Notice...,
    at time: Int64 = 20,
    tokens: (String, String) = ("", "x"),
    isLast: Bool = true
  ) -> Call {
    var call = Call(.log, "log", at: time...time + 1, notices: notices)
    (call.token, call.nextToken, call.isLast) = (tokens.0, tokens.1, isLast)
    return call
  }

  /// What is wrong with what consumers got; only those that these histories are about.
  private func check(_ calls: [Call], by consumers: String...) -> String {
    SubscriptionCheck(calls, consumers: Set(consumers)).violations().text
  }

  private func violations(_ calls: Call...) -> String {
    check([subscribed] + calls, by: SubscriptionCheck.log)
  }

  /// A creation, an update and one that leaves.
  private var saves: [Call] {
    [save("a", 110, at: 2), save("a", 220, at: 4), save("a", 370, at: 6), save("b", 480, at: 8)]
  }
  private var notices: [Notice] {
    [notice(5, "a", 110), notice(6, "a", 220, "updated"), notice(7, "a", 370, "left")]
  }

  private func violations(_ notices: [Notice]) -> String {
    var page = log()
    page.notices = notices
    return check([subscribed] + saves + [page], by: SubscriptionCheck.log)
  }

  @Test("what fired for each change that matches, once, in order, is right")
  func right() {
    #expect(violations(notices) == "")
    let pages = [
      log(notices[0], at: 3, isLast: false), log(notices[1], notices[2], tokens: ("x", "y")),
    ]
    #expect(check([subscribed] + saves + pages, by: SubscriptionCheck.log) == "")
  }

  @Test("what is missing, doubled, swapped, or fired for another reason is found")
  func wrong() {
    #expect(violations(Array(notices.dropLast())).contains("missing"))
    #expect(violations(Array(notices.dropFirst())) != "")
    #expect(violations(notices + [notices[2]]).contains("more than once"))
    #expect(violations([notices[1], notices[0], notices[2]]) != "")
    var others = notices
    others[1].reason = "entered"
    #expect(violations(others).contains("reason"))
  }

  @Test("what does not match, failed, or was committed before is found")
  func unasked() {
    #expect(violations(notices + [notice(8, "b", 480)]).contains("does not match"))
    #expect(violations(save("a", 110, at: 2, .failed), log(notice(5, "a", 110))) != "")
    #expect(violations(save("a", 110, at: 2, .unknown), log(notice(5, "a", 110))) == "")
    #expect(violations(save("a", 110, at: 2, .unknown), log()) == "")
    #expect(violations(save("a", 110, at: -5), log(notice(5, "a", 110))) != "")
    #expect(violations(save("a", 110, at: -1), log()) == "")
  }

  @Test("a zone subscription fires once for each call")
  func zone() {
    let subscribed = Call(
      .subscribe,
      "zone",
      at: 0...1,
      notices: [Notice(subscription: "zone", number: 0)]
    )
    func violations(_ numbers: Int64..., outcome: Call.Outcome = .ok) -> String {
      var page = log()
      page.notices = numbers.map { Notice(subscription: "zone", number: $0) }
      let saves = [save("a", 110, at: 2), save("b", 220, at: 4, outcome)]
      return check([subscribed] + saves + [page], by: SubscriptionCheck.log)
    }
    #expect(violations(1, 2) == "")
    #expect(violations(1).contains("missing"))
    #expect(violations(1, 2, 3).contains("without a change"))
    #expect(violations(2, 1).contains("came after number"))
    #expect(violations(1, outcome: .unknown) == "" && violations(1, 2, outcome: .unknown) == "")
    #expect(violations(1, 2, outcome: .failed).contains("without a change"))
  }

  @Test("pages that do not continue each other are found")
  func pages() {
    let pages = [log(at: 2), log(at: 4, tokens: ("z", "y"))]
    #expect(SubscriptionCheck([subscribed] + pages).violations().text.contains("continue"))
  }

  @Test("an inbox delivers again only what was not stored")
  func inbox() {
    let save = save("a", 110, at: 2)
    func delivery(_ manner: String, at time: Int64) -> Call {
      Call(.delivery, "inbox", at: time...time, manner: manner, notices: [notice(5, "a", 110)])
    }
    func violations(_ calls: Call...) -> String {
      check([subscribed] + calls, by: SubscriptionCheck.inbox)
    }
    let (dropped, stored) = (delivery(Call.dropped, at: 5), delivery(Call.stored, at: 6))
    #expect(violations(save, dropped, stored) == "")
    #expect(violations(save, stored, delivery(Call.dropped, at: 7)).contains("again"))
    #expect(violations(save, stored, delivery(Call.stored, at: 7)).contains("more than once"))
    #expect(violations(save, dropped).contains("missing"))
  }

  @Test("an inbox that delivers nothing, or not all of a zone, is found")
  func emptyInbox() {
    #expect(SubscriptionCheck([subscribed] + saves).violations().text.contains("missing"))
    #expect(check([subscribed], by: SubscriptionCheck.inbox) == "")
    let zone = Call(
      .subscribe,
      "zone",
      at: 0...1,
      notices: [Notice(subscription: "zone", number: 0)]
    )
    func violations(_ numbers: Int64..., outcome: Call.Outcome = .ok) -> String {
      let deliveries = numbers.map { number in
        let notice = Notice(subscription: "zone", number: number)
        return Call(.delivery, "inbox", at: 20...20, manner: Call.stored, notices: [notice])
      }
      let saves = [save("a", 110, at: 2), save("b", 220, at: 4, outcome)]
      return check([zone] + saves + deliveries, by: SubscriptionCheck.inbox)
    }
    #expect(violations(1, 2) == "")
    #expect(violations(1).contains("notifications of a zone are missing"))
    #expect(violations().contains("notifications of a zone are missing"))
    // It may have had no effect.
    #expect(violations(1, outcome: .unknown) == "" && violations(1, 2, outcome: .unknown) == "")
  }

  @Test("two consumers get the same under a number")
  func consumers() {
    let saves = [save("a", 110, at: 2), save("b", 220, at: 2)]
    let page = log(notice(5, "a", 110), notice(6, "b", 220))
    let deliveries = [notice(5, "b", 220), notice(6, "a", 110)].map {
      Call(.delivery, "inbox", at: 20...20, manner: Call.stored, notices: [$0])
    }
    let found = SubscriptionCheck([subscribed] + saves + [page] + deliveries).violations()
    #expect(found.text.contains("two notifications have the number"))
  }
}
