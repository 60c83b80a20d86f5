internal import CSodium

/// The SHA-256 of the random bytes of a web token, or of the public key of a server key.
///
/// Made without memory of its own: every call of a gateway looks for one.
struct WebTokenHash: Hashable, Sendable {
  static let bytesCount = 32

  private let words: SIMD4<UInt64>

  /// Hashes a message.
  init(hashing message: UnsafeRawBufferPointer) {
    words = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.bytesCount) { hash in
      if let start = hash.baseAddress {
        crypto_hash_sha256(
          start,
          message.baseAddress?.assumingMemoryBound(to: UInt8.self),
          UInt64(message.count)
        )
      }
      return UnsafeRawBufferPointer(hash).loadUnaligned(as: SIMD4<UInt64>.self)
    }
  }

  /// A hash from its bytes; `nil`: there are not 32.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.bytesCount else { return nil }
    words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  /// A hash that is written in hexadecimal digits; `nil`: it is not.
  init?(hexadecimal text: UnsafeRawBufferPointer) {
    guard let hash = WebTokenText.withBytes(ofHexadecimal: text, { Self(exactly: $0) }) else {
      return nil
    }
    self = hash
  }

  /// The hash of an API token; `nil`: the text is none.
  init?(ofAPIToken text: UnsafeRawBufferPointer) {
    guard let hash = WebTokenText.withBytes(ofHexadecimal: text, { Self(hashing: $0) }) else {
      return nil
    }
    self = hash
  }

  /// The hash of a web auth token; `nil`: the text is none.
  init?(ofWebAuthToken text: UnsafeRawBufferPointer) {
    guard let hash = WebTokenText.withBytes(ofBase64URL: text, { Self(hashing: $0) }) else {
      return nil
    }
    self = hash
  }

  private init(exactly bytes: UnsafeRawBufferPointer) {
    words = bytes.loadUnaligned(as: SIMD4<UInt64>.self)
  }

  var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
}
