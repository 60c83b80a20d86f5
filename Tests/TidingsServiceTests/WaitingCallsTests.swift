internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel

@testable internal import TidingsService

@Suite struct WaitingCallsTests {
  private static let start = ContinuousClock.now

  private func database(_ owner: String) -> DatabaseID {
    DatabaseID(container: "c", environment: .development, scope: .private, owner: owner)
  }

  private func watch(_ owner: String, _ zones: String...) -> FeedWatch {
    FeedWatch(
      database: database(owner),
      zones: zones.map { ZoneID(zoneName: $0) },
      head: 0
    )
  }

  private func changed(_ owner: String, _ zone: String) -> ChangedZone {
    ChangedZone(database: database(owner), zone: ZoneID(zoneName: zone))
  }

  private func end(_ seconds: Int) -> ContinuousClock.Instant {
    Self.start.advanced(by: .seconds(seconds))
  }

  @Test("a change wakes those who wait for its zone, and those who wait for any of its database")
  func wakes() {
    let calls = Table<String>(countMax: 10, bytesMax: 1000)
    #expect(calls.isEmpty && calls.nextTimer == nil)
    for (name, watch) in [
      ("a", watch("ada", "notes")), ("b", watch("ada", "notes", "drafts")), ("c", watch("ada")),
      ("d", watch("bob", "notes")), ("e", watch("bob")), ("f", watch("ada", "drafts")),
    ] {
      #expect(calls.park(name, for: watch, bytes: 1, until: end(10)))
    }
    calls.wake([changed("ada", "other"), changed("eve", "notes")])
    #expect(calls.popWoken() == "c" && calls.popWoken() == nil)
    calls.wake([changed("ada", "notes")])
    #expect([calls.popWoken(), calls.popWoken(), calls.popWoken()] == ["a", "b", nil])
    calls.wake([changed("ada", "drafts"), changed("ada", "drafts")])
    #expect([calls.popWoken(), calls.popWoken()] == ["f", nil])
    calls.wake([changed("bob", "notes")])
    #expect(calls.popWoken() == "d" && !calls.isEmpty)
    #expect(calls.takeAll() == ["e"] && calls.isEmpty)
  }

  @Test("a wait ends in time, woken calls do not")
  func expires() {
    let calls = Table<String>(countMax: 10, bytesMax: 1000)
    for (name, seconds) in [("late", 3), ("early", 1), ("woken", 2)] {
      #expect(calls.park(name, for: watch(name), bytes: 1, until: end(seconds)))
    }
    #expect(calls.nextTimer == end(1))
    calls.wake([changed("woken", "z")])
    #expect(calls.expire(end(0)).isEmpty)
    #expect(calls.expire(end(2)) == ["early"])
    #expect(calls.nextTimer == end(3) && calls.expire(end(3)) == ["late"])
    #expect(calls.nextTimer == nil && calls.popWoken() == "woken" && calls.isEmpty)
  }

  @Test("no more calls and no more bytes wait than allowed, and room comes back")
  func bounds() {
    let calls = Table<Int>(countMax: 3, bytesMax: 100)
    #expect(!calls.park(0, for: watch("a"), bytes: 101, until: end(1)))
    #expect(calls.park(1, for: watch("a"), bytes: 60, until: end(1)))
    #expect(!calls.park(2, for: watch("a"), bytes: 41, until: end(1)))
    #expect(calls.park(3, for: watch("b"), bytes: 20, until: end(1)))
    #expect(calls.park(4, for: watch("b"), bytes: 20, until: end(1)))
    #expect(!calls.park(5, for: watch("b"), bytes: 0, until: end(1)))
    calls.wake([changed("b", "z")])
    // Woken ones count until they are taken.
    #expect(!calls.park(6, for: watch("b"), bytes: 0, until: end(1)))
    #expect(calls.popWoken() == 3)
    #expect(calls.park(7, for: watch("c"), bytes: 40, until: end(1)))
    #expect(calls.takeAll() == [4, 1, 7] && calls.isEmpty)
    #expect(calls.park(8, for: watch("c"), bytes: 100, until: end(1)))
  }

  @Test("the calls of a caller wait for so many zones together, so that one change wakes few")
  func parts() {
    let calls = Table<Int>(countMax: 1_000, bytesMax: .max)
    let zones = (0..<20_000).map { ZoneID(zoneName: "z\($0)") }
    let many = FeedWatch(database: database("ada"), zones: zones, head: 0)
    #expect(calls.park(1, for: many, bytes: 1, until: end(1)))
    #expect(calls.park(2, for: many, bytes: 1, until: end(1)))
    #expect(!calls.park(3, for: many, bytes: 1, until: end(1)))
    #expect(calls.park(4, for: watch("ada"), bytes: 1, until: end(1)))
    calls.wake([changed("ada", "z7")])
    #expect([calls.popWoken(), calls.popWoken(), calls.popWoken()] == [1, 2, 4])
    #expect(calls.park(3, for: many, bytes: 1, until: end(1)))
  }

  @Test("each call comes out once, whatever happens to it")
  func random() {
    let seed = Seed.make("WaitingCalls")
    var random = SplitMix64(seed: seed)
    let calls = Table<Int>(countMax: 40, bytesMax: 1 << 20)
    var (parked, out): (Set<Int>, Set<Int>) = ([], [])
    var next = 0
    func note(_ call: Int) { #expect(out.insert(call).inserted, "seed \(seed)") }
    for now in 0..<3000 {
      switch random.below(5) {
      case 0...2:
        next += 1
        let zones = (0..<random.below(3)).map { _ in "z\(random.below(4))" }
        let watch = FeedWatch(
          database: database("\(random.below(3))"),
          zones: Set(zones).map { ZoneID(zoneName: $0) },
          head: 0
        )
        if calls.park(next, for: watch, bytes: 1, until: end(now + random.below(100))) {
          parked.insert(next)
        }
      case 3:
        calls.wake([changed("\(random.below(3))", "z\(random.below(4))")])
        while let call = calls.popWoken() { note(call) }
      default: for call in calls.expire(end(now)) { note(call) }
      }
    }
    for call in calls.takeAll() { note(call) }
    #expect(out == parked, "seed \(seed)")
  }
}

/// The table as a reference, which expectations can change.
private final class Table<Call> {
  private var calls: WaitingCalls<Call>

  init(countMax: Int, bytesMax: Int) {
    calls = WaitingCalls(countMax: countMax, bytesMax: bytesMax)
  }

  var isEmpty: Bool { calls.isEmpty }
  var nextTimer: ContinuousClock.Instant? { calls.nextTimer }

  func park(
    _ call: Call,
    for watch: FeedWatch,
    bytes: Int,
    until end: ContinuousClock.Instant
  ) -> Bool {
    calls.park(call, for: watch, bytes: bytes, until: end) != nil
  }
  func wake(_ zones: [ChangedZone]) { calls.wake(zones) }
  func popWoken() -> Call? { calls.popWoken() }
  func expire(_ now: ContinuousClock.Instant) -> [Call] { calls.expire(now) }
  func takeAll() -> [Call] { calls.takeAll() }
}
