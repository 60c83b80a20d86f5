import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

/// Who may call, and who may administer.
@Suite(.endsServers) struct AccountTests {
  private func code(_ error: RPCError?) throws -> TidingsV1.ErrorCode? {
    guard let detail = error?.details.first else { return nil }
    return try TidingsV1.ItemError(decoding: detail.value).code
  }

  private func administration(_ client: Client) -> TidingsV1.AdminService.Client {
    TidingsV1.AdminService.Client(client.transport)
  }

  private func accounts(_ client: Client) -> TidingsV1.AccountService.Client {
    TidingsV1.AccountService.Client(client.transport)
  }

  private func health(_ client: Client) -> TidingsRpcV1.HealthService.Client {
    TidingsRpcV1.HealthService.Client(client.transport)
  }

  @Test("only administrators administer; who is refused is in the audit log")
  func roles() async throws {
    let secure = try await SecureServer.start()
    let root = try await secure.administration()
    let (ada, guest) = (try await secure.createUser("ada", roles: ["developer"]), KeyPair())
    _ = try await root.authorizeKey(.init(publicKey: .init(key: "\(guest.publicKey)")))
    let calls: [(String, (TidingsV1.AdminService.Client) async throws -> Void)] = [
      ("CreateUser", { _ = try await $0.createUser(.init(name: "eve", roles: ["admin"])) }),
      ("UpdateUser", { _ = try await $0.updateUser(.init(userName: "root", restricted: true)) }),
      ("ListUsers", { _ = try await $0.listUsers(.init()) }),
      (
        "AuthorizeKey",
        {
          _ = try await $0.authorizeKey(
            .init(userName: "root", publicKey: .init(key: "\(KeyPair().publicKey)"))
          )
        }
      ),
      (
        "RevokeKey",
        { _ = try await $0.revokeKey(.init(publicKey: "\(secure.administrator.publicKey)")) }
      ),
      ("AssignRoles", { _ = try await $0.assignRoles(.init(userName: "ada", roles: ["admin"])) }),
      ("FetchAuditLog", { _ = try await $0.fetchAuditLog(.init()) }),
    ]
    for (pair, status, expected) in [
      (ada, StatusCode.permissionDenied, TidingsV1.ErrorCode.permissionFailure),
      (guest, .unauthenticated, .notAuthenticated),
    ] {
      let client = administration(try await secure.client(pair))
      for (name, call) in calls {
        let error = await failure { try await call(client) }
        #expect(error?.code == status, "\(name)")
        #expect(try code(error) == expected, "\(name)")
      }
    }
    let users = try await root.listUsers(.init())
    #expect(users.accounts.map(\.name) == ["ada", "root"])
    #expect(users.accounts.map(\.roles) == [["developer"], ["admin"]])
    #expect(users.guestKeys.map(\.key) == ["\(guest.publicKey)"])
    let entries = try await root.fetchAuditLog(.init(limit: 1_000)).entries
    for (name, _) in calls {
      let refusals = entries.filter { $0.action == name && $0.refused }
      #expect(
        refusals.contains { $0.userName == "ada" && $0.publicKey == "\(ada.publicKey)" },
        "\(name)"
      )
      #expect(
        refusals.contains { $0.userName == "" && $0.publicKey == "\(guest.publicKey)" },
        "\(name)"
      )
    }
    #expect(entries.contains { $0.action == "CreateUser" && !$0.refused && $0.userName == "root" })
  }

  @Test("a caller is whom the key belongs to; a guest is nobody; metadata cannot say otherwise")
  func identity() async throws {
    let secure = try await SecureServer.start()
    let (ada, guest) = (try await secure.createUser("ada", roles: ["developer"]), KeyPair())
    _ = try await secure.administration().authorizeKey(
      .init(publicKey: .init(key: "\(guest.publicKey)"))
    )
    let client = try await secure.client(ada)
    let status = try await accounts(client).fetchAccountStatus(.init())
    #expect(status.status == .available && status.userRecordName == "ada")
    #expect(status.roles == ["developer"] && status.keyExpiresMs == 0)
    #expect(try await accounts(client).fetchUserRecordID(.init()).userRecordName == "ada")
    let saved = try await client.save(.init("Houses", "h"))
    #expect(saved.created?.userRecordName == "ada")

    let nobody = try await secure.client(guest)
    let none = try await accounts(nobody).fetchAccountStatus(.init())
    #expect(none.status == .noAccount && none.userRecordName == "")
    for body in [
      { _ = try await accounts(nobody).fetchUserRecordID(.init()) },
      {
        _ = try await accounts(nobody).fetchUsers(
          .init(lookups: [.init(key: .userRecordName("ada"))])
        )
      },
      { _ = try await nobody.modify([.init("Houses", "x")]) },
    ] as [() async throws -> Void] {
      #expect(try code(await failure(body)) == .notAuthenticated)
    }

    for (pair, claim) in [(ada, "root"), (ada, "ad"), (ada, "adaa"), (guest, "ada")] {
      let liar = try await secure.client(pair)
      let error = await failure {
        _ = try await liar.transport.unary(
          TidingsV1.AccountService.Methods.fetchAccountStatus,
          [],
          options: CallOptions(timeout: .seconds(600), metadata: ["tidings-user": claim])
        )
      }
      #expect(error?.code == .permissionDenied, "\(claim)")
      #expect(try code(error) == .permissionFailure, "\(claim)")
    }
  }

  @Test("a restricted user learns that, and nothing else is answered, until admitted again")
  func restriction() async throws {
    let secure = try await SecureServer.start()
    let ada = try await secure.createUser("ada")
    let root = try await secure.administration()
    let client = try await secure.client(ada)
    try await client.save(.init("Houses", "h"))
    let feeds = TidingsV1.RecordService.Client(client.transport)
    let token = try await feeds.fetchDatabaseChanges(.init()).changeToken
    let waiting = Task {
      await failure {
        _ = try await feeds.fetchDatabaseChanges(
          .init(changeToken: token, maxWait: .init(seconds: 60))
        )
      }
    }
    let account = try await root.updateUser(.init(userName: "ada", restricted: true)).account
    #expect(account?.restricted != nil)
    // Whether it waited already or came too late.
    #expect(try code(await waiting.value) == .managedAccountRestricted)
    for body in [
      { _ = try await client.fetch([.init("h")]) },
      { _ = try await client.modify([.init("Houses", "x")]) },
      { _ = try await health(client).check(.init()) },
      { _ = try await client.notifications.registerDevice(.init()) },
    ] as [() async throws -> Void] {
      #expect(try code(await failure(body)) == .managedAccountRestricted)
    }
    let status = try await accounts(client).fetchAccountStatus(.init())
    #expect(status.status == .restricted && status.userRecordName == "ada")
    _ = try await root.updateUser(.init(userName: "ada", restricted: false))
    #expect(try await client.fetch([.init("h")]).first?.record != nil)
  }

  @Test("the last administrator who can call cannot be taken away")
  func lastAdministrator() async throws {
    let secure = try await SecureServer.start()
    let root = try await secure.administration()
    let key = "\(secure.administrator.publicKey)"
    let attempts: [() async throws -> Void] = [
      { _ = try await root.revokeKey(.init(publicKey: key)) },
      { _ = try await root.assignRoles(.init(userName: "root", roles: [])) },
      { _ = try await root.updateUser(.init(userName: "root", restricted: true)) },
    ]
    // A second one without a key cannot call.
    _ = try await root.createUser(.init(name: "eve", roles: ["admin"]))
    for attempt in attempts { #expect(try code(await failure(attempt)) == .serverRejectedRequest) }
    let ada = try await secure.createUser("ada", roles: ["admin"])
    _ = try await root.revokeKey(.init(publicKey: key))
    #expect(try code(await failure(attempts[1])) == .notAuthenticated)
    let client = administration(try await secure.client(ada))
    #expect(try await client.listUsers(.init()).accounts.map(\.name) == ["ada", "eve", "root"])
    let again = await failure {
      _ = try await client.authorizeKey(.init(userName: "root", publicKey: .init(key: key)))
    }
    #expect(try code(again) == .serverRejectedRequest)
  }

  @Test("everybody on the machine administers in development mode; restrictions hold there too")
  func development() async throws {
    let server = try await TestServer.start()
    let key = "\(KeyPair().publicKey)"
    func run(_ arguments: String..., as user: String = "ada") async -> RpcctlRun {
      await RpcctlRun(server, arguments, as: user)
    }
    let created = await run(
      "users",
      "create",
      "bob",
      "--public-key=\(key)",
      "--role",
      "editor",
      "--label",
      "laptop",
      "--expires",
      "90d",
      "--records-max",
      "10"
    )
    #expect(created.exitCode == .success, "\(created.err)")
    #expect(created.out.contains(#""roles":["editor"]"#) && created.out.contains(#""expires":"2"#))
    #expect(await run("users", "create", "bob").err.contains("exists"))
    #expect(await run("users", "roles", "bob", "developer", "default/x").out.contains("default/x"))
    #expect(await run("users", "update", "bob", "--display-name", "Bob").out.contains("Bob"))
    #expect(await run("users", "show", "bob").out.contains(#""recordsMax":"10""#))
    #expect(await run("keys", "list", "bob").out.contains(#""label":"laptop""#))
    #expect(await run("users", "restrict", "bob").exitCode == .success)
    let refused = await run("fetch-zones", as: "bob")
    #expect(refused.exitCode != .success && refused.err.contains("restricted"))
    #expect(await run("account", as: "bob").out.contains("RESTRICTED"))
    #expect(await run("users", "admit", "bob").exitCode == .success)
    #expect(await run("fetch-zones", as: "bob").exitCode == .success)
    let account = await run("account", as: "bob")
    #expect(account.out.contains("AVAILABLE") && account.out.contains("developer"))
    #expect(await run("keys", "revoke", "--", key).out.contains(#""userName":"bob""#))
    let again = await run("keys", "authorize", "--user", "bob", "--", key)
    #expect(again.err.contains("revoked"))
    let audit = await run("audit", "--limit", "50")
    for action in ["CreateUser", "AssignRoles", "UpdateUser", "RevokeKey", "AuthorizeKey"] {
      #expect(audit.out.contains(#""action":"\#(action)""#), "\(action)")
    }
    #expect(await run("users", "list").lines.count == 1)
  }
}
