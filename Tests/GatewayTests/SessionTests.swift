internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// What stands on a session of the web: it goes on while the session does, and ends with it.
@Suite(.endsServers) struct SessionTests {
  private static func path(_ url: String?, _ kind: String) throws -> String {
    let url = try #require(url)
    let start = try #require(url.range(of: "/\(kind)/"))
    return String(url[start.lowerBound...])
  }

  private func uploadPath(_ world: CredentialWorld, _ token: String) throws -> String {
    let answer = try world.post(
      "private/assets/upload",
      user: token,
      body: #"{"tokens": [{"recordType": "Notes", "fieldName": "file"}]}"#
    )
    let url = answer.json?.object?["tokens"]?.array?.first?.object?["url"]?.string
    return try Self.path(url, "assets")
  }

  /// Uploads a content, saves a record with it, and returns where it can be downloaded.
  private func downloadPath(_ world: CredentialWorld, _ token: String) throws -> String {
    let path = try uploadPath(world, token)
    let uploaded = try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8))
    let file = try #require(uploaded.json?.object?["singleFile"], "\(uploaded.text)")
    let record: JSONValue = [
      "recordName": "a", "recordType": "Notes", "fields": ["file": ["value": file]],
    ]
    let operation: JSONValue = ["operationType": "create", "record": record]
    let save: JSONValue = ["operations": .array([operation])]
    let saved = try world.post("private/records/modify", user: token, body: save.description)
    let value = saved.records.first?["fields"]?.object?["file"]?.object?["value"]?.object
    return try Self.path(value?["downloadURL"]?.string, "assets")
  }

  private func courierPath(_ world: CredentialWorld, _ token: String) throws -> String {
    let answer = try HTTPAnswer.to(
      "POST",
      "/device/1/app/development/tokens/create?ckAPIToken=\(world.apiToken)&ckWebAuthToken=\(token)",
      at: world.port,
      body: Array(#"{"apnsEnvironment": "development", "clientId": "page"}"#.utf8)
    )
    return try Self.path(answer.json?.object?["webcourierURL"]?.string, "courier")
  }

  private func save(_ name: String, _ world: CredentialWorld) async throws {
    let saved = try await world.ada.modify([.init("Houses", name)], in: .init(container: "app"))
    try #require(saved.first?.record != nil, "\(saved)")
  }

  private func subscribe(_ world: CredentialWorld) async throws {
    // The type has to be in the schema.
    try await save("h0", world)
    let saved = try await world.ada.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    ).results
    try #require(saved.first?.error == nil && saved.count == 1, "\(saved)")
  }

  @Test("URLs go on after the token with which they were asked for was renewed")
  func renewed() async throws {
    let clock = try ClockFault()
    let world = try await CredentialWorld.make(environment: clock.environment)
    let token = try await world.token()
    let (upload, download) = (try uploadPath(world, token), try downloadPath(world, token))
    let courier = try courierPath(world, token)
    try await subscribe(world)
    let caller = try world.post("public/users/caller", user: token)
    let next = try #require(caller.headers["x-apple-cloudkit-web-auth-token"])
    // The token before is valid for 5 minutes.
    try clock.setTimeOfDay(ahead: .seconds(6 * 60))
    #expect(try world.post("private/zones/list", user: token).status == 421)
    #expect(try world.post("private/assets/upload", user: token, body: "{}").status == 421)
    #expect(try world.post("private/zones/list", user: next).status == 200)
    let uploaded = try HTTPAnswer.to("POST", upload, at: world.port, body: Array("more".utf8))
    #expect(uploaded.status == 200, "\(uploaded.text)")
    #expect(try HTTPAnswer.to("GET", download, at: world.port).text == "content")
    try await save("h1", world)
    let polled = try await blocking { try HTTPAnswer.to("GET", courier, at: world.port) }
    #expect(polled.text.contains(#""h1""#), "\(polled.text)")
  }

  @Test("URLs end with their session, also polls that wait")
  func signedOut() async throws {
    let world = try await CredentialWorld.make()
    let token = try await world.token()
    let (upload, download) = (try uploadPath(world, token), try downloadPath(world, token))
    let courier = try courierPath(world, token)
    try await subscribe(world)
    let port = world.port
    let waiting = Task { try await blocking { try HTTPAnswer.to("GET", courier, at: port) } }
    try await save("h1", world)
    #expect(try await waiting.value.text.contains(#""h1""#))
    let later = Task { try await blocking { try HTTPAnswer.to("GET", courier, at: port) } }
    _ = try await TidingsV1.AccountService.Client(world.ada.transport).revokeWebAuthToken(
      .init(webAuthToken: token)
    )
    try await save("h2", world)
    let ended = try await later.value
    #expect(ended.status == 421 && ended.code == "AUTHENTICATION_REQUIRED", "\(ended.text)")
    for (method, path) in [("POST", upload), ("GET", download), ("GET", courier)] {
      let body: [UInt8] = method == "POST" ? [1] : []
      let answer = try await blocking { try HTTPAnswer.to(method, path, at: port, body: body) }
      #expect(answer.status == 421 && answer.code == "AUTHENTICATION_REQUIRED", "\(answer.text)")
    }
    // A session of the same user after it is another one.
    let next = try await world.token()
    #expect(try uploadPath(world, next) != upload)
    #expect(try HTTPAnswer.to("GET", download, at: port).status == 421)
  }

  @Test(
    "a stream goes on after its token was renewed, and ends with its session before more is sent"
  )
  func stream() async throws {
    let clock = try ClockFault()
    let world = try await CredentialWorld.make(environment: clock.environment)
    try await subscribe(world)
    // One ends by itself, one with its API token, and one stays.
    let tokens = [try await world.token(), try await world.token()]
    let other = try await world.root.createWebToken(
      .init(container: "app", label: "other", credential: .apiToken(.init()))
    )
    let third = try await TidingsV1.AccountService.Client(world.ada.transport).issueWebAuthToken(
      .init(apiToken: other.apiToken)
    ).webAuthToken
    let readers = try tokens.map {
      try EventReader(world.port, tokens: "ckAPIToken=\(world.apiToken)&ckWebAuthToken=\($0)")
    }
    let last = try EventReader(
      world.port,
      tokens: "ckAPIToken=\(other.apiToken)&ckWebAuthToken=\(third)"
    )
    try await save("h1", world)
    for reader in readers + [last] {
      try await reader.seen.wait("the first") { $0.names == ["h1"] }
    }
    let caller = try world.post("public/users/caller", user: tokens[0])
    let next = try #require(caller.headers["x-apple-cloudkit-web-auth-token"])
    try clock.setTimeOfDay(ahead: .seconds(6 * 60))
    #expect(try world.post("private/zones/list", user: tokens[0]).status == 421)
    try await save("h2", world)
    try await readers[0].seen.wait("the second") { $0.names == ["h1", "h2"] }
    _ = try await TidingsV1.AccountService.Client(world.ada.transport).revokeWebAuthToken(
      .init(webAuthToken: next)
    )
    try await save("h3", world)
    let ended = try await readers[0].seen.wait("the end") { $0.hasFailed }
    #expect(ended.names == ["h1", "h2"])
    try await readers[1].seen.wait("the third") { $0.names == ["h1", "h2", "h3"] }
    _ = try await world.root.revokeWebToken(.init(id: world.apiTokenID))
    try await save("h4", world)
    let revoked = try await readers[1].seen.wait("the end") { $0.hasFailed }
    #expect(revoked.names == ["h1", "h2", "h3"])
    try await last.seen.wait("all") { $0.names == ["h1", "h2", "h3", "h4"] }
    let refused = try HTTPAnswer.to(
      "GET",
      "/events/app/development?ckAPIToken=\(other.apiToken)&ckWebAuthToken=\(next)",
      at: world.port
    )
    #expect(refused.status == 421, "\(refused.text)")
  }

  @Test("the stream of a server's key ends with the key before more is sent")
  func serverKeyStream() async throws {
    let world = try await CredentialWorld.make()
    let importer = try await world.secure.client(try await world.secure.createUser("importer"))
    let (signer, key) = try await world.serverKey(of: "importer")
    let database = TidingsV1.DatabaseID(container: "app", scope: .public)
    func save(_ name: String) async throws {
      let saved = try await world.ada.modify([.init("Houses", name)], in: database)
      try #require(saved.first?.record != nil, "\(saved)")
    }
    try await save("h0")
    let subscribed = try await importer.subscriptions.modifySubscriptions(
      .init(databaseID: database, subscriptionsToSave: [.init("s", "Houses")])
    ).results
    try #require(subscribed.first?.error == nil && subscribed.count == 1, "\(subscribed)")
    let reader = try EventReader(
      world.port,
      headers: try signer.headers(key.keyID, path: EventReader.path)
    )
    try await reader.seen.wait("the answer") { $0.status == 200 }
    try await save("h1")
    try await reader.seen.wait("the first") { $0.names == ["h1"] }
    _ = try await world.root.revokeWebToken(.init(id: key.id))
    try await save("h2")
    let ended = try await reader.seen.wait("the end") { $0.hasFailed }
    #expect(ended.names == ["h1"])
  }

  @Test("a session ends when it is so old, however often it was renewed", arguments: [false, true])
  func absoluteEnd(keepSignedIn: Bool) async throws {
    let clock = try ClockFault()
    let world = try await CredentialWorld.make(
      arguments: ["--limit", "web-session-age-seconds-max=7200"],
      environment: clock.environment
    )
    var token = try await world.token(keepSignedIn: keepSignedIn)
    let upload = try uploadPath(world, token)
    for minute in stride(from: 25, to: 120, by: 25) {
      try clock.setTimeOfDay(ahead: .seconds(minute * 60))
      let caller = try world.post("public/users/caller", user: token)
      token = try #require(caller.headers["x-apple-cloudkit-web-auth-token"], "\(caller.text)")
    }
    let expires = try await world.root.listWebTokens(.init(kind: .session)).tokens.first?.expires
    let created = try await world.root.listWebTokens(.init(kind: .session)).tokens.first?.created
    #expect((expires?.seconds ?? 0) - (created?.seconds ?? 0) == 7_200)
    try clock.setTimeOfDay(ahead: .seconds(119 * 60))
    #expect(try world.post("private/zones/list", user: token).status == 200)
    try clock.setTimeOfDay(ahead: .seconds(121 * 60))
    for endpoint in ["private/zones/list", "public/users/caller"] {
      let answer = try world.post(endpoint, user: token)
      #expect(answer.status == 421 && answer.code == "AUTHENTICATION_REQUIRED", "\(answer.text)")
      let redirect = answer.json?.object?["redirectURL"]?.string
      #expect(redirect?.hasSuffix("/sign-in?ckAPIToken=\(world.apiToken)") == true)
    }
    #expect(try HTTPAnswer.to("POST", upload, at: world.port, body: [1]).status == 421)
  }

  @Test("a handle stands for its session alone, and does not renew it")
  func handles() async throws {
    let world = try await CredentialWorld.make()
    let gateway = try await world.secure.client(
      try await world.secure.createUser("another-gateway", roles: ["gateway"])
    )
    let calls = TidingsV1.GatewayService.Client(gateway.transport)
    func options(_ token: String) -> CallOptions {
      CallOptions(metadata: [
        "tidings-api-token": world.apiToken, "tidings-web-auth-token": token,
      ])
    }
    let token = try await world.token()
    func handle(_ token: String) async throws -> String {
      try await calls.fetchSessionHandle(.init(), options: options(token)).sessionHandle
    }
    let first = try await handle(token)
    let renewed = try await calls.renewWebAuthToken(.init(), options: options(token)).webAuthToken
    #expect(try await handle(renewed) == first)
    #expect(try await handle(first) == first)
    #expect(first.utf8.count <= 80)
    let other = try await handle(try await world.token())
    #expect(other != first)
    func refusal(_ token: String) async -> StatusCode? {
      await failure {
        _ = try await TidingsV1.AccountService.Client(gateway.transport).fetchUserRecordID(
          .init(container: "app"),
          options: options(token)
        )
      }?.code
    }
    #expect(await refusal(first) == nil)
    let renewal = await failure {
      _ = try await calls.renewWebAuthToken(.init(), options: options(first))
    }
    #expect(renewal?.code == .unauthenticated)
    // That of another session, with the first one's ID.
    let mixed = String(first.prefix { $0 != "." }) + String(other.drop { $0 != "." })
    for wrong in [mixed, first + "A", String(first.dropLast()), "h1.", "h.", "h-1." + token] {
      #expect(await refusal(wrong) == .unauthenticated, "\(wrong)")
    }
    // Nor is it good without the session's API token.
    let alone = await failure {
      _ = try await calls.fetchSessionHandle(
        .init(),
        options: CallOptions(metadata: ["tidings-web-auth-token": first])
      )
    }
    #expect(alone?.code == .unauthenticated)
    let guest = await failure {
      _ = try await calls.fetchSessionHandle(
        .init(),
        options: CallOptions(metadata: ["tidings-api-token": world.apiToken])
      )
    }
    #expect(guest?.code == .invalidArgument)
  }

  @Test("the ID of a request is in the server's log, whatever was asked for")
  func requestIDs() async throws {
    let world = try await CredentialWorld.make(arguments: ["--log-level", "debug"])
    let token = try await world.token()
    let upload = try uploadPath(world, token)
    let download = try downloadPath(world, token)
    let port = world.port
    var answers: [(method: String, answer: HTTPAnswer)] = []
    func note(_ method: String, _ answer: HTTPAnswer) { answers.append((method, answer)) }
    note("UploadAsset", try HTTPAnswer.to("POST", upload, at: port, body: Array("more".utf8)))
    note("DownloadAsset", try HTTPAnswer.to("GET", download, at: port))
    note("RenewWebAuthToken", try world.post("public/users/caller", user: token))
    let asked = try world.post(
      "private/assets/upload",
      user: token,
      body: #"{"tokens": [{"recordType": "Notes", "fieldName": "file"}]}"#
    )
    note("FetchSessionHandle", asked)
    let tokens = "ckAPIToken=\(world.apiToken)&ckWebAuthToken=\(token)"
    let created = try HTTPAnswer.to(
      "POST",
      "/device/1/app/development/tokens/create?\(tokens)",
      at: port,
      body: Array(#"{"apnsEnvironment": "development"}"#.utf8)
    )
    note("LeaseNotifications", created)
    note("FetchUserRecordID", created)
    let courier = try Self.path(created.json?.object?["webcourierURL"]?.string, "courier")
    try await subscribe(world)
    try await save("h1", world)
    let polled = try await blocking { try HTTPAnswer.to("GET", courier, at: port) }
    for method in ["LeaseNotifications", "SettleNotifications"] { note(method, polled) }
    let signIn = "?ckAPIToken=\(world.apiToken)"
    let begun = try HTTPAnswer.to("POST", "/sign-in/begin" + signIn, at: port, body: [0x7B, 0x7D])
    note("BeginSignIn", begun)
    let state: JSONValue = ["state": begun.json?.object?["state"] ?? .null]
    note(
      "CompleteSignIn",
      try HTTPAnswer.to("POST", "/sign-in/complete" + signIn, at: port, body: state.text())
    )
    for (method, answer) in answers {
      #expect(answer.status == 200, "\(method): \(answer.text)")
      let id = try #require(answer.headers["x-apple-request-uuid"], "\(method)")
      try await world.secure.server.process.seen.wait("\(method) of request \(id)") { seen in
        seen.errors.split(separator: "\n").contains { $0.contains(method) && $0.contains(id) }
      }
    }
  }
}
