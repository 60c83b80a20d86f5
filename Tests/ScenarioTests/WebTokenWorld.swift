import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// A server with a gateway, an API token, and a user who may sign in.
struct WebTokenWorld {
  typealias Credential = Metadata

  let secure: SecureServer
  let root: TidingsV1.AdminService.Client
  /// Connected with the gateway's key.
  let gateway: Client
  /// Connected with the user's own key.
  let ada: Client
  let adaKey: KeyPair
  let gatewayKey: KeyPair
  let token: TidingsV1.WebToken
  let apiToken: String

  /// A P-256 public key; the point is never looked at here.
  static let publicKey: [UInt8] =
    [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
      0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ] + (0..<64)

  static func make(
    arguments: [String] = [],
    environment: [String: String] = [:],
    expires: GoogleProtobuf.Timestamp? = nil
  ) async throws -> WebTokenWorld {
    let secure = try await SecureServer.start(arguments: arguments, environment: environment)
    let root = try await secure.administration()
    let (adaKey, gatewayKey) = (
      try await secure.createUser("ada"),
      try await secure.createUser("gateway", roles: ["gateway"])
    )
    let created = try await root.createWebToken(
      .init(
        label: "website",
        expires: expires,
        credential: .apiToken(
          .init(allowedOrigins: ["https://example.org"], callbackURL: "https://example.org/done")
        )
      )
    )
    return WebTokenWorld(
      secure: secure,
      root: root,
      gateway: try await secure.client(gatewayKey),
      ada: try await secure.client(adaKey),
      adaKey: adaKey,
      gatewayKey: gatewayKey,
      token: try #require(created.token),
      apiToken: created.apiToken
    )
  }

  // MARK: Services

  func accounts(_ client: Client) -> TidingsV1.AccountService.Client { .init(client.transport) }
  var gatewayCalls: TidingsV1.GatewayService.Client { .init(gateway.transport) }

  // MARK: Credentials

  /// A caller without a user.
  var guest: Credential { ["tidings-api-token": apiToken] }

  /// A caller with a session.
  func session(_ webAuthToken: String) -> Credential {
    ["tidings-api-token": apiToken, "tidings-web-auth-token": webAuthToken]
  }

  func serverKey(_ id: String) -> Credential { ["tidings-server-key": id] }

  /// Begins a session of ada.
  func issue(keepSignedIn: Bool = false) async throws -> TidingsV1.IssueWebAuthTokenResponse {
    try await accounts(ada).issueWebAuthToken(
      .init(apiToken: apiToken, keepSignedIn: keepSignedIn)
    )
  }

  // MARK: Calls

  /// Whom the server sees in a call of the gateway; empty: a guest.
  func user(_ credential: Credential, on client: Client? = nil) async throws -> String {
    try await accounts(client ?? gateway).fetchAccountStatus(
      .init(),
      options: CallOptions(metadata: credential)
    ).userRecordName
  }

  /// The change tag of a record as the caller sees it; `nil`: it does not exist.
  func record(
    _ name: String,
    _ scope: TidingsV1.DatabaseScope,
    _ credential: Credential
  ) async throws -> TidingsV1.Record? {
    try await gateway.records.fetchRecords(
      .init(databaseID: .init(scope: scope), recordIDs: [.init(name)]),
      options: CallOptions(metadata: credential)
    ).results.first?.record
  }

  /// A call that waits for a change of the caller's database.
  func wait(_ credential: Credential) async throws -> Task<RPCError?, Never> {
    let options = CallOptions(timeout: .seconds(600), metadata: credential)
    let records = gateway.records
    let token = try await records.fetchDatabaseChanges(.init(), options: options).changeToken
    return Task {
      await failure {
        _ = try await records.fetchDatabaseChanges(
          .init(changeToken: token, maxWait: .init(seconds: 60)),
          options: options
        )
      }
    }
  }

  /// Why the server refuses the next call of the gateway.
  func refusal(_ credential: Credential) async -> RPCError? {
    await failure { _ = try await record("r", .public, credential) }
  }

  /// How many groups were committed.
  func commitCount() async throws -> Int {
    let families = try await root.fetchMetrics(.init()).families
    let commits = try #require(families.first { $0.name == "tidings_commits_total" })
    return Int(commits.metrics.first?.value ?? 0)
  }

  /// Lists all credentials of a kind.
  func list(
    _ kind: TidingsV1.WebTokenKind = .unspecified,
    user: String = ""
  ) async throws -> [TidingsV1.WebToken] {
    try await root.listWebTokens(.init(kind: kind, userName: user)).tokens
  }
}

extension RPCError {
  /// The code of the item error in it.
  var itemCode: TidingsV1.ErrorCode? {
    details.lazy.compactMap { detail -> TidingsV1.ErrorCode? in
      guard detail.typeURL.hasSuffix("tidings.v1.ItemError") else { return nil }
      return try? TidingsV1.ItemError(decoding: detail.value).code
    }.first
  }

  /// Which web credential was wrong; empty: the error does not say it.
  var wrongCredential: String {
    details.lazy.compactMap { detail -> String? in
      guard detail.typeURL.hasSuffix("tidings.rpc.v1.ErrorInfo"),
        let info = try? TidingsRpcV1.ErrorInfo(decoding: detail.value), info.domain == "tidings"
      else { return nil }
      return info.reason
    }.first ?? ""
  }
}
