import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsFiles
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC
import TidingsZeroMQ

/// A gateway calls in the name of callers on the web, with their credentials only.
@Suite(.endsServers) struct WebTokenTests {
  @Test("a gateway's call is the session's, a guest's, or a server key's, and without one its own")
  func callers() async throws {
    let world = try await WebTokenWorld.make()
    let session = world.session(try await world.issue().webAuthToken)
    _ = try await world.gateway.records.modifyRecords(
      .init(recordsToSave: [.init("Notes", "own")]),
      options: CallOptions(metadata: session)
    )
    #expect(try await world.ada.fetch([.init("own")]).first?.record != nil)
    _ = try await world.ada.modify([.init("Posts", "p")], in: .init(scope: .public))
    #expect(try await world.user(session) == "ada")
    #expect(try await world.record("own", .private, session)?.created?.userRecordName != "gateway")
    #expect(try await world.user(world.guest) == "")
    #expect(try await world.record("p", .public, world.guest) != nil)
    let refused = await failure { _ = try await world.record("own", .private, world.guest) }
    #expect(refused?.itemCode == .notAuthenticated && refused?.wrongCredential == "")
    _ = try await world.secure.createUser("importer")
    let key = try await world.root.createWebToken(
      .init(credential: .serverKey(.init(userName: "importer", publicKey: WebTokenWorld.publicKey)))
    )
    let keyID = try #require(key.token?.keyID)
    #expect(key.apiToken.isEmpty && keyID.count == 64)
    #expect(try await world.user(world.serverKey(keyID)) == "importer")
    #expect(try await world.user([:]) == "gateway")
  }

  @Test("on a connection without the role a credential is refused")
  func withoutRole() async throws {
    let world = try await WebTokenWorld.make()
    let session = world.session(try await world.issue().webAuthToken)
    for client in [world.ada, try await world.secure.client()] {
      let error = await failure { _ = try await world.user(session, on: client) }
      #expect(error?.itemCode == .permissionFailure)
      #expect(error?.message.contains("role 'gateway'") == true, "\(error as Any)")
    }
    let calls = TidingsV1.GatewayService.Client(world.ada.transport)
    let error = await failure {
      _ = try await calls.fetchWebCredential(.init(credential: .apiToken(world.apiToken)))
    }
    #expect(error?.itemCode == .permissionFailure)
    // The role can be taken away again.
    _ = try await world.root.assignRoles(.init(userName: "gateway", roles: []))
    let late = await world.refusal(session)
    #expect(late?.itemCode == .permissionFailure)
  }

  @Test("a text of any length that begins as a handle does is refused, and ends no server")
  func handleLikeTexts() async throws {
    let world = try await WebTokenWorld.make()
    for count in 0...80 {
      for text in [
        "h" + String(repeating: "1", count: count), "h" + String(repeating: ".", count: count),
      ] {
        let error = await world.refusal(world.session(text))
        #expect(error?.code == .unauthenticated, "\(count) characters: \(error as Any)")
      }
    }
    #expect(try await world.user(world.session(try await world.issue().webAuthToken)) == "ada")
  }

  @Test("a wrong credential is refused, and the error says which one it was")
  func wrong() async throws {
    let world = try await WebTokenWorld.make()
    let token = try await world.issue().webAuthToken
    let other = try await world.root.createWebToken(.init(credential: .apiToken(.init())))
    let unknown = String(repeating: "0", count: 64)
    let expected: [(WebTokenWorld.Credential, String)] = [
      (["tidings-api-token": unknown], "API_TOKEN"),
      (["tidings-api-token": "x"], "API_TOKEN"),
      (["tidings-web-auth-token": token], "API_TOKEN"),
      (["tidings-api-token": token], "API_TOKEN"),
      (world.session(String(repeating: "A", count: 43)), "WEB_AUTH_TOKEN"),
      (world.session(""), "WEB_AUTH_TOKEN"),
      (world.session(token + "A"), "WEB_AUTH_TOKEN"),
      (
        ["tidings-api-token": other.apiToken, "tidings-web-auth-token": token], "WEB_AUTH_TOKEN"
      ),
      (world.serverKey(unknown), "SERVER_KEY"), (world.serverKey(world.apiToken), "SERVER_KEY"),
    ]
    for (credential, wrong) in expected {
      let error = await world.refusal(credential)
      #expect(error?.code == .unauthenticated && error?.itemCode == .notAuthenticated)
      #expect(error?.wrongCredential == wrong, "\(credential)")
    }
    var both = world.session(token)
    both["tidings-server-key"] = unknown
    #expect(await world.refusal(both)?.itemCode == .invalidArguments)
    #expect(await world.refusal(world.session(token)) == nil)
  }

  @Test("a refused credential is its call's alone: saves of the same turn stay in one group")
  func refusalsBesideSaves() async throws {
    let world = try await WebTokenWorld.make()
    try await world.ada.save(.init("Notes", "first"))
    let callCount = 100
    let sent = Observed(0)
    func client(_ pair: KeyPair) async throws -> Client {
      var configuration = ClientConfiguration(endpoint: world.secure.server.rpcEndpoint)
      configuration.keys = world.secure.keys(pair)
      (configuration.timeout, configuration.connectTimeout) = (.seconds(600), .seconds(60))
      configuration.observer = { frames in
        guard case .sent = frames else { return }
        sent.update { $0 += 1 }
      }
      let client = try await Client(configuration)
      _ = try await client.server.fetchServerInfo(.init())
      return client
    }
    let (saver, gateway) = (try await client(world.adaKey), try await client(world.gatewayKey))
    let gatewayCalls = TidingsV1.GatewayService.Client(gateway.transport)
    let commits = try await world.commitCount()
    let before = sent.value
    try world.secure.server.process.pause()
    try await withThrowingTaskGroup(of: Void.self) { calls in
      for index in 0..<callCount {
        calls.addTask { try await saver.save(.init("Notes", "note-\(index)")) }
        calls.addTask {
          let token = "\(index)" + String(repeating: "0", count: 60)
          let error = await failure {
            _ = try await gatewayCalls.fetchWebCredential(.init(credential: .apiToken(token)))
          }
          #expect(error?.wrongCredential == "API_TOKEN", "\(error as Any)")
        }
      }
      try await sent.wait("calls") { $0 >= before + 2 * callCount }
      world.secure.server.process.resume()
      try await calls.waitForAll()
    }
    // Each save that is run again alone has a commit of its own.
    let count = try await world.commitCount() - commits
    #expect(count < callCount / 4, "\(count) commits for \(callCount) saves")
  }

  /// What ends a session's access.
  enum End: CaseIterable {
    case session, apiToken, restriction, signOut, tokenByOwner
  }

  @Test(
    "what is revoked is refused from the next call on, and ends a call that waits",
    arguments: End.allCases
  )
  func revocation(_ end: End) async throws {
    let world = try await WebTokenWorld.make()
    let token = try await world.issue().webAuthToken
    let session = world.session(token)
    let waiting = try await world.wait(session)
    let wrong: String
    switch end {
    case .session:
      let id = try #require(try await world.list(.session).first?.id)
      _ = try await world.root.revokeWebToken(.init(id: id))
      wrong = "WEB_AUTH_TOKEN"
    case .apiToken:
      _ = try await world.root.revokeWebToken(.init(id: world.token.id))
      wrong = "API_TOKEN"
    case .restriction:
      _ = try await world.root.updateUser(.init(userName: "ada", restricted: true))
      wrong = ""
    case .signOut:
      _ = try await world.accounts(world.gateway).revokeWebAuthToken(
        .init(),
        options: CallOptions(metadata: session)
      )
      wrong = "WEB_AUTH_TOKEN"
    case .tokenByOwner:
      _ = try await world.accounts(world.ada).revokeWebAuthToken(.init(webAuthToken: token))
      wrong = "WEB_AUTH_TOKEN"
    }
    let code: TidingsV1.ErrorCode =
      end == .restriction ? .managedAccountRestricted : .notAuthenticated
    let error = await world.refusal(session)
    #expect(error?.itemCode == code && error?.wrongCredential == wrong, "\(error as Any)")
    // Whether it waited already or came too late.
    #expect(await waiting.value?.itemCode == code)
    #expect(await world.refusal(world.guest)?.wrongCredential == (end == .apiToken ? wrong : nil))
    guard end == .restriction else { return }
    _ = try await world.root.updateUser(.init(userName: "ada", restricted: false))
    #expect(try await world.user(session) == "ada")
  }

  @Test("a session and an API token expire, and end a call that waits")
  func expiry() async throws {
    let clock = try ClockFault()
    let world = try await WebTokenWorld.make(environment: clock.environment)
    let short = world.session(try await world.issue().webAuthToken)
    let long = world.session(try await world.issue(keepSignedIn: true).webAuthToken)
    let waiting = try await world.wait(short)
    try clock.setTimeOfDay(ahead: .seconds(29 * 60))
    #expect(try await world.user(short) == "ada")
    try clock.setTimeOfDay(ahead: .seconds(31 * 60))
    #expect(await world.refusal(short)?.wrongCredential == "WEB_AUTH_TOKEN")
    #expect(await waiting.value?.wrongCredential == "WEB_AUTH_TOKEN")
    try clock.setTimeOfDay(ahead: .seconds(13 * 86_400))
    #expect(try await world.user(long) == "ada")
    try clock.setTimeOfDay(ahead: .seconds(15 * 86_400))
    #expect(await world.refusal(long)?.wrongCredential == "WEB_AUTH_TOKEN")
    // Sessions are removed a day after they ended, but for the newest.
    _ = try await world.issue()
    try await waitUntil("all sessions but the newest to be removed", pausing: .milliseconds(50)) {
      try await world.list(.session).count == 1
    }
  }

  @Test("a renewed session has a new token and a new expiry, and the old token for five minutes")
  func renewal() async throws {
    let clock = try ClockFault()
    let world = try await WebTokenWorld.make(environment: clock.environment)
    let first = try await world.issue()
    let waiting = try await world.wait(world.session(first.webAuthToken))
    try clock.setTimeOfDay(ahead: .seconds(20 * 60))
    let second = try await world.gatewayCalls.renewWebAuthToken(
      .init(),
      options: CallOptions(metadata: world.session(first.webAuthToken))
    )
    #expect(second.webAuthToken != first.webAuthToken)
    #expect((second.expires?.seconds ?? 0) - (first.expires?.seconds ?? 0) >= 20 * 60)
    for token in [first.webAuthToken, second.webAuthToken] {
      #expect(try await world.user(world.session(token)) == "ada")
    }
    try clock.setTimeOfDay(ahead: .seconds(26 * 60))
    #expect(
      await world.refusal(world.session(first.webAuthToken))?.wrongCredential == "WEB_AUTH_TOKEN"
    )
    try clock.setTimeOfDay(ahead: .seconds(49 * 60))
    #expect(try await world.user(world.session(second.webAuthToken)) == "ada")
    #expect(try await world.list(.session).count == 1)
    // The call that waited is the session's, whatever token began it.
    _ = try await world.ada.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "new"))])
    )
    #expect(await waiting.value == nil)
    let guest = await failure {
      _ = try await world.gatewayCalls.renewWebAuthToken(
        .init(),
        options: CallOptions(metadata: world.guest)
      )
    }
    #expect(guest?.itemCode == .invalidArguments)
  }

  @Test("a user has so many sessions: the oldest ends when another begins")
  func sessions() async throws {
    let world = try await WebTokenWorld.make(
      arguments: ["--limit", "web-sessions-per-user-max=3"]
    )
    var tokens: [String] = []
    for _ in 0..<5 { tokens.append(try await world.issue().webAuthToken) }
    for token in tokens.prefix(2) {
      #expect(await world.refusal(world.session(token))?.wrongCredential == "WEB_AUTH_TOKEN")
    }
    for token in tokens.suffix(3) { #expect(try await world.user(world.session(token)) == "ada") }
    // A session cannot begin others, which would outlive it.
    let error = await failure {
      _ = try await world.accounts(world.gateway).issueWebAuthToken(
        .init(apiToken: world.apiToken),
        options: CallOptions(metadata: world.session(tokens[4]))
      )
    }
    #expect(error?.itemCode == .permissionFailure)
  }

  @Test("the gateway learns what a credential is for")
  func credentials() async throws {
    let world = try await WebTokenWorld.make()
    let found = try await world.gatewayCalls.fetchWebCredential(
      .init(credential: .apiToken(world.apiToken))
    )
    #expect(found.kind == .apiToken && found.container == "default" && found.label == "website")
    #expect(found.environment == .development)
    #expect(found.allowedOrigins == ["https://example.org"])
    #expect(found.callbackURL == "https://example.org/done")
    let key = try await world.root.createWebToken(
      .init(
        container: "other",
        environment: .production,
        credential: .serverKey(.init(userName: "ada", publicKey: WebTokenWorld.publicKey))
      )
    )
    let keyID = try #require(key.token?.keyID)
    let server = try await world.gatewayCalls.fetchWebCredential(
      .init(credential: .serverKeyID(keyID))
    )
    #expect(server.kind == .serverKey && server.publicKey == WebTokenWorld.publicKey)
    #expect(server.container == "other" && server.environment == .production)
    _ = try await world.root.revokeWebToken(.init(id: key.token?.id ?? 0))
    let revoked = await failure {
      _ = try await world.gatewayCalls.fetchWebCredential(.init(credential: .serverKeyID(keyID)))
    }
    #expect(revoked?.wrongCredential == "SERVER_KEY")
    // It cannot be admitted again.
    let again = await failure {
      _ = try await world.root.createWebToken(
        .init(credential: .serverKey(.init(userName: "ada", publicKey: WebTokenWorld.publicKey)))
      )
    }
    #expect(again?.itemCode == .serverRejectedRequest)
  }
}
