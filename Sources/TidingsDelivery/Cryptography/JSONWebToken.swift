package import TidingsJSON

/// A signed JSON Web Token (RFC 7519), with ES256 or RS256 by its key.
package enum JSONWebToken {
  /// Makes a token.
  package static func make(
    _ claims: JSONObject,
    keyID: String? = nil,
    key: PrivateKey
  ) throws(CryptoError) -> String {
    var header: JSONObject = [
      "alg": .string(key.isRSA ? "RS256" : "ES256"), "typ": .string("JWT"),
    ]
    if let keyID { header.append("kid", .string(keyID)) }
    let head = base64URL(JSONValue.object(header).text())
    let text = head + "." + base64URL(JSONValue.object(claims).text())
    return text + "." + base64URL(try key.signature(of: Array(text.utf8)))
  }

  /// Base64 for URLs, without padding.
  package static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    String(
      Base64.encode(bytes).compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      }
    )
  }
}
