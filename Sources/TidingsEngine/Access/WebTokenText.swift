/// The texts of tokens: 32 random bytes, written in hexadecimal digits (API tokens) or in the alphabet of base64 for URLs
/// (sessions, sign-ins).
enum WebTokenText {
  /// The random bytes of a token.
  static let bytesCount = 32
  /// Without padding.
  static let base64URLCount = 43

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// Lends the bytes of 64 hexadecimal digits; `nil`: the text is something else.
  static func withBytes<R>(
    ofHexadecimal text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R? {
    guard text.count == 2 * bytesCount else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesCount) { bytes -> R? in
      for index in bytes.indices {
        guard let high = hexadecimalValue(text[2 * index]),
          let low = hexadecimalValue(text[2 * index + 1])
        else { return nil }
        bytes[index] = high << 4 | low
      }
      return body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Lends the bytes of 43 characters; `nil`: the text is something else.
  static func withBytes<R>(
    ofBase64URL text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R? {
    guard text.count == base64URLCount else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesCount) { bytes -> R? in
      var (bits, bitCount, written) = (UInt32(0), 0, 0)
      for character in text {
        guard let value = base64Value(character) else { return nil }
        bits = bits << 6 | UInt32(value)
        bitCount += 6
        guard bitCount >= 8 else { continue }
        bitCount -= 8
        bytes[written] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
        written += 1
      }
      // One token has one text.
      guard bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
      return body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The text of bytes, for URLs.
  static func base64URL(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 8 + 5) / 6)
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func base64Value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
