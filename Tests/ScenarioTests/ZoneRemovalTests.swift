internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf

/// A large zone is deleted while others use the server.
@Suite(.endsServers) struct ZoneRemovalTests {
  private static let count = 8_000
  /// More calls than the server takes in one turn.
  private static let saveCount = 300
  private static let location = TidingsV1.DatabaseID()
  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)
  private static let log = "tidings.sqlite-wal$"

  private static func records(
    _ count: Int,
    from first: Int = 0,
    text: String = "old"
  ) -> [TidingsV1.Record] {
    (first..<first + count).map {
      .init(
        "Houses",
        "r\($0)",
        zone: "attic",
        ["n": .init(.int64Value(Int64($0))), "text": .init(.stringValue(text))]
      )
    }
  }

  /// Fills the zone with records that are watched, and with an index.
  private func fill(_ client: Client, _ records: [TidingsV1.Record]) async throws {
    _ = try await client.zones.modifyRecordZones(
      .init(databaseID: Self.location, zonesToSave: [.init(zoneID: .init(zoneName: "attic"))])
    )
    for start in stride(from: 0, to: records.count, by: 400) {
      let results = try await client.modify(
        Array(records[start..<min(start + 400, records.count)]),
        in: Self.location
      )
      #expect(results.allSatisfy { $0.error == nil })
    }
  }

  private func deleteZone(_ client: Client) async throws {
    let results = try await client.zones.modifyRecordZones(
      .init(databaseID: Self.location, zoneIDsToDelete: [.init(zoneName: "attic")])
    ).results
    #expect(results.allSatisfy { $0.outcome == .deleted(true) }, "\(results)")
  }

  /// How many rows a table has, besides the server.
  private func count(_ table: String, in folder: TemporaryFolder) throws -> Int64 {
    try DatabaseLook(folder).count(table)
  }

  /// Waits until the last row of the deleted zones is removed.
  private func waitForRemoval(in folder: TemporaryFolder) async throws {
    try await waitUntil("all rows of deleted zones to be removed", pausing: .milliseconds(20)) {
      try count("zone_removals", in: folder) == 0
    }
  }

  private func expectOncePerRecord(
    _ notifications: [TidingsV1.Notification],
    _ count: Int,
    _ comment: Comment = ""
  ) {
    let names = notifications.compactMap(\.recordID?.recordName)
    #expect(names.count == count && Set(names).count == count, comment)
    #expect(
      notifications.compactMap(\.position?.sequenceNumber) == Array(1...UInt64(max(1, count))),
      comment
    )
  }

  @Test("a large zone is deleted while another user saves; then all notifications are there")
  func othersGoOn() async throws {
    let server = try await TestServer.start(arguments: [
      "--limit", "records-per-user-max=\(Self.count)",
    ])
    let laptop = try await server.client(as: "ada", device: "laptop")
    try await laptop.subscribe(.init("gone", "Houses", on: .delete))
    // The order of the log is that in which zone and records were removed and saved.
    let saved = try await laptop.subscriptions.modifySubscriptions(
      .init(databaseID: Self.publicDatabase, subscriptionsToSave: [.init("saved", "Notes")])
    )
    try #require(saved.results.first?.subscription != nil)
    try await fill(laptop, Self.records(Self.count))
    let deletion = RawCall(
      "tidings.v1.ZoneService/ModifyRecordZones",
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: Self.location,
        zoneIDsToDelete: [.init(zoneName: "attic")]
      ).encoded()
    )
    let saves = (0..<Self.saveCount).map { number in
      RawCall(
        RawCall.modifyRecords,
        TidingsV1.ModifyRecordsRequest(
          databaseID: Self.publicDatabase,
          recordsToSave: [.init("Notes", "n\(number)")]
        ).encoded(),
        as: "bob"
      )
    }
    _ = try await server.answers(to: [deletion] + saves)

    // It is gone all the same, its name and its owner's quota are free, and names mean other records.
    #expect(try await laptop.fetch([.init("r1", zone: "attic")])[0].error?.code == .zoneNotFound)
    let changes = Self.records(Self.count / 4, text: "new")
    try await fill(laptop, changes)
    try await waitForRemoval(in: server.folder)
    #expect(try count("records", in: server.folder) == Int64(changes.count + saves.count))
    let fetched = try await laptop.fetch(changes.suffix(100).compactMap(\.recordID))
    #expect(fetched.allSatisfy { $0.record?.fields["text"] == "new" })
    let feed = try await server.client(as: "ada", device: "phone").feed().notifications
    expectOncePerRecord(feed.filter { $0.subscriptionID == "gone" }, Self.count)
    expectOncePerRecord(feed.filter { $0.subscriptionID == "saved" }, saves.count)
    // Those that came with the deletion were saved with it; the others did not wait for the end of the removal.
    let (first, last) = (
      try #require(feed.firstIndex { $0.subscriptionID == "gone" }),
      try #require(feed.lastIndex { $0.subscriptionID == "gone" })
    )
    let isBetween = feed[first...last].contains { $0.subscriptionID == "saved" }
    #expect(isBetween || last == feed.indices.last, "all were saved after the removal")
    // The device that deleted the zone is not notified of it.
    let own = try await server.client(as: "ada", device: "raw").feed().notifications
    #expect(own.allSatisfy { $0.subscriptionID == "saved" })
  }

  @Test("kill -9 while a zone is removed loses no notification, and doubles none")
  func kills() async throws {
    let seed = Seed.make("ZoneRemovalTests.kills")
    var random = SplitMix64(seed: seed)
    let disk = try DiskFaults()
    var server = try await TestServer.startLasting(environment: disk.environment)
    let laptop = try await server.client(as: "ada", device: "laptop")
    try await laptop.subscribe(.init("gone", "Houses", on: .delete))
    try await laptop.subscribe(.database("houses", type: "Houses"))
    try await fill(laptop, Self.records(Self.count))
    let before = try await server.client(as: "ada", device: "phone").feed()
    // The disk holds up a commit of the removal, which is longer, after that of the deletion.
    try disk.set(.hold(Self.log, after: 8 + random.below(8)))
    try await deleteZone(laptop)
    var (killCount, heldCount) = (0, 0)
    var left = Int64(Self.count)
    while true {
      // Nothing holds up a database server: there the crash comes when so many more records are removed.
      let goal = left - Int64(random.below(2_500))
      try await waitUntil("records of the zone to be removed", pausing: .zero) {
        left = try count("records", in: server.folder)
        return disk.heldCount > heldCount || left <= max(goal, 0)
      }
      try await server.crash()
      heldCount = disk.heldCount
      left = try count("records", in: server.folder)
      if left > 0 { killCount += 1 }
      try disk.clear()
      server = try await server.restarted()
      if left == 0 { break }
      try disk.set(.hold(Self.log, after: random.below(16)))
    }
    #expect(killCount >= 1 || !ServerDatabase.isEmbedded, "seed \(seed)")
    try await waitForRemoval(in: server.folder)
    let after = try await server.client(as: "ada", device: "phone").feed(after: before.token)
    let (queries, zones) = (
      after.notifications.filter { $0.type == .query },
      after.notifications.filter { $0.type == .database }
    )
    expectOncePerRecord(queries, Self.count, "seed \(seed)")
    #expect(zones.count == 1, "seed \(seed)")
    for table in ["records", "zone_removals", "zone_removal_types", "zone_removal_channels"] {
      #expect(try count(table, in: server.folder) == 0, "seed \(seed), \(table)")
    }
  }

  @Test("what hangs on the records of a large zone goes too, and shares of it end at once")
  func followers() async throws {
    let world = try await SharingWorld()
    let (ada, folder) = (world.ada, world.server.folder)
    _ = try await ada.schemas.applySchema(
      .init(text: "DEFINE SCHEMA RECORD TYPE Notes (n INT64 QUERYABLE, photo ASSET);")
    )
    try await ada.save(SharingWorld.record("root"))
    let photo = try await ada.assets().upload([1, 2, 3])
    for start in stride(from: 0, to: 2_000, by: 400) {
      let notes = (start..<start + 400).map {
        SharingWorld.record(
          "n\($0)",
          in: "root",
          ["n": .init(.int64Value(Int64($0))), "photo": .init(.assetValue(photo))]
        )
      }
      let results = try await ada.records.modifyRecords(
        .init(recordsToSave: notes, savePolicy: .allKeys, clientChangeTokenData: [1])
      ).results
      #expect(results.allSatisfy { $0.error == nil })
    }
    _ = try await ada.modify([SharingWorld.share("s", of: "root", with: [("ben", .readOnly)])])
    try await world.accept(try await world.url("s"), by: world.ben)
    _ = try await world.invite("guest")
    #expect(try await SharingWorld.seen(["n1"], by: world.ben) == ["ada/n1"])
    _ = try await world.ben.subscriptions.modifySubscriptions(
      .init(databaseID: SharingWorld.shared, subscriptionsToSave: [.database("theirs")])
    )

    let tables = [
      "records", "record_references", "index_entries", "client_tokens", "asset_references",
      "shared_records", "share_participants", "share_invitations",
    ]
    for table in tables { #expect(try count(table, in: folder) > 0, "\(table)") }
    _ = try await ada.zones.modifyRecordZones(.init(zoneIDsToDelete: [.init(zoneName: "trips")]))
    #expect(try await SharingWorld.seen(["n1"], by: world.ben) == ["26"])
    #expect(try await world.ben.feed().notifications.count == 1)
    try await waitForRemoval(in: folder)
    for table in tables { #expect(try count(table, in: folder) == 0, "\(table)") }
    // The asset is kept for a while, as one that no record names.
    #expect(try count("assets WHERE released IS NOT NULL", in: folder) == 1)
  }
}
