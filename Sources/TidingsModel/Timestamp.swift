#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A time, to the millisecond.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01 00:00 UTC, negative before.
  public var millisecondsSince1970: Int64

  /// A time from its distance to 1970.
  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// The time of the system's clock.
  public static var now: Self {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Self(
      millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    )
  }

  /// 0001-01-01 00:00:00.000 to 9999-12-31 23:59:59.999 UTC, the range of protobuf's Timestamp.
  public static let validRange =
    Self(
      millisecondsSince1970: -62_135_596_800_000
    )...Self(
      millisecondsSince1970: 253_402_300_799_999
    )

  /// Earlier is less.
  public static func < (a: Self, b: Self) -> Bool {
    a.millisecondsSince1970 < b.millisecondsSince1970
  }
}
