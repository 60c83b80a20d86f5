internal import TidingsHTTP
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Finds out with what a request proves whose it is, and whether that is for the database that it names.
struct Authentication: Sendable {
  let credentials: WebCredentials
  let isDevelopment: Bool
  let dashboard: DashboardRequests

  /// In place of an API token: the request is the dashboard's, and its session is in a cookie.
  static let dashboardToken = "dashboard"

  /// - Parameters:
  ///   - request: The request.
  ///   - database: What it is about.
  ///   - signInURL: Where a user of the API token can sign in.
  /// - Returns: The caller.
  /// - Throws: `WebFailure`; `RPCError`.
  func caller(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    signInURL: (_ apiToken: String) -> String
  ) async throws -> WebCaller {
    let query = QueryString(request.head.query)
    if let signature = try ServerSignature(request.head) {
      guard query["ckAPIToken"] == nil, query["ckWebAuthToken"] == nil else {
        throw WebFailure(
          .authenticationFailed,
          "a signed request has no tokens: send one or the other"
        )
      }
      guard case .bytes(let body) = request.body else {
        throw WebFailure(.authenticationFailed, "a signed request has a small body")
      }
      // A key is registered for each container.
      let name = "\(signature.keyID):\(database.environment.webName):\(database.container)"
      let key = try await credentials.serverKey(name)
      try signature.verify(with: key.publicKey, request.head, body)
      try key.check(database)
      return WebCaller(.serverKey(name))
    }
    if query["ckAPIToken"] == Self.dashboardToken { return try dashboard.caller(request.head) }
    var caller = try WebCaller(query, isDevelopment: isDevelopment)
    guard case .token(let token, _) = caller.credential else { return caller }
    let entry = try await credentials.apiToken(token)
    try entry.check(database)
    if let origin = request.head.header("origin"), !entry.allows(origin) {
      throw WebFailure(
        .accessDenied,
        "pages of the origin '\(origin.prefix(100))' may not use this API token"
      )
    }
    caller.signInURL = signInURL(token)
    return caller
  }

  /// Whether a page of an origin may read the answer to a request.
  func allows(_ origin: String, _ head: HTTPHead) async -> Bool {
    let token = QueryString(head.query)["ckAPIToken"]
    guard token != Self.dashboardToken else { return false }
    guard !isDevelopment, let token else { return true }
    guard let entry = try? await credentials.apiToken(token.lowercased()) else { return true }
    return entry.allows(origin)
  }
}

extension WebFailure {
  /// Why a call of a caller failed: a token of a user that is not valid is a reason to sign in again.
  init(_ error: any Error, of caller: WebCaller?) {
    self.init(describing: error)
    guard code == .authenticationRequired else { return }
    if let error = error as? RPCError, error.isOfAnotherCredential { code = .authenticationFailed }
    if code == .authenticationRequired { redirectURL = caller?.signInURL }
  }
}

extension RPCError {
  /// It is the API token, or the server's key, that is not valid.
  fileprivate var isOfAnotherCredential: Bool {
    details.contains(.errorInfo(reason: "API_TOKEN", domain: "tidings"))
      || details.contains(.errorInfo(reason: "SERVER_KEY", domain: "tidings"))
  }
}
