/// A JSON number as written, so that every integer and every double survives.
public struct JSONNumber: Hashable, Sendable {
  /// The digits, for example `300000`, `5.0` or `1e-7`.
  public let literal: String

  /// A literal that is known to follow JSON's grammar.
  init(checked literal: String) { self.literal = literal }

  /// A whole number.
  public init(_ value: some BinaryInteger & CustomStringConvertible) {
    literal = value.description
  }

  /// A finite number: the shortest literal that reads back as the same value, never without a
  /// fraction or an exponent.
  public init(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
    precondition(value.isFinite, "JSON has no NaN and no infinities")
    literal = value.description
  }

  /// The literal has neither a fraction nor an exponent.
  public var isInteger: Bool {
    literal.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) }
  }

  /// The value, if it is whole and in the type's range; `1e3` and `5.0` are whole.
  public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    isInteger ? Integer(literal) : wholeDigits.flatMap { Integer($0) }
  }

  /// The nearest double; `nil` when the number is too large for one.
  public var double: Double? {
    guard let value = Double(literal), value.isFinite else { return nil }
    return value
  }

  /// The literal without fraction and exponent, if it is whole and could be an integer.
  private var wholeDigits: String? {
    let isNegative = literal.hasPrefix("-")
    let parts = literal.drop { $0 == "-" }.split { $0 == "e" || $0 == "E" }
    guard let mantissa = parts.first else { return nil }
    let sides = mantissa.split(separator: ".")
    let fraction = sides.count > 1 ? sides[1] : ""
    var digits = String(sides.first ?? "") + fraction
    var trailingZeros = 0
    while digits.hasSuffix("0") {
      digits.removeLast()
      trailingZeros += 1
    }
    if digits.isEmpty { return "0" }
    guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, exponent.magnitude < 1 << 32 else {
      return nil
    }
    let zeros = exponent - fraction.count + trailingZeros
    digits = String(digits.drop { $0 == "0" })
    guard zeros >= 0, digits.count + zeros <= 20 else { return nil }
    return (isNegative ? "-" : "") + digits + String(repeating: "0", count: zeros)
  }
}
