internal import CSodium

/// A CURVE key pair, Curve25519: what a server or a user proves itself with.
public struct KeyPair: Sendable {
  /// What others know.
  public let publicKey: PublicKey
  /// What nobody else may know, 32 bytes.
  public let secretKey: [UInt8]

  private static let isReady = sodium_init() >= 0

  /// A new pair.
  public init() {
    precondition(Self.isReady, "libsodium cannot be initialized")
    var secret = [UInt8](repeating: 0, count: PublicKey.byteCount)
    randombytes_buf(&secret, secret.count)
    guard let pair = Self(secretKey: secret) else {
      preconditionFailure("a secret key of the right length has a public part")
    }
    self = pair
  }

  /// The pair of a secret key; `nil` unless it has 32 bytes.
  public init?(secretKey: [UInt8]) {
    guard secretKey.count == PublicKey.byteCount else { return nil }
    var bytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
    guard crypto_scalarmult_base(&bytes, secretKey) == 0, let publicKey = PublicKey(bytes) else {
      return nil
    }
    self.publicKey = publicKey
    self.secretKey = secretKey
  }
}
