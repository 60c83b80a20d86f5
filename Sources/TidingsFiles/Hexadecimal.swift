extension [UInt8] {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The bytes that hexadecimal digits stand for; `nil` for anything else.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 16) }
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
