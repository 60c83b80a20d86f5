internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Answers requests below `/database`.
struct DatabaseRequests: Sendable {
  let transport: any ClientTransport
  let urls: SealedURLs
  let handles: SessionHandles
  let names: CallerNames

  func answer(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    _ name: String,
    caller: WebCaller,
    baseURL: String,
    uuid: String
  ) async throws -> JSONObject {
    guard let endpoint = WebEndpoints.all[name] else {
      throw WebFailure(.notFound, "there is no endpoint '\(name)'")
    }
    try checkAccess(database, name, caller)
    let database = try await named(database, name, by: caller, uuid)
    // A device is not notified of its own changes.
    let query = QueryString(request.head.query)
    let device = query["clientId"]
    var call = WebCall(
      database: database,
      input: try Self.input(request, name),
      transport: transport,
      options: CallOptions(metadata: caller.metadata(device: device, requestID: uuid)),
      uuid: uuid
    )
    call.wantsSyncToken = query["getCurrentSyncToken"]?.lowercased() == "true"
    if let key = query["idempotencyKey"] {
      guard key.utf8.count <= 64 else {
        throw WebFailure.badRequest("the parameter idempotencyKey has more than 64 bytes")
      }
      call.idempotencyKey = key
    }
    let lasting =
      Self.givesURLs(name)
      ? try await handles.lasting(caller, requestID: uuid, isChecked: name == "assets/upload")
      : caller
    // Uploads are counted by user, whatever proves who it is.
    let owner = name == "assets/upload" ? try await user(of: lasting, in: database, uuid) : nil
    let downloads = DownloadURLs { [urls] asset in
      let content = SealedURLs.Content(
        purpose: .download,
        database: database,
        caller: lasting,
        expires: SealedURLs.now + WebLimits.downloadSeconds,
        asset: asset
      )
      return "\(baseURL)/assets/\(urls.seal(content))/${f}"
    }
    call.downloadURL = { downloads.url(of: $0) }
    call.uploadURL = { [urls] in
      let content = SealedURLs.Content(
        purpose: .upload,
        database: database.named(by: owner),
        caller: lasting,
        expires: SealedURLs.now + WebLimits.uploadSeconds
      )
      return "\(baseURL)/assets/\(urls.seal(content))"
    }
    return try await endpoint.answer(call)
  }

  /// The database with the name of the caller, where answers name the owner of zones.
  private func named(
    _ database: WebDatabase,
    _ name: String,
    by caller: WebCaller,
    _ uuid: String
  ) async throws -> WebDatabase {
    if let user = caller.user { return database.named(by: user) }
    let isOfShares = name == "records/resolve" || name == "records/accept"
    guard caller.isUser, database.scope != .public || isOfShares else { return database }
    return database.named(by: try await names.user(of: caller, in: database, requestID: uuid))
  }

  /// The user of a caller; `nil`: a guest.
  private func user(
    of caller: WebCaller,
    in database: WebDatabase,
    _ uuid: String
  ) async throws -> String? {
    guard caller.isUser else { return nil }
    return try await TidingsV1.AccountService.Client(transport).fetchUserRecordID(
      .init(container: database.container),
      options: CallOptions(metadata: caller.metadata(requestID: uuid))
    ).userRecordName
  }

  /// Whether the answers of an endpoint can have URLs of assets.
  private static func givesURLs(_ name: String) -> Bool {
    ["records/", "changes/", "assets/"].contains { name.hasPrefix($0) }
  }

  private func checkAccess(
    _ database: WebDatabase,
    _ name: String,
    _ caller: WebCaller
  ) throws(WebFailure) {
    if case .serverKey = caller.credential, database.scope != .public || name.hasPrefix("users/") {
      throw WebFailure(
        .authenticationFailed,
        "a server's key is for the public database, without users/*: use a user's token"
      )
    }
    guard !caller.isUser, database.scope != .public || name.hasPrefix("users/") else { return }
    throw WebFailure(.authenticationRequired, "this needs a user: sign in, and send ckWebAuthToken")
  }

  /// The object that was sent; with GET an empty one.
  private static func input(_ request: HTTPRequest, _ name: String) throws(WebFailure) -> WebInput {
    switch request.head.method {
    case "POST": return try request.input()
    case "GET" where readable.contains(name): return WebInput(JSONObject())
    default: throw .badRequest("\(name) takes POST, not \(request.head.method)")
    }
  }

  private static let readable: Set = [
    "zones/list", "subscriptions/list", "users/caller", "users/current", "users/discover",
  ]
}
