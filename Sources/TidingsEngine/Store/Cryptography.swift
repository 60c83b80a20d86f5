internal import CSodium

extension [UInt8] {
  /// Two lower-case hexadecimal digits for each byte.
  var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The bytes that hexadecimal digits stand for; `nil`: they are no such digits.
  init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }
}

/// The few primitives that the engine needs, from libsodium.
enum Cryptography {
  /// libsodium is initialized before any of its functions is used.
  private static let isReady = sodium_init() >= 0

  /// Bytes that nobody can guess.
  static func randomBytes(_ count: Int) -> [UInt8] {
    precondition(isReady, "libsodium cannot be initialized")
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      randombytes_buf(start, count)
      initialized = count
    }
  }

  /// BLAKE2b of a message: a name for it that no other message has.
  ///
  /// - Parameters:
  ///   - message: What is hashed.
  ///   - key: With a key, only its holders can make the hash: 16 to 64 bytes, or none.
  ///   - bytes: Length of the hash, 16 to 64.
  /// - Returns: The hash.
  static func hash(_ message: [UInt8], key: [UInt8] = [], bytes: Int) -> [UInt8] {
    precondition(isReady, "libsodium cannot be initialized")
    return [UInt8](unsafeUninitializedCapacity: bytes) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      crypto_generichash(
        start,
        bytes,
        message,
        UInt64(message.count),
        key,
        key.count
      )
      initialized = bytes
    }
  }

  /// SipHash-2-4 of a short message: without the key it is indistinguishable from a random number.
  ///
  /// - Parameters:
  ///   - message: What is hashed.
  ///   - key: 16 bytes.
  /// - Returns: The hash.
  static func shortHash(_ message: [UInt8], key: [UInt8]) -> UInt64 {
    precondition(isReady, "libsodium cannot be initialized")
    precondition(key.count == 16, "a key of SipHash has 16 bytes")
    var hash: UInt64 = 0
    withUnsafeMutableBytes(of: &hash) { buffer in
      guard let start = buffer.baseAddress else { return }
      crypto_shorthash(start, message, UInt64(message.count), key)
    }
    return UInt64(littleEndian: hash)
  }

  /// Compares in constant time.
  static func areEqual(_ a: ArraySlice<UInt8>, _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in sodium_memcmp(a.baseAddress, b.baseAddress, b.count) == 0 }
    }
  }
}
