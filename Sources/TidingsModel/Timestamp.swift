#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A time, to the nanosecond, as `google.protobuf.Timestamp` has it.
///
/// Nanoseconds since 1970 in an Int64 would end in 1677 and 2262; the years 1 to 9999 need two numbers.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01 00:00 UTC, rounded down: negative before.
  public var seconds: Int64
  /// Nanoseconds after that second, 0 to 999,999,999.
  public var nanoseconds: Int32

  /// A time from its parts.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970, negative before.
  ///   - nanoseconds: Nanoseconds after that second, 0 to 999,999,999.
  public init(seconds: Int64, nanoseconds: Int32) {
    precondition((0..<1_000_000_000).contains(nanoseconds), "nanoseconds are within a second")
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// A time from its distance to 1970.
  public init(millisecondsSince1970: Int64) {
    self.init(milliseconds: millisecondsSince1970, nanoseconds: 0)
  }

  /// A time from whole milliseconds since 1970 and the nanoseconds after them, 0 to 999,999.
  package init(milliseconds: Int64, nanoseconds: Int32) {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let rest = remainder < 0 ? remainder + 1_000 : remainder
    self.init(
      seconds: remainder < 0 ? quotient - 1 : quotient,
      nanoseconds: Int32(rest) * 1_000_000 + nanoseconds
    )
  }

  /// Milliseconds since 1970-01-01 00:00 UTC, rounded down: negative before.
  public var millisecondsSince1970: Int64 {
    // In two steps, because the least second's milliseconds may be beyond what an Int64 holds.
    let rest = Int64(nanoseconds / 1_000_000)
    return seconds < 0 ? (seconds + 1) * 1_000 + (rest - 1_000) : seconds * 1_000 + rest
  }

  /// The nanoseconds after the last whole millisecond, 0 to 999,999.
  package var nanosecondsOfMillisecond: Int32 { nanoseconds % 1_000_000 }

  /// The time of the system's clock.
  public static var now: Self {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Self(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// 0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999999 UTC, the range of protobuf's Timestamp.
  public static let validRange =
    Self(
      seconds: -62_135_596_800,
      nanoseconds: 0
    )...Self(
      seconds: 253_402_300_799,
      nanoseconds: 999_999_999
    )

  /// The time so many milliseconds later; earlier for a negative number.
  public func advanced(milliseconds: Int64) -> Self {
    Self(
      milliseconds: millisecondsSince1970 + milliseconds,
      nanoseconds: nanosecondsOfMillisecond
    )
  }

  /// How much later this is than another time; negative if it is earlier.
  public func since(_ other: Self) -> Duration {
    .seconds(seconds - other.seconds) + .nanoseconds(Int64(nanoseconds) - Int64(other.nanoseconds))
  }

  /// Earlier is less.
  public static func < (a: Self, b: Self) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
  }
}
