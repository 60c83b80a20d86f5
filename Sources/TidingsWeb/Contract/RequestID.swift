internal import Synchronization

/// Names requests, in answers and logs.
package enum RequestID {
  private static let made = Atomic<UInt64>(0)
  private static let seeds = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

  /// A UUID (version 4) in capitals.
  ///
  /// Not a secret, so not worth a system call each: numbers of a sequence that began at random, scrambled.
  package static func make() -> String {
    let number = made.add(1, ordering: .relaxed).newValue
    let high = scrambled(seeds.0 &+ number) & ~0xF000 | 0x4000
    let low = scrambled(seeds.1 &+ number) & ~(0b11 << 62) | 0b10 << 62
    return String(unsafeUninitializedCapacity: 36) { text in
      var count = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          text[count] = UInt8(ascii: "-")
          count += 1
        }
        let half = digit < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 15
        text[count] = value < 10 ? 0x30 + value : 0x41 - 10 + value
        count += 1
      }
      return count
    }
  }

  /// The finalizer of SplitMix64: a different result for each number.
  private static func scrambled(_ number: UInt64) -> UInt64 {
    var bits = number &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
