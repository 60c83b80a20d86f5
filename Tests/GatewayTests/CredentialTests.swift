internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// Who may call over HTTP: tokens, sessions, signatures of servers, sign-in.
@Suite(.endsServers) struct CredentialTests {
  @Test("a session acts for its user, an API token for a guest; what ends refuses the next request")
  func tokens() async throws {
    let world = try await CredentialWorld.make()
    let token = try await world.token()
    let save = """
      {"operations": [{"operationType": "create", "record": {"recordName": "a", "recordType": "Notes"}}]}
      """
    let saved = try world.post("private/records/modify", user: token, body: save)
    #expect(saved.records.first?["created"]?.object?["userRecordName"]?.string == "ada")
    let guest = try world.post("private/records/modify", body: save)
    #expect(guest.status == 421 && guest.code == "AUTHENTICATION_REQUIRED")
    let redirect = guest.json?.object?["redirectURL"]?.string
    #expect(redirect?.hasSuffix("/sign-in?ckAPIToken=\(world.apiToken)") == true, "\(guest.text)")
    let wrong = try world.post("private/zones/list", user: String(repeating: "A", count: 43))
    #expect(wrong.status == 421 && wrong.json?.object?["redirectURL"] != nil, "\(wrong.text)")
    let unknown = try world.post("private/zones/list", api: String(repeating: "0", count: 64))
    #expect(unknown.status == 401 && unknown.code == "AUTHENTICATION_FAILED", "\(unknown.text)")
    #expect(try world.post("private/zones/list", api: "x").status == 401)
    let other = try world.post("private/zones/list", user: token, container: "other")
    #expect(other.status == 401, "\(other.text)")
    // Renewed when a client asks who it is; the one before stays valid for a while.
    let caller = try world.post("public/users/caller", user: token)
    let next = try #require(caller.headers["x-apple-cloudkit-web-auth-token"])
    #expect(next != token)
    for token in [token, next] {
      #expect(try world.post("private/zones/list", user: token).status == 200)
    }
    _ = try await world.root.revokeWebToken(.init(id: world.apiTokenID))
    let revoked = try world.post("private/zones/list", user: next)
    #expect(revoked.status == 401, "\(revoked.text)")
  }

  @Test("pages of registered origins may read answers, others may not")
  func origins() async throws {
    let world = try await CredentialWorld.make()
    let token = try await world.token()
    let allowed = try world.post(
      "private/zones/list",
      user: token,
      headers: ["Origin: https://example.org"]
    )
    #expect(allowed.headers["access-control-allow-origin"] == "https://example.org")
    #expect(allowed.headers["vary"] == "Origin")
    #expect(allowed.headers["access-control-allow-credentials"] == nil)
    let refused = try world.post(
      "private/zones/list",
      user: token,
      headers: ["Origin: https://example.com"]
    )
    #expect(refused.status == 403 && refused.headers["access-control-allow-origin"] == nil)
  }

  @Test("a server signs its requests with P-256; a signature is for one request and ten minutes")
  func signatures() async throws {
    let world = try await CredentialWorld.make()
    _ = try await world.secure.createUser("importer")
    let (signer, key) = try await world.serverKey(of: "importer")
    let path = "/database/1/app/development/public/records/modify"
    let body = """
      {"operations": [{"operationType": "create", "record": {"recordType": "Notes"}}]}
      """
    func answer(
      signing signed: String,
      date: Date = Date(),
      to path: String = path,
      body sent: String? = nil
    ) throws -> HTTPAnswer {
      try HTTPAnswer.to(
        "POST",
        path,
        at: world.port,
        headers: try signer.headers(key.keyID, path: path, body: signed, date: date),
        body: Array((sent ?? signed).utf8)
      )
    }
    let saved = try answer(signing: body)
    #expect(saved.status == 200, "\(saved.text)")
    #expect(saved.records.first?["created"]?.object?["userRecordName"]?.string == "importer")
    let changed = try answer(
      signing: body,
      body: body.replacingOccurrences(of: "Notes", with: "Posts")
    )
    #expect(changed.status == 401 && changed.code == "AUTHENTICATION_FAILED")
    #expect(try answer(signing: body, date: Date(timeIntervalSinceNow: -700)).status == 401)
    #expect(try answer(signing: body, date: Date(timeIntervalSinceNow: 700)).status == 401)
    let elsewhere = path.replacingOccurrences(of: "public", with: "private")
    #expect(try answer(signing: body, to: elsewhere).status == 401)
    #expect(
      try answer(signing: "{}", to: "/database/1/app/development/public/users/caller").status == 401
    )
    _ = try await world.root.revokeWebToken(.init(id: key.id))
    #expect(try answer(signing: body).status == 401)
  }

  @Test("a server's key serves each container for which it is registered")
  func containers() async throws {
    let world = try await CredentialWorld.make()
    _ = try await world.secure.createUser("importer")
    let (signer, first) = try await world.serverKey(of: "importer")
    func register(_ container: String) async throws -> TidingsV1.WebToken {
      let credential = TidingsV1.CreateWebTokenRequest.Credential.serverKey(
        .init(userName: "importer", publicKey: signer.publicKey)
      )
      let created = try await world.root.createWebToken(
        .init(container: container, credential: credential)
      )
      return try #require(created.token)
    }
    func status(_ container: String) throws -> Int {
      let path = "/database/1/\(container)/development/public/records/modify"
      let record = #"{"recordType": "Notes"}"#
      let body = #"{"operations": [{"operationType": "create", "record": \#(record)}]}"#
      let headers = try signer.headers(first.keyID, path: path, body: body, date: Date())
      return try HTTPAnswer.to(
        "POST",
        path,
        at: world.port,
        headers: headers,
        body: Array(body.utf8)
      ).status
    }
    #expect(try status("app") == 200 && status("shop") == 401)
    let second = try await register("shop")
    #expect(second.keyID == first.keyID && second.id != first.id)
    #expect(try status("app") == 200 && status("shop") == 200 && status("other") == 401)
    let again = await failure { _ = try await register("shop") }
    #expect(
      again?.message.contains("known in container 'shop'") == true,
      "\(String(describing: again))"
    )
    _ = try await world.root.revokeWebToken(.init(id: first.id))
    #expect(try status("app") == 401 && status("shop") == 200)
    let revoked = await failure { _ = try await register("other") }
    #expect(revoked?.message.contains("was revoked") == true, "\(String(describing: revoked))")
    _ = try await world.root.revokeWebToken(.init(id: second.id))
    #expect(try status("shop") == 401)
  }

  @Test("a page shows a code, which a user approves with an own key, and gets the token")
  func signIn() async throws {
    let world = try await CredentialWorld.make()
    let page = try HTTPAnswer.to("GET", "/sign-in?ckAPIToken=\(world.apiToken)", at: world.port)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
    #expect(page.text.contains("/sign-in.js"))
    #expect(try HTTPAnswer.to("GET", "/sign-in.js", at: world.port).status == 200)
    func post(_ step: String, _ body: JSONValue) throws -> HTTPAnswer {
      try HTTPAnswer.to(
        "POST",
        "/sign-in/\(step)?ckAPIToken=\(world.apiToken)",
        at: world.port,
        body: body.text()
      )
    }
    let begun = try #require(try post("begin", [:]).json?.object)
    #expect(begun["label"]?.string == "website")
    let state = try #require(begun["state"])
    #expect(try post("complete", ["state": state]).json?.object?["pending"] == .bool(true))
    _ = try await TidingsV1.AccountService.Client(world.ada.transport).approveSignIn(
      .init(userCode: try #require(begun["userCode"]?.string))
    )
    let done = try post("complete", ["state": state])
    let token = try #require(done.json?.object?["ckWebAuthToken"]?.string, "\(done.text)")
    #expect(done.json?.object?["origins"] == .array([.string("https://example.org")]))
    let caller = try world.post("public/users/caller", user: token)
    #expect(caller.json?.object?["userRecordName"]?.string == "ada")
    #expect(try post("complete", ["state": state]).status >= 400)
    #expect(try post("complete", ["state": "AAAA"]).status == 404)
  }

  @Test("without keys a gateway listens on this machine alone, and says what is wrong otherwise")
  func commandLine() async throws {
    for (arguments, message) in [
      (["--listen", "0.0.0.0:0"], "everybody may call as anybody"),
      (["--listen", "x"], "HOST:PORT"),
      (["--key-file", "a"], "need each other"), (["--tls-key", "a"], "need each other"),
      (["--public-url", "example.org"], "https://HOST"), (["extra"], "no operands"),
      (["--rpc", "nonsense"], "--rpc"),
      (["--strict-transport-seconds", "1"], "--strict-transport-seconds is for HTTPS, and"),
    ] {
      let process = try ServerProcess("rpcgw", arguments: arguments)
      #expect(try await process.waitForExit() == .code(2))
      #expect(process.seen.value.errors.contains(message), "\(process.seen.value.errors)")
    }
    let help = try ServerProcess("rpcgw", arguments: ["--help"])
    #expect(try await help.waitForExit() == .code(0))
    #expect(help.seen.value.output.contains("environment: RPCGW_NAME"))
  }
}
