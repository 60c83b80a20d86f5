import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// A key that is refused is good for nothing from then on.
@Suite(.endsServers) struct RevocationTests {
  private func code(_ error: RPCError?) throws -> TidingsV1.ErrorCode? {
    guard let detail = error?.details.first else { return nil }
    return try TidingsV1.ItemError(decoding: detail.value).code
  }

  /// Calls of all kinds: on the loop, on readers, as tasks, without a store, and of no method.
  private func calls(_ client: Client) -> [() async throws -> Void] {
    let query = TidingsV1.RecordService.Client(client.transport)
    let unknown = MethodDescriptor(
      service: "tidings.v1.RecordService",
      name: "Nothing",
      kind: .unary,
      idempotency: .unknown,
      inputType: "",
      outputType: ""
    )
    return [
      { _ = try await client.fetch([.init("h")]) },
      { _ = try await client.modify([.init("Houses", "x")]) },
      { _ = try await query.fetchDatabaseChanges(.init()) },
      { _ = try await client.assetCalls.uploadAsset(.init()) },
      { _ = try await client.notifications.fetchNotificationChanges(.init()) },
      { _ = try await TidingsRpcV1.HealthService.Client(client.transport).check(.init()) },
      {
        _ = try await TidingsRpcV1.ServerService.Client(client.transport).fetchServerInfo(.init())
      },
      {
        _ = try await TidingsV1.AccountService.Client(client.transport).fetchAccountStatus(.init())
      },
      {
        _ = try await client.transport.unary(
          unknown,
          [],
          options: CallOptions(timeout: .seconds(600))
        )
      },
    ]
  }

  @Test("a revoked key gets nothing from an open connection, and no new one")
  func openConnection() async throws {
    let secure = try await SecureServer.start()
    let pair = try await secure.createUser("ada")
    let client = try await secure.client(pair)
    try await client.save(.init("Houses", "h"))
    let response = try await secure.administration().revokeKey(
      .init(publicKey: "\(pair.publicKey)")
    )
    #expect(response.account?.keys.first?.revoked != nil)
    for call in calls(client) {
      let error = await failure(call)
      #expect(error?.code == .unauthenticated && error?.message.contains("revoked") == true)
      #expect(try code(error) == .notAuthenticated)
    }
    let late = try await secure.client(pair)
    let refused = await failure { _ = try await late.fetch([.init("h")]) }
    #expect(refused?.code == .unauthenticated || refused?.code == .unavailable, "\(refused as Any)")
    let entries = try await secure.administration().fetchAuditLog(.init()).entries
    #expect(entries.contains { $0.action == "RevokeKey" && !$0.refused && $0.userName == "root" })
    let uses = entries.filter { $0.action == "call" && $0.publicKey == "\(pair.publicKey)" }
    // One entry for each minute.
    #expect(uses.reduce(0) { $0 + $1.count } == 9 && uses.allSatisfy { $0.userName == "ada" })
  }

  @Test("a key that expires is refused at that time, on an open connection too")
  func expiry() async throws {
    let clock = try ClockFault()
    let secure = try await SecureServer.start(environment: clock.environment)
    let pair = KeyPair()
    let root = try await secure.administration()
    _ = try await root.createUser(.init(name: "ada", roles: ["developer"]))
    let expires = secondsFromNow(86_400)
    _ = try await root.authorizeKey(
      .init(userName: "ada", publicKey: .init(key: "\(pair.publicKey)", expires: expires))
    )
    let client = try await secure.client(pair)
    try await client.save(.init("Houses", "h"))
    let status = try await TidingsV1.AccountService.Client(client.transport)
      .fetchAccountStatus(.init())
    #expect(status.keyExpiresMs == UInt64(expires.seconds) * 1_000)
    try clock.setTimeOfDay(ahead: .seconds(80_000))
    #expect(try await client.fetch([.init("h")]).first?.record != nil)
    try clock.setTimeOfDay(ahead: .seconds(86_400))
    let error = await failure { _ = try await client.fetch([.init("h")]) }
    #expect(error?.code == .unauthenticated && error?.message.contains("expired") == true)
    _ = try await root.authorizeKey(
      .init(userName: "ada", publicKey: .init(key: "\(pair.publicKey)"))
    )
    #expect(try await client.fetch([.init("h")]).first?.record != nil)
  }

  private func secondsFromNow(_ seconds: Int64) -> GoogleProtobuf.Timestamp {
    .init(seconds: Int64(Date().timeIntervalSince1970) + seconds)
  }

  @Test("other devices and other users go on with new topics; the revoked one knows only the old")
  func rotation() async throws {
    let secure = try await SecureServer.start()
    let (laptopKey, bobKey, phoneKey) = (
      try await secure.createUser("ada"), try await secure.createUser("bob"), KeyPair()
    )
    let root = try await secure.administration()
    _ = try await root.authorizeKey(
      .init(userName: "ada", publicKey: .init(key: "\(phoneKey.publicKey)"))
    )
    let laptop = try await secure.client(laptopKey, device: "laptop")
    let phone = try await secure.client(phoneKey, device: "phone")
    let bob = try await secure.client(bobKey, device: "bob")
    let saver = try await secure.client(device: "saver")
    for client in [laptop, bob] {
      _ = try await client.subscriptions.modifySubscriptions(
        .init(
          databaseID: .init(scope: .public),
          subscriptionsToSave: [.init("public", "Houses")]
        )
      )
    }
    try await laptop.subscribe(.init("own", "Notes"))
    let streams = [Collector(laptop), Collector(bob)]
    func publish(_ name: String) async throws {
      let results = try await saver.modify([.init("Houses", name)], in: .init(scope: .public))
      #expect(results.first?.record != nil)
    }
    try await publish("first")
    for stream in streams {
      try await stream.seen.wait("the first") { $0.contains { $0.recordID == .init("first") } }
    }
    let before = (
      ada: try await phone.notifications.registerDevice(.init()),
      bob: try await bob.notifications.registerDevice(.init())
    )
    let response = try await root.revokeKey(.init(publicKey: "\(phoneKey.publicKey)"))
    #expect(response.rotatedChannelCount == 2)
    for number in 0..<5 { try await publish("later-\(number)") }
    for stream in streams {
      let seen = try await stream.seen.wait("the last") {
        $0.contains { $0.recordID == .init("later-4") }
      }
      let names = seen.compactMap(\.recordID?.recordName)
      #expect(names == ["first"] + (0..<5).map { "later-\($0)" })
    }
    let after = (
      ada: try await laptop.notifications.registerDevice(.init()),
      bob: try await bob.notifications.registerDevice(.init())
    )
    #expect(after.ada.controlTopic != before.ada.controlTopic)
    #expect(after.bob.controlTopic == before.bob.controlTopic)
    let known = Set(before.ada.channels.map(\.topic) + before.bob.channels.map(\.topic))
    #expect(
      known.isDisjoint(with: after.ada.channels.map(\.topic) + after.bob.channels.map(\.topic))
    )
  }

  @Test(
    "after a key expired or its user was restricted, the user's other keys go on with new topics",
    .timeLimit(.minutes(10))
  )
  func endings() async throws {
    let clock = try ClockFault()
    let secure = try await SecureServer.start(environment: clock.environment)
    let (laptopKey, tabletKey, phoneKey) = (
      try await secure.createUser("ada"), KeyPair(), KeyPair()
    )
    let root = try await secure.administration()
    for pair in [tabletKey, phoneKey] {
      _ = try await root.authorizeKey(
        .init(userName: "ada", publicKey: .init(key: "\(pair.publicKey)"))
      )
    }
    let laptop = try await secure.client(laptopKey, device: "laptop")
    let tablet = try await secure.client(tabletKey, device: "tablet")
    let phone = try await secure.client(phoneKey, device: "phone")
    try await laptop.subscribe(.init("own", "Notes"))
    func heard(_ client: Client) async throws -> Set<[UInt8]> {
      let device = try await client.notifications.registerDevice(.init())
      return Set(device.channels.map(\.topic) + [device.controlTopic])
    }
    func expectChanges(_ name: String, _ stream: Collector) async throws {
      try await tablet.save(.init("Notes", name))
      try await stream.seen.wait(name) { $0.contains { $0.recordID == .init(name) } }
    }
    let first = try await heard(phone)
    #expect(first.count == 2)
    let stream = Collector(laptop)
    try await expectChanges("first", stream)

    func expire(_ pair: KeyPair, inDays days: Int64) async throws {
      let key = TidingsV1.PublicKey(
        key: "\(pair.publicKey)",
        expires: secondsFromNow(days * 86_400)
      )
      _ = try await root.authorizeKey(.init(userName: "ada", publicKey: key))
    }
    try await expire(phoneKey, inDays: 1)
    try clock.setTimeOfDay(ahead: .seconds(86_400))
    let error = await failure { _ = try await phone.fetch([.init("first")]) }
    #expect(try code(error) == .notAuthenticated)
    // The server's own work waits for time that passes, not for a clock that is set: another end wakes it.
    try await expire(KeyPair(), inDays: 3)
    var second = first
    try await waitUntil("other topics", pausing: .zero) {
      second = try await heard(laptop)
      return second.isDisjoint(with: first)
    }
    try await expectChanges("second", stream)

    _ = try await root.updateUser(.init(userName: "ada", restricted: true))
    for client in [laptop, tablet] {
      let error = await failure { _ = try await client.fetch([.init("first")]) }
      #expect(try code(error) == .managedAccountRestricted)
    }
    _ = try await root.updateUser(.init(userName: "ada", restricted: false))
    let third = try await heard(laptop)
    #expect(third.count == 2 && third.isDisjoint(with: first.union(second)))
    try await expectChanges("third", Collector(laptop))
    #expect(try code(await failure { _ = try await heard(phone) }) == .notAuthenticated)
  }

  @Test("a query that works while its key is revoked is answered with that")
  func working() async throws {
    let secure = try await SecureServer.start()
    let root = try await secure.administration()
    let pair = try await secure.createUser("ada")
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "some words ", count: 1_000)))
    let client = try await secure.client(pair)
    _ = try await client.modify((0..<100).map { .init("Texts", "t\($0)", ["text": text]) })
    // All of them take many times as long as a call of another user, on any machine.
    let patterns = (0..<64).map { #"text LIKE "*x\#($0)*""# }.joined(separator: " OR ")
    let records = client.records
    let refused = try await withThrowingTaskGroup(of: RPCError?.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await failure {
            _ = try await records.queryRecords(
              .init(recordType: "Texts", predicate: .init(text: patterns))
            )
          }
        }
      }
      try await waitUntil("queries that work", pausing: .zero) {
        try await root.listConnections(.init(userName: "ada")).connections
          .contains { $0.callsOpen > 0 }
      }
      _ = try await root.revokeKey(.init(publicKey: "\(pair.publicKey)"))
      return try await group.reduce(into: [RPCError]()) { refused, error in
        if let error { refused.append(error) }
      }
    }
    for error in refused { #expect(try code(error) == .notAuthenticated) }
    // Calls that came too late are in the audit log; the others had been admitted.
    let late = try await root.fetchAuditLog(.init()).entries.lazy
      .filter { $0.action == "call" && $0.publicKey == "\(pair.publicKey)" }
      .reduce(0) { $0 + Int($1.count) }
    #expect(refused.count > late, "\(refused.count) were refused, \(late) of them came too late")
  }

  @Test("what a revoked key waits for ends: a call that waits, and a stream")
  func running() async throws {
    let secure = try await SecureServer.start()
    let pair = try await secure.createUser("ada")
    let client = try await secure.client(pair)
    let path = secure.server.folder.file("large")
    try Data(count: 12 << 20).write(to: URL(filePath: path))
    let asset = try await client.uploadAsset(fileAt: path)
    let feeds = TidingsV1.RecordService.Client(client.transport)
    let token = try await feeds.fetchDatabaseChanges(.init()).changeToken
    let waiting = Task {
      await failure {
        _ = try await feeds.fetchDatabaseChanges(
          .init(changeToken: token, maxWait: .init(seconds: 60))
        )
      }
    }
    let administration = try await secure.administration()
    try await waitUntil("the call to wait") {
      try await administration.listConnections(.init(userName: "ada")).connections
        .contains { $0.callsOpen > 0 }
    }
    var pieces = client.assetCalls.downloadAsset(.init(asset: asset)).makeAsyncIterator()
    #expect(try await pieces.next() != nil)
    _ = try await administration.revokeKey(.init(publicKey: "\(pair.publicKey)"))
    #expect(try code(await waiting.value) == .notAuthenticated)
    var bytes = 0
    let error = await failure {
      while let piece = try await pieces.next() { bytes += piece.chunk.count }
    }
    #expect(try code(error) == .notAuthenticated)
    #expect(bytes < 12 << 20)
  }
}
