internal import CCrypto

/// What signing and sealing needs of libcrypto besides keys.
package enum Primitives {
  /// Bytes that nobody can guess.
  package static func randomBytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try CryptoError.check(RAND_bytes(&bytes, Int32(count)) == 1, "no random bytes")
    return bytes
  }

  /// HMAC with SHA-256: 32 bytes.
  package static func hmac(_ message: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 32
    let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count)
    try CryptoError.check(result != nil && count == 32, "HMAC")
    return code
  }

  /// HKDF with SHA-256 (RFC 5869).
  package static func hkdf(
    _ secret: [UInt8],
    salt: [UInt8],
    info: [UInt8],
    count: Int
  ) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil) else {
      throw CryptoError("no HKDF")
    }
    defer { EVP_PKEY_CTX_free(context) }
    var bytes = [UInt8](repeating: 0, count: count)
    var length = count
    try CryptoError.check(
      EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
        && EVP_PKEY_CTX_set1_hkdf_key(context, secret, Int32(secret.count)) == 1
        && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
        && EVP_PKEY_derive(context, &bytes, &length) == 1 && length == count,
      "HKDF"
    )
    return bytes
  }

  /// AES-128-GCM: the sealed bytes and a tag of 16.
  package static func sealGCM(
    _ message: [UInt8],
    key: [UInt8],
    nonce: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    precondition(key.count == 16 && nonce.count == 12, "AES-128-GCM has keys of 16 bytes")
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptoError("no memory") }
    defer { EVP_CIPHER_CTX_free(context) }
    try CryptoError.check(
      EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, nil) == 1,
      "AES-GCM"
    )
    var sealed = [UInt8](repeating: 0, count: message.count + 16)
    var (count, end): (Int32, Int32) = (0, 0)
    let isDone = sealed.withUnsafeMutableBufferPointer { sealed in
      guard let start = sealed.baseAddress,
        EVP_EncryptUpdate(context, start, &count, message, Int32(message.count)) == 1,
        EVP_EncryptFinal_ex(context, start + Int(count), &end) == 1
      else { return false }
      return tidings_gcm_set_tag_length(context, 16, start + message.count) == 1
    }
    try CryptoError.check(isDone && Int(count + end) == message.count, "AES-GCM")
    return sealed
  }
}
