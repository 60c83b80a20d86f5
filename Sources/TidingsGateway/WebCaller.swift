internal import TidingsHTTP
internal import TidingsRPC
package import TidingsWeb

/// With what a request proves whose it is; the server checks it with each call.
package struct WebCaller: Hashable, Sendable {
  package enum Credential: Hashable, Sendable {
    /// Development mode: the name of a user, or nobody's.
    case claimed(String?)
    /// An API token, alone or with a user's token.
    case token(api: String, user: String?)
    /// The ID of a server's key, whose signature was verified.
    case serverKey(String)
    /// The token of a dashboard's session.
    case dashboard(String)
  }

  package var credential: Credential
  /// Where a user of the API token signs in.
  package var signInURL: String?

  package init(_ credential: Credential) { self.credential = credential }

  /// Reads the tokens of a request.
  ///
  /// - Parameters:
  ///   - query: The request's query.
  ///   - isDevelopment: The server trusts names.
  /// - Throws: `authenticationFailed` without an API token; `authenticationRequired` for a token that cannot be one.
  package init(_ query: QueryString, isDevelopment: Bool) throws(WebFailure) {
    guard let api = query["ckAPIToken"] else {
      throw WebFailure(.authenticationFailed, "the parameter ckAPIToken is missing")
    }
    let token = query["ckWebAuthToken"].map(Self.repaired)
    guard isDevelopment else {
      guard api.utf8.count == 64, api.allSatisfy(\.isHexDigit) else {
        throw WebFailure(
          .authenticationFailed,
          "ckAPIToken is not an API token: 64 hexadecimal digits"
        )
      }
      credential = .token(api: api.lowercased(), user: token)
      return
    }
    guard let token else {
      credential = .claimed(nil)
      return
    }
    guard token.hasPrefix(Self.developmentPrefix), token != Self.developmentPrefix else {
      throw WebFailure(
        .authenticationRequired,
        "the server is in development mode: a web auth token is dev:USER"
      )
    }
    credential = .claimed(String(token.dropFirst(Self.developmentPrefix.count)))
  }

  /// Some clients escape tokens twice, or turn `+` into a space.
  private static func repaired(_ token: String) -> String {
    let once = token.utf8.contains(UInt8(ascii: "%")) ? PercentCoding.decode(token) ?? token : token
    return once.utf8.contains(UInt8(ascii: " ")) ? String(once.map { $0 == " " ? "+" : $0 }) : once
  }

  private static let developmentPrefix = "dev:"

  /// The user, as far as the gateway knows.
  var user: String? {
    if case .claimed(let user) = credential { user } else { nil }
  }

  /// Whether somebody has signed in.
  var isUser: Bool {
    switch credential {
    case .claimed(let user): user != nil
    case .token(_, let user): user != nil
    case .serverKey, .dashboard: true
    }
  }

  /// What calls carry.
  func metadata(device: String? = nil, requestID: String? = nil) -> Metadata {
    var metadata = Metadata()
    switch credential {
    case .claimed(let user): metadata[Metadata.userKey] = user
    case .token(let api, let user):
      metadata[Metadata.apiTokenKey] = api
      metadata[Metadata.webAuthTokenKey] = user
    case .serverKey(let id): metadata[Metadata.serverKeyKey] = id
    case .dashboard(let token): metadata[Metadata.webAuthTokenKey] = token
    }
    metadata[Metadata.deviceKey] = device
    metadata[Metadata.requestIDKey] = requestID
    return metadata
  }
}
