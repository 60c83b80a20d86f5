import TestSupport
import Testing
import TidingsClient
import TidingsJSON
import TidingsKeys
import TidingsProto
import TidingsRPC

@testable import rpcctl

/// Web credentials with rpcctl, against a real server.
@Suite(.endsServers) struct WebTokenVerbTests {
  private func objects(_ run: RpcctlRun) throws -> [JSONObject] {
    #expect(run.exitCode == .success, "\(run.err)")
    return try run.lines.map { try #require(try JSONValue(parsing: String($0)).object) }
  }

  @Test("credentials are created, listed without secrets, used and revoked")
  func verbs() async throws {
    let world = try await WebTokenWorld.make()
    let server = world.secure.server
    let keyFile = server.folder.file("ada.key")
    try KeyFile.pair(world.adaKey).write(to: keyFile, title: "ada")
    func run(_ arguments: [String], as key: String? = nil) async -> RpcctlRun {
      let file = key ?? server.folder.file("data/root.key")
      let keys = ["--key-file", file, "--server-key", "\(world.secure.serverKey)"]
      return await RpcctlRun(server, keys + arguments, as: nil, format: .jsonl)
    }
    let created = try objects(
      await run([
        "web-tokens", "create", "--label", "shop", "--origin", "https://example.org", "--origin",
        "https://shop.example.org", "--expires", "90d", "--container", "shop",
      ])
    )
    let apiToken = try #require(created.first?["apiToken"]?.string)
    #expect(apiToken.count == 64 && created.first?["label"]?.string == "shop")
    #expect(created.first?["container"]?.string == "shop")
    let pem = server.folder.file("key.pem")
    let text = Base64.encode(WebTokenWorld.publicKey)
    try server.folder.write(
      Array("-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n".utf8),
      to: "key.pem"
    )
    let key = try objects(await run(["web-tokens", "create-server-key", pem, "--user", "ada"]))
    #expect(key.first?["keyId"]?.string?.count == 64)
    #expect(key.first?["kind"]?.string == "server-key")
    let issued = try objects(
      await run(
        ["web-tokens", "issue", "--api-token", world.apiToken, "--keep-signed-in"],
        as: keyFile
      )
    )
    let token = try #require(issued.first?["webAuthToken"]?.string)
    #expect(try await world.user(world.session(token)) == "ada")
    let signIn = try await world.gatewayCalls.beginSignIn(.init(apiToken: world.apiToken))
    let approved = try objects(
      await run(["web-tokens", "approve", signIn.userCode], as: keyFile)
    )
    #expect(approved.first?["label"]?.string == "website")
    #expect(
      try await !world.gatewayCalls.completeSignIn(.init(secret: signIn.secret)).pending
    )
    let wrong = await run(["web-tokens", "approve", "BBBB-BBBB"], as: keyFile)
    #expect(wrong.exitCode != .success)
    let listed = await run(["web-tokens", "list"])
    #expect(try objects(listed).count == 5 && !listed.out.contains(apiToken))
    #expect(!listed.out.contains(token))
    let sessions = try objects(
      await run(["web-tokens", "list", "--kind", "session", "--user", "ada"])
    )
    #expect(sessions.count == 2 && sessions.allSatisfy { $0["userName"]?.string == "ada" })
    let names = await run(["-o", "name", "web-tokens", "list"])
    #expect(names.lines.compactMap { Int($0) }.count == 5, "\(names.out)")
    let revoked = try objects(await run(["web-tokens", "revoke", String(names.lines[0])]))
    #expect(revoked.first?["revoked"]?.string != nil)
    #expect(await world.refusal(world.session(token))?.wrongCredential == "API_TOKEN")
    let refused = await run(["web-tokens", "list"], as: keyFile)
    #expect(refused.exitCode != .success)
    let traced = await run(
      ["--trace", "web-tokens", "issue", "--api-token", world.apiToken],
      as: keyFile
    )
    #expect(!traced.err.contains(world.apiToken))
  }
}
