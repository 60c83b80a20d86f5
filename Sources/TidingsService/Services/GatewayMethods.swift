internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// GatewayService: what gateways ask for.
struct GatewayMethods {
  let engine: Engine
  let callerMode: CallerMode

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.GatewayService.Methods
    calls.register(Methods.fetchWebCredential, .read, on: loop) { [self] call in
      try requireGateway(call, Methods.fetchWebCredential)
      return try fetchWebCredential(call)
    }
    calls.register(Methods.beginSignIn, .read, on: loop) { [self] call in
      try requireGateway(call, Methods.beginSignIn)
      return try beginSignIn(call)
    }
    calls.register(Methods.completeSignIn, .write, on: loop, keeping: .never) { [self] call in
      try requireGateway(call, Methods.completeSignIn)
      return try completeSignIn(call)
    }
    // Only gateways can send the metadata that these need.
    calls.register(Methods.renewWebAuthToken, .write, on: loop, keeping: .never) { [self] call in
      try renewWebAuthToken(call)
    }
    calls.register(Methods.fetchSessionHandle, .read, on: loop) { [self] call in
      try fetchSessionHandle(call)
    }
  }

  private func fetchWebCredential(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchWebCredentialRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let token: WebToken
    switch request.credential {
    case .apiToken(let text)?: token = try engine.apiToken(text)
    case .serverKeyID(let id)?: token = try engine.serverKey(id)
    case nil:
      throw ItemError(
        .invalidArguments,
        "the request names no credential: set api_token or server_key_id"
      )
    }
    return TidingsV1.FetchWebCredentialResponse(
      kind: .init(token.kind),
      container: token.container,
      environment: .init(token.environment),
      allowedOrigins: token.origins,
      callbackURL: token.callbackURL,
      publicKey: token.publicKey,
      label: token.label,
      expires: token.expires.map { .init($0) }
    )
    .encoded(in: call.arena)
  }

  private func renewWebAuthToken(_ call: borrowing StoreCall) throws -> [UInt8] {
    _ = try TidingsV1.RenewWebAuthTokenRequest(decoding: call.body.bytes, in: call.arena)
    let (token, text) = try engine.renewWebSession(ofKey: try Self.webKey(of: call))
    return TidingsV1.RenewWebAuthTokenResponse(
      webAuthToken: text,
      expires: token.expires.map { .init($0) }
    )
    .encoded(in: call.arena)
  }

  private func fetchSessionHandle(_ call: borrowing StoreCall) throws -> [UInt8] {
    _ = try TidingsV1.FetchSessionHandleRequest(decoding: call.body.bytes, in: call.arena)
    let handle = try engine.webSessionHandle(ofKey: try Self.webKey(of: call))
    return TidingsV1.FetchSessionHandleResponse(sessionHandle: handle).encoded(in: call.arena)
  }

  private static func webKey(of call: borrowing StoreCall) throws(ItemError) -> Int64 {
    guard let number = call.keyNumber, number < 0 else {
      throw ItemError(
        .invalidArguments,
        "the call has no web auth token: send it in the metadata '\(Metadata.webAuthTokenKey)'"
      )
    }
    return number
  }

  private func beginSignIn(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.BeginSignInRequest(decoding: call.body.bytes, in: call.arena)
    guard request.clientAddress.utf8.count <= 64 else {
      throw ItemError(
        .invalidArguments,
        "client_address has \(request.clientAddress.utf8.count) bytes, and 64 at most: send an IP address"
      )
    }
    let (secret, code, ends) = try engine.beginSignIn(
      apiToken: request.apiToken,
      from: request.clientAddress,
      isKept: request.keepSignedIn
    )
    return TidingsV1.BeginSignInResponse(secret: secret, userCode: code, expires: .init(ends))
      .encoded(in: call.arena)
  }

  private func completeSignIn(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.CompleteSignInRequest(decoding: call.body.bytes, in: call.arena)
    guard let (token, text) = try engine.completeSignIn(request.secret) else {
      return TidingsV1.CompleteSignInResponse(pending: true).encoded(in: call.arena)
    }
    return TidingsV1.CompleteSignInResponse(
      webAuthToken: text,
      expires: token.expires.map { .init($0) }
    )
    .encoded(in: call.arena)
  }

  /// Refuses callers who are no gateway, and the callers of gateways; in development mode everybody is one.
  private func requireGateway(_ call: borrowing StoreCall, _ method: MethodDescriptor) throws {
    if call.keyNumber ?? 0 < 0 {
      throw ItemError(
        .permissionFailure,
        "\(method.name) is for the gateway itself: call without web credentials"
      )
    }
    guard callerMode == .authenticated, try !engine.isGateway(call.caller.user) else { return }
    throw call.caller.user.isEmpty
      ? ItemError(.notAuthenticated, "the key of this connection has no account, and so no roles")
      : ItemError(.permissionFailure, "\(method.name) needs the role 'gateway'")
  }
}
