internal import TidingsJSON
internal import TidingsProto

/// Times as CloudKit has them, milliseconds since 1970: with up to six decimals if they have more than milliseconds.
///
/// So a time that a client sends back as it came is the stored one, to the nanosecond in text, and to the microsecond
/// in a number that is read as a Double.
extension GoogleProtobuf.Timestamp {
  /// Reads a decimal number of milliseconds; what is less than a nanosecond is dropped.
  ///
  /// `nil`: the text is no number, or of no time of the years 1 to 9999.
  init?(milliseconds text: String) {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let parts = (isNegative ? text.dropFirst() : text[...])
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = parts.count > 1 ? parts[1] : "0"
    guard let whole = parts.first, Self.isDigits(whole), Self.isDigits(decimals) else {
      // Numbers may have an exponent.
      guard let double = Double(text), let time = Self(milliseconds: double) else { return nil }
      self = time
      return
    }
    let six = decimals.prefix(6)
    guard whole.utf8.count <= 15, let milliseconds = Int64(whole),
      let rest = Int64(six + String(repeating: "0", count: 6 - six.utf8.count))
    else { return nil }
    self.init(nanosecondsOf: isNegative ? -milliseconds : milliseconds, isNegative ? -rest : rest)
    guard Self.range ~= seconds else { return nil }
  }

  private init?(milliseconds: Double) {
    guard milliseconds.isFinite, let whole = Int64(exactly: milliseconds.rounded()) else {
      return nil
    }
    guard abs(whole) < 1_000_000_000_000_000 else { return nil }
    self.init(nanosecondsOf: whole, 0)
    guard Self.range ~= seconds else { return nil }
  }

  /// - Parameters:
  ///   - milliseconds: Since 1970.
  ///   - nanoseconds: After them, or before them if they are negative.
  private init(nanosecondsOf milliseconds: Int64, _ nanoseconds: Int64) {
    let (second, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let nanos = rest * 1_000_000 + nanoseconds
    self.init(
      seconds: nanos < 0 ? second - 1 : second,
      nanos: Int32(nanos < 0 ? nanos + 1_000_000_000 : nanos)
    )
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  /// The seconds of the years 1 to 9999.
  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Whole milliseconds since 1970, rounded down.
  var milliseconds: Int64 { seconds &* 1_000 &+ Int64(nanos / 1_000_000) }

  /// Milliseconds since 1970 as a decimal number.
  var millisecondsText: String {
    let (milliseconds, nanos) = (milliseconds, nanos % 1_000_000)
    guard nanos > 0 else { return "\(milliseconds)" }
    // Decimals count away from 0.
    let (whole, rest) =
      milliseconds < 0 ? (milliseconds + 1, 1_000_000 - nanos) : (milliseconds, nanos)
    var digits = String(rest)
    digits = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
    return (milliseconds < 0 && whole == 0 ? "-" : "") + "\(whole).\(digits)"
  }
}
