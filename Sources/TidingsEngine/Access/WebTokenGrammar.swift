internal import TidingsModel

/// What may be said of a web credential.
enum WebTokenGrammar {
  /// Longest text of all origins together, and of a callback URL.
  static let textBytesMax = 2_048
  /// What every SubjectPublicKeyInfo of an uncompressed P-256 key begins with; the point's 64 bytes follow.
  private static let p256Prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]
  private static let p256PointBytes = 64

  /// Refuses what cannot be stored or used.
  static func check(_ request: WebTokenRequest, at now: Timestamp) throws(ItemError) {
    try AccountGrammar.check(text: request.label, what: "label")
    if let expires = request.expires {
      guard expires > now, Timestamp.validRange.contains(expires) else {
        throw ItemError(
          .invalidArguments,
          "the credential would expire in the past: give a later time"
        )
      }
    }
    switch request.credential {
    case .apiToken(let origins, let callbackURL):
      for origin in origins { try check(origin: origin) }
      guard origins.reduce(0, { $0 + $1.utf8.count + 1 }) <= textBytesMax else {
        throw ItemError(.invalidArguments, "the origins have more than \(textBytesMax) bytes")
      }
      try check(callbackURL: callbackURL)
    case .serverKey(_, let publicKey):
      guard publicKey.starts(with: p256Prefix),
        publicKey.count == p256Prefix.count + p256PointBytes
      else {
        throw ItemError(
          .invalidArguments,
          "the public key is not valid: it is a P-256 key as SubjectPublicKeyInfo in DER, 91 bytes "
            + "(openssl ec -in KEY.pem -pubout -outform DER)"
        )
      }
    }
  }

  /// An origin as browsers send it: scheme, host in lower case, and a port that is not the scheme's.
  private static func check(origin: String) throws(ItemError) {
    guard let rest = withoutScheme(origin), !rest.isEmpty, rest.utf8.allSatisfy(isOfHost) else {
      throw ItemError(
        .invalidArguments,
        "the origin \(Identifier.shown(origin)) is not valid: write it as browsers do, for example "
          + "https://example.org or http://localhost:8080"
      )
    }
  }

  private static func check(callbackURL url: String) throws(ItemError) {
    guard !url.isEmpty else { return }
    let host = withoutScheme(url)?.prefix { $0 != "/" && $0 != "?" }.lowercased() ?? ""
    guard url.utf8.count <= textBytesMax, !host.isEmpty, host.utf8.allSatisfy(isOfHost),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !url.utf8.contains(UInt8(ascii: "#")),
      url.hasPrefix("https://") || isThisMachine(host)
    else {
      throw ItemError(
        .invalidArguments,
        "the callback URL \(Identifier.shown(url)) is not valid: use an https URL, or http on this machine "
          + "(localhost, 127.0.0.1, [::1]), of at most \(textBytesMax) bytes, without a user and a fragment"
      )
    }
  }

  /// Whether what is sent to a host, with or without a port, crosses no network.
  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
  }

  private static func withoutScheme(_ url: String) -> Substring? {
    for scheme in ["https://", "http://"] where url.hasPrefix(scheme) {
      return url.dropFirst(scheme.count)
    }
    return nil
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
