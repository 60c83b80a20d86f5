internal import CSodium

/// A SHA-256 of bytes that come in pieces.
package struct SHA256: Sendable {
  /// Length of a checksum.
  package static let checksumBytes = 32

  /// libsodium is initialized before any of its functions is used.
  private static let isReady = sodium_init() >= 0

  private var state = crypto_hash_sha256_state()

  /// The hash of nothing yet.
  package init() {
    precondition(Self.isReady, "libsodium cannot be initialized")
    crypto_hash_sha256_init(&state)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      crypto_hash_sha256_update(&state, start, UInt64(bytes.count))
    }
  }

  /// The checksum of all that was added, 32 bytes.
  package consuming func checksum() -> [UInt8] {
    var state = state
    return [UInt8](unsafeUninitializedCapacity: Self.checksumBytes) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      crypto_hash_sha256_final(&state, start)
      initialized = Self.checksumBytes
    }
  }

  /// The checksum of some bytes.
  package static func checksum(of bytes: [UInt8]) -> [UInt8] {
    var hash = Self()
    hash.update(bytes[...])
    return hash.checksum()
  }
}
