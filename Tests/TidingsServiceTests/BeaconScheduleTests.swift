internal import RandomSupport
internal import TestSupport
internal import Testing

@testable internal import TidingsService

@Suite struct BeaconScheduleTests {
  private let start = ContinuousClock.now

  /// All beacons up to a time, when the loop looks exactly as often as it is asked to.
  private func beacons(
    _ schedule: inout BeaconSchedule,
    until end: Int
  ) -> [(ms: Int, number: Int64)] {
    var seen: [(Int, Int64)] = []
    while let next = schedule.next, next <= start + .milliseconds(end) {
      for beacon in schedule.takeDue(at: next) {
        seen.append((Int((next - start) / .milliseconds(1)), beacon.sequence))
      }
    }
    return seen
  }

  @Test("after the last event its number is repeated 1 s and 5 s later, then never")
  func twoBeacons() {
    var schedule = BeaconSchedule(channelsMax: 1_000)
    schedule.published([1], 7, at: start)
    let seen = beacons(&schedule, until: 60_000)
    #expect(seen.map(\.ms) == [1000, 5000] && seen.map(\.number) == [7, 7])
    #expect(schedule.next == nil)
  }

  @Test("beacons that are due together are taken in pieces, each once")
  func pieces() {
    var schedule = BeaconSchedule(channelsMax: 1_000)
    for topic in 0..<100 { schedule.published([UInt8(topic)], Int64(topic), at: start) }
    let due = start + .seconds(1)
    var seen: [[Int64]] = []
    while schedule.isDue(at: due) {
      seen.append(schedule.takeDue(at: due, timersMax: 16).map(\.sequence))
    }
    #expect(seen.map(\.count) == [16, 16, 16, 16, 16, 16, 4])
    #expect(Set(seen.joined()) == Set(0..<100))
    #expect(schedule.next == start + .seconds(5))
  }

  @Test("an event between the two beacons starts again: 1 s and 5 s after it")
  func eventBetweenBeacons() {
    var schedule = BeaconSchedule(channelsMax: 1_000)
    schedule.published([1], 1, at: start)
    #expect(beacons(&schedule, until: 1500).map(\.ms) == [1000])
    schedule.published([1], 2, at: start + .milliseconds(1500))
    let seen = beacons(&schedule, until: 60_000)
    #expect(seen.map(\.ms) == [2500, 6500] && seen.map(\.number) == [2, 2])
  }

  @Test("whatever is published when, each channel's last number is repeated in time")
  func randomEvents() {
    let seed = Seed.make("BeaconSchedule")
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var schedule = BeaconSchedule(channelsMax: 1_000)
      var (now, expected, seen) = (0, [] as Set<[Int]>, [] as Set<[Int]>)
      var last: [Int: (ms: Int, number: Int)] = [:]
      func note(_ channel: Int, until end: Int) {
        guard let event = last[channel] else { return }
        for delay in [1000, 5000] where event.ms + delay < end {
          expected.insert([channel, event.ms + delay, event.number])
        }
      }
      func run(until end: Int) {
        while let next = schedule.next, next < start + .milliseconds(end) {
          for beacon in schedule.takeDue(at: next) {
            seen.insert(
              [Int(beacon.topic[0]), Int((next - start) / .milliseconds(1)), Int(beacon.sequence)])
          }
        }
      }
      for number in 1...100 {
        now += random.below(900)
        run(until: now)
        let channel = random.below(3)
        note(channel, until: now)
        last[channel] = (now, number)
        schedule.published([UInt8(channel)], Int64(number), at: start + .milliseconds(now))
      }
      run(until: now + 100_000)
      for channel in 0..<3 { note(channel, until: now + 100_000) }
      let isSame = seen == expected
      #expect(isSame, "seed \(seed)")
      #expect(schedule.next == nil)
    }
  }
}
