internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// How a browser gets a session, keeps it and gives it up.
extension DashboardRequests {
  /// Redeems a link.
  ///
  /// The session of another user goes on until that user accepts the offer of the new one: anybody can lead a browser to
  /// a link.
  func signIn(_ request: HTTPRequest, _ uuid: String) async throws -> HTTPResponse {
    guard let link = try object(request)["token"]?.string, link.utf8.count <= 64 else {
      throw DashboardFailure.badRequest("the member token is missing")
    }
    // Found out first: a link is good once.
    let before = try await current(request.head, uuid)
    let token = try await redeemed(link, uuid)
    if let before {
      let account = try await account(token, uuid)
      guard account.userRecordName == before.userName else {
        return try await offer(token, of: account, replacing: before.token, uuid)
      }
    }
    let answer = try await enter(token, uuid)
    if let before, before.token != link { try? await end(before.token, uuid) }
    return answer
  }

  /// The session that a browser has, if it is valid.
  private func current(
    _ head: HTTPHead,
    _ uuid: String
  ) async throws -> (token: String, userName: String)? {
    guard let token = cookie.token(head) else { return nil }
    do {
      return (token, try await account(token, uuid).userRecordName)
    } catch let error as RPCError where error.code == .unauthenticated {
      return nil
    }
  }

  private func offer(
    _ token: String,
    of account: TidingsV1.FetchAccountStatusResponse,
    replacing before: String,
    _ uuid: String
  ) async throws -> HTTPResponse {
    let offer = DashboardOffer(of: token, replacing: try await handle(before, uuid))
    return DashboardAnswer.json(
      202,
      [
        "userName": .string(account.userRecordName),
        "roles": .array(account.roles.map { .string($0) }),
        "offer": .string(offer.sealed(by: urls)),
      ]
    )
  }

  func accept(
    _ request: HTTPRequest,
    _ token: String,
    _ uuid: String
  ) async throws -> HTTPResponse {
    let offer = try await offer(in: request, for: token, uuid)
    let answer = try await enter(try await redeemed(offer.token, uuid), uuid)
    try? await end(token, uuid)
    return answer
  }

  func decline(
    _ request: HTTPRequest,
    _ token: String,
    _ uuid: String
  ) async throws -> HTTPResponse {
    try await end(try await offer(in: request, for: token, uuid).token, uuid)
    return DashboardAnswer.json(200, [:])
  }

  /// The offer of a request, which was made to its session.
  private func offer(
    in request: HTTPRequest,
    for token: String,
    _ uuid: String
  ) async throws -> DashboardOffer {
    guard let text = try object(request)["offer"]?.string else {
      throw DashboardFailure.badRequest("the member offer is missing")
    }
    guard let offer = DashboardOffer(text, sealedBy: urls),
      offer.replaced == (try await handle(token, uuid))
    else { throw DashboardFailure.linkIsOver }
    return offer
  }

  /// What stands for a session whatever its token is then: another tab may renew it.
  private func handle(_ token: String, _ uuid: String) async throws -> String {
    try await TidingsV1.GatewayService.Client(transport).fetchSessionHandle(
      .init(),
      options: options(token, uuid)
    ).sessionHandle
  }

  /// The next token of a session that a link begins, or has begun.
  private func redeemed(_ token: String, _ uuid: String) async throws -> String {
    do {
      return try await renewed(token, uuid)
    } catch let error as RPCError where error.code == .unauthenticated {
      throw DashboardFailure.linkIsOver
    }
  }

  func renewed(_ token: String, _ uuid: String) async throws -> String {
    try await TidingsV1.GatewayService.Client(transport).renewWebAuthToken(
      .init(),
      options: options(token, uuid)
    ).webAuthToken
  }

  /// Lets the browser keep a session.
  func enter(_ token: String, _ uuid: String) async throws -> HTTPResponse {
    DashboardAnswer.json(
      200,
      try await describe(token, uuid),
      adding: [cookie.header(keeping: token)]
    )
  }

  func session(_ token: String, _ uuid: String) async throws -> HTTPResponse {
    DashboardAnswer.json(200, try await describe(token, uuid))
  }

  func signOut(_ token: String, _ uuid: String) async throws -> HTTPResponse {
    try await end(token, uuid)
    return DashboardAnswer.json(200, [:], adding: [cookie.removal])
  }

  private func end(_ token: String, _ uuid: String) async throws {
    _ = try await TidingsV1.AccountService.Client(transport).revokeWebAuthToken(
      .init(),
      options: options(token, uuid)
    )
  }

  /// Who acts, in which roles, and what calls carry.
  private func describe(_ token: String, _ uuid: String) async throws -> JSONValue {
    let status = try await account(token, uuid)
    let server = try await TidingsRpcV1.ServerService.Client(transport).fetchServerInfo(
      .init(),
      options: options(token, uuid)
    )
    return [
      "userName": .string(status.userRecordName),
      "roles": .array(status.roles.map { .string($0) }),
      "requestToken": .string(DashboardCookie.requestToken(of: token)),
      "isDevelopment": .bool(server.developmentMode), "version": .string(server.version),
    ]
  }

  private func account(
    _ token: String,
    _ uuid: String
  ) async throws -> TidingsV1.FetchAccountStatusResponse {
    try await TidingsV1.AccountService.Client(transport).fetchAccountStatus(
      .init(),
      options: options(token, uuid)
    )
  }
}
