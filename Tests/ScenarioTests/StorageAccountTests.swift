internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// One account for all that is stored for a user: no way around the quota of bytes.
@Suite(.endsServers) struct StorageAccountTests {
  private static let quota = ["--limit", "bytes-per-user-max=2000000"]

  private static func container(_ name: String) -> TidingsV1.DatabaseID {
    .init(container: name, scope: .private)
  }

  private static func large(_ name: String, _ bytes: Int = 900_000) -> TidingsV1.Record {
    .init("Blobs", name, ["content": .init(.bytesValue(.init(repeating: 1, count: bytes)))])
  }

  private static func text(_ count: Int) -> TidingsV1.FieldValue {
    .init(.stringValue(String(repeating: "x", count: count)))
  }

  /// What the database takes on the disk, with its log.
  private static func databaseBytes(_ server: TestServer) throws -> Int {
    let folder = server.folder.file("data")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try names.filter { $0.hasPrefix("tidings.sqlite") }.reduce(0) { bytes, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return bytes + (attributes[.size] as? Int ?? 0)
    }
  }

  private static func storedBytes(_ client: Client) async throws -> UInt64 {
    let account = TidingsV1.AccountService.Client(client.transport)
    return try await account.fetchAccountStatus(.init()).usage.reduce(0) { $0 + $1.bytes }
  }

  @Test("all containers share the quota, and there is a bound on containers")
  func containers() async throws {
    let server = try await TestServer.start(
      arguments: ["--limit", "bytes-per-user-max=2000000,containers-per-user-max=5"]
    )
    let ada = try await server.client(as: "ada")
    var saved = 0
    for number in 0..<5 {
      // A call that saves nothing makes no container.
      let small = TidingsV1.Record("Blobs", "small")
      _ = try await ada.modify([small], in: Self.container("c\(number)"))
      let result = try await ada.modify([Self.large("b")], in: Self.container("c\(number)"))[0]
      if result.record != nil { saved += 1 }
      if let error = result.error {
        #expect(error.code == .quotaExceeded && error.message.contains("of at most 2000000"))
      }
    }
    #expect(saved == 2)
    let refused = await failure {
      _ = try await ada.modify([.init("Blobs", "small")], in: Self.container("c5"))
    }
    #expect(refused?.message.contains("containers-per-user-max") == true, "\(refused as Any)")
    let badge = await failure {
      _ = try await ada.notifications.modifyBadge(.init(container: "c6", badgeValue: 1))
    }
    #expect(badge?.message.contains("5 containers") == true, "\(badge as Any)")
    let publicly = await failure {
      _ = try await ada.modify(
        [.init("Blobs", "small")],
        in: .init(container: "c7", scope: .public)
      )
    }
    #expect(publicly?.message.contains("5 containers") == true, "\(publicly as Any)")
    // What is deleted makes room, wherever.
    _ = try await ada.modify(delete: [.init("b")], in: Self.container("c0"))
    #expect(try await ada.modify([Self.large("b")], in: Self.container("c4"))[0].record != nil)
  }

  @Test("assets count before a record names them, and after, until they are gone")
  func unnamedAssets() async throws {
    let server = try await TestServer.start(arguments: Self.quota)
    let ada = try await server.client(as: "ada")
    func upload(
      _ byte: UInt8,
      _ bytes: Int,
      in scope: TidingsV1.DatabaseScope = .private
    )
      async throws -> TidingsV1.Asset
    {
      let content = [UInt8](repeating: byte, count: bytes)
      let asset = TidingsV1.Asset(
        checksum: SHA256.checksum(of: content),
        size: UInt64(bytes)
      )
      let assets = ada.assetCalls
      for start in stride(from: 0, to: bytes, by: 1 << 20) {
        _ = try await assets.uploadAsset(
          .init(
            databaseID: .init(scope: scope),
            asset: asset,
            offset: UInt64(start),
            chunk: Array(content[start..<min(bytes, start + 1 << 20)])
          )
        )
      }
      return asset
    }
    func record(_ name: String, _ asset: TidingsV1.Asset) -> TidingsV1.Record {
      .init("Photos", name, ["photo": .init(.assetValue(asset))])
    }
    let first = try await upload(1, 1_500_000)
    for scope in [TidingsV1.DatabaseScope.private, .public, .shared] {
      let refused = await failure { _ = try await upload(2, 1_000_000, in: scope) }
      #expect(refused?.message.contains("of at most 2000000") == true, "\(scope) \(refused as Any)")
    }
    // A record that names it takes no second room.
    #expect(try await ada.modify([record("p", first)])[0].record != nil)
    #expect(try await Self.storedBytes(ada) < 1_600_000)
    // What a deletion leaves makes room for what comes.
    _ = try await ada.modify(delete: [.init("p")])
    #expect(try await Self.storedBytes(ada) > 1_500_000)
    let second = try await upload(3, 1_500_000)
    #expect(try await ada.modify([record("q", second)])[0].record != nil)
    #expect(try await Self.storedBytes(ada) < 1_700_000)
  }

  @Test("a refused save keeps no answer, and what is kept has no records of conflicts")
  func answers() async throws {
    let server = try await TestServer.start(arguments: Self.quota)
    let ada = try await server.client(as: "ada")
    _ = try await ada.modify([Self.large("b")])
    let before = try await Self.storedBytes(ada)
    for number in 0..<12 {
      let refused = try await ada.modify(
        [.init("Blobs", "b", ["n": 1])],
        policy: .ifServerRecordUnchanged,
        key: "refused \(number)"
      )[0]
      #expect(refused.error?.code == .serverRecordChanged && refused.serverRecord != nil)
    }
    #expect(try await Self.storedBytes(ada) == before)
    let saves = [TidingsV1.Record("Blobs", "b", ["n": 1]), .init("Blobs", "new")]
    for _ in 0..<2 {
      let results = try await ada.modify(
        saves,
        policy: .ifServerRecordUnchanged,
        atomic: false,
        key: "both"
      )
      #expect(results.map { $0.record != nil } == [false, true])
      #expect(results[1].record?.changeTag == "2")
    }
    #expect(try await Self.storedBytes(ada) - before < 10_000)
    #expect(try Self.databaseBytes(server) < 8_000_000)
  }

  @Test(
    "what many subscriptions carry of a record is in the log once, and each of them has all of it"
  )
  func log() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    let watcher = try await server.client(as: "ada", device: "phone")
    let count = 400
    var subscriptions = (0..<count).map { number in
      TidingsV1.Subscription(
        "s\(number)",
        "Notes",
        where: "n > -\(number + 1)",
        on: [.create, .update, .delete],
        keys: number % 2 == 0 ? ["text", "n"] : ["n", "text", "missing"]
      )
    }
    for index in subscriptions.indices {
      subscriptions[index].notificationInfo?.title = String(repeating: "t", count: 2_000)
      subscriptions[index].notificationInfo?.alertLocalizationArgs = ["text"]
    }
    _ = try await ada.subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: subscriptions)
    )
    let before = try await Self.storedBytes(ada)
    for number in 1...3 {
      _ = try await ada.save(
        .init("Notes", "n", ["n": .init(.int64Value(Int64(number))), "text": Self.text(60_000)])
      )
    }
    let stored = try await Self.storedBytes(ada) - before
    #expect(stored < 1_500_000, "\(stored) bytes")
    #expect(try Self.databaseBytes(server) < 30_000_000)
    _ = try await ada.modify(delete: [.init("n")])
    let notifications = try await watcher.feed().notifications
    #expect(notifications.count == 4 * count)
    for notification in notifications {
      let isDeletion = notification.reason == .recordDeleted
      #expect(notification.recordFields["text"] == (isDeletion ? nil : Self.text(60_000)))
      #expect(notification.recordFields.count == (isDeletion ? 0 : 2))
      #expect(notification.alertLocalizationValues == [String(repeating: "x", count: 100)])
      #expect(notification.notificationInfo?.title.count == 2_000)
      #expect(notification.databaseID?.scope == .private && notification.recordType == "Notes")
    }
  }

  @Test("what the log takes is in the account; a full one refuses saves and takes deletions")
  func fullOfNotifications() async throws {
    let server = try await TestServer.start(
      arguments: ["--limit", "bytes-per-user-max=300000"]
    )
    let ada = try await server.client(as: "ada", device: "laptop")
    for number in 0..<100 {
      try await ada.subscribe(.init("s\(number)", "Notes", where: "n > -\(number + 1)"))
    }
    var saves = 0
    var refusal: TidingsV1.ItemError?
    while refusal == nil, saves < 1_000 {
      refusal = try await ada.modify([
        .init("Notes", "n", ["n": .init(.int64Value(1 + Int64(saves % 100)))])
      ])[0]
      .error
      saves += 1
    }
    #expect(refusal?.code == .quotaExceeded && saves < 100, "\(saves) saves")
    let more = await failure {
      let result = try await ada.subscriptions.modifySubscriptions(
        .init(subscriptionsToSave: [.init("more", "Notes", where: "n > 5")])
      ).results[0]
      #expect(result.error?.code == .quotaExceeded)
    }
    #expect(more == nil)
    _ = try await ada.modify(delete: [.init("n")])
    #expect(try await ada.fetch([.init("n")])[0].record == nil)
  }

  @Test("the names of devices are short, and a user has a bounded number of them")
  func devices() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "devices-per-user-max=3"])
    for number in 0..<3 {
      let client = try await server.client(as: "ada", device: "device\(number)")
      try await client.save(.init("Notes", "n\(number)"))
    }
    let fourth = try await server.client(as: "ada", device: "device3")
    let refused = await failure { try await fourth.save(.init("Notes", "n3")) }
    #expect(refused?.message.contains("3 device names") == true, "\(refused as Any)")
    // Others have names of their own, known ones go on, and reading needs none.
    let bob = try await server.client(as: "bob", device: "device3")
    try await bob.save(.init("Notes", "n"))
    let again = try await server.client(as: "ada", device: "device0")
    try await again.save(.init("Notes", "n0"))
    #expect(try await fourth.fetch([.init("n0")])[0].record != nil)
    let long = try await server.client(as: "ada", device: String(repeating: "d", count: 65))
    let invalid = await failure { try await long.save(.init("Notes", "n")) }
    #expect(invalid?.message.contains("1 to 64") == true, "\(invalid as Any)")
  }
}
