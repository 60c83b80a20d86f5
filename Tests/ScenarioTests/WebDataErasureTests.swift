import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsFiles
import TidingsJSON
import TidingsProto
import TidingsRPC

@testable import rpcctl

/// Web sessions, server keys and delivery targets in the export of a user's data, and in the erasure.
@Suite(.endsServers) struct WebDataErasureTests {
  private static let serverKeyCount = 105

  private func lines(_ path: String) throws -> [JSONObject] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .compactMap { try JSONValue(parsing: Array($0.utf8)).object }
  }

  /// Two sessions, server keys and two targets of ada, with something to send.
  private func fill(_ world: WebTokenWorld) async throws -> (secrets: [String], sessions: [String])
  {
    let sessions = [
      try await world.issue().webAuthToken, try await world.issue().webAuthToken,
    ]
    _ = try await world.accounts(world.ada).revokeWebAuthToken(.init(webAuthToken: sessions[1]))
    for number in 0..<Self.serverKeyCount {
      let key = WebTokenWorld.publicKey.dropLast() + [UInt8(number)]
      _ = try await world.root.createWebToken(
        .init(
          label: "key \(number)",
          credential: .serverKey(.init(userName: "ada", publicKey: Array(key)))
        )
      )
    }
    let phone = TidingsV1.DeliveryService.Client(
      try await world.secure.client(world.adaKey, device: "phone").transport
    )
    let secret = try await phone.addDeliveryTarget(
      .init(address: .init(kind: .webhook(.init(url: "https://hooks.example.org/a"))))
    )
    _ = try await phone.testDeliveryTarget(.init(targetID: secret.target?.targetID ?? ""))
    let token = Array("a-device-token".utf8)
    _ = try await phone.addDeliveryTarget(
      .init(
        container: "other",
        address: .init(kind: .apns(.init(deviceToken: token, topic: "org.example.houses")))
      )
    )
    return (
      [secret.webhookSecret, Base64.encode(token), token.hexadecimal] + sessions, sessions
    )
  }

  @Test("they are exported without secrets, and erased")
  func exportAndErasure() async throws {
    let world = try await WebTokenWorld.make()
    let (secrets, _) = try await fill(world)
    let server = world.secure.server
    let folder = server.folder.file("export")
    let administrator = [
      "--key-file", server.folder.file("data/root.key"), "--server-key",
      "\(world.secure.serverKey)",
    ]
    let run = await RpcctlRun(
      server,
      administrator + ["users", "export", "ada", "--to", folder],
      as: nil
    )
    #expect(run.exitCode == .success, "\(run.err)")
    let tokens = try lines(folder + "/web-tokens.jsonl")
    #expect(tokens.allSatisfy { $0["userName"]?.string == "ada" })
    let kinds = tokens.compactMap { $0["kind"]?.string }
    #expect(kinds.count { $0 == "WEB_TOKEN_KIND_SESSION" } == 2)
    #expect(kinds.count { $0 == "WEB_TOKEN_KIND_SERVER_KEY" } == Self.serverKeyCount)
    #expect(tokens.count { $0["revoked"] != nil } == 1)
    #expect(Set(tokens.compactMap { $0["label"]?.string }).count >= Self.serverKeyCount)
    let targets = try lines(folder + "/delivery-targets.jsonl")
    #expect(targets.allSatisfy { $0["device"]?.string == "phone" })
    #expect(
      Set(targets.compactMap { $0["database"]?.string })
        == ["default.development.private", "other.development.private"]
    )
    let addresses = targets.compactMap { $0["address"]?.object }
    #expect(
      addresses.contains {
        $0["webhook"]?.object?["url"]?.string == "https://hooks.example.org/a"
      }
    )
    #expect(addresses.contains { $0["apns"]?.object?["topic"]?.string == "org.example.houses" })
    let manifest = try #require(try lines(folder + "/manifest.json").first)
    #expect(manifest["counts"]?.object?["web-tokens"]?.number?.exactly() == 107)
    #expect(manifest["counts"]?.object?["delivery-targets"]?.number?.exactly() == 2)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      guard let content = FileManager.default.contents(atPath: folder + "/" + name) else {
        continue
      }
      for secret in secrets {
        #expect(content.range(of: Data(secret.utf8)) == nil, "\(name): \(secret)")
      }
    }
    _ = try await world.root.eraseUser(.init(userName: "ada"))
    var erasure: TidingsV1.UserErasure?
    try await waitUntil("the end of the erasure", pausing: .milliseconds(20)) {
      erasure = try await world.root.fetchErasure(.init(which: .userName("ada"))).erasure
      return erasure?.finished != nil
    }
    let erased = Dictionary(
      uniqueKeysWithValues: (erasure?.erased ?? []).map { ($0.kind, $0.count) }
    )
    #expect(erased["web-tokens"] == 107 && erased["delivery-targets"] == 2, "\(erased)")
    // A user who is created with the name has none of it, and nothing waits for a sender.
    _ = try await world.secure.createUser("ada")
    let data = try await world.root.fetchUserData(.init(userName: "ada"))
    var (items, continuation) = (data.items, data.continuation)
    while !continuation.isEmpty {
      let page = try await world.root.fetchUserData(
        .init(userName: "ada", continuation: continuation)
      )
      items += page.items
      continuation = page.continuation
    }
    for item in items {
      switch item.item {
      case .webToken?, .deliveryTarget?: Issue.record("\(item)")
      default: break
      }
    }
    let sender = TidingsV1.DeliveryService.Client(
      try await world.secure.client(
        try await world.secure.createUser("sender", roles: ["sender"])
      ).transport
    )
    #expect(try await sender.leaseDeliveries(.init()).deliveries.isEmpty)
  }
}
