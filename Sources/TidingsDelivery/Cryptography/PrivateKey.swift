internal import CCrypto

/// A private key of P-256 or RSA.
///
/// Unchecked: libcrypto's keys may be used by several threads once they are made, and this one never changes.
package final class PrivateKey: @unchecked Sendable {
  private let handle: OpaquePointer

  private init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { EVP_PKEY_free(handle) }

  /// A new key of P-256.
  package static func makeP256() throws(CryptoError) -> PrivateKey {
    guard let key = tidings_p256_generate() else { throw CryptoError("no key was made") }
    return PrivateKey(key)
  }

  /// Reads a key in PEM, PKCS #8 or of its own kind.
  ///
  /// - Throws: `CryptoError` for what is no such key, or has a password.
  package init(pem: [UInt8]) throws(CryptoError) {
    guard let memory = BIO_new_mem_buf(pem, Int32(pem.count)) else {
      throw CryptoError("no memory")
    }
    defer { BIO_free(memory) }
    // Without this it would ask at the terminal.
    guard let key = PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil) else {
      throw CryptoError("the file has no private key in PEM without a password")
    }
    handle = key
  }

  /// It is one of P-256.
  package var isP256: Bool {
    EVP_PKEY_is_a(handle, "EC") == 1 && EVP_PKEY_get_bits(handle) == 256
      && (try? publicPoint.count) == 65
  }

  /// It is one of RSA.
  package var isRSA: Bool { EVP_PKEY_is_a(handle, "RSA") == 1 }

  /// The public key of P-256: 65 bytes, an uncompressed point.
  package var publicPoint: [UInt8] {
    get throws(CryptoError) {
      var bytes: UnsafeMutablePointer<UInt8>?
      let count = EVP_PKEY_get1_encoded_public_key(handle, &bytes)
      guard count > 0, let bytes else { throw CryptoError("the key has no public part") }
      defer { CRYPTO_free(bytes, "", 0) }
      return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
  }

  /// Signs with SHA-256: as JWS has it, for P-256 the two numbers, 64 bytes, for RSA PKCS #1 1.5.
  package func signature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw CryptoError("no memory") }
    defer { EVP_MD_CTX_free(context) }
    try CryptoError.check(
      EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1,
      "signing"
    )
    var count = 0
    try CryptoError.check(
      EVP_DigestSign(context, nil, &count, message, message.count) == 1,
      "signing"
    )
    var bytes = [UInt8](repeating: 0, count: count)
    try CryptoError.check(
      EVP_DigestSign(context, &bytes, &count, message, message.count) == 1,
      "signing"
    )
    bytes.removeLast(bytes.count - count)
    return isRSA ? bytes : try Self.numbers(in: bytes)
  }

  /// The two numbers of an ECDSA signature in DER.
  private static func numbers(in der: [UInt8]) throws(CryptoError) -> [UInt8] {
    let signature = der.withUnsafeBufferPointer { der in
      var start = der.baseAddress
      return d2i_ECDSA_SIG(nil, &start, der.count)
    }
    guard let signature else { throw CryptoError("the signature is not one of ECDSA") }
    defer { ECDSA_SIG_free(signature) }
    var numbers = [UInt8](repeating: 0, count: 64)
    let isDone = numbers.withUnsafeMutableBufferPointer { numbers in
      guard let start = numbers.baseAddress else { return false }
      return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
    }
    try CryptoError.check(isDone, "the signature is not one of P-256")
    return numbers
  }

  /// The secret that this key shares with the holder of a public key: ECDH on P-256, 32 bytes.
  ///
  /// - Parameter point: 65 bytes, an uncompressed point.
  /// - Returns: The secret.
  /// - Throws: `CryptoError` for what is no point of P-256.
  package func sharedSecret(with point: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let peer = EVP_PKEY_new() else { throw CryptoError("no memory") }
    defer { EVP_PKEY_free(peer) }
    try CryptoError.check(
      EVP_PKEY_copy_parameters(peer, handle) == 1
        && EVP_PKEY_set1_encoded_public_key(peer, point, point.count) == 1,
      "the public key is no point of P-256"
    )
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else {
      throw CryptoError("no memory")
    }
    defer { EVP_PKEY_CTX_free(context) }
    // The second one checks the point.
    try CryptoError.check(
      EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1,
      "the public key is no point of P-256"
    )
    var secret = [UInt8](repeating: 0, count: 32)
    var count = secret.count
    try CryptoError.check(
      EVP_PKEY_derive(context, &secret, &count) == 1 && count == 32,
      "no secret is shared"
    )
    return secret
  }
}
