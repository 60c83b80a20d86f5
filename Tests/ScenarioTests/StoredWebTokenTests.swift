import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsFiles
import TidingsKeys
import TidingsProto
import TidingsRPC

@testable import rpcctl

/// What becomes of web credentials in restarts, restores and erasures, and where their secrets are not.
@Suite(.endsServers) struct StoredWebTokenTests {
  private func restarted(_ world: WebTokenWorld) async throws -> (Client, TestServer) {
    try await world.secure.server.crash()
    let server = try await world.secure.server.restarted()
    return (try await client(world, server), server)
  }

  private func client(_ world: WebTokenWorld, _ server: TestServer) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = world.secure.keys(world.gatewayKey)
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    return try await Client(configuration)
  }

  @Test("a restart keeps credentials, and what was revoked")
  func restart() async throws {
    let world = try await WebTokenWorld.make()
    let kept = world.session(try await world.issue().webAuthToken)
    let signedOut = try await world.issue().webAuthToken
    _ = try await world.accounts(world.ada).revokeWebAuthToken(.init(webAuthToken: signedOut))
    let renewed = try await world.gatewayCalls.renewWebAuthToken(
      .init(),
      options: CallOptions(metadata: kept)
    ).webAuthToken
    let (gateway, _) = try await restarted(world)
    for credential in [kept, world.session(renewed)] {
      #expect(try await world.user(credential, on: gateway) == "ada")
    }
    #expect(try await world.user(world.guest, on: gateway) == "")
    let refused = await failure {
      _ = try await world.user(world.session(signedOut), on: gateway)
    }
    #expect(refused?.wrongCredential == "WEB_AUTH_TOKEN")
  }

  @Test("an erased user has no sessions and no server keys, and no ID is used again")
  func erasure() async throws {
    let world = try await WebTokenWorld.make()
    let session = world.session(try await world.issue().webAuthToken)
    let key = try await world.root.createWebToken(
      .init(credential: .serverKey(.init(userName: "ada", publicKey: WebTokenWorld.publicKey)))
    ).token
    let serverKey = world.serverKey(key?.keyID ?? "")
    #expect(try await world.user(serverKey) == "ada")
    _ = try await world.root.eraseUser(.init(userName: "ada"))
    #expect(await world.refusal(session)?.code != nil)
    try await waitUntil("the end of the erasure", pausing: .milliseconds(20)) {
      try await world.root.fetchErasure(.init(which: .userName("ada"))).erasure?.finished != nil
    }
    #expect(await world.refusal(session)?.wrongCredential == "WEB_AUTH_TOKEN")
    #expect(await world.refusal(serverKey)?.wrongCredential == "SERVER_KEY")
    #expect(try await world.list(user: "ada").isEmpty)
    let next = try await world.root.createWebToken(.init(credential: .apiToken(.init()))).token
    #expect((next?.id ?? 0) > (key?.id ?? 0))
  }

  @Test("a restored backup keeps API tokens and server keys, and ends sessions", .embeddedOnly)
  func backup() async throws {
    let world = try await WebTokenWorld.make()
    let server = world.secure.server
    let session = world.session(try await world.issue(keepSignedIn: true).webAuthToken)
    let path = server.folder.file("x.backup")
    let run = await RpcctlRun(
      server,
      [
        "--key-file", server.folder.file("data/root.key"), "--server-key",
        "\(world.secure.serverKey)", "backup", path,
      ],
      as: nil
    )
    #expect(run.exitCode == .success, "\(run.err)")
    try await server.stop()
    let folder = try TemporaryFolder()
    let restore = try await RestoreRun(path, into: folder)
    #expect(restore.exit == .code(0), "\(restore.errors)")
    for name in ["server.key", "server.pub"] {
      try FileManager.default.copyItem(
        atPath: server.folder.file("data/" + name),
        toPath: folder.file("data/" + name)
      )
    }
    let restored = try await TestServer.start(in: folder)
    let gateway = try await client(world, restored)
    #expect(try await world.user(world.guest, on: gateway) == "")
    let error = await failure { _ = try await world.user(session, on: gateway) }
    #expect(error?.wrongCredential == "WEB_AUTH_TOKEN", "\(error as Any)")
    try await restored.stop()
  }

  @Test("no secret is in the data folder, in a log, or in the audit log", .embeddedOnly)
  func secrets() async throws {
    let world = try await WebTokenWorld.make(arguments: ["--log-level", "debug"])
    let first = try await world.accounts(world.ada).issueWebAuthToken(
      .init(apiToken: world.apiToken),
      options: CallOptions(idempotencyKey: "once")
    ).webAuthToken
    let second = try await world.gatewayCalls.renewWebAuthToken(
      .init(),
      options: CallOptions(metadata: world.session(first))
    ).webAuthToken
    let signIn = try await world.gatewayCalls.beginSignIn(.init(apiToken: world.apiToken))
    _ = try await world.accounts(world.ada).approveSignIn(.init(userCode: signIn.userCode))
    let third = try await world.gatewayCalls.completeSignIn(.init(secret: signIn.secret))
      .webAuthToken
    let id = try #require(try await world.list(.session).last?.id)
    _ = try await world.root.revokeWebToken(.init(id: id))
    #expect(await world.refusal(world.session(third)) != nil)
    let actions = try await world.root.fetchAuditLog(.init()).entries
    for action in ["CreateWebToken", "RevokeWebToken", "call"] {
      #expect(actions.contains { $0.action == action }, "\(action)")
    }
    try await world.secure.server.stop()
    let secrets = [world.apiToken, first, second, third, signIn.secret]
    let seen = world.secure.server.process.seen.value
    for secret in secrets {
      #expect(!seen.errors.contains(secret) && !seen.output.contains(secret))
    }
    let data = world.secure.server.folder.file("data")
    let files = FileManager.default.enumerator(atPath: data)?.allObjects as? [String] ?? []
    #expect(files.contains("tidings.sqlite") && files.contains("audit.log"))
    for file in files {
      guard let content = FileManager.default.contents(atPath: data + "/" + file) else { continue }
      for secret in secrets {
        #expect(content.range(of: Data(secret.utf8)) == nil, "\(file)")
        // Neither as bytes.
        let bytes = Data(hexadecimalOrBase64URL: secret)
        #expect(content.range(of: bytes) == nil, "\(file)")
      }
    }
  }
}

extension Data {
  fileprivate init(hexadecimalOrBase64URL text: String) {
    if text.count == 64 {
      let digits = text.compactMap(\.hexDigitValue)
      self.init(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    } else {
      let base64 =
        text.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/") + "="
      self = Data(base64Encoded: base64) ?? Data()
    }
  }
}
