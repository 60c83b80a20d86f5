internal import Glibc

/// The time of day.
package enum UnixTime {
  /// Seconds since 1970.
  package static var now: Int { time(nil) }

  /// As RFC 3339 has it, for example `2026-11-25T14:31:08Z`.
  static func text(_ seconds: Int64) -> String {
    var (seconds, parts) = (time_t(seconds), tm())
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int32, _ count: Int = 2) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    return
      "\(padded(parts.tm_year + 1_900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))T"
      + "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
  }
}
