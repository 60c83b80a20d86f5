internal import TidingsFiles
internal import TidingsHTTP

/// The session of a dashboard, as browsers keep it: a cookie that scripts cannot read.
///
/// Changing calls also carry a second token, which pages get from the gateway and other pages cannot guess: the hash of
/// the first, so that the gateway keeps nothing.
struct DashboardCookie: Sendable {
  /// Browsers send it over HTTPS only.
  let isSecure: Bool

  /// The header with the second token.
  static let requestTokenHeader = "x-tidings-request-token"
  /// Characters of a token.
  private static let tokenCount = 43

  /// With the prefix browsers refuse the cookie from other hosts of the domain.
  private var name: String { isSecure ? "__Host-tidings-dashboard" : "tidings-dashboard" }

  /// The token of a request; `nil`: there is none that can be valid.
  func token(_ head: HTTPHead) -> String? {
    for header in head.headers where header.name == "cookie" {
      for pair in header.value.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
        let token = parts[1].prefix(Self.tokenCount + 1)
        return token.utf8.count == Self.tokenCount && token.utf8.allSatisfy(Self.isOfToken)
          ? String(token) : nil
      }
    }
    return nil
  }

  /// The header that lets a browser keep a token.
  func header(keeping token: String) -> (name: String, value: String) {
    ("Set-Cookie", "\(name)=\(token)\(attributes)")
  }

  /// The header that lets a browser forget it.
  var removal: (name: String, value: String) {
    ("Set-Cookie", "\(name)=\(attributes); Max-Age=0")
  }

  private var attributes: String {
    "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The second token of a session.
  static func requestToken(of token: String) -> String {
    SHA256.checksum(of: Array("tidings dashboard request \(token)".utf8)).hexadecimal
  }

  /// Whether a request carries the second token of its session.
  static func isAllowed(_ head: HTTPHead, token: String) -> Bool {
    guard let sent = head.header(requestTokenHeader) else { return false }
    let (sentBytes, expected) = (Array(sent.utf8), Array(requestToken(of: token).utf8))
    guard sentBytes.count == expected.count else { return false }
    return zip(sentBytes, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
