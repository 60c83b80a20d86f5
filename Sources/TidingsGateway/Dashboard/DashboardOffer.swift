internal import TidingsJSON

/// A session that a link began in a browser that has one of another user: it replaces that one when its user says so.
///
/// It is sealed, so that scripts cannot read the token and the gateway keeps nothing.
struct DashboardOffer {
  private static let purpose = "offer"
  private static let seconds = 120

  /// The handle of the session that was asked, which alone can take the offer.
  let replaced: String
  /// The token of the session that the link began.
  let token: String
  /// In seconds since 1970.
  private let expires: Int

  init(of token: String, replacing replaced: String) {
    (self.replaced, self.token) = (replaced, token)
    expires = SealedURLs.now + Self.seconds
  }

  /// Opens what `sealed(by:)` returned; `nil`: it was not sealed here, or is too old.
  init?(_ text: String, sealedBy urls: SealedURLs) {
    guard let object = urls.open(text)?.object, object["p"]?.string == Self.purpose,
      let replaced = object["s"]?.string, let token = object["g"]?.string,
      let expires = object["t"]?.number?.exactly(Int.self), expires >= SealedURLs.now
    else { return nil }
    (self.replaced, self.token, self.expires) = (replaced, token, expires)
  }

  func sealed(by urls: SealedURLs) -> String {
    urls.seal([
      "p": .string(Self.purpose), "s": .string(replaced), "g": .string(token),
      "t": .integer(expires),
    ])
  }
}
