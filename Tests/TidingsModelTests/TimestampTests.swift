import RandomSupport
import Testing

@testable import TidingsModel

@Suite struct TimestampTests {
  @Test("milliseconds round down, also before 1970, up to the ends of Int64")
  func milliseconds() {
    #expect(
      Timestamp(millisecondsSince1970: -1) == Timestamp(seconds: -1, nanoseconds: 999_000_000)
    )
    #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).millisecondsSince1970 == -1)
    #expect(Timestamp(seconds: 0, nanoseconds: 1_999_999).millisecondsSince1970 == 1)
    for value in [0, 1, -1, 999, -1_000, -1_001, .max, .min] as [Int64] {
      #expect(Timestamp(millisecondsSince1970: value).millisecondsSince1970 == value)
    }
  }

  @Test(
    "order, distance and the two columns of the store agree with one wide number",
    arguments: [1, 2, 3] as [UInt64]
  )
  func order(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let range = Timestamp.validRange
    func time() -> Timestamp {
      let width = UInt64(range.upperBound.seconds - range.lowerBound.seconds) + 1
      let second = range.lowerBound.seconds + Int64(random.next() % width)
      return Timestamp(
        seconds: random.pick([second, 0, -1, 1_767_323_045]),
        nanoseconds: random.pick([
          0, 1, 999_999, 1_000_000, 999_999_999, Int32(random.below(1_000_000_000)),
        ])
      )
    }
    for _ in 0..<10_000 {
      let (a, b) = (time(), time())
      #expect((a < b) == (wide(a) < wide(b)), "\(a) \(b) seed \(seed)")
      #expect((a == b) == (wide(a) == wide(b)), "\(a) \(b) seed \(seed)")
      #expect(a.since(b) == distance(a, b), "seed \(seed)")
      let again = Timestamp(
        milliseconds: a.millisecondsSince1970,
        nanoseconds: a.nanosecondsOfMillisecond
      )
      #expect(again == a, "seed \(seed)")
      #expect(a.advanced(milliseconds: 1_500).since(a) == .milliseconds(1_500), "seed \(seed)")
    }
  }

  private func wide(_ time: Timestamp) -> Int128 {
    Int128(time.seconds) * 1_000_000_000 + Int128(time.nanoseconds)
  }

  private func distance(_ a: Timestamp, _ b: Timestamp) -> Duration {
    let nanoseconds = wide(a) - wide(b)
    return .seconds(Int64(nanoseconds / 1_000_000_000))
      + .nanoseconds(Int64(nanoseconds % 1_000_000_000))
  }

  @Test(
    "a text that predicates show is read back as the same time",
    arguments: [1, 2, 3] as [UInt64]
  )
  func text(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let seconds = Int64(random.below(315_537_897_600)) - 62_135_596_800
      let digits = random.pick([1, 1_000, 1_000_000] as [Int32])
      let nanoseconds = Int32(random.below(1_000_000_000)) / digits * digits
      let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      let predicate = try Predicate(text: "a = @\(time.iso8601)")
      #expect(predicate.text == "a = @\(time.iso8601)", "seed \(seed)")
      #expect(predicate.matches(["a": .timestamp(time)]), "\(time.iso8601) seed \(seed)")
    }
  }

  @Test(
    "no more than nine digits, and not none",
    arguments: ["a = @2026-01-02T03:04:05.1234567890Z", "a = @2026-01-02T03:04:05.Z"]
  )
  func tooManyDigits(text: String) {
    #expect { try Predicate(text: text) } throws: { "\($0)".contains("nine digits") }
  }
}
