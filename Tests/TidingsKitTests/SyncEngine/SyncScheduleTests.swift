import Testing

@testable import TidingsKit

@Suite struct SyncScheduleTests {
  private let now = ContinuousClock.now

  @Test("what is wanted is done at once, fetching before sending")
  func order() {
    var schedule = SyncSchedule()
    #expect(schedule.decide(now: now) == .idle)
    schedule.want(.send)
    schedule.want(.fetch)
    #expect(schedule.decide(now: now) == .work(.fetch))
    schedule.begin(.fetch)
    #expect(schedule.decide(now: now) == .work(.send))
    schedule.begin(.send)
    #expect(schedule.decide(now: now) == .idle)
  }

  @Test("pauses double up to their bound, and end with a success or when the server is back")
  func pauses() {
    var schedule = SyncSchedule()
    var last = Duration.zero
    for _ in 0..<20 {
      schedule.fail(.send, now: now, spread: 1)
      guard case .wait(let time) = schedule.decide(now: now) else {
        Issue.record("no pause")
        return
      }
      #expect(now.duration(to: time) >= last)
      last = now.duration(to: time)
      #expect(schedule.decide(now: time) == .work(.send))
    }
    #expect(last == SyncSchedule.longestPause)
    schedule.hurry()
    #expect(schedule.decide(now: now) == .work(.send))
    schedule.succeed(.send)
    schedule.fail(.send, now: now, spread: 1)
    #expect(
      schedule.decide(now: now) == .wait(until: now.advanced(by: SyncSchedule.shortestPause))
    )
  }

  @Test("what the server asks for is obeyed, whatever is requested meanwhile")
  func obeying() {
    var schedule = SyncSchedule()
    schedule.fail(.send, retryAfter: .seconds(100), now: now, spread: 0)
    schedule.want(.send)
    schedule.hurry()
    #expect(schedule.decide(now: now) == .wait(until: now.advanced(by: .seconds(100))))
  }

  @Test("what was cancelled waits for a request, and not without end")
  func cancelling() {
    var schedule = SyncSchedule()
    schedule.postpone(.fetch, now: now)
    let later = now.advanced(by: SyncSchedule.longestPause)
    #expect(schedule.decide(now: now) == .wait(until: later))
    #expect(schedule.decide(now: later) == .work(.fetch))
    schedule.want(.fetch)
    #expect(schedule.decide(now: now) == .work(.fetch))
  }
}
