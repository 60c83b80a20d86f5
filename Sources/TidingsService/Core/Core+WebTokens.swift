internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// Administration of web credentials, and sessions of users.
///
/// Answers with a secret are not stored for idempotency keys: a repeated call is executed again.
extension Core {
  /// Registers the methods of AdminService on web credentials.
  func registerWebTokens(on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    administer(Methods.createWebToken, on: loop, keeping: .never) { [self] in
      try createWebToken($0)
    }
    administer(Methods.revokeWebToken, on: loop) { [self] in try revokeWebToken($0) }
    calls.register(Methods.listWebTokens, .read, on: loop) { [self] call in
      try requireAdministrator(call, Methods.listWebTokens)
      return try listWebTokens(call)
    }
  }

  /// Registers the methods of AccountService on web sessions.
  func registerWebSessions(on loop: LoopContext) {
    typealias Methods = TidingsV1.AccountService.Methods
    calls.register(Methods.issueWebAuthToken, .write, on: loop, keeping: .never) { [self] in
      try issueWebAuthToken($0)
    }
    calls.register(Methods.revokeWebAuthToken, .write, on: loop) { [self] in
      try revokeWebAuthToken($0)
    }
    calls.register(Methods.approveSignIn, .read, on: loop) { [self] in try approveSignIn($0) }
  }

  // MARK: Administration

  private func createWebToken(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.CreateWebTokenRequest(decoding: call.body.bytes, in: call.arena)
    let (token, text) = try engine.createWebToken(
      try request.model,
      requiresAccount: callerMode == .authenticated
    )
    let response = TidingsV1.CreateWebTokenResponse(token: .init(token), apiToken: text ?? "")
    return (response.encoded(in: call.arena), Self.described(token))
  }

  private func revokeWebToken(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.RevokeWebTokenRequest(decoding: call.body.bytes, in: call.arena)
    let token = try engine.revokeWebToken(Int64(clamping: request.id))
    let response = TidingsV1.RevokeWebTokenResponse(token: .init(token))
    return (response.encoded(in: call.arena), Self.described(token))
  }

  private func listWebTokens(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ListWebTokensRequest(decoding: call.body.bytes, in: call.arena)
    let page = try engine.webTokens(
      after: Int64(clamping: request.after),
      kind: try request.kind.model,
      user: request.userName,
      limit: request.limit == 0
        ? Self.webTokensPageMax : min(Int(request.limit), Self.webTokensPageMax)
    )
    return TidingsV1.ListWebTokensResponse(
      tokens: page.tokens.map { .init($0) },
      moreComing: page.moreComing
    )
    .encoded(in: call.arena)
  }

  private static let webTokensPageMax = 100

  private static func described(_ token: WebToken) -> String {
    let kind =
      switch token.kind {
      case .apiToken: "API token"
      case .session: "web session"
      case .serverKey: "server key"
      }
    return "\(kind) \(token.id) of container \(token.container) (\(token.environment))"
      + (token.user.isEmpty ? "" : ", user \(token.user)")
      + (token.keyID.isEmpty ? "" : ", key ID \(token.keyID)")
      + (token.expires.map { ", expires \($0.utcText)" } ?? "")
  }

  // MARK: Sessions

  private func issueWebAuthToken(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.IssueWebAuthTokenRequest(decoding: call.body.bytes, in: call.arena)
    try requireOwnKey(call)
    let (token, text) =
      request.apiToken.isEmpty
      ? try engine.beginDashboardSession(of: call.caller.user, ofKey: call.keyNumber)
      : try engine.beginWebSession(
        of: call.caller.user,
        apiToken: request.apiToken,
        isKept: request.keepSignedIn
      )
    return TidingsV1.IssueWebAuthTokenResponse(
      webAuthToken: text,
      expires: token.expires.map { .init($0) }
    )
    .encoded(in: call.arena)
  }

  private func revokeWebAuthToken(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.RevokeWebAuthTokenRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    if !request.webAuthToken.isEmpty {
      try engine.endWebSession(of: call.caller.user, webAuthToken: request.webAuthToken)
    } else if let number = call.keyNumber, number < 0 {
      try engine.endWebSession(ofKey: number)
    } else {
      throw ItemError(.invalidArguments, "web_auth_token is missing: which session is to end?")
    }
    return TidingsV1.RevokeWebAuthTokenResponse().encoded(in: call.arena)
  }

  private func approveSignIn(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ApproveSignInRequest(decoding: call.body.bytes, in: call.arena)
    try requireOwnKey(call)
    let (token, isKept) = try engine.signIn(
      request.userCode,
      by: call.caller.user,
      isApproved: !request.validateOnly
    )
    return TidingsV1.ApproveSignInResponse(
      container: token.container,
      environment: .init(token.environment),
      label: token.label,
      keepSignedIn: isKept
    )
    .encoded(in: call.arena)
  }

  /// Refuses callers without a user, and web credentials: a session must not begin others, which would outlive it.
  private func requireOwnKey(_ call: borrowing Call) throws(ItemError) {
    guard !call.caller.user.isEmpty else { throw .noUser }
    guard call.keyNumber ?? 0 >= 0 else {
      throw ItemError(
        .permissionFailure,
        "a web credential cannot begin a web session: call with a key of the user"
      )
    }
  }
}
