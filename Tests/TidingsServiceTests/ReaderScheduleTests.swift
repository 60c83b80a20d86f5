internal import Testing

@testable import TidingsService

/// Who is worked on next, counted in slices.
@Suite struct ReaderScheduleTests {
  private typealias Schedule = ReaderSchedule<String, Int>
  private static let start = ContinuousClock.now

  private func schedule(countMax: Int = 1_000) -> Schedule {
    Schedule(
      .init(
        countMax: countMax,
        bytesMax: 1_000,
        countPerCallerMax: countMax / 2,
        bytesPerCallerMax: 500,
        takenPerCallerMax: 2
      )
    )
  }

  /// Four threads on which jobs without end are worked on, slice by slice.
  private struct Threads {
    let roles: [Schedule.Role] = [.short, .short, .shortFirst, .longFirst]
    var taken: [Schedule.Taken?] = [nil, nil, nil, nil]
    var slices = 0

    /// Ends the slice of one thread and begins its next one.
    mutating func turn(_ thread: Int, _ schedule: inout Schedule, at now: ContinuousClock.Instant) {
      if let taken = taken[thread] {
        slices += 1
        schedule.ended(
          taken,
          rest: taken.job < 0 ? taken.job : nil,
          debt: taken.job < 0 ? .milliseconds(10) : .zero,
          at: now
        )
      }
      taken[thread] = schedule.takeNext(roles[thread])
    }
  }

  @Test(
    "a quick job is begun at once, however many users flood with long ones",
    arguments: [1, 2, 10, 100]
  )
  func quiet(users: Int) {
    var (schedule, threads) = (schedule(), Threads())
    var now = Self.start
    for round in 0..<4 {
      for user in 0..<users { _ = schedule.add(-1 - round, of: "flood\(user)", bytes: 1, at: now) }
      for thread in 0..<4 { threads.turn(thread, &schedule, at: now) }
    }
    // Until each has had its first slice.
    for step in 0..<users * 8 {
      now = now.advanced(by: .milliseconds(3))
      threads.turn(step % 4, &schedule, at: now)
    }
    for number in 1...50 {
      #expect(schedule.add(number, of: "quiet", bytes: 1, at: now) == true)
      // The floods go on, and send more.
      _ = schedule.add(-1, of: "flood\(number % users)", bytes: 1, at: now)
      let before = threads.slices
      while !threads.taken.contains(where: { $0?.job == number }) {
        for thread in 0..<4 { threads.turn(thread, &schedule, at: now) }
        guard threads.slices - before < 8 else { break }
      }
      #expect(threads.slices - before <= 4, "\(users) users, job \(number)")
      now = now.advanced(by: .milliseconds(1))
    }
  }

  @Test("callers with long jobs have turns, and no job is left behind")
  func turns() {
    var schedule = schedule()
    for job in 1...3 { _ = schedule.add(-job, of: "a", bytes: 1, at: Self.start) }
    _ = schedule.add(-9, of: "b", bytes: 1, at: Self.start)
    // Their first slices.
    for _ in 0..<4 {
      guard let taken = schedule.takeNext(.shortFirst) else { break }
      #expect(!taken.isLong)
      schedule.ended(taken, rest: taken.job, debt: .zero, at: Self.start)
    }
    var order: [String] = []
    for _ in 0..<6 {
      guard let taken = schedule.takeNext(.longFirst) else { break }
      order.append(taken.caller)
      schedule.ended(taken, rest: taken.job, debt: .zero, at: Self.start)
    }
    #expect(order.filter { $0 == "b" }.count == 3)
    let left = schedule.takeAll()
    #expect(left.sorted() == [-9, -3, -2, -1])
  }

  @Test("who took longer than a slice begins in the long lane, until the time has passed")
  func debt() throws {
    var schedule = schedule()
    _ = schedule.add(1, of: "a", bytes: 1, at: Self.start)
    let takenFound = schedule.takeNext(.short)
    let taken = try #require(takenFound)
    schedule.ended(taken, rest: nil, debt: .milliseconds(50), at: Self.start)
    _ = schedule.add(2, of: "a", bytes: 1, at: Self.start.advanced(by: .milliseconds(49)))
    let none = schedule.takeNext(.short)
    #expect(none?.job == nil)
    let longFound = schedule.takeNext(.shortFirst)
    let long = try #require(longFound)
    #expect(long.job == 2 && long.isLong)
    schedule.ended(long, rest: nil, debt: .zero, at: Self.start)
    _ = schedule.add(3, of: "a", bytes: 1, at: Self.start.advanced(by: .milliseconds(51)))
    let last = schedule.takeNext(.short)
    #expect(last?.job == 3)
  }

  @Test("what waits is bounded, in both lanes together, and what goes on is never refused")
  func bounds() throws {
    var schedule = schedule(countMax: 4)
    #expect(schedule.add(1, of: "a", bytes: 1, at: Self.start) == true)
    #expect(schedule.add(2, of: "a", bytes: 1, at: Self.start) == true)
    #expect(schedule.add(3, of: "a", bytes: 1, at: Self.start) == false)
    #expect(schedule.add(3, of: "b", bytes: 501, at: Self.start) == false)
    #expect(schedule.add(3, of: "b", bytes: 1, at: Self.start) == true)
    #expect(schedule.add(4, of: "c", bytes: 1, at: Self.start) == true)
    #expect(schedule.add(5, of: "d", bytes: 1, at: Self.start) == false)
    let takenFound = schedule.takeNext(.short)
    let taken = try #require(takenFound)
    schedule.ended(taken, rest: taken.job, debt: .zero, at: Self.start)
    #expect(schedule.add(5, of: "d", bytes: 1, at: Self.start) == false)
    let longFound = schedule.takeNext(.longFirst)
    let long = try #require(longFound)
    schedule.ended(long, rest: nil, debt: .zero, at: Self.start)
    #expect(schedule.add(5, of: "d", bytes: 1, at: Self.start) == true)
  }
}
