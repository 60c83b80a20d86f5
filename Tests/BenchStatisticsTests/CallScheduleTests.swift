import BenchStatistics
import Testing

@Suite struct CallScheduleTests {
  private func seconds(_ schedule: CallSchedule, _ number: Int) -> Double? {
    schedule.start(ofCall: number).map { $0 / .seconds(1) }
  }

  @Test("a constant rate goes on without end")
  func constant() throws {
    let schedule = CallSchedule.constant(50)
    #expect(seconds(schedule, 0) == 0)
    #expect(abs(try #require(seconds(schedule, 1)) - 0.02) < 1e-9)
    #expect(abs(try #require(seconds(schedule, 5_000_000)) - 100_000) < 1e-3)
  }

  @Test("a line begins as many calls as the area under it, ever faster")
  func line() throws {
    let schedule = CallSchedule.line(from: 10, to: 110, over: .seconds(10))
    // (10 + 110) / 2 · 10 s
    #expect(seconds(schedule, 599) != nil && seconds(schedule, 600) == nil)
    // 10 t + 5 t² = 175 at t = 5
    #expect(abs(try #require(seconds(schedule, 175)) - 5) < 1e-6)
    let times = (0..<600).compactMap { seconds(schedule, $0) }
    #expect(times == times.sorted() && times.count == 600)
    #expect(times[1] - times[0] > times[599] - times[598])
  }

  @Test("a line may fall")
  func falling() throws {
    let schedule = CallSchedule.line(from: 110, to: 10, over: .seconds(10))
    #expect(seconds(schedule, 599) != nil && seconds(schedule, 600) == nil)
    #expect(abs(try #require(seconds(schedule, 425)) - 5) < 1e-6)
  }

  @Test("steps have each their own rate")
  func steps() throws {
    let schedule = CallSchedule.steps(3, from: 10, to: 30, over: .seconds(3))
    #expect(abs(try #require(seconds(schedule, 9)) - 0.9) < 1e-9)
    #expect(abs(try #require(seconds(schedule, 10)) - 1) < 1e-9)
    #expect(abs(try #require(seconds(schedule, 20)) - 1.5) < 1e-9)
    #expect(abs(try #require(seconds(schedule, 59)) - (2 + 29.0 / 30)) < 1e-9)
    #expect(seconds(schedule, 60) == nil)
  }
}
