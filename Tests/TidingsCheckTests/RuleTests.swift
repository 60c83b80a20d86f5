import CheckCore
import Testing

@Suite struct RuleTests {
  @Test("the first reason of the table that applies and is requested")
  func reasons() {
    let all = Rule(20..<60, ["created", "deleted", "entered", "left", "updated"])
    #expect(all.reason(from: nil, to: 130) == "created")
    #expect(all.reason(from: 110, to: 130) == "entered")
    #expect(all.reason(from: 130, to: 140) == "updated")
    #expect(all.reason(from: 130, to: 160) == "left")
    #expect(all.reason(from: 130, to: nil) == "deleted")
    #expect(all.reason(from: 160, to: 119) == nil)
    #expect(all.reason(from: nil, to: 119) == nil)
    #expect(all.reason(from: 160, to: nil) == nil)
    let few = Rule(20..<60, ["entered", "left"])
    #expect(few.reason(from: nil, to: 130) == "entered")
    #expect(few.reason(from: 130, to: nil) == "left")
    #expect(few.reason(from: 130, to: 140) == nil)
  }
}
