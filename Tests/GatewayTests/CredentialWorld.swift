internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

/// A server with authentication, and a gateway with a key before it.
struct CredentialWorld {
  let secure: SecureServer
  let root: TidingsV1.AdminService.Client
  let ada: Client
  let gateway: ServerProcess
  let port: UInt16
  let apiToken: String
  let apiTokenID: UInt64

  static func make(
    arguments: [String] = [],
    environment: [String: String] = [:],
    gatewayEnvironment: [String: String] = [:]
  ) async throws -> CredentialWorld {
    let secure = try await SecureServer.start(
      arguments: arguments,
      environment: environment
    )
    let root = try await secure.administration()
    let key = try await secure.createUser("gateway", roles: ["gateway"])
    let folder = secure.server.folder
    try KeyFile.pair(key).write(to: folder.file("gateway.key"), title: "gateway")
    let gateway = try ServerProcess(
      "rpcgw",
      arguments: [
        "--rpc", secure.server.rpcEndpoint, "--listen", "127.0.0.1:0",
        "--key-file", folder.file("gateway.key"), "--server-key", "\(secure.serverKey)",
      ],
      environment: gatewayEnvironment
    )
    let line = try await gateway.waitForReadyLine()
    let created = try await root.createWebToken(
      .init(
        container: "app",
        label: "website",
        credential: .apiToken(.init(allowedOrigins: ["https://example.org"]))
      )
    )
    return CredentialWorld(
      secure: secure,
      root: root,
      ada: try await secure.client(try await secure.createUser("ada")),
      gateway: gateway,
      port: try #require(line.split(separator: ":").last.flatMap { UInt16($0) }),
      apiToken: created.apiToken,
      apiTokenID: created.token?.id ?? 0
    )
  }

  func token(keepSignedIn: Bool = false) async throws -> String {
    try await TidingsV1.AccountService.Client(ada.transport).issueWebAuthToken(
      .init(apiToken: apiToken, keepSignedIn: keepSignedIn)
    ).webAuthToken
  }

  /// Registers a server's key that acts as a user.
  func serverKey(of user: String) async throws -> (RequestSigner, TidingsV1.WebToken) {
    let signer = try RequestSigner(in: secure.server.folder)
    let created = try await root.createWebToken(
      .init(
        container: "app",
        credential: .serverKey(.init(userName: user, publicKey: signer.publicKey))
      )
    )
    return (signer, try #require(created.token))
  }

  func post(
    _ endpoint: String,
    api: String? = nil,
    user: String? = nil,
    container: String = "app",
    headers: [String] = [],
    body: String = "{}"
  ) throws -> HTTPAnswer {
    var path = "/database/1/\(container)/development/\(endpoint)?ckAPIToken=\(api ?? apiToken)"
    if let user { path += "&ckWebAuthToken=\(user)" }
    return try HTTPAnswer.to("POST", path, at: port, headers: headers, body: Array(body.utf8))
  }
}
