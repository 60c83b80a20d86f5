/// A decimal number in PostgreSQL's binary format, which `sum` of integers returns.
struct Numeric {
  /// Digits to the base 10,000, most significant first.
  private let digits: [Int64]
  /// The exponent of the first digit.
  private let weight: Int
  private let isNegative: Bool
  /// How many decimal digits follow the point.
  private let scale: Int

  private static let base: Int64 = 10_000

  /// Reads a number; `nil` for one that is infinite or not a number, and for other bytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> Int {
      Int(Int16(bitPattern: UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])))
    }
    guard bytes.count >= 8, bytes.count == 8 + 2 * word(0) else { return nil }
    switch word(2) {
    case 0: isNegative = false
    case 0x4000: isNegative = true
    default: return nil
    }
    weight = word(1)
    scale = word(3)
    digits = (0..<word(0)).map { Int64(word(4 + $0)) }
  }

  /// The number without its fraction; what is too large is cut.
  var int64: Int64 {
    var number: Int64 = 0
    for exponent in stride(from: weight, through: 0, by: -1) {
      let (product, overflows) = number.multipliedReportingOverflow(by: Self.base)
      let (sum, exceeds) = product.addingReportingOverflow(digit(exponent))
      if overflows || exceeds { return isNegative ? .min : .max }
      number = sum
    }
    return isNegative ? -number : number
  }

  /// The number in decimal digits.
  var description: String {
    var text = isNegative ? "-" : ""
    let whole = stride(from: max(weight, 0), through: 0, by: -1).map { padded($0) }.joined()
    let trimmed = whole.drop { $0 == "0" }
    text += trimmed.isEmpty ? "0" : trimmed
    guard scale > 0 else { return text }
    let fraction = (1...((scale + 3) / 4)).map { padded(-$0) }.joined()
    return text + "." + fraction.prefix(scale)
  }

  private func digit(_ exponent: Int) -> Int64 {
    let index = weight - exponent
    return digits.indices.contains(index) ? digits[index] : 0
  }

  private func padded(_ exponent: Int) -> String {
    String(String(Self.base + digit(exponent)).dropFirst())
  }
}
