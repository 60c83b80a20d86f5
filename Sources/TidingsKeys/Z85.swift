/// ZeroMQ's text for binary keys: five printable characters for each four bytes (RFC 32).
package enum Z85 {
  private static let digits = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8
  )
  /// The value of each character; 0xff: it is none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// The text of bytes, whose count is divisible by four.
  package static func encode(_ bytes: [UInt8]) -> String {
    precondition(bytes.count % 4 == 0, "Z85 encodes four bytes at a time")
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let word = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      var divisor: UInt32 = 85 * 85 * 85 * 85
      while divisor > 0 {
        text.append(digits[Int(word / divisor % 85)])
        divisor /= 85
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; `nil` when it is not Z85.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 5 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 5) {
      var word: UInt64 = 0
      for character in characters[start..<start + 5] {
        let value = values[Int(character)]
        guard value != 0xff else { return nil }
        word = word * 85 + UInt64(value)
      }
      guard let word = UInt32(exactly: word) else { return nil }
      withUnsafeBytes(of: word.bigEndian) { bytes += $0 }
    }
    return bytes
  }
}
