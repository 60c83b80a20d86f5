internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Asking for access to shares, and the answers.
@Suite(.endsServers) struct AccessRequestTests {
  private typealias World = SharingWorld

  private static let unknown = TidingsV1.ErrorCode.unknownItem.rawValue
  private static let rejected = TidingsV1.ErrorCode.serverRejectedRequest.rawValue
  private static let exceeded = TidingsV1.ErrorCode.limitExceeded.rawValue

  /// A world in which ada's share can be asked for.
  private func openWorld(_ arguments: String...) async throws -> (World, url: String) {
    let world = try await World(arguments: arguments)
    let url = try await world.shareTrip(.readOnly)
    try await world.change("s") { $0.allowsAccessRequests = true }
    return (world, url)
  }

  @Test(
    "who may not accept asks, once; the owner sees it as a change, and grants it, across restarts"
  )
  func asksAndJoins() async throws {
    let (world, url) = try await openWorld()
    let before = try await world.stored("s")
    #expect(try await World.acceptanceCode(of: url, by: world.cleo) == Self.unknown)
    #expect(try await World.request(url, by: world.cleo) == 0)
    let asked = try await world.stored("s")
    #expect(asked.changeTag != before.changeTag)
    #expect(asked.modified == before.modified)
    #expect(asked.share?.requesters.map(\.userRecordName) == ["cleo"])
    #expect(asked.share?.requesters.first?.requested != nil)
    // Asking again changes nothing, nor does the request let anybody in.
    #expect(try await World.request(url, by: world.cleo) == 0)
    #expect(try await world.stored("s").changeTag == asked.changeTag)
    #expect(try await World.acceptanceCode(of: url, by: world.cleo) == Self.unknown)

    try await world.server.stop()
    let again = try await World(continuing: world.server.restarted())
    #expect(try await World.request(url, by: again.cleo) == 0)
    #expect(try await again.stored("s").changeTag == asked.changeTag)
    try await again.change("s") { $0.grantAccess(to: ["cleo"], .readWrite) }
    #expect(try await again.requesters() == [])
    #expect(try await World.request(url, by: again.cleo) == Self.rejected)
    #expect(try await World.acceptanceCode(of: url, by: again.cleo) == 0)
    #expect(try await World.code(again.cleo.modifyShared([World.theirs("day")])[0]) == 0)
  }

  @Test("a share that takes no requests is not there for strangers, and neither are other URLs")
  func closed() async throws {
    let world = try await World()
    let url = try await world.shareTrip(.readOnly)
    let oneTime = try await world.invite("guest")
    let nobodys = "tidings://share/default/development/AAAAAAAAAAAAAAAAAAAAAA"
    for client in [world.ben, world.cleo] {
      #expect(try await World.request(nobodys, by: client) == Self.unknown)
      #expect(try await World.request("nonsense", by: client) == Self.unknown)
    }
    #expect(try await World.request(url, by: world.cleo) == Self.unknown)
    try await world.change("s") { $0.allowsAccessRequests = true }
    #expect(try await World.request(oneTime, by: world.cleo) == Self.unknown)
    let elsewhere = url.replacing("/development/", with: "/production/")
    #expect(try await World.request(elsewhere, by: world.cleo) == Self.unknown)
    // Who may accept, and the owner, are reported to.
    #expect(try await World.request(url, by: world.ben) == Self.rejected)
    #expect(try await World.request(url, by: world.ada) == Self.rejected)
    #expect(try await world.requesters() == [])
    #expect(try await World.request(url, by: world.cleo) == 0)
    try await world.change("s") { $0.allowsAccessRequests = false }
    #expect(try await World.request(url, by: world.cleo) == Self.unknown)
    #expect(try await world.requesters() == ["cleo"])
    // A share that ended takes its requests with it.
    try await world.change("s") { $0.allowsAccessRequests = true }
    _ = try await world.ada.modify(delete: World.ids("s"))
    #expect(try await World.request(url, by: world.cleo) == Self.unknown)
  }

  @Test("who was denied, is blocked or has the permission NONE gets the answer of the others")
  func denied() async throws {
    let (world, url) = try await openWorld("--limit", "access-request-retention-hours=0")
    let names = ["cleo", "dora", "emil"]
    var clients: [Client] = []
    for name in names { clients.append(try await world.server.client(as: name)) }
    for client in clients { #expect(try await World.request(url, by: client) == 0) }
    #expect(try await world.requesters() == names)
    try await world.change("s") { share in
      share.denyAccess(to: ["cleo"])
      share.block(["dora"])
      share.participants.append(.init(userRecordName: "emil", permission: .none))
    }
    #expect(try await world.requesters() == [])
    for client in clients { #expect(try await World.request(url, by: client) == 0) }
    #expect(try await world.requesters() == ["cleo"])
    // What is blocked stays so, where anyone may join too.
    try await world.change("s") { $0.publicPermission = .readOnly }
    #expect(try await World.acceptanceCode(of: url, by: clients[1]) == Self.unknown)
    #expect(try await World.metadataCode(of: url, by: clients[1]) == Self.unknown)
    #expect(try await World.acceptanceCode(of: url, by: clients[0]) == 0)
    #expect(try await world.requesters() == [])
    try await world.change("s") { share in
      share.publicPermission = .none
      share.unblock(["dora"])
    }
    #expect(try await World.request(url, by: clients[1]) == 0)
    #expect(try await world.requesters() == ["dora"])
  }

  @Test("a denied request is remembered: asking again within its hours does not bother the owner")
  func remembered() async throws {
    let (world, url) = try await openWorld()
    #expect(try await World.request(url, by: world.cleo) == 0)
    try await world.change("s") { $0.denyAccess(to: ["cleo"]) }
    let denied = try await world.stored("s").changeTag
    #expect(try await World.request(url, by: world.cleo) == 0)
    #expect(try await world.stored("s").changeTag == denied)
    try await world.server.stop()
    let again = try await World(continuing: world.server.restarted())
    #expect(try await World.request(url, by: again.cleo) == 0)
    #expect(try await again.stored("s").changeTag == denied)
  }

  @Test("a save adds no requester, and a blocked user is no participant")
  func saves() async throws {
    let (world, url) = try await openWorld("--limit", "blocked-users-per-share-max=1")
    _ = try await World.request(url, by: world.cleo)
    try await world.change("s") { $0.requesters.append(.init(userRecordName: "dora")) }
    #expect(try await world.requesters() == ["cleo"])
    var record = try await world.stored("s")
    record.share?.blockedUserRecordNames = ["ben"]
    let both = try await world.ada.modify([record])[0]
    #expect(both.error?.code == .invalidArguments, "\(both)")
    #expect(both.error?.message.contains("ben") == true, "\(both)")
    record.share?.blockedUserRecordNames = ["dora", "emil"]
    #expect(try await world.ada.modify([record])[0].error?.code == .limitExceeded)
    record.share?.blockedUserRecordNames = ["cleo", "cleo"]
    #expect(World.code(try await world.ada.modify([record])[0]) == 0)
    let stored = try await world.stored("s").share
    #expect(stored?.blockedUserRecordNames == ["cleo"])
    #expect(stored?.requesters == [])
  }

  @Test("requests are bounded: of a share, of a user, and by the owner's room")
  func bounds() async throws {
    let (world, url) = try await openWorld(
      "--limit",
      "access-requests-per-share-max=1,access-requests-per-user-max=2"
    )
    let dora = try await world.server.client(as: "dora")
    #expect(try await World.request(url, by: world.cleo) == 0)
    #expect(try await World.request(url, by: dora) == Self.exceeded)
    #expect(try await World.request(url, by: world.cleo) == 0)
    var urls: [String] = []
    for name in ["u1", "u2"] {
      _ = try await world.ada.modify([
        World.record(name), World.share("s\(name)", of: name),
      ])
      try await world.change("s\(name)") { $0.allowsAccessRequests = true }
      urls.append(try await world.url("s\(name)"))
    }
    #expect(try await World.request(urls[0], by: world.cleo) == 0)
    #expect(try await World.request(urls[1], by: world.cleo) == Self.exceeded)
    // What is remembered does not count again.
    #expect(try await World.request(urls[0], by: world.cleo) == 0)
    #expect(try await World.request(urls[1], by: dora) == 0)
    #expect(try await world.requesters("su2") == ["dora"])
  }

  @Test("an owner without room gets no requests, and the requester is not reported why")
  func quota() async throws {
    let (world, url) = try await openWorld()
    try await world.server.stop()
    let full = try await TestServer.start(
      in: world.server.folder,
      arguments: ["--limit", "bytes-per-user-max=1"]
    )
    let again = try await World(continuing: full)
    let results = try await again.cleo.shares.requestAccess([url])
    #expect(results[0].error?.code == .limitExceeded, "\(results)")
    #expect(results[0].error?.message.contains("ada") == false, "\(results)")
    #expect(try await again.requesters() == [])
  }

  @Test(
    "participants learn nothing of requests, blocks and open invitations; owner and administrators do"
  )
  func secrecy() async throws {
    let (world, url) = try await openWorld()
    let dora = try await world.server.client(as: "dora")
    let emil = try await world.server.client(as: "emil")
    try await world.change("s") { share in
      share.grantAccess(to: ["emil"], .readWrite)
      share.setAdministrators(["emil"], to: true)
      share.block(["felix"])
    }
    _ = try await world.accept(url, by: emil)
    let oneTime = try await world.invite("guest")
    #expect(try await World.request(url, by: world.cleo) == 0)
    _ = try await World.request(url, by: dora)
    for version in try await World.versions(seenBy: world.ben, url: url) {
      #expect(version.share?.requesters == [], "\(version)")
      #expect(version.share?.blockedUserRecordNames == [], "\(version)")
      #expect(version.share?.participants.map(\.userRecordName) == ["ada", "ben", "emil"])
      #expect(version.modified?.userRecordName == "ada")
      for secret in ["cleo", "dora", "felix", "guest", oneTime] {
        #expect(!"\(version)".contains(secret), "\(secret) in \(version)")
      }
    }
    for version in try await World.versions(seenBy: emil, url: url) {
      #expect(version.share?.requesters.map(\.userRecordName) == ["cleo", "dora"])
      #expect(version.share?.blockedUserRecordNames == ["felix"])
      #expect(version.share?.oneTimeURL(for: "guest") == oneTime)
    }
  }

  @Test(
    "subscriptions of owner and administrators fire for a request, those of participants do not"
  )
  func subscriptions() async throws {
    let (world, url) = try await openWorld()
    let emil = try await world.server.client(as: "emil")
    try await world.change("s") { share in
      share.grantAccess(to: ["emil"], .readWrite)
      share.setAdministrators(["emil"], to: true)
    }
    _ = try await world.accept(url, by: emil)
    for client in [world.ben, emil] {
      let saved = try await client.subscriptions.modifySubscriptions(
        .init(databaseID: World.shared, subscriptionsToSave: [.database("all")])
      )
      try #require(saved.results.first?.error == nil)
    }
    let tablet = try await world.server.client(as: "ada", device: "tablet")
    try await tablet.subscribe(.database("mine"))
    #expect(try await World.request(url, by: world.cleo) == 0)
    #expect(try await tablet.feed().notifications.count == 1)
    #expect(try await emil.feed().notifications.count == 1)
    #expect(try await world.ben.feed().notifications.isEmpty)
    // What everybody sees is reported to everybody.
    try await world.change("s") { $0.publicPermission = .readOnly }
    #expect(try await world.ben.feed().notifications.count == 1)
    #expect(try await emil.feed().notifications.count == 2)
  }

  @Test("the same for a zone that is shared as a whole")
  func zoneWide() async throws {
    let world = try await World()
    var share = World.share("", with: [("ben", .readOnly)])
    share.recordID?.recordName = ""
    share.share?.allowsAccessRequests = true
    _ = try await world.ada.modify([World.record("note"), share])
    let url = try await world.url("cloudkit.zoneshare")
    _ = try await world.accept(url, by: world.ben)
    _ = try await world.ben.subscriptions.modifySubscriptions(
      .init(databaseID: World.shared, subscriptionsToSave: [.database("all")])
    )
    #expect(try await World.request(url, by: world.cleo) == 0)
    #expect(try await world.requesters("cloudkit.zoneshare") == ["cleo"])
    #expect(try await world.ben.feed().notifications.isEmpty)
    var request = TidingsV1.FetchRecordZoneChangesRequest(databaseID: World.shared)
    request.zones = [.init(zoneID: World.theirID("note").zoneID)]
    let page = try await world.ben.records.fetchRecordZoneChanges(request)
    let seen = try #require(page.zones.first?.changedRecords.first { $0.share != nil })
    #expect(seen.share?.requesters == [] && !"\(seen)".contains("cleo"), "\(seen)")
  }
}
