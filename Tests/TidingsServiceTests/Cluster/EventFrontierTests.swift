internal import Testing

@testable internal import TidingsService

@Suite struct EventFrontierTests {
  @Test("an event counts when its pushes have had time, and none is ever skipped")
  func frontier() {
    var frontier = EventFrontier()
    let start = ContinuousClock.now
    frontier.note(10, at: start)
    #expect(frontier.event == 10, "what was before the node followed is not its own")
    for step in 1...100 {
      let now = start.advanced(by: .milliseconds(100 * step))
      frontier.note(Int64(10 + step), at: now)
      #expect(frontier.event == Int64(10 + max(0, step - 20)), "step \(step)")
    }
    // Nothing new: it catches up.
    frontier.note(110, at: start.advanced(by: .seconds(60)))
    #expect(frontier.event == 110)
  }

  @Test("many in a moment take no more memory than a few")
  func bound() {
    var frontier = EventFrontier()
    let start = ContinuousClock.now
    for event in 1...100_000 { frontier.note(Int64(event), at: start) }
    frontier.note(100_000, at: start.advanced(by: .seconds(3)))
    #expect(frontier.event == 100_000)
  }
}
