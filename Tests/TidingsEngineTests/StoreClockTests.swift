internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// A world in which time passes, clocks are set, and the server and its machine are stopped.
private struct ClockWorld {
  /// The time that truly passed since the beginning, in milliseconds.
  private(set) var real: Int64 = 0
  private(set) var uptime: Int64 = 50_000
  private var boot: Int64 = 7
  /// How wrong the time of day is.
  var error: Int64 = 0
  private(set) var clock: StoreClock
  private(set) var steady: SteadyTime
  /// What the server wrote last.
  private var saved: StoreClock.Saved?
  /// How far the time of day was ahead of the steady time, by steady time.
  private(set) var leads: [(at: Int64, ahead: Int64)] = []
  /// Time of which the uptime says nothing.
  private(set) var unseen: Int64 = 0

  static let start: Int64 = 1_700_000_000_000
  static let hour: Int64 = 3_600_000

  init() {
    let reading = ClockReading(
      timeOfDay: Timestamp(millisecondsSince1970: Self.start),
      uptime: 50_000,
      boot: 7
    )
    clock = StoreClock(reading, after: nil)
    steady = clock.read(reading).steady
  }

  var reading: ClockReading {
    ClockReading(
      timeOfDay: Timestamp(millisecondsSince1970: Self.start + real + error),
      uptime: uptime,
      boot: boot
    )
  }

  /// Steady milliseconds since the beginning.
  var passed: Int64 { steady.milliseconds - Self.start }

  /// Time passes while the server runs.
  ///
  /// - Returns: By how much more than the uptime the steady time went on.
  @discardableResult
  mutating func pass(_ milliseconds: Int64) -> Int64 {
    real += milliseconds
    uptime += milliseconds
    let before = steady
    let ahead = reading.timeOfDay.millisecondsSince1970 - before.milliseconds - milliseconds
    leads.append((before.milliseconds + milliseconds, ahead))
    steady = clock.read(reading).steady
    return steady.milliseconds - before.milliseconds - milliseconds
  }

  /// The machine stands still, and does not know.
  mutating func halt(_ milliseconds: Int64) {
    real += milliseconds
    unseen += milliseconds
  }

  mutating func save() { saved = clock.saved }

  /// The server ends and starts again, so much later.
  mutating func restart(after milliseconds: Int64) {
    real += milliseconds
    uptime += milliseconds
    reopen()
  }

  /// The machine ends and starts again, so much later.
  mutating func reboot(after milliseconds: Int64) {
    halt(milliseconds)
    boot += 1
    uptime = 10_000
    reopen()
  }

  private mutating func reopen() {
    leads = []
    clock = StoreClock(reading, after: saved)
    steady = clock.saved.steady
  }
}

/// What the store takes for the time, with clocks that are set, stopped and started again.
@Suite struct StoreClockTests {
  @Test(
    "the start of the system that the kernel names is a number that a store gives back",
    arguments: ["ffffffff-ffff-ffff-ffff-ffffffffffff", "94667097-c368-440e-bc9e-44fc8a70d473"]
  )
  func boots(name: String) throws {
    let database = try TestDatabase()
    let boot = bootNumber(name)
    #expect(boot > 0)
    let saved = StoreClock.Saved(steady: .init(milliseconds: 9), uptime: 7, boot: boot)
    _ = try Engine(database.connect(), clock: { .now })
    let table = try ClockTable(database.connect())
    try table.write(saved)
    #expect(try table.saved() == saved)
  }

  private static let hour = ClockWorld.hour

  @Test("a clock that is wrong for less than an hour at a time changes no duration at all")
  func shortJumps() {
    let seed = Seed.make("shortJumps")
    var random = SplitMix64(seed: seed)
    var world = ClockWorld()
    for _ in 0..<500 {
      // Wrong for less than an hour, then right for a moment.
      world.error = Int64(random.below(200 * 86_400_000)) - 100 * 86_400_000
      var left = Int64(random.below(Int(Self.hour)))
      while left > 0 {
        let step = min(left, Int64(1 + random.below(600_000)))
        world.pass(step)
        left -= step
        if random.oneIn(20) {
          let pause = min(left, Int64(random.below(1_000)))
          world.save()
          world.restart(after: pause)
          left -= pause
        }
      }
      world.error = 0
      world.pass(1)
      #expect(world.passed == world.real, "seed \(seed)")
    }
  }

  @Test("time in which the machine was off counts once the clock stayed ahead, and not before")
  func offTime() {
    let seed = Seed.make("offTime")
    var random = SplitMix64(seed: seed)
    var world = ClockWorld()
    for round in 0..<200 {
      world.save()
      let off = Int64(random.below(40 * 86_400_000))
      let lag = world.real - world.passed
      if random.oneIn(3) { world.halt(off) } else { world.reboot(after: off) }
      var patience = Self.hour
      if off + lag > 24 * Self.hour { patience *= 24 }
      var running: Int64 = 0
      while running < patience + 120_000 {
        #expect(world.passed <= world.real, "seed \(seed), round \(round)")
        if running < patience - 60_000, off > 1_000 {
          #expect(world.real - world.passed >= off, "seed \(seed), round \(round)")
        }
        running += 60_000
        world.pass(60_000)
      }
      #expect(world.real - world.passed <= StoreClock.tolerance, "seed \(seed), round \(round)")
    }
  }

  @Test("whatever is done to the clocks, more counts only if they were ahead by that all the time")
  func anything() {
    let seed = Seed.make("anyClock")
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      var world = ClockWorld()
      for _ in 0..<3_000 {
        switch random.below(60) {
        case 0: world.error = Int64(random.below(20 * 86_400_000)) - 10 * 86_400_000
        case 1: world.error += Int64(random.below(8_000)) - 4_000
        case 2: world.error = 0
        case 3: world.halt(Int64(random.below(3 * 86_400_000)))
        case 4:
          world.save()
          let before = world.steady
          if random.oneIn(2) { world.reboot(after: Int64(random.below(Int(Self.hour)))) }
          #expect(world.steady >= before, "seed \(seed)")
        default:
          let before = world.steady
          let more = world.pass(Int64(random.below(900_000)))
          #expect(more >= 0 && world.steady >= before, "seed \(seed)")
          guard more > 0 else { continue }
          let patience = more > 24 * Self.hour ? 24 * Self.hour : Self.hour
          let since = world.steady.milliseconds - more - patience
          // Of a run that began later, only what was seen of it is judged.
          let window = world.leads.filter { $0.at > since }
          #expect(window.allSatisfy { $0.ahead >= more }, "seed \(seed)")
        }
      }
    }
  }

  @Test("after a crash the time goes on exactly, unless the machine was started again")
  func crash() {
    var world = ClockWorld()
    world.save()
    world.pass(50_000)
    world.restart(after: 400_000)
    #expect(world.passed == 450_000)
    world.save()
    world.pass(30_000)
    // Nobody knows of the half minute.
    world.reboot(after: 0)
    #expect(world.passed == 450_000)
  }

  @Test("what is worth a line is said once")
  func notices() {
    var world = ClockWorld()
    var clock = world.clock
    func notice(_ error: Int64) -> ClockNotice? {
      world.error = error
      _ = clock.read(world.reading)
      return clock.takeNotice()
    }
    #expect(notice(0) == nil)
    #expect(notice(StoreClock.tolerance) == nil)
    #expect(notice(2 * Self.hour) == .ahead(.seconds(7_200)))
    #expect(notice(3 * Self.hour) == nil)
    #expect(notice(-2 * Self.hour) == .behind(.seconds(7_200)))
    #expect(notice(-2 * Self.hour) == nil)
    #expect(notice(0) == nil)
    let texts = [ClockNotice.ahead(.seconds(40 * 86_400)), .behind(.seconds(7_200))]
      .map(\.description)
    #expect(texts[0].contains("40 days ahead") && texts[0].contains("after 1 day"))
    #expect(texts[1].contains("2 hours behind"))
  }
}
