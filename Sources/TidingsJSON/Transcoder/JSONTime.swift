/// A count of seconds with nanoseconds, in the text forms of Timestamp and Duration.
public struct JSONTime: Hashable, Sendable {
  /// Of a time: since 1970-01-01 00:00 UTC.
  public var seconds: Int64
  /// Of a time: 0 to 999,999,999; of a duration: of the seconds' sign.
  public var nanoseconds: Int32

  /// A time or a duration from its parts.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  private static let secondsPerDay: Int64 = 86_400
  private static let timestampRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
  private static let durationSecondsMax: Int64 = 315_576_000_000

  /// The time `2026-01-02T03:04:05.678Z`: RFC 3339, with any offset; `nil` when it is none.
  public init?(timestamp text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2),
      scanner.skip("-"), let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2),
      scanner.skip(":"), let second = scanner.digits(2), let nanoseconds = scanner.fraction(),
      let offset = scanner.offset(), scanner.isAtEnd,
      (1...12).contains(month), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.daysSince1970(year, month, day)
    guard day > 0, Self.civil(days) == (year, month, day) else { return nil }
    seconds = days * Self.secondsPerDay + (hour * 60 + minute) * 60 + second - offset
    self.nanoseconds = nanoseconds
    guard Self.timestampRange.contains(seconds) else { return nil }
  }

  /// The time as `2026-01-02T03:04:05.678Z`; `nil` outside the years 1 to 9999.
  public var timestampText: String? {
    guard Self.timestampRange.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
      return nil
    }
    let rest = (seconds % Self.secondsPerDay + Self.secondsPerDay) % Self.secondsPerDay
    let (year, month, day) = Self.civil((seconds - rest) / Self.secondsPerDay)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
      + "\(fractionText)Z"
  }

  /// The duration `1.5s`; `nil` when it is none.
  public init?(duration text: String) {
    var scanner = DigitScanner(text)
    let sign: Int64 = scanner.skip("-") ? -1 : 1
    guard let seconds = scanner.integer(), let nanoseconds = scanner.fraction(),
      scanner.skip("s"), scanner.isAtEnd, seconds <= Self.durationSecondsMax
    else { return nil }
    self.init(seconds: sign * seconds, nanoseconds: Int32(sign) * nanoseconds)
  }

  /// The duration as `1.500s`; `nil` beyond 10,000 years or when the signs differ.
  public var durationText: String? {
    guard seconds.magnitude <= Self.durationSecondsMax, nanoseconds.magnitude < 1_000_000_000,
      seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
    else { return nil }
    let sign = seconds < 0 || nanoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(fractionText)s"
  }

  /// Nothing, or 3, 6 or 9 digits.
  private var fractionText: String {
    let count = Int64(nanoseconds.magnitude)
    if count == 0 { return "" }
    if count % 1_000_000 == 0 { return "." + padded(count / 1_000_000, 3) }
    if count % 1_000 == 0 { return "." + padded(count / 1_000, 6) }
    return "." + padded(count, 9)
  }

  // Proleptic Gregorian calendar in eras of 400 years that begin on 1 March, so that the leap day
  // is the last of its year.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

private func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Exactly so many digits.
  mutating func digits(_ count: Int) -> Int64? {
    let prefix = rest.prefix(count)
    guard prefix.count == count, prefix.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(count)
    return prefix.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// As many digits as there are, at least one and at most 12.
  mutating func integer() -> Int64? {
    let count = rest.prefix { (0x30...0x39).contains($0) }.count
    return (1...12).contains(count) ? digits(count) : nil
  }

  /// Nothing, or a point and one to nine digits; in nanoseconds.
  mutating func fraction() -> Int32? {
    guard skip(".") else { return 0 }
    let count = rest.prefix { (0x30...0x39).contains($0) }.count
    guard (1...9).contains(count), var value = digits(count) else { return nil }
    for _ in count..<9 { value *= 10 }
    return Int32(value)
  }

  /// `Z` or `+02:00`; in seconds.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64 = skip("-") ? -1 : 1
    guard sign < 0 || skip("+"), let hours = digits(2), skip(":"), let minutes = digits(2),
      hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes) * 60
  }
}
