internal import CGnuTLS
internal import Glibc
internal import TidingsFiles
package import TidingsHTTP
internal import TidingsJSON
package import TidingsWeb

/// The signature of a server's request: ECDSA with P-256 and SHA-256 of `DATE:HASH OF THE BODY:PATH`.
package struct ServerSignature {
  /// How far the date may be from now, in seconds.
  private static let skewSeconds = 600

  package let keyID: String
  private let date: String
  private let signature: [UInt8]

  /// Reads the headers of a request.
  ///
  /// - Returns: `nil`: the request is not signed.
  /// - Throws: `authenticationFailed` for headers that are not complete, or a date that is not near.
  package init?(_ head: HTTPHead, now: Int = time(nil)) throws(WebFailure) {
    guard let keyID = head.header("x-apple-cloudkit-request-keyid") else { return nil }
    guard keyID.utf8.count == 64, keyID.allSatisfy(\.isHexDigit) else {
      throw Self.failed("X-Apple-CloudKit-Request-KeyID has 64 hexadecimal digits")
    }
    guard let date = head.header("x-apple-cloudkit-request-iso8601date"),
      let signed = head.header("x-apple-cloudkit-request-signaturev1").flatMap({ Base64.decode($0) }
      ),
      (8...80).contains(signed.count)
    else {
      throw Self.failed(
        "X-Apple-CloudKit-Request-ISO8601Date and -SignatureV1 are needed with -KeyID"
      )
    }
    guard let seconds = Self.seconds(date), abs(seconds - now) <= Self.skewSeconds else {
      throw Self.failed(
        "the date '\(date.prefix(40))' of the request is not a UTC time, or not within 10 minutes of the server's"
      )
    }
    (self.keyID, self.date, signature) = (keyID.lowercased(), date, signed)
  }

  /// Verifies the signature with the key's public part.
  ///
  /// Clients sign the path with its query or without, and an empty body as such or by its hash.
  ///
  /// - Parameters:
  ///   - publicKey: SubjectPublicKeyInfo in DER.
  ///   - head: The request's head.
  ///   - body: Its body.
  /// - Throws: `authenticationFailed` when the key did not sign this request.
  package func verify(
    with publicKey: [UInt8],
    _ head: HTTPHead,
    _ body: [UInt8]
  ) throws(WebFailure) {
    var key: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&key) == 0 else { throw Self.failed("no memory for the key") }
    defer { gnutls_pubkey_deinit(key) }
    let imported = Self.withDatum(publicKey) {
      gnutls_pubkey_import(key, $0, GNUTLS_X509_FMT_DER)
    }
    guard imported == 0 else { throw Self.failed("the key that is stored cannot be read") }
    let hash = Base64.encode(SHA256.checksum(of: body))
    let paths = head.query.isEmpty ? [head.path] : [head.path, "\(head.path)?\(head.query)"]
    for path in paths {
      for hash in body.isEmpty ? [hash, ""] : [hash] {
        let text = Array("\(date):\(hash):\(path)".utf8)
        let result = Self.withDatum(text) { text in
          Self.withDatum(signature) { signature in
            gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_ECDSA_SHA256, 0, text, signature)
          }
        }
        if result >= 0 { return }
      }
    }
    throw Self.failed("the signature is not of this request, or not by the key \(keyID.prefix(8))…")
  }

  private static func withDatum<R>(
    _ bytes: [UInt8],
    _ body: (UnsafePointer<gnutls_datum_t>) -> R
  ) -> R {
    // GnuTLS takes a pointer to what it only reads.
    var bytes = bytes
    return bytes.withUnsafeMutableBufferPointer { buffer in
      var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
      return body(&datum)
    }
  }

  /// `2026-01-31T12:34:56Z` in seconds since 1970.
  private static func seconds(_ date: String) -> Int? {
    let pattern = "dddd-dd-ddTdd:dd:ddZ"
    guard date.utf8.count == pattern.utf8.count,
      zip(date.utf8, pattern.utf8).allSatisfy({ byte, expected in
        expected == UInt8(ascii: "d") ? 0x30...0x39 ~= byte : byte == expected
      })
    else { return nil }
    let numbers = date.split { !("0"..."9" ~= $0) }.compactMap { Int32($0) }
    guard numbers.count == 6, 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24,
      numbers[4] < 60, numbers[5] <= 60
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return timegm(&time)
  }

  private static func failed(_ reason: String) -> WebFailure {
    WebFailure(.authenticationFailed, reason)
  }
}
