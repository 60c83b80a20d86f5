/// Seals a message for a browser: `aes128gcm` of one record (RFC 8188, RFC 8291).
package enum WebPushSealing {
  /// Most bytes that a push service takes (RFC 8030).
  package static let sealedBytesMax = 4_096
  /// Salt, size of the record, length of the key, key; the end of the record, tag.
  private static let overheadBytes = 16 + 4 + 1 + 65 + 1 + 16
  /// Most bytes of a message.
  package static let messageBytesMax = sealedBytesMax - overheadBytes

  /// Seals a message with a key that is made for it.
  ///
  /// - Parameters:
  ///   - message: At most `messageBytesMax` bytes.
  ///   - publicKey: The browser's, 65 bytes.
  ///   - authSecret: The browser's, 16 bytes.
  /// - Returns: The body of the request.
  /// - Throws: `CryptoError` when the browser's key is none.
  package static func seal(
    _ message: [UInt8],
    publicKey: [UInt8],
    authSecret: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let key = try PrivateKey.makeP256()
    let point = try key.publicPoint
    let salt = try Primitives.randomBytes(16)
    let secret = try Primitives.hkdf(
      try key.sharedSecret(with: publicKey),
      salt: authSecret,
      info: Array("WebPush: info\0".utf8) + publicKey + point,
      count: 32
    )
    let contentKey = try Primitives.hkdf(
      secret,
      salt: salt,
      info: Array("Content-Encoding: aes128gcm\0".utf8),
      count: 16
    )
    let nonce = try Primitives.hkdf(
      secret,
      salt: salt,
      info: Array("Content-Encoding: nonce\0".utf8),
      count: 12
    )
    // 2 ends the last record.
    let sealed = try Primitives.sealGCM(message + [2], key: contentKey, nonce: nonce)
    let recordBytes: [UInt8] = [0, 0, UInt8(sealedBytesMax >> 8), UInt8(sealedBytesMax & 0xff)]
    return salt + recordBytes + [UInt8(point.count)] + point + sealed
  }
}
