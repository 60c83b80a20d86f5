internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// All data of a user cascaded, and removed, through a real server and rpcctl.
@Suite(.endsServers) struct UserErasureTests {
  private static let marker = "marzipan-marker"
  private static let shared = TidingsV1.DatabaseID(scope: .shared)
  private static let publicID = TidingsV1.DatabaseID(scope: .public)

  /// Gives alice something of each kind, and ben what belongs to him.
  private func fill(_ server: TestServer, records: Int = 20) async throws -> [UInt8] {
    let alice = try await server.client(as: "alice", device: "alicephone")
    let ben = try await server.client(as: "ben", device: "benphone")
    for client in [alice, ben] {
      let made = try await client.zones.modifyRecordZones(
        .init(zonesToSave: ["trips", "diary"].map { .init(zoneID: .init(zoneName: $0)) })
      )
      #expect(made.results.count == 2)
      try await client.subscribe(.init("all", "Notes"))
      try await client.subscribe(.database("changes"))
      _ = try await client.subscriptions.modifySubscriptions(
        .init(
          databaseID: Self.publicID,
          subscriptionsToSave: [
            .init("board", "Posts", on: [.create, .update, .delete], keys: ["text"]),
            .init("new", "Posts", on: [.create], keys: ["text"]),
            .init(
              "words \(client.configuration.user)",
              "Posts",
              where: "text = '\(client.configuration.user) words'"
            ),
          ]
        )
      )
      // The group begins with what comes from now on.
      _ = try await client.notifications.leaseNotifications(.init(group: "workers", limit: 1))
    }
    let path = server.folder.file("asset")
    let content = Array("\(Self.marker) content".utf8)
    try Data(content).write(to: URL(fileURLWithPath: path))
    let asset = try await alice.uploadAsset(fileAt: path)
    let names = [Self.marker: "one", "of ben": "two"]
    for (client, text) in [(alice, Self.marker), (ben, "of ben")] {
      for zone in ["", "trips", "diary"] {
        var all = (0..<records).map {
          TidingsV1.Record("Notes", "n\($0)", zone: zone, ["text": .init(stringLiteral: text)])
        }
        if zone.isEmpty, text == Self.marker {
          all.append(.init("Notes", "photo", ["file": .init(value: .assetValue(asset))]))
        }
        let saved = try await client.modify(all)
        #expect(saved.allSatisfy { $0.record != nil }, "\(saved)")
      }
      _ = try await client.records.modifyRecords(
        .init(
          databaseID: Self.publicID,
          recordsToSave: (0..<5).map {
            // Long enough for its notifications to share it.
            let long = $0 == 4 ? text : String(repeating: text + " ", count: 40)
            return .init(
              "Posts",
              "p\($0) \(names[text] ?? "")",
              ["text": .init(stringLiteral: long)]
            )
          }
        )
      )
    }
    // A second version leaves a superseded one, a deletion a tombstone.
    _ = try await alice.modify([.init("Notes", "n1", ["text": "marzipan-marker again"])])
    _ = try await alice.modify(delete: [.init("n2")])
    for client in [alice, ben] {
      let page = try await client.notifications.fetchNotificationChanges(.init())
      let ids = page.notifications.prefix(3).map(\.notificationID)
      let marked = try await client.notifications.markNotificationsRead(.init(notificationIDs: ids))
      #expect(marked.results.count == 3)
      _ = try await client.notifications.modifyBadge(.init(badgeValue: 7))
      let leased = try await client.notifications.leaseNotifications(
        .init(group: "workers", limit: 5)
      )
      #expect(leased.notifications.count == 5)
    }
    return asset.checksum
  }

  private func erase(_ server: TestServer, _ arguments: String...) async -> RpcctlRun {
    await RpcctlRun(server, ["users", "erase", "alice", "--confirm"] + arguments)
  }

  /// What is stored for a user, as `users erase` counts it: notifications aside, since they are notified of what goes.
  private func data(of user: String, _ server: TestServer) async -> [String] {
    Self.counts(await RpcctlRun(server, ["users", "erase", user]))
  }

  private static func counts(_ run: RpcctlRun) -> [String] {
    run.lines.filter { !$0.contains("notifications") }.map(String.init)
  }

  /// What `fill` wrote for alice, wherever no maintenance takes it away: her texts, and her name.
  private func expectAllOfAlice(in server: TestServer) throws {
    let found = try finds(["alice", Self.marker], in: server)
    for location in [
      "records.body", "ancestors.body", "event_contents.body", "subscriptions.body", "events.body",
    ] { #expect(found.contains { $0.hasPrefix(location) }, "\(location): \(found)") }
    for table in [
      "read_marks", "badges", "work_groups", "devices", "databases", "usage",
    ] {
      #expect(found.contains("\(table).owner has alice"), "\(found)")
    }
  }

  /// A check finds nothing; other databases have tools of their own for it.
  private func expectSound(_ server: TestServer) async {
    guard ServerDatabase.isEmbedded else { return }
    #expect(await RpcctlRun(server, ["server", "check", "--structure"]).exitCode == .success)
  }

  /// The tables and columns of the store in which one of the words occurs; not the audit log, which keeps who was
  /// erased, and is a table on a server.
  private func finds(_ words: [String], in server: TestServer) throws -> [String] {
    try DatabaseLook(server.folder).finds(words).filter { !$0.hasPrefix("audit_lines.") }
  }

  @Test("after an erasure no row has the user's name or values, and others have all of theirs")
  func leavesNothing() async throws {
    var server = try await TestServer.startLasting()
    let checksum = try await fill(server)
    let ben = try await server.client(as: "ben", device: "benphone")
    let feed = try await ben.records.fetchRecordZoneChanges(
      .init(databaseID: Self.publicID, zones: [.init(zoneID: .init())])
    )
    let token = try #require(feed.zones.first?.changeToken)
    #expect(feed.zones.first?.changedRecords.count == 10)
    try expectAllOfAlice(in: server)
    let preview = await RpcctlRun(server, ["users", "erase", "alice"])
    #expect(preview.exitCode == .success, "\(preview.err)")
    #expect(
      preview.out.contains(
        #"{"database":"default.development.public","kind":"public-records","count":5"#
      ),
      "\(preview.out)"
    )
    #expect(preview.err.contains("--confirm"))
    try expectAllOfAlice(in: server)
    #expect(await data(of: "alice", server) == Self.counts(preview))
    let before = await data(of: "ben", server)

    let done = await erase(server)
    #expect(done.exitCode == .success, "\(done.err) \(done.out)")
    let left = try finds(["alice", Self.marker], in: server)
    #expect(left == [])
    let file = checksum.hexadecimal
    let assets = server.folder.file("data/assets")
    try await waitUntil("the file of the asset to go") {
      let files = FileManager.default.enumerator(atPath: assets)
      return files?.contains { "\($0)".hasSuffix(String(file.suffix(8))) } != true
    }

    // Others' data is as it was, and the feed says what is gone.
    #expect(before.count > 5)
    #expect(await data(of: "ben", server) == before)
    let changes = try await ben.records.fetchRecordZoneChanges(
      .init(databaseID: Self.publicID, zones: [.init(zoneID: .init(), changeToken: token)])
    )
    #expect(changes.zones.first?.deletedRecords.count == 5, "\(changes)")
    #expect(changes.zones.first?.changedRecords == [])

    // The receipt, and again after a restart; the audit log has it.
    try await server.stop()
    server = try await server.restarted()
    let receipt = await RpcctlRun(server, ["users", "erase", "--receipt", "alice"])
    #expect(receipt.exitCode == .success, "\(receipt.err)")
    let json = try JSONValue(parsing: receipt.out)
    let id = try #require(json.object?["erasureId"]?.string)
    #expect(json.object?["finished"]?.string != nil)
    #expect(receipt.out.contains(#"{"kind":"public-records","count":"5"}"#), "\(receipt.out)")
    let byID = await RpcctlRun(server, ["users", "erase", "--receipt", id])
    #expect(byID.exitCode == .success && !byID.out.contains("alice"), "\(byID.out)")
    let audit = await RpcctlRun(server, ["audit", "--limit", "1000"])
    #expect(audit.out.contains(#""action":"UserErased""#) && audit.out.contains(id))
    await expectSound(server)

    // Once more removes nothing, and the name is free again.
    let again = await erase(server)
    #expect(again.exitCode == .success)
    #expect(await data(of: "ben", server) == before)
    let alice = try await server.client(as: "alice")
    try await alice.save(.init("Notes", "n1", ["text": "new"]))
    #expect(try await alice.fetch([.init("n1")]).first?.record?.fields["text"] == "new")
  }

  @Test("an export has all that was put in, for an administrator and for the user")
  func export() async throws {
    let server = try await TestServer.start()
    let checksum = try await fill(server)
    let folder = server.folder.file("export")
    let run = await RpcctlRun(server, ["users", "export", "alice", "--to", folder])
    #expect(run.exitCode == .success, "\(run.err)")
    func lines(_ name: String) throws -> [JSONObject] {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      return try text.split(separator: "\n")
        .map { try #require(try JSONValue(parsing: String($0)).object) }
    }
    let records = try lines("records/default.development.private.jsonl")
    #expect(records.count == 60)
    let zones = records.compactMap { $0["zoneName"]?.string }
    #expect(zones.contains("trips") && zones.contains("diary"))
    let texts = records.compactMap { $0["fields"]?.object?["text"]?.string }
    #expect(texts.count { $0 == Self.marker } == 58 && texts.contains("\(Self.marker) again"))
    let posts = try lines("records/default.development.public.jsonl")
    #expect(posts.count == 5)
    #expect(posts.allSatisfy { $0["recordName"]?.string?.hasSuffix("one") == true })
    #expect(try lines("zones.jsonl").count == 3)
    #expect(try lines("devices.jsonl").map { $0["deviceId"]?.string } == ["alicephone"])
    let subscriptions = try lines("subscriptions.jsonl").compactMap { $0["subscriptionId"]?.string }
    #expect(subscriptions.sorted() == ["all", "board", "changes", "new", "words alice"])
    #expect(try lines("notifications.jsonl").count > 60)
    #expect(try lines("account.jsonl").first?["name"]?.string == "alice")
    let content = try String(
      contentsOfFile: "\(folder)/assets/\(checksum.hexadecimal)",
      encoding: .utf8
    )
    #expect(content == "\(Self.marker) content")
    let manifest = try #require(try lines("manifest.json").first)
    #expect(manifest["counts"]?.object?["records"]?.number?.exactly() == 60)
    #expect(manifest["user"]?.string == "alice")
    #expect(try Folder.mode(folder) & 0o777 == 0o700)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      #expect(try Folder.mode("\(folder)/\(name)") & 0o077 == 0, "\(name)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder + ".part"))
    // Whole or not at all, and never over another one.
    let again = await RpcctlRun(server, ["users", "export", "alice", "--to", folder])
    #expect(again.exitCode == .localFailure && again.err.contains("exists"), "\(again.err)")

    // The records are such that another user can have them.
    let own = server.folder.file("own")
    let mine = await RpcctlRun(server, ["users", "export", "--to", own], as: "alice")
    #expect(mine.exitCode == .success, "\(mine.err)")
    let file = "records/default.development.private.jsonl"
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: "\(own)/\(file)"))
        == Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
    )
  }

  @Test("participants lose what an erased user shared, and shares of others lose the user")
  func sharing() async throws {
    let world = try await SharingWorld()
    try await world.shareTrip()
    _ = try await world.ben.modify(
      [SharingWorld.theirs("by ben", in: "trip", ["text": "ben wrote it"])],
      in: SharingWorld.shared
    )
    _ = try await world.ben.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "trips"))])
    )
    // Ben shares with ada, and cleo with nobody.
    var share = SharingWorld.share("cloudkit.zoneshare", with: [("ada", .readWrite)])
    share.recordID?.zoneID = .init(zoneName: "trips")
    let saved = try await world.ben.modify([share])
    try #require(saved.first?.record != nil, "\(saved)")
    let stored = try await world.ben.fetch([.init("cloudkit.zoneshare", zone: "trips")])
    let url = try #require(stored.first?.record?.share?.url)
    try await world.accept(url, by: world.ada)
    var record = SharingWorld.record("guest", ["text": "from a friend"])
    record.recordID?.zoneID?.ownerName = "ben"
    let written = try await world.ada.modify([record], in: SharingWorld.shared)
    try #require(written.first?.record != nil, "\(written)")
    let token = try await world.ben.records.fetchDatabaseChanges(
      .init(databaseID: SharingWorld.shared)
    )
    #expect(token.changedZoneIDs.map(\.ownerName) == ["ada"])

    let done = await RpcctlRun(world.server, ["users", "erase", "ada", "--confirm"], as: "root")
    #expect(done.exitCode == .success, "\(done.err)")
    let changes = try await world.ben.records.fetchDatabaseChanges(
      .init(databaseID: SharingWorld.shared, changeToken: token.changeToken)
    )
    #expect(changes.deletedZones.compactMap(\.zoneID).map(\.ownerName) == ["ada"], "\(changes)")
    let gone = try await world.ben.records.fetchRecords(
      .init(databaseID: SharingWorld.shared, recordIDs: [SharingWorld.theirID("trip")])
    )
    #expect(gone.results.first?.error != nil)
    // What ada wrote for ben is ben's, and is nobody's work; the share has no ada.
    let kept = try await world.ben.fetch([
      .init("guest", zone: "trips"), .init("cloudkit.zoneshare", zone: "trips"),
    ])
    #expect(kept[0].record?.fields["text"] == "from a friend", "\(kept)")
    #expect(kept[0].record?.created?.userRecordName == "_erased")
    #expect(kept[0].record?.modified?.userRecordName == "_erased")
    #expect(kept[1].record?.share?.participants.map(\.userRecordName) == ["ben"], "\(kept)")
    // The owner's name of what was shared stays as long as tombstones do, and nothing else.
    let left = try finds(["ada"], in: world.server)
    #expect(left == ["databases.owner has ada"])
  }

  @Test(
    "the user's records, entries in directories and requests for access go too, and are exported"
  )
  func identity() async throws {
    let world = try await SharingWorld()
    let url = try await world.shareTrip(.readOnly)
    try await world.change("s") {
      $0.allowsAccessRequests = true
      $0.blockedUserRecordNames = ["cleo"]
    }
    try await world.change("s") { $0.blockedUserRecordNames = [] }
    #expect(try await SharingWorld.request(url, by: world.cleo) == 0)
    for database in [Self.publicID, .init(scope: .private)] {
      let saved = try await world.cleo.modify(
        [.init("Users", "cleo", ["nick": "queen"])],
        in: database
      )
      #expect(saved.first?.record != nil, "\(saved)")
    }
    let accounts = TidingsV1.AccountService.Client(world.cleo.transport)
    let entry = TidingsV1.DirectoryEntry(displayName: "C.", emailAddress: "cleo@example.com")
    _ = try await accounts.updateDirectoryEntry(.init(entry: entry))
    let found = try finds(["cleo"], in: world.server)
    for location in ["access_requests.user", "directory_entries.user", "directory_entries.email"] {
      #expect(found.contains("\(location) has cleo"), "\(found)")
    }
    let folder = world.server.folder.file("export")
    let export = await RpcctlRun(
      world.server,
      ["users", "export", "cleo", "--to", folder],
      as: "root"
    )
    #expect(export.exitCode == .success, "\(export.err)")
    let directory = try String(contentsOfFile: folder + "/directory.jsonl", encoding: .utf8)
    #expect(directory.contains("cleo@example.com"))
    let ownRecord = try String(
      contentsOfFile: folder + "/records/default.development.public.jsonl",
      encoding: .utf8
    )
    #expect(ownRecord.contains("queen"))

    let keep = ["users", "erase", "cleo", "--confirm", "--public-records", "keep"]
    let done = await RpcctlRun(world.server, keep, as: "root")
    #expect(done.exitCode == .success, "\(done.err)")
    // The tombstone of the record in the public database.
    #expect(try finds(["cleo", "queen"], in: world.server) == ["records.name has cleo"])
    #expect(try await world.requesters() == [])
    let others = TidingsV1.AccountService.Client(world.ben.transport)
    let lookup = TidingsV1.UserLookup(key: .emailAddress("cleo@example.com"))
    let results = try await others.fetchUsers(.init(lookups: [lookup])).results
    guard case .error(let error)? = results.first?.outcome else {
      Issue.record("still there: \(results)")
      return
    }
    #expect(error.code == .unknownItem)
  }

  @Test("records in public databases stay on request, and are nobody's")
  func keeps() async throws {
    let server = try await TestServer.start()
    _ = try await fill(server, records: 2)
    let ben = try await server.client(as: "ben")
    let done = await erase(server, "--public-records", "keep")
    #expect(done.exitCode == .success, "\(done.err)")
    let ids = (0..<5).map { TidingsV1.RecordID("p\($0) one") }
    let kept = try await ben.records.fetchRecords(.init(databaseID: Self.publicID, recordIDs: ids))
    #expect(kept.results.count == 5)
    #expect(kept.results.last?.record?.fields["text"] == .init(stringLiteral: Self.marker))
    #expect(kept.results.allSatisfy { $0.record?.created?.userRecordName == "_erased" })
    let left = try finds(["alice"], in: server)
    #expect(left == [])
    await expectSound(server)
  }

  @Test("an erasure that a crash interrupts, at any moment, resumes at the next start")
  func crashes() async throws {
    let seed = Seed.make("UserErasure")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    _ = try await fill(server, records: 390)
    let before = await data(of: "ben", server)
    func administration() async throws -> TidingsV1.AdminService.Client {
      .init(try await server.client(as: "root").transport)
    }
    let begun = try await administration().eraseUser(.init(userName: "alice")).erasure
    let id = try #require(begun?.erasureID)
    for _ in 0..<5 {
      // A random pause, so that each crash comes at another point of the erasure.
      try await Task.sleep(for: .milliseconds(Int64(random.below(8))))
      try await server.crash()
      server = try await server.restarted()
    }
    // It goes on by itself: nobody asks for it again.
    let admin = try await administration()
    try await waitUntil("the end of the erasure") {
      try await admin.fetchErasure(.init(which: .erasureID(id))).erasure?.finished != nil
    }
    let left = try finds(["alice", Self.marker], in: server)
    #expect(left == [], "seed \(seed)")
    #expect(await data(of: "ben", server) == before, "seed \(seed)")
    await expectSound(server)
  }

  @Test("only administrators erase, only they and the user export; the last administrator stays")
  func access() async throws {
    let secure = try await SecureServer.start()
    let root = try await secure.administration()
    let (alice, eve) = (try await secure.createUser("alice"), try await secure.createUser("eve"))
    let client = try await secure.client(alice)
    try await client.save(.init("Notes", "n", ["text": "of alice"]))
    let stranger = TidingsV1.AdminService.Client(try await secure.client(eve).transport)
    let own = TidingsV1.AdminService.Client(client.transport)
    let refused: [(String, () async throws -> Void)] = [
      ("data", { _ = try await stranger.fetchUserData(.init(userName: "alice")) }),
      ("erasure", { _ = try await stranger.eraseUser(.init(userName: "alice")) }),
      ("receipt", { _ = try await stranger.fetchErasure(.init(which: .userName("alice"))) }),
      ("own erasure", { _ = try await own.eraseUser(.init(userName: "alice")) }),
    ]
    for (what, call) in refused {
      #expect(await failure(call)?.code == .permissionDenied, "\(what)")
    }
    let items = try await own.fetchUserData(.init()).items
    guard case .account(let account)? = items.first?.item else {
      Issue.record("no account: \(items)")
      return
    }
    #expect(account.name == "alice" && account.keys.count == 1)
    #expect(try await root.fetchUserData(.init(userName: "alice")).items.count >= 1)
    let last = await failure { _ = try await root.eraseUser(.init(userName: "root")) }
    #expect(last?.message.contains("administrator") == true, "\(String(describing: last))")

    let erasure = try await root.eraseUser(.init(userName: "alice")).erasure
    let id = try #require(erasure?.erasureID)
    let late = await failure { try await client.save(.init("Notes", "n", ["text": "late"])) }
    #expect(late != nil)
    try await waitUntil("the end of the erasure") {
      try await root.fetchErasure(.init(which: .erasureID(id))).erasure?.finished != nil
    }
    #expect(await failure { _ = try await root.listUsers(.init(userNames: ["alice"])) } != nil)
    // What the administrator's own call answered is kept for a repetition.
    #expect(
      try finds(["alice"], in: secure.server).filter { $0 != "answers.response has alice" } == []
    )
    // The name can be given again, and nothing of the old one is there.
    let pair = try await secure.createUser("alice")
    let again = try await secure.client(pair)
    #expect(try await again.fetch([.init("n")]).first?.error?.code == .unknownItem)
  }
}
