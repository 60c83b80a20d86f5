internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// What participants write, and what they cannot.
@Suite(.endsServers) struct ParticipantTests {
  private typealias World = SharingWorld

  @Test("a participant with readOnly changes nothing")
  func readOnly() async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    for saves in [
      [World.theirs("trip")], [World.theirs("new", in: "trip")], [World.theirs("diary")],
    ] {
      let code = World.code(try await world.ben.modifyShared(saves)[0])
      #expect(code == 10, "\(saves)")
    }
    #expect(World.code(try await world.ben.modifyShared(delete: ["stop"])[0]) == 10)
    // What is not there for him goes without saying.
    let gone = try await world.ben.modifyShared(delete: ["diary"])[0]
    #expect(gone.outcome == .deleted(true))
    #expect(try await world.stored("diary").recordType == "Notes")
  }

  @Test("a participant with readWrite changes, creates below and deletes what is shared")
  func readWrite() async throws {
    let world = try await World()
    try await world.shareTrip()
    let results = try await world.ben.modifyShared([
      World.theirs("leaf", in: "branch"), World.theirs("branch", in: "day"),
      World.theirs("trip", ["title": "Rome"]),
    ])
    #expect(results.map(World.code) == [0, 0, 0], "\(results)")
    #expect(results[0].recordID == World.theirID("leaf"))
    #expect(results[0].record?.recordID == World.theirID("leaf"))
    let stored = try await world.stored("trip")
    #expect(stored.fields["title"] == "Rome")
    #expect(stored.modified?.userRecordName == "ben")
    #expect(stored.modified?.deviceID == "phone")
    #expect(stored.created?.userRecordName == "ada")
    #expect(stored.recordID == .init("trip", zone: "trips"))
    #expect(try await World.seen(["leaf", "branch"], by: world.ben) == ["ada/leaf", "ada/branch"])
    let deleted = try await world.ben.modifyShared(delete: ["leaf", "branch"])
    #expect(deleted.map(World.code) == [0, 0])
    #expect(World.code(try await world.ada.fetch(World.ids("leaf"))[0]) == 11)
    // A conflict shows what is shared, with its owner.
    let conflict = try await world.ben.modify(
      [World.theirs("trip")],
      policy: .ifServerRecordUnchanged,
      in: World.shared
    )[0]
    #expect(conflict.error?.code == .serverRecordChanged)
    #expect(conflict.serverRecord?.recordID == World.theirID("trip"))
  }

  @Test("a participant cannot leave the bounds of the share")
  func bounds() async throws {
    let world = try await World()
    try await world.shareTrip()
    _ = try await world.ada.modify([
      World.record("hill"), World.record("tree", in: "hill"),
      World.share("h", of: "hill", with: [("ben", .readWrite)]),
    ])
    try await world.accept(try await world.url("h"), by: world.ben)
    var loose = World.theirs("stop")
    loose.parent = .init(recordID: .init(""))
    for (record, code) in [
      (World.theirs("new"), 10), (World.theirs("new", in: "diary"), 31), (loose, 10),
      (World.theirs("stop", in: "tree"), 10), (World.theirs("diary"), 10),
      (World.theirs("trip", in: "tree"), 30), (World.theirs("new", in: "s"), 10),
    ] as [(SharingWorld.Record, Int32)] {
      let result = try await world.ben.modifyShared([record])[0]
      #expect(World.code(result) == code, "\(record.recordID?.recordName ?? ""): \(result)")
    }
    // In its share a record may move.
    #expect(
      World.code(try await world.ben.modifyShared([World.theirs("stop", in: "trip")])[0]) == 0
    )
    #expect(World.code(try await world.ben.modifyShared(delete: ["trip"])[0]) == 10)
    var share = try await world.stored("s")
    share.recordID = World.theirID("s")
    #expect(World.code(try await world.ben.modifyShared([share])[0]) == 10)
    let zones = try await world.ben.zones.modifyRecordZones(
      .init(
        databaseID: World.shared,
        zonesToSave: [.init(zoneID: .init(zoneName: "new", ownerName: "ada"))],
        zoneIDsToDelete: [.init(zoneName: "trips", ownerName: "ada")]
      )
    ).results
    for zone in zones {
      guard case .error(let error)? = zone.outcome else {
        Issue.record("\(zone)")
        continue
      }
      #expect(error.code == .badDatabase)
    }
  }

  @Test("a conflict shows no version from before the record was shared")
  func ancestors() async throws {
    let world = try await World()
    try await world.shareTrip()
    func save(_ title: TidingsV1.FieldValue, in parent: String? = nil) async throws -> String {
      let result = try await world.ada.modify([World.record("plan", in: parent, ["title": title])])
      return try #require(result[0].record?.changeTag)
    }
    let secret = try await save("for nobody else")
    let shared = try await save("for all", in: "trip")
    _ = try await save("for all, again")
    for (tag, ancestor) in [(secret, nil), (shared, "for all")] as [(String, TidingsV1.FieldValue?)]
    {
      var sent = World.theirs("plan", in: "trip")
      sent.changeTag = tag
      let conflict = try await world.ben.modify(
        [sent],
        policy: .ifServerRecordUnchanged,
        in: World.shared
      )[0]
      #expect(conflict.error?.code == .serverRecordChanged)
      #expect(conflict.serverRecord?.fields["title"] == "for all, again")
      #expect(conflict.ancestorRecord?.fields["title"] == ancestor)
    }
  }

  @Test("a participant's first conflict has the version that was current when they joined")
  func firstConflict() async throws {
    let world = try await World()
    let old = try #require(
      try await world.ada.modify([World.record("trip", ["title": "before"])])[0].record?.changeTag
    )
    _ = try await world.ada.modify([World.record("trip", ["title": "when ben joined"])])
    _ = try await world.ada.modify([World.share("s", of: "trip", with: [("ben", .readWrite)])])
    let root = try await world.stored("trip")
    // Other records move the zone on: the version that ben reads is older than his joining.
    _ = try await world.ada.modify([World.record("diary")])
    try await world.accept(try await world.url("s"), by: world.ben)
    let read = try await world.ben.records.fetchRecords(
      .init(databaseID: World.shared, recordIDs: [World.theirID("trip")])
    ).results[0].record
    #expect(read?.changeTag == root.changeTag && read?.fields["title"] == "when ben joined")
    for title in ["afterwards", "and again"] {
      _ = try await world.ada.modify([World.record("trip", ["title": .init(stringLiteral: title)])])
    }
    for (tag, ancestor) in [(root.changeTag, "when ben joined"), (old, nil)]
      as [(String, TidingsV1.FieldValue?)]
    {
      var sent = World.theirs("trip", ["title": "ben's"])
      sent.changeTag = tag
      let conflict = try await world.ben.modify(
        [sent],
        policy: .ifServerRecordUnchanged,
        in: World.shared
      )[0]
      #expect(conflict.error?.code == .serverRecordChanged)
      #expect(conflict.ancestorRecord?.fields["title"] == ancestor, "\(tag)")
    }
  }

  @Test(
    "a participant's first conflict in a shared zone has its ancestor, whatever was joined later"
  )
  func firstConflictInZone() async throws {
    let world = try await World()
    for name in ["one", "two"] {
      _ = try await world.ada.modify([World.record(name, ["title": "first"])])
    }
    _ = try await world.ada.modify([
      World.share("s1", of: "one", with: [("ben", .readWrite)]),
      World.share("s2", of: "two", with: [("ben", .readWrite)]),
    ])
    try await world.accept(try await world.url("s1"), by: world.ben)
    let tag = try await world.stored("one").changeTag
    _ = try await world.ada.modify([World.record("one", ["title": "second"])])
    // Joining the other share takes nothing away of what was known of this one.
    try await world.accept(try await world.url("s2"), by: world.ben)
    var sent = World.theirs("one", ["title": "ben's"])
    sent.changeTag = tag
    let conflict = try await world.ben.modify(
      [sent],
      policy: .ifServerRecordUnchanged,
      in: World.shared
    )[0]
    #expect(conflict.error?.code == .serverRecordChanged)
    #expect(conflict.ancestorRecord?.fields["title"] == "first")
  }

  @Test("a participant does not learn how much the owner has")
  func fullDatabase() async throws {
    let world = try await World(arguments: ["--limit", "records-per-user-max=5"])
    try await world.shareTrip()
    let refused = try await world.ben.modifyShared([World.theirs("leaf", in: "trip")])[0]
    #expect(refused.error?.code == .quotaExceeded)
    #expect(refused.error?.message.contains("5") == false, "\(refused)")
    let own = try await world.ada.modify([World.record("leaf")])[0]
    #expect(own.error?.message.contains("5 records of at most 5") == true, "\(own)")
  }

  @Test("what a call first writes with two owners has one type")
  func firstFields() async throws {
    let world = try await World()
    try await world.shareTrip()
    _ = try await world.cleo.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "trips"))])
    )
    _ = try await world.cleo.modify([
      World.record("tour"), World.share("c", of: "tour", with: [("ben", .readWrite)]),
    ])
    let share = try #require(try await world.cleo.fetch(World.ids("c"))[0].record?.share)
    try await world.accept(share.url, by: world.ben)
    var second = World.theirs("second", in: "tour", ["fresh": 1])
    second.recordID?.zoneID?.ownerName = "cleo"
    let results = try await world.ben.modifyShared(
      [World.theirs("first", in: "trip", ["fresh": "text"]), second],
      atomic: false
    )
    #expect(results.map(World.code) == [0, 12], "\(results)")
  }

  @Test("references to what a participant cannot read are references to nothing")
  func references() async throws {
    let world = try await World()
    try await world.shareTrip()
    func record(_ action: TidingsV1.ReferenceAction) -> SharingWorld.Record {
      World.theirs(
        "new",
        in: "trip",
        ["to": .init(.referenceValue(.init(recordID: World.theirID("diary"), action: action)))]
      )
    }
    #expect(World.code(try await world.ben.modifyShared([record(.validate)])[0]) == 31)
    #expect(World.code(try await world.ben.modifyShared([record(.deleteSelf)])[0]) == 0)
    // The stored reference names no owner, as all of the owner's database.
    let stored = try await world.stored("new").fields["to"]
    guard case .referenceValue(let reference)? = stored?.value else {
      throw WaitingFailure(description: "\(String(describing: stored))")
    }
    #expect(reference.recordID == .init("diary", zone: "trips"))
    // Who deletes what refers to nothing he may know of, does not learn of it.
    _ = try await world.ada.modify([
      World.record(
        "secret",
        [
          "on": .init(
            .referenceValue(.init(recordID: .init("stop", zone: "trips"), action: .validate))
          )
        ]
      )
    ])
    let held = try await world.ben.modifyShared(delete: ["stop"])[0]
    #expect(held.error?.code == .referenceViolation)
    #expect(held.error?.message.contains("secret") == false, "\(held)")
    // Nor does he delete what is shared by what it refers to.
    _ = try await world.ada.modify([
      World.record("hill"), World.record("tree", in: "hill"),
      World.share("h", of: "hill", with: [("ben", .readWrite)]),
    ])
    try await world.accept(try await world.url("h"), by: world.ben)
    let on = TidingsV1.Reference(recordID: World.theirID("tree"), action: .deleteSelf)
    let saved = try await world.ben.modifyShared([
      World.theirs("hill", ["on": .init(.referenceValue(on))])
    ])[0]
    #expect(saved.record != nil, "\(saved)")
    let refused = try await world.ben.modifyShared(delete: ["tree"])[0]
    #expect(refused.error?.code == .permissionFailure, "\(refused)")
    #expect(try await world.stored("hill").shareRecordName == "h")
    let owners = try await world.ada.records.modifyRecords(
      .init(recordIDsToDelete: World.ids("tree"))
    )
    #expect(owners.cascadedDeletions.map { $0.recordID?.recordName } == ["hill", "h"])
  }

  @Test("a call to the shared database may name zones of several owners")
  func owners() async throws {
    let world = try await World()
    try await world.shareTrip()
    _ = try await world.cleo.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "trips"))])
    )
    var all = World.share("cloudkit.zoneshare", with: [("ben", .readWrite)])
    all.fields = ["title": "All of it"]
    let saved = try #require(try await world.cleo.modify([World.record("top"), all])[1].record)
    try await world.accept(try #require(saved.share?.url), by: world.ben)
    var cleos = World.theirs("any")
    cleos.recordID?.zoneID?.ownerName = "cleo"
    let dan = TidingsV1.Record("Notes", "x", zone: "trips")
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: World.shared,
      recordsToSave: [cleos, World.theirs("day", ["n": 1]), dan, World.theirs("stop", ["n": 2])],
      recordIDsToDelete: [World.theirID("diary"), World.theirID("top", owner: "cleo")],
      savePolicy: .allKeys
    )
    var dry = request
    dry.dryRun = true
    for (request, isDry) in [(dry, true), (request, false)] {
      let results = try await world.ben.records.modifyRecords(request).results
      #expect(results.map(World.code) == [0, 0, 12, 0, 0, 0], "\(results)")
      #expect(
        results.map { $0.recordID?.recordName } == ["any", "day", "x", "stop", "diary", "top"]
      )
      #expect(results[0].recordID?.zoneID?.ownerName == "cleo")
      let there = try await world.cleo.fetch(World.ids("any", "top")).map(World.code)
      #expect(there == (isDry ? [11, 0] : [0, 11]))
    }
    #expect(try await world.stored("stop").fields["n"] == 2)
    // Each owner's zone is atomic for itself.
    cleos.fields["n"] = 5
    let mixed = try await world.ben.modifyShared([
      cleos, World.theirs("day", ["n": 9]), World.theirs("loose"),
    ])
    #expect(mixed.map(World.code) == [0, 22, 10])
    #expect(try await world.stored("day").fields["n"] == 1)
    // The first answer comes again.
    let once = try await world.ben.modifyShared([World.theirs("once", in: "day")], key: "k")
    let twice = try await world.ben.modifyShared([World.theirs("once", in: "day")], key: "k")
    #expect(once == twice)
  }

  @Test("in a zone that is shared as a whole, a participant has all records")
  func zoneWide() async throws {
    let world = try await World()
    _ = try await world.ada.modify([
      World.record("a"), World.share("cloudkit.zoneshare", anyone: .readWrite),
    ])
    let expected = World.code(try await world.ada.modify([World.share("s", of: "a")])[0])
    #expect(expected == 15)
    try await world.accept(try await world.url("cloudkit.zoneshare"), by: world.cleo)
    let results = try await world.cleo.modifyShared([World.theirs("b"), World.theirs("c", in: "a")])
    #expect(results.map(World.code) == [0, 0])
    #expect(World.code(try await world.cleo.modifyShared(delete: ["c", "a"])[0]) == 0)
    #expect(try await World.seen(["a", "b"], by: world.cleo) == ["11", "ada/b"])
    #expect(try await World.seen(["b"], by: world.ben) == ["26"])
    #expect(
      try await world.cleo.modifyShared(delete: ["cloudkit.zoneshare"])[0].outcome == .deleted(true)
    )
    #expect(try await World.seen(["b"], by: world.cleo) == ["26"])
    #expect(try await world.stored("cloudkit.zoneshare").share?.participants.count == 1)
  }

  @Test("a participant's change fires the owner's subscriptions")
  func subscriptions() async throws {
    let world = try await World()
    try await world.shareTrip()
    try await world.ada.subscribe(.init("q", "Notes"))
    _ = try await world.ben.modifyShared([World.theirs("new", in: "trip")])
    let feed = try await world.ada.feed().notifications
    #expect(feed.map { $0.recordID?.recordName } == ["new"])
    #expect(feed.first?.recordID?.zoneID?.ownerName == "")
  }

  @Test("what a participant uploads belongs to the owner once a record names it")
  func assets() async throws {
    let world = try await World()
    try await world.shareTrip()
    let content = Array("a photo".utf8)
    let asset = TidingsV1.Asset(
      checksum: SHA256.checksum(of: content),
      size: UInt64(content.count)
    )
    let field = ["photo": TidingsV1.FieldValue(.assetValue(asset))]
    let missing = try await world.ben.modifyShared([World.theirs("day", field)])[0]
    #expect(missing.error?.code == .assetNotAvailable)
    let answer = try await world.ben.assetCalls.uploadAsset(
      .init(databaseID: World.shared, asset: asset, chunk: content)
    )
    #expect(answer.complete)
    #expect(World.code(try await world.ada.modify([World.record("day", field)])[0]) == 35)
    #expect(World.code(try await world.ben.modifyShared([World.theirs("day", field)])[0]) == 0)
    #expect(try await world.ada.assets().download(asset) == content)
  }

  @Test("without a user there is no shared database, and names of owners mean what they say")
  func names() async throws {
    let world = try await World()
    let nobody = try await world.server.client(as: "")
    let error = await failure { _ = try await nobody.modifyShared([World.theirs("x")]) }
    #expect(error?.code == .unauthenticated)
    // The caller's own name means none.
    var own = World.record("x")
    own.recordID?.zoneID?.ownerName = "ada"
    #expect(World.code(try await world.ada.modify([own])[0]) == 0)
    #expect(try await world.stored("x").recordID == .init("x", zone: "trips"))
    let twice = await failure { _ = try await world.ada.modify([own, World.record("x")]) }
    #expect(twice?.message.contains("twice") == true)
    own.recordID?.zoneID?.ownerName = "ben"
    let other = try await world.ada.modify([own])[0]
    #expect(other.error?.code == .invalidArguments)
    #expect(other.error?.message.contains("shared database") == true)
  }
}
