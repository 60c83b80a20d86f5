internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// Web credentials.
///
/// Answers with a secret are not stored for idempotency keys: a repeated call is executed again.
extension AdministrationMethods {
  /// Registers the methods of AdminService on web credentials.
  func registerWebTokens(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    rights.administer(Methods.createWebToken, calls, on: loop, keeping: .never) { [self] in
      try createWebToken($0)
    }
    rights.administer(Methods.revokeWebToken, calls, on: loop) { [self] in
      try revokeWebToken($0)
    }
    calls.register(Methods.listWebTokens, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, Methods.listWebTokens)
      return try listWebTokens(call)
    }
  }

  private func createWebToken(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
    let request = try TidingsV1.CreateWebTokenRequest(decoding: call.body.bytes, in: call.arena)
    let (token, text) = try engine.createWebToken(
      try request.model,
      requiresAccount: rights.callerMode == .authenticated
    )
    let response = TidingsV1.CreateWebTokenResponse(token: .init(token), apiToken: text ?? "")
    return (response.encoded(in: call.arena), Self.described(token))
  }

  private func revokeWebToken(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
    let request = try TidingsV1.RevokeWebTokenRequest(decoding: call.body.bytes, in: call.arena)
    let token = try engine.revokeWebToken(Int64(clamping: request.id))
    let response = TidingsV1.RevokeWebTokenResponse(token: .init(token))
    return (response.encoded(in: call.arena), Self.described(token))
  }

  private func listWebTokens(_ call: borrowing StoreCall) throws -> [UInt8] {
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
}
