internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// Who may change schemas, on a server whose callers prove who they are.
@Suite(.endsServers) struct SchemaRoleTests {
  private static let schema = """
    DEFINE SCHEMA
        CREATE ROLE editor;
        RECORD TYPE Page ( n INT64, GRANT READ TO "_world", GRANT CREATE, WRITE TO "editor" );
        RECORD TYPE Note ( n INT64, GRANT READ, CREATE TO "_icloud" );
    """
  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)

  private func client(_ server: TestServer, _ keys: ClientKeys) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = keys
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    return try await Client(configuration)
  }

  private func apply(_ client: Client, _ text: String = schema) async -> StatusCode? {
    await failure { _ = try await client.schemas.applySchema(.init(text: text)) }?.code
  }

  @Test("schemas need a role, guests read what anyone may, and a role that is given counts at once")
  func roles() async throws {
    let folder = try TemporaryFolder()
    let pairs = Dictionary(
      uniqueKeysWithValues: ["root", "dev", "ann", "guest"].map { ($0, KeyPair()) }
    )
    let root = try #require(pairs["root"])
    let initialization = try ServerProcess(
      arguments: [
        "init", "--data", folder.file("data"), "--admin", "root",
        "--admin-public-key", root.publicKey.description,
      ]
    )
    #expect(try await initialization.waitForExit() == .code(0))
    let output = initialization.seen.value.output
    let serverKey = output.split(whereSeparator: \.isWhitespace).lazy
      .compactMap { PublicKey(z85: String($0)) }.first { $0 != root.publicKey }
    let server = try await TestServer.start(in: folder)
    let key = try #require(serverKey)
    let admin = try await client(server, ClientKeys(root, server: key))
    let administration = TidingsV1.AdminService.Client(admin.transport)
    var clients: [String: Client] = [:]
    for (name, pair) in pairs where name != "root" {
      let publicKey = TidingsV1.PublicKey(key: pair.publicKey.description)
      if name != "guest" {
        _ = try await administration.createUser(
          .init(name: name, publicKey: publicKey, roles: name == "dev" ? ["developer"] : [])
        )
      } else {
        _ = try await administration.authorizeKey(.init(publicKey: publicKey))
      }
      clients[name] = try await client(server, ClientKeys(pair, server: key))
    }
    let (dev, ann) = (try #require(clients["dev"]), try #require(clients["ann"]))
    let guest = try #require(clients["guest"])

    #expect(await apply(dev) == nil)
    #expect(await apply(admin) == nil)
    #expect(await apply(ann) == .permissionDenied)
    #expect(await apply(guest) == .unauthenticated)
    #expect(
      await failure { _ = try await ann.schemas.deploySchema(.init()) }?.code == .permissionDenied
    )
    #expect(await failure { _ = try await dev.schemas.deploySchema(.init()) } == nil)
    #expect(await failure { _ = try await ann.schemas.fetchSchema(.init()) } == nil)
    #expect(
      await failure { _ = try await guest.schemas.fetchSchema(.init()) }?.code == .unauthenticated
    )

    let page = TidingsV1.Record("Page", "p", ["n": 1])
    func save(_ client: Client) async throws -> TidingsV1.ErrorCode? {
      try await client.modify([page], in: Self.publicDatabase)[0].error?.code
    }
    #expect(try await save(ann) == .permissionFailure)
    _ = try await administration.assignRoles(.init(userName: "ann", roles: ["default/editor"]))
    #expect(try await save(ann) == nil)
    _ = try await administration.assignRoles(.init(userName: "ann", roles: []))
    #expect(try await save(ann) == .permissionFailure)

    let fetched = try await guest.records.fetchRecords(
      .init(databaseID: Self.publicDatabase, recordIDs: [.init("p")])
    )
    #expect(fetched.results[0].record != nil)
    let query = await failure {
      _ = try await guest.records.queryRecords(
        .init(databaseID: Self.publicDatabase, recordType: "Note")
      )
    }
    #expect(query?.code == .unauthenticated)
    for client in [admin] + clients.values { await client.close() }
    try await server.stop()
  }
}
