internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// Web sessions, whose answers with a secret are not stored for idempotency keys.
extension AccountMethods {
  /// Registers the methods of AccountService on web sessions.
  func registerWebSessions(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.AccountService.Methods
    calls.register(Methods.issueWebAuthToken, .write, on: loop, keeping: .never) { [self] in
      try issueWebAuthToken($0)
    }
    calls.register(Methods.revokeWebAuthToken, .write, on: loop) { [self] in
      try revokeWebAuthToken($0)
    }
    calls.register(Methods.approveSignIn, .read, on: loop) { [self] in try approveSignIn($0) }
  }

  private func issueWebAuthToken(_ call: borrowing StoreCall) throws -> [UInt8] {
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

  private func revokeWebAuthToken(_ call: borrowing StoreCall) throws -> [UInt8] {
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

  private func approveSignIn(_ call: borrowing StoreCall) throws -> [UInt8] {
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
  private func requireOwnKey(_ call: borrowing StoreCall) throws(ItemError) {
    guard !call.caller.user.isEmpty else { throw .noUser }
    guard call.keyNumber ?? 0 >= 0 else {
      throw ItemError(
        .permissionFailure,
        "a web credential cannot begin a web session: call with a key of the user"
      )
    }
  }
}
