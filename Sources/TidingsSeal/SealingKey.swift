internal import CSodium

/// A key that seals messages and opens them: XSalsa20 and Poly1305, libsodium's secretbox.
///
/// A sealed message is the nonce, 24 bytes, and the box, 16 bytes longer than the message. Who does
/// not have the key can neither read it nor make one.
public struct SealingKey: Hashable, Sendable {
  /// Length of a key, in bytes.
  public static let byteCount = 32
  /// How much longer than the message a sealed message is, in bytes.
  public static let overheadBytes = NonceSequence.Nonce.byteCount + macBytes

  private static let macBytes = 16
  /// libsodium is initialized before any of its functions is used.
  private static let isReady = sodium_init() >= 0

  /// The key.
  public let bytes: [UInt8]

  /// A key; `nil` unless it has 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Derives a key that only the holders of a secret can derive: the BLAKE2b hash, 32 bytes, of a
  /// name, keyed with the secret.
  ///
  /// - Parameters:
  ///   - secret: 16 to 64 bytes.
  ///   - name: What the key is for; another one gives another key.
  public init(secret: [UInt8], name: [UInt8]) {
    precondition(Self.isReady, "libsodium cannot be initialized")
    precondition((16...64).contains(secret.count), "a secret has 16 to 64 bytes")
    bytes = [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      crypto_generichash(
        start,
        buffer.count,
        name,
        UInt64(name.count),
        secret,
        secret.count
      )
      initialized = buffer.count
    }
  }

  /// Seals a message where it is.
  ///
  /// - Parameters:
  ///   - memory: `overheadBytes` of room, then the message; afterwards the sealed message.
  ///   - nonce: A number that was never used with this key: a second use gives both messages away.
  public func seal(_ memory: UnsafeMutableRawBufferPointer, _ nonce: NonceSequence.Nonce) {
    precondition(Self.isReady, "libsodium cannot be initialized")
    precondition(memory.count >= Self.overheadBytes, "there is no room for nonce and box")
    nonce.write(to: memory)
    guard let start = memory.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    crypto_secretbox_easy(
      start + NonceSequence.Nonce.byteCount,
      start + Self.overheadBytes,
      UInt64(memory.count - Self.overheadBytes),
      start,
      bytes
    )
  }

  /// Opens a sealed message.
  ///
  /// - Returns: The message; `nil` when it was not sealed with this key, or changed since.
  public func open(_ sealed: [UInt8]) -> [UInt8]? {
    precondition(Self.isReady, "libsodium cannot be initialized")
    guard sealed.count >= Self.overheadBytes else { return nil }
    let count = sealed.count - Self.overheadBytes
    var isOpen = false
    let message = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
      sealed.withUnsafeBufferPointer { sealed in
        guard let start = sealed.baseAddress else { return }
        let result = crypto_secretbox_open_easy(
          output.baseAddress,
          start + NonceSequence.Nonce.byteCount,
          UInt64(sealed.count - NonceSequence.Nonce.byteCount),
          start,
          bytes
        )
        isOpen = result == 0
      }
      initialized = isOpen ? count : 0
    }
    return isOpen ? message : nil
  }
}
