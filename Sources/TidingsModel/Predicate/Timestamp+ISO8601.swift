extension Timestamp {
  private static let secondsPerDay: Int64 = 86_400

  /// This time as `2026-01-02T03:04:05.678Z`, in UTC: with 3 digits of a second, or 6 or 9 where they are
  /// needed, so that equal times have one text.
  public var iso8601: String {
    let (days, rest) = Self.floorDivide(seconds, by: Self.secondsPerDay)
    let (year, month, day) = Self.civil(daysSince1970: days)
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2)).\(fractionText)Z"
  }

  private var fractionText: String {
    let count = Int64(nanoseconds)
    if count % 1_000_000 == 0 { return padded(count / 1_000_000, 3) }
    return count % 1_000 == 0 ? padded(count / 1_000, 6) : padded(count, 9)
  }

  /// A time from its UTC calendar date and time of day; `nil` when there is no such time.
  init?(
    year: Int64,
    month: Int64,
    day: Int64,
    hour: Int64,
    minute: Int64,
    second: Int64,
    nanosecond: Int64
  ) {
    guard
      (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
      (0...999_999_999).contains(nanosecond)
    else { return nil }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    // A day that the month does not have comes back as another one.
    guard Self.civil(daysSince1970: days) == (year, month, day) else { return nil }
    let seconds = (hour * 60 + minute) * 60 + second
    self.init(seconds: days * Self.secondsPerDay + seconds, nanoseconds: Int32(nanosecond))
  }

  // Proleptic Gregorian calendar in eras of 400 years that begin on 1 March, so that the leap day
  // is the last of its year.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(
    daysSince1970 days: Int64
  ) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func floorDivide(
    _ a: Int64,
    by b: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let remainder = ((a % b) + b) % b
    return ((a - remainder) / b, remainder)
  }
}

private func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
