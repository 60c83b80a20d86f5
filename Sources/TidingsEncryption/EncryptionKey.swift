internal import CSodium

/// A key that seals values of fields and opens them: XChaCha20-Poly1305, libsodium's IETF form.
///
/// A sealed value is the nonce, 24 random bytes, then the encrypted value and a tag of 16 bytes.
public struct EncryptionKey: Hashable, Sendable {
  /// Length of a key, in bytes.
  public static let byteCount = 32
  /// Length of a key's name, in bytes.
  public static let idByteCount = 8
  /// How much longer than the value a sealed value is, in bytes.
  public static let overheadBytes = nonceBytes + tagBytes

  private static let nonceBytes = 24
  private static let tagBytes = 16
  /// libsodium is initialized before any of its functions is used.
  private static let isReady = sodium_init() >= 0

  /// The key.
  public let bytes: [UInt8]
  /// Names the key and gives nothing of it away: the first 8 bytes of the SHA-256 of
  /// `tidings-key-id-1` and the key.
  public let id: [UInt8]

  /// A new key.
  public init() {
    precondition(Self.isReady, "libsodium cannot be initialized")
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    randombytes_buf(&bytes, bytes.count)
    self.init(checked: bytes)
  }

  /// A key from its bytes; `nil` unless there are 32.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(checked: bytes)
  }

  private init(checked bytes: [UInt8]) {
    precondition(Self.isReady, "libsodium cannot be initialized")
    let named = Array("tidings-key-id-1".utf8) + bytes
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&hash, named, UInt64(named.count))
    self.bytes = bytes
    id = Array(hash.prefix(Self.idByteCount))
  }

  /// Seals a value with a random nonce.
  ///
  /// - Parameters:
  ///   - value: The value, encoded.
  ///   - location: Where it belongs: it opens nowhere else.
  /// - Returns: Nonce, encrypted value and tag.
  public func seal(_ value: [UInt8], for location: FieldLocation) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Self.nonceBytes)
    randombytes_buf(&nonce, nonce.count)
    return seal(value, for: location, nonce: nonce)
  }

  /// Seals a value with a nonce that was never used with this key.
  package func seal(_ value: [UInt8], for location: FieldLocation, nonce: [UInt8]) -> [UInt8] {
    precondition(nonce.count == Self.nonceBytes, "a nonce has 24 bytes")
    let context = location.bytes
    let box = [UInt8](unsafeUninitializedCapacity: value.count + Self.tagBytes) { box, count in
      guard let start = box.baseAddress else { return }
      crypto_aead_xchacha20poly1305_ietf_encrypt(
        start,
        nil,
        value,
        UInt64(value.count),
        context,
        UInt64(context.count),
        nil,
        nonce,
        bytes
      )
      count = value.count + Self.tagBytes
    }
    return nonce + box
  }

  /// Opens a sealed value.
  ///
  /// - Returns: The value; `nil` when it was not sealed with this key for this place, or changed since.
  public func open(_ sealed: [UInt8], from location: FieldLocation) -> [UInt8]? {
    guard sealed.count >= Self.overheadBytes else { return nil }
    let context = location.bytes
    var isOpen = false
    let value = [UInt8](
      unsafeUninitializedCapacity: sealed.count - Self.overheadBytes
    ) { value, count in
      sealed.withUnsafeBufferPointer { sealed in
        guard let start = sealed.baseAddress else { return }
        isOpen =
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            value.baseAddress,
            nil,
            nil,
            start + Self.nonceBytes,
            UInt64(sealed.count - Self.nonceBytes),
            context,
            UInt64(context.count),
            start,
            bytes
          ) == 0
      }
      count = isOpen ? sealed.count - Self.overheadBytes : 0
    }
    return isOpen ? value : nil
  }
}
