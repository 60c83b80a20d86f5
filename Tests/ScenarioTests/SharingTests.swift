internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Shares, as their owner saves, changes and ends them, and as others join and leave.
@Suite(.endsServers) struct SharingTests {
  private typealias World = SharingWorld

  private func expect(
    _ result: TidingsV1.RecordResult,
    _ code: TidingsV1.ErrorCode,
    about words: String...
  ) {
    #expect(result.error?.code == code, "\(result)")
    for word in words {
      #expect(result.error?.message.contains(word) == true, "\(result): \(word)")
    }
  }

  @Test("a share names its owner and gets a URL; its root names the share, under a new tag")
  func save() async throws {
    let world = try await World()
    let trip = try await world.ada.save(World.record("trip", ["title": "Rome"]))
    var share = World.share("s", of: "trip", with: [("ben", .readOnly)])
    share.fields = ["title": "Our trip"]
    let saved = try #require(try await world.ada.modify([share])[0].record)
    #expect(saved.share?.url.hasPrefix("tidings://share/default/development/") == true)
    #expect(
      saved.share?.participants == [
        .init(
          userRecordName: "ada",
          role: .owner,
          permission: .readWrite,
          acceptanceStatus: .accepted
        ),
        .init(
          userRecordName: "ben",
          role: .privateUser,
          permission: .readOnly,
          acceptanceStatus: .pending
        ),
      ]
    )
    let root = try await world.stored("trip")
    #expect(root.shareRecordName == "s")
    #expect(root.changeTag != trip.changeTag)
    #expect(root.fields["title"] == "Rome")
    #expect(try await world.stored("s").fields["title"] == "Our trip")
    // Whatever the policy, a share is compared.
    expect(try await world.ada.modify([share], policy: .changedKeys)[0], .serverRecordChanged)
    try await world.change("s") { $0.publicPermission = .readOnly }
    let changed = try await world.stored("s")
    #expect(changed.share?.url == saved.share?.url)
    // A save of the root keeps its share's name, whatever is sent.
    _ = try await world.ada.modify([World.record("trip", ["title": "Oslo"])])
    #expect(try await world.stored("trip").shareRecordName == "s")
  }

  @Test("what cannot be shared is refused, with what to do")
  func refusals() async throws {
    let world = try await World()
    let ada = world.ada
    expect(
      try await ada.modify([World.share("s", of: "trip")])[0],
      .referenceViolation,
      about: "trip",
      "save it first"
    )
    try await world.shareTrip(accepted: false)
    expect(try await ada.modify([World.share("t", of: "trip")])[0], .alreadyShared, about: "'s'")
    expect(try await ada.modify([World.share("t", of: "stop")])[0], .alreadyShared, about: "stop")
    _ = try await ada.modify([World.record("year"), World.record("trip", in: "year")])
    expect(try await ada.modify([World.share("t", of: "year")])[0], .alreadyShared, about: "trip")
    expect(
      try await ada.modify([World.share("cloudkit.zoneshare")])[0],
      .serverRejectedRequest,
      about: "shared"
    )
    for (name, list, code) in [
      ("a", [("cleo", .readOnly), ("cleo", .readOnly)], .participantAlreadyInvited),
      ("b", [("ada", .readOnly)], .invalidArguments),
      ("c", (0..<100).map { ("user\($0)", .readOnly) }, .tooManyParticipants),
      ("d", [("", .readOnly)], .invalidArguments),
    ] as [(String, [(String, TidingsV1.ParticipantPermission)], TidingsV1.ErrorCode)] {
      expect(try await ada.modify([World.share(name, of: "diary", with: list)])[0], code)
    }
    var other = try await world.stored("s")
    other.share?.rootRecordName = "diary"
    expect(try await ada.modify([other])[0], .invalidArguments, about: "cannot change")
    // A name, a type and a member that belong together.
    expect(try await ada.modify([World.share("z")])[0], .invalidArguments, about: "zoneshare")
    var bare = World.record("bare")
    bare.share = .init()
    expect(try await ada.modify([bare])[0], .invalidArguments, about: "cloudkit.share")
    var homeless = World.share("s", of: "trip")
    homeless.recordID?.zoneID = nil
    expect(try await ada.modify([homeless])[0], .badDatabase, about: "default zone")
  }

  @Test("what an atomic call cannot share, it does not save either")
  func atomic() async throws {
    let world = try await World()
    let failed = try await world.ada.modify([
      World.record("trip"), World.share("s", of: "trip", with: [("ben", .readOnly)]),
      World.share("t", of: "nothing"),
    ])
    #expect(failed.map(World.code) == [22, 22, 31])
    #expect(World.code(try await world.ada.fetch(World.ids("trip"))[0]) == 11)
    let partly = try await world.ada.modify(
      [
        World.record("trip"), World.record("day"), World.share("s", of: "trip"),
        World.share("t", of: "nothing"), World.share("u", of: "day"),
      ],
      atomic: false
    )
    #expect(partly.map(World.code) == [0, 0, 0, 31, 0])
    #expect(try await world.stored("trip").shareRecordName == "s")
    #expect(try await world.stored("day").shareRecordName == "u")
  }

  @Test("who was invited accepts; to a stranger there is no share, to its owner it is his own")
  func accept() async throws {
    let world = try await World()
    let url = try await world.shareTrip(.readOnly, accepted: false)
    let service = TidingsV1.ShareService.Client(world.cleo.transport)
    let strangers = try await service.fetchShareMetadata(.init(urls: [url, "nonsense"])).results
    for result in strangers {
      guard case .error(let error)? = result.outcome else {
        Issue.record("\(result)")
        continue
      }
      #expect(error.code == .unknownItem)
    }
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
    let before = try await world.stored("s").changeTag
    let metadata = try await world.accept(url, by: world.ben)
    #expect(metadata.zoneID == .init(zoneName: "trips", ownerName: "ada"))
    #expect(metadata.rootRecordName == "trip")
    #expect(metadata.participant?.acceptanceStatus == .accepted)
    #expect(try await world.stored("s").changeTag != before)
    let after = try await world.stored("s").changeTag
    try await world.accept(url, by: world.ben)
    #expect(try await world.stored("s").changeTag == after)
    guard case .error(let own)? = try await World.acceptance(of: url, by: world.ada).outcome,
      case .error(let strange)? = try await World.acceptance(of: url, by: world.cleo).outcome
    else { throw WaitingFailure(description: "accepted") }
    #expect(own.code == .serverRejectedRequest)
    #expect(strange.code == .unknownItem)
    let bens = TidingsV1.ShareService.Client(world.ben.transport)
    let root = try await bens.fetchShareMetadata(.init(urls: [url], wantsRootRecord: true)).results
    guard case .metadata(let known)? = root[0].outcome else {
      throw WaitingFailure(description: "\(root)")
    }
    #expect(known.rootRecord?.recordID == World.theirID("trip"))
    for client in [world.ada, world.ben] {
      let shares = try await TidingsV1.ShareService.Client(client.transport)
        .fetchShares(.init(limit: 1))
      #expect(shares.shares.map { $0.share?.recordID } == [World.theirID("s")])
      #expect(shares.continuation.isEmpty)
    }
    #expect(try await service.fetchShares(.init()).shares.isEmpty)
  }

  @Test("a participant reads what is shared, whatever comes and goes, and nothing else")
  func reads() async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    let all = ["trip", "day", "stop", "s", "diary", "nothing"]
    #expect(
      try await World.seen(all, by: world.ben)
        == ["ada/trip", "ada/day", "ada/stop", "ada/s", "11", "11"]
    )
    #expect(try await World.seen(all, by: world.cleo) == Array(repeating: "26", count: 6))
    // Into the share with all that is below, and out of it.
    _ = try await world.ada.modify([World.record("page", in: "diary")])
    _ = try await world.ada.modify([World.record("diary", in: "day")])
    #expect(try await World.seen(["diary", "page"], by: world.ben) == ["ada/diary", "ada/page"])
    var loose = World.record("diary")
    loose.parent = .init(recordID: .init(""))
    _ = try await world.ada.modify([loose])
    #expect(try await World.seen(["diary", "page"], by: world.ben) == ["11", "11"])
    _ = try await world.ada.modify(delete: World.ids("stop"))
    #expect(try await World.seen(["stop"], by: world.ben) == ["11"])
    let named = try await world.ben.records.fetchRecords(
      .init(databaseID: World.shared, recordIDs: [.init("trip", zone: "trips")])
    ).results[0]
    expect(named, .invalidArguments, about: "owner")
    let own = try await world.ada.records.fetchRecords(
      .init(databaseID: World.shared, recordIDs: [World.theirID("trip")])
    ).results[0]
    expect(own, .invalidArguments, about: "your own")
  }

  @Test("who is removed, or came with a URL that is closed again, has nothing at once")
  func removed() async throws {
    let world = try await World()
    let url = try await world.shareTrip()
    try await world.change("s") { $0.publicPermission = .readOnly }
    let joined = try await world.accept(url, by: world.cleo)
    #expect(joined.participant?.role == .publicUser)
    #expect(joined.participant?.permission == .readOnly)
    #expect(World.code(try await world.cleo.modifyShared([World.theirs("day")])[0]) == 10)
    try await world.change("s") { $0.publicPermission = .readWrite }
    #expect(World.code(try await world.cleo.modifyShared([World.theirs("day")])[0]) == 0)
    try await world.change("s") { $0.publicPermission = .none }
    #expect(try await World.seen(["trip"], by: world.cleo) == ["26"])
    #expect(try await World.seen(["trip"], by: world.ben) == ["ada/trip"])
    try await world.change("s") { share in
      share.participants.removeAll { $0.userRecordName == "ben" }
    }
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
    #expect(World.code(try await world.ben.modifyShared([World.theirs("day")])[0]) == 26)
    guard case .error? = try await World.acceptance(of: url, by: world.ben).outcome else {
      throw WaitingFailure(description: "accepted")
    }
  }

  @Test(
    "who has no permission any more has nothing, and accepts again with a permission; others stay"
  )
  func permissionLost() async throws {
    let world = try await World(arguments: ["--limit", "accepted-shares-per-user-max=1"])
    let url = try await world.shareTrip()
    try await world.change("s") { $0.publicPermission = .readOnly }
    try await world.accept(url, by: world.cleo)
    // Those who came with the URL have the permission of the URL, whatever the list says.
    try await world.change("s") { share in
      for index in share.participants.indices where share.participants[index].role != .owner {
        share.participants[index].permission = .none
      }
    }
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
    #expect(try await World.seen(["trip"], by: world.cleo) == ["ada/trip"])
    // What ben has lost does not count as accepted.
    _ = try await world.ada.modify([World.share("d", of: "diary", with: [("ben", .readOnly)])])
    try await world.accept(try await world.url("d"), by: world.ben)
    try await world.change("s") { share in
      for index in share.participants.indices
      where share.participants[index].userRecordName == "ben" {
        share.participants[index].permission = .readOnly
      }
    }
    #expect(try await World.seen(["trip"], by: world.ben) != ["ada/trip"])
    guard case .error(let error)? = try await World.acceptance(of: url, by: world.ben).outcome
    else {
      throw WaitingFailure(description: "accepted one too many")
    }
    #expect(error.code == .limitExceeded)
    _ = try await world.ben.modifyShared(delete: ["d"])
    try await world.accept(url, by: world.ben)
    #expect(try await World.seen(["trip"], by: world.ben) == ["ada/trip"])
  }

  @Test("a participant leaves by deleting the share, and may come back who was invited")
  func leave() async throws {
    let world = try await World()
    let url = try await world.shareTrip(.readOnly)
    let left = try await world.ben.modifyShared(delete: ["s"])
    #expect(left[0].outcome == .deleted(true))
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
    let share = try await world.stored("s")
    #expect(share.share?.participants.last?.acceptanceStatus == .removed)
    #expect(share.modified?.userRecordName == "ben")
    try await world.accept(url, by: world.ben)
    #expect(try await World.seen(["trip"], by: world.ben) == ["ada/trip"])
  }

  @Test("a share ends with its record, its root and its zone; what it held stays")
  func end() async throws {
    let world = try await World()
    let url = try await world.shareTrip()
    _ = try await world.ada.modify(delete: World.ids("s"))
    #expect(try await World.seen(["trip", "day"], by: world.ben) == ["26", "26"])
    #expect(try await world.stored("trip").shareRecordName == "")
    guard case .error? = try await World.acceptance(of: url, by: world.ben).outcome else {
      throw WaitingFailure(description: "accepted")
    }
    // Shared again, under the same name: another URL, and ben has to accept again.
    _ = try await world.ada.modify([World.share("s", of: "trip", with: [("ben", .readOnly)])])
    let second = try await world.url("s")
    #expect(second != url)
    try await world.accept(second, by: world.ben)
    #expect(try await World.seen(["trip", "stop"], by: world.ben) == ["ada/trip", "ada/stop"])
    let answer = try await world.ada.records.modifyRecords(
      .init(recordIDsToDelete: World.ids("trip", "day", "stop"))
    )
    #expect(answer.results.map(World.code) == [0, 0, 0])
    #expect(answer.cascadedDeletions.map { $0.recordID?.recordName } == ["s"])
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
    #expect(World.code(try await world.ada.fetch(World.ids("s"))[0]) == 11)

    try await world.shareTrip()
    _ = try await world.ada.zones.modifyRecordZones(
      .init(zoneIDsToDelete: [.init(zoneName: "trips")])
    )
    #expect(try await World.seen(["trip"], by: world.ben) == ["26"])
  }

  @Test("what is shared, and with whom, is there after a restart")
  func restart() async throws {
    let server = try await TestServer.startLasting()
    let world = try await World(server)
    try await world.shareTrip()
    try await server.crash()
    let again = try await server.restarted()
    let ben = try await again.client(as: "ben")
    let ada = try await again.client(as: "ada")
    #expect(try await World.seen(["stop", "diary"], by: ben) == ["ada/stop", "11"])
    let results = try await ben.modifyShared([World.theirs("new", in: "stop")])
    #expect(results.map(World.code) == [0])
    #expect(World.code(try await ada.modify([World.share("t", of: "day")])[0]) == 30)
    #expect(World.code(try await ada.modify([World.share("cloudkit.zoneshare")])[0]) == 15)
  }
}
