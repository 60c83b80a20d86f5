internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// Fields that a real server keeps and cannot read.
@Suite(.endsServers) struct EncryptionTests {
  private let key = EncryptionKey()

  private func sealer(_ client: Client, _ key: EncryptionKey? = nil) async throws -> FieldSealer {
    try await client.fieldSealer(KeyRing([.init(key ?? self.key, .seal)]))
  }

  private static let values: [String: TidingsV1.FieldValue] = [
    "text": "the pin is 1234", "number": 42, "fraction": .init(value: .doubleValue(0.5)),
    "data": .init(value: .bytesValue([0, 1, 2])),
    "time": .init(value: .timestampValue(.init(seconds: 1_700_000_000))),
    "place": .init(value: .locationValue(.init(latitude: 1, longitude: 2))),
  ]

  private func fetch(_ client: Client, _ name: String) async throws -> TidingsV1.Record {
    try #require(try await client.fetch([.init(name)]).first?.record)
  }

  private func save(
    _ client: Client,
    _ subscription: TidingsV1.Subscription
  ) async throws -> TidingsV1.SubscriptionResult {
    try await client.subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: [subscription])
    ).results[0]
  }

  private func problem(
    _ client: Client,
    _ record: TidingsV1.Record,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> String {
    let error = try await client.modify([record], in: database)[0].error
    #expect(error == nil || error?.code == .invalidArguments)
    return error?.message ?? ""
  }

  @Test(
    "sealed values are saved, learned, merged, queried around and opened; nothing stands in the clear"
  )
  func roundTrip() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let sealer = try await sealer(client)
    let plain = TidingsV1.Record("Door", "d1", Self.values.merging(["open": 1]) { $1 })
    var sealed = plain
    try sealer.seal(Self.values.keys, of: &sealed)
    #expect(sealed.fields["open"] == 1)
    #expect(try await problem(client, sealed) == "")

    var fetched = try await fetch(client, "d1")
    #expect(sealer.open(&fetched).isEmpty)
    #expect(fetched.fields == plain.fields)

    // A save of another field keeps the sealed ones; null removes one.
    #expect(try await problem(client, .init("Door", "d1", ["open": 2, "data": .init()])) == "")
    fetched = try await fetch(client, "d1")
    sealer.open(&fetched)
    #expect(fetched.fields == plain.fields.merging(["open": 2]) { $1 }.filter { $0.key != "data" })

    let schema = try await client.schemas.fetchSchema(.init()).text
    for line in [
      "text     ENCRYPTED STRING", "number   ENCRYPTED INT64", "fraction ENCRYPTED DOUBLE",
      "data     ENCRYPTED BYTES", "time     ENCRYPTED TIMESTAMP", "place    ENCRYPTED LOCATION",
    ] { #expect(schema.contains(line), "\(schema)") }

    try await server.stop()
    #expect(try DatabaseLook(server.folder).finds(["the pin is"]) == [])
    guard ServerDatabase.isEmbedded else { return }
    let store = try server.folder.read("data/tidings.sqlite")
    #expect(!String(decoding: store, as: UTF8.self).contains("the pin is"))
  }

  @Test("without the key, or moved, a value stays sealed, with the reason")
  func staysSealed() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    var record = TidingsV1.Record("Door", "d1", ["pin": "1234"])
    try await sealer(client).seal(["pin"], of: &record)
    #expect(try await problem(client, record) == "")
    let stored = try await fetch(client, "d1")

    var unread = stored
    let failures = try await sealer(client, EncryptionKey()).open(&unread)
    #expect(failures == ["pin": .missingKey(field: "pin", keyID: key.id)])
    #expect(unread == stored)

    // Somebody who can write moves the sealed bytes to another record.
    let moved = TidingsV1.Record("Door", "d2", stored.fields)
    #expect(try await problem(client, moved) == "")
    var read = try await fetch(client, "d2")
    #expect(try await sealer(client).open(&read) == ["pin": .notOpened(field: "pin")])
    #expect(read.fields == stored.fields)
  }

  @Test(
    "plain values in encrypted fields, encrypted ones in plain fields and bad bytes are refused"
  )
  func refusedValues() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let sealer = try await sealer(client)
    var record = TidingsV1.Record("Door", "d1", ["pin": "1234", "name": "front"])
    try sealer.seal(["pin"], of: &record)
    #expect(try await problem(client, record) == "")

    let clear = TidingsV1.Record("Door", "d1", ["pin": "1234"])
    #expect(try await problem(client, clear).contains("'pin' of record type 'Door' is ENCRYPTED"))
    var turned = TidingsV1.Record("Door", "d1", ["name": "front"])
    try sealer.seal(["name"], of: &turned)
    #expect(try await problem(client, turned).contains("cannot become encrypted"))
    var other = TidingsV1.Record("Door", "d1", ["pin": 1234])
    try sealer.seal(["pin"], of: &other)
    #expect(try await problem(client, other).contains("cannot hold ENCRYPTED INT64"))

    for (bad, reason) in [
      (
        TidingsV1.EncryptedValue(type: .string, keyID: [1], sealed: .init(repeating: 0, count: 40)),
        "key id"
      ),
      (.init(type: .string, keyID: key.id, sealed: .init(repeating: 0, count: 39)), "39 bytes"),
    ] {
      let record = TidingsV1.Record("Door", "d1", ["pin": .init(value: .encryptedValue(bad))])
      #expect(try await problem(client, record).contains(reason))
    }
    let unknown = TidingsV1.FieldValue(
      value: .encryptedValue(.init(type: .init(rawValue: 9), keyID: key.id))
    )
    #expect(try await problem(client, .init("Door", "d1", ["pin": unknown])) != "")

    let everybody = TidingsV1.DatabaseID(scope: .public)
    #expect(try await problem(client, record, in: everybody).contains("the public database"))
  }

  @Test("an encrypted field has no index and can be neither queried, sorted by nor watched")
  func refusedUses() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let declared = "DEFINE SCHEMA RECORD TYPE Door (pin ENCRYPTED STRING, name STRING);"
    let indexed = await failure {
      _ = try await client.schemas.applySchema(
        .init(text: declared.replacing("ENCRYPTED STRING", with: "ENCRYPTED STRING QUERYABLE"))
      )
    }
    #expect(indexed?.message.contains("no index") == true)
    _ = try await client.schemas.applySchema(.init(text: declared))
    #expect(
      try await problem(client, .init("Door", "d1", ["pin": "1234"])).contains(
        "not stored in the clear"
      )
    )
    _ = try await client.schemas.deploySchema(.init())

    for arguments in [
      ["query", "Door", "--where", "pin = '1234'"], ["query", "Door", "--sort=-pin"],
      ["query", "Door", "--where", "name = 'a' OR NOT pin CONTAINS '1'"],
    ] {
      let run = await RpcctlRun(server, arguments)
      #expect(run.exitCode != .success && (run.out + run.err).contains("it is ENCRYPTED"), "\(run)")
    }

    let watching = TidingsV1.Subscription("s0", "Door", where: "pin = '1234'")
    #expect(try await save(client, watching).error?.message.contains("cannot watch") == true)
    var subscription = TidingsV1.Subscription("s1", "Door")
    subscription.notificationInfo = .init(alertLocalizationKey: "k", alertLocalizationArgs: ["pin"])
    var saved = try await save(client, subscription)
    #expect(saved.error?.message.contains("texts and the collapse id") == true)
    subscription.notificationInfo = .init(desiredKeys: ["pin"])
    saved = try await save(client, subscription)
    #expect(saved.error == nil)

    // The notification carries the field as it is, and whoever has the key opens it.
    let sealer = try await sealer(client)
    var record = TidingsV1.Record("Door", "d1", ["pin": "1234"])
    try sealer.seal(["pin"], of: &record)
    #expect(try await problem(client, record) == "")
    for try await notification in client.notificationStream() {
      var notification = notification
      #expect(sealer.open(&notification).isEmpty)
      #expect(notification.recordFields == ["pin": "1234"])
      break
    }
  }

  @Test("rpcctl and the library share the ring of a user who names none")
  func defaultRing() async throws {
    let server = try await TestServer.start()
    let data = server.folder.file("of-ada")
    func run(_ arguments: String..., data: String) async -> RpcctlRun {
      await RpcctlRun(server, arguments, environment: ["XDG_DATA_HOME": data])
    }
    let record = #"{"recordType":"Door","recordName":"d1","fields":{"pin":{"encrypted":1234}}}"#
    for option in ["--dry-run", "--database=public"] {
      let spared = await run("modify-records", "--save", record, option, data: data)
      #expect((spared.exitCode == .success) == (option == "--dry-run"), "\(spared.err)")
      #expect(!Folder.isThere(data))
    }
    let first = await run("modify-records", "--save", record, data: data)
    #expect(first.exitCode == .success, "\(first.err)")
    let path = data + "/tidings/default.ring"
    #expect(first.err.contains(path) && first.err.contains("other devices"), "\(first.err)")
    let second = await run("modify-records", "--policy", "all-keys", "--save", record, data: data)
    #expect(second.exitCode == .success && !second.err.contains(path), "\(second.err)")
    let open = await run("fetch-records", "d1", data: data)
    #expect(open.out.contains(#""pin":{"encrypted":1234}"#), "\(open)")
    let client = try await server.client(as: "ada")
    var fetched = try await fetch(client, "d1")
    let sealer = try await client.fieldSealer(DefaultKeyRing(path: path))
    #expect(sealer.open(&fetched).isEmpty && fetched.fields["pin"] == 1234)
    await client.close()

    let elsewhere = server.folder.file("elsewhere")
    let sealed = await run("fetch-records", "d1", data: elsewhere)
    #expect(sealed.out.contains(#""pin":{"sealed":{"#), "\(sealed)")
    #expect(!Folder.isThere(elsewhere))
  }

  @Test(
    "rpcctl makes rings, seals what it saves, shows what it can open, and exports what it cannot"
  )
  func commandLine() async throws {
    let server = try await TestServer.start()
    let (ring, copy) = (server.folder.file("ada.ring"), server.folder.file("copy.ring"))
    func run(_ arguments: String..., format: OutputFormat = .jsonl) async -> RpcctlRun {
      await RpcctlRun(server, arguments, format: format)
    }
    #expect(await run("keys", "ring", "create", ring).exitCode == .success)
    #expect(await run("keys", "ring", "create", ring).exitCode == .localFailure)
    let record = #"{"recordType":"Door","recordName":"d1","fields":{"pin":{"encrypted":1234}}}"#
    let bare = await run("modify-records", "--save", record)
    #expect(bare.exitCode != .success && bare.err.contains("--key-ring"), "\(bare)")
    #expect(await run("--key-ring", ring, "modify-records", "--save", record).exitCode == .success)

    let open = await run("fetch-records", "d1", "--key-ring", ring)
    #expect(open.out.contains(#""pin":{"encrypted":1234}"#), "\(open)")
    let sealed = await run("fetch-records", "d1")
    #expect(sealed.out.contains(#""pin":{"sealed":{"type":"INT64""#), "\(sealed)")
    #expect(await run("query", "Door", format: .table).out.contains("<encrypted>"))
    #expect(await run("query", "Door", "--key-ring", ring, format: .table).out.contains("1234"))

    // A new key seals from now on; the old one still opens. What is exported is sealed as it was.
    #expect(await run("keys", "ring", "add", ring).exitCode == .success)
    #expect(await run("keys", "ring", "list", ring).lines.count == 2)
    let file = server.folder.file("export")
    #expect(await run("export", "-O", file, "--key-ring", ring).exitCode == .success)
    #expect(String(decoding: try server.folder.read("export"), as: UTF8.self).contains("sealed"))
    #expect(await run("modify-records", "--delete", "d1").exitCode == .success)
    #expect(await run("import", file).exitCode == .success)
    let again = await run("fetch-records", "d1", "--key-ring", ring)
    #expect(again.out.contains(#""pin":{"encrypted":1234}"#), "\(again)")

    // A ring of one's own opens with the keys of another.
    #expect(await run("keys", "ring", "create", copy).exitCode == .success)
    #expect(await run("keys", "ring", "add", copy, "--from", ring).lines.count == 2)
    #expect(await run("keys", "ring", "list", copy).lines[0].contains(#""seals":true"#))
    let other = await run("fetch-records", "d1", "--key-ring", copy)
    #expect(other.out.contains(#""pin":{"encrypted":1234}"#), "\(other)")
  }
}
