/// Names requests, in answers and logs.
package enum RequestID {
  /// A random UUID (version 4) in capitals.
  package static func make() -> String {
    var (high, low) = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    high = high & ~0xF000 | 0x4000
    low = low & ~(0b11 << 62) | 0b10 << 62
    return String(unsafeUninitializedCapacity: 36) { text in
      var count = 0
      for (half, dashes) in [(high, [8, 13]), (low, [18, 23])] {
        for shift in stride(from: 60, through: 0, by: -4) {
          if dashes.contains(count) || count == 18 {
            text[count] = UInt8(ascii: "-")
            count += 1
          }
          let digit = UInt8(half >> UInt64(shift) & 15)
          text[count] = digit < 10 ? 0x30 + digit : 0x41 - 10 + digit
          count += 1
        }
      }
      return count
    }
  }
}
