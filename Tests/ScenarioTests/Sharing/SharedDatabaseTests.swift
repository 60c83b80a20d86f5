internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// What participants read: zones, feeds, waits, queries, assets and notifications of the shared
/// database.
@Suite(.endsServers) struct SharedDatabaseTests {
  private typealias World = SharingWorld
  private let trips = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")

  private func changes(
    _ client: Client,
    after token: [UInt8] = [],
    types: [String] = [],
    keys: [String]? = nil,
    limit: UInt32 = 0,
    wait: Int64? = nil
  ) async throws -> TidingsV1.ZoneChanges {
    let zones = try await client.records.fetchRecordZoneChanges(
      .init(
        databaseID: World.shared,
        zones: [
          .init(
            zoneID: trips,
            changeToken: token,
            desiredKeys: keys.map { .init(keys: $0) },
            recordTypes: types
          )
        ],
        limit: limit,
        maxWait: wait.map { .init(seconds: $0) }
      ),
      options: CallOptions(timeout: .seconds(600))
    ).zones
    return try #require(zones.first)
  }

  private func zones(
    _ client: Client,
    after token: [UInt8] = [],
    limit: UInt32 = 0,
    wait: Int64? = nil
  ) async throws -> TidingsV1.FetchDatabaseChangesResponse {
    try await client.records.fetchDatabaseChanges(
      .init(
        databaseID: World.shared,
        changeToken: token,
        limit: limit,
        maxWait: wait.map { .init(seconds: $0) }
      ),
      options: CallOptions(timeout: .seconds(600))
    )
  }

  private func names(_ page: TidingsV1.ZoneChanges) -> Set<String> {
    Set(page.changedRecords.compactMap(\.recordID?.recordName))
  }

  private func gone(_ page: TidingsV1.ZoneChanges) -> [String] {
    page.deletedRecords.compactMap(\.recordID?.recordName)
  }

  @Test("zones: those with accepted shares, and no sign of others")
  func fetchZones() async throws {
    let world = try await World()
    let url = try await world.shareTrip(accepted: false)
    func results(_ ids: [TidingsV1.ZoneID] = []) async throws -> [TidingsV1.ZoneResult] {
      try await world.ben.zones.fetchRecordZones(
        .init(databaseID: World.shared, zoneIDs: ids)
      ).results
    }
    #expect(try await results().isEmpty)
    let unknown = TidingsV1.ZoneID(zoneName: "never", ownerName: "eve")
    for result in try await results([trips, unknown]) {
      guard case .error(let error) = result.outcome else {
        Issue.record("not refused: \(result)")
        continue
      }
      #expect(error.code == .zoneNotFound && error.message.contains("is not shared with you"))
    }
    try await world.accept(url, by: world.ben)
    let found = try await results()
    guard case .zone(let zone)? = found.first?.outcome, found.count == 1 else {
      Issue.record("not one zone: \(found)")
      return
    }
    #expect(zone.zoneID == trips && zone.capabilities?.fetchChanges == true)
    #expect(zone.capabilities?.sharing == false)
    let own = try await world.ada.zones.fetchRecordZones(
      .init(zoneIDs: [.init(zoneName: "trips"), .init()])
    ).results
    let sharing = own.map { result -> Bool? in
      guard case .zone(let zone)? = result.outcome else { return nil }
      return zone.capabilities?.sharing
    }
    #expect(sharing == [true, false])
  }

  @Test("a zone's feed can be read newest first, down to where a token was")
  func newestFirst() async throws {
    let world = try await World()
    _ = try await world.shareTrip()
    func back(_ token: [UInt8] = [], limit: UInt32 = 0) async throws -> [TidingsV1.ZoneChanges] {
      var pages: [TidingsV1.ZoneChanges] = []
      repeat {
        let option = TidingsV1.ZoneChangesOptions(
          zoneID: trips,
          changeToken: pages.last?.changeToken ?? token,
          newestFirst: true
        )
        let answer = try await world.ben.records.fetchRecordZoneChanges(
          .init(databaseID: World.shared, zones: [option], limit: limit)
        )
        pages.append(try #require(answer.zones.first))
      } while pages.last?.moreComing == true
      return pages
    }
    func ordered(_ pages: [TidingsV1.ZoneChanges]) -> [String] {
      pages.flatMap(\.changedRecords).compactMap(\.recordID?.recordName)
    }
    try await world.ada.save(World.record("stop", in: "day"))
    try await world.ada.save(World.record("day", in: "trip"))
    let pages = try await back(limit: 1)
    #expect(pages.count >= 4 && ordered(pages).prefix(2) == ["day", "stop"])
    #expect(Set(ordered(pages)) == ["day", "s", "stop", "trip"] && ordered(pages).count == 4)
    #expect(ordered(try await back()) == ordered(pages))
    #expect(try await ordered(back(pages.last?.changeToken ?? [])).isEmpty)
    // Down to where a feed was that was read forwards; deletions too.
    let token = try await changes(world.ben).changeToken
    #expect(try await ordered(back(token)).isEmpty)
    _ = try await world.ada.modify(delete: World.ids("stop"))
    try await world.ada.save(World.record("trip"))
    let since = try await back(token, limit: 1)
    #expect(ordered(since) == ["trip"] && since.flatMap(gone) == ["stop"])
    // A token of one direction is refused in the other.
    let foreign = try await changes(world.ben, after: since[0].changeToken)
    #expect(foreign.error?.code == .invalidArguments)
  }

  @Test("a zone's feed: all shares of it as one, and what leaves them is deleted")
  func zoneFeed() async throws {
    let world = try await World()
    let url = try await world.shareTrip()
    var pages: [TidingsV1.ZoneChanges] = []
    repeat {
      pages.append(try await changes(world.ben, after: pages.last?.changeToken ?? [], limit: 1))
    } while pages.last?.moreComing == true
    #expect(pages.flatMap(names).sorted() == ["day", "s", "stop", "trip"])
    #expect(pages.flatMap(\.changedRecords).allSatisfy { $0.recordID?.zoneID == trips })
    var token = pages.last?.changeToken ?? []

    // What is beside the share moves nothing.
    try await world.ada.save(World.record("diary"))
    #expect(try await changes(world.ben, after: token).changeToken == token)

    // `day` leaves with all below it; then a further share brings it back, with the same token.
    var day = World.record("day")
    day.parent = .init(recordID: .init(""))
    try await world.ada.save(day)
    let left = try await changes(world.ben, after: token)
    #expect(gone(left).sorted() == ["day", "stop"] && names(left).isEmpty)
    #expect(left.deletedRecords.allSatisfy { $0.recordType == "Notes" })
    token = left.changeToken
    _ = try await world.ada.modify([
      World.share("t", of: "day", with: [("ben", .readOnly)])
    ])
    #expect(try await changes(world.ben, after: token).changedRecords.isEmpty)
    try await world.accept(try await world.url("t"), by: world.ben)
    let more = try await changes(world.ben, after: token, keys: [])
    #expect(names(more) == ["day", "stop", "t"])
    #expect(try await names(changes(world.ben, types: ["cloudkit.share"])) == ["s", "t"])

    // Losing one of two shares is reported by the token, losing the last by the zone.
    try await world.ben.shares.leave(World.theirID("t"))
    let expired = try await changes(world.ben, after: more.changeToken)
    #expect(expired.error?.code == .changeTokenExpired)
    #expect(try await names(changes(world.ben)) == ["s", "trip"])
    try await world.ben.shares.leave(World.theirID("s"))
    #expect(try await changes(world.ben).error?.code == .zoneNotFound)
    #expect(try await changes(world.cleo, after: token).error?.code == .zoneNotFound)
    try await world.accept(url, by: world.ben)
    let foreign = try await world.cleo.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init(zoneName: "x"), changeToken: token)])
    ).zones.first?.error?.code
    #expect(foreign == .zoneNotFound)
  }

  @Test("the database feed: zones come, change and go with a reason; a shared zone is its owner's")
  func databaseFeed() async throws {
    let world = try await World()
    let empty = try await zones(world.ben)
    #expect(empty.changedZoneIDs.isEmpty && empty.deletedZones.isEmpty)
    _ = try await world.ada.modify([
      World.record("diary"),
      World.share("cloudkit.zoneshare", with: [("ben", .readWrite), ("cleo", .readOnly)]),
    ])
    let url = try await world.url("cloudkit.zoneshare")
    try await world.accept(url, by: world.ben)
    try await world.accept(url, by: world.cleo)
    let first = try await zones(world.ben, after: empty.changeToken)
    #expect(first.changedZoneIDs == [trips])
    let page = try await changes(world.ben)
    #expect(names(page) == ["diary", "cloudkit.zoneshare"])
    _ = try await world.ada.modify(delete: World.ids("diary"))
    #expect(try await gone(changes(world.ben, after: page.changeToken)) == ["diary"])
    let second = try await zones(world.ben, after: first.changeToken)
    #expect(second.changedZoneIDs == [trips])
    #expect(try await zones(world.ben, after: second.changeToken).changedZoneIDs.isEmpty)

    try await world.change("cloudkit.zoneshare") { share in
      share.participants.removeAll { $0.userRecordName == "ben" }
    }
    let lost = try await zones(world.ben, after: second.changeToken)
    #expect(lost.deletedZones == [.init(zoneID: trips, reason: .deleted)])
    #expect(try await zones(world.ben, after: lost.changeToken).deletedZones.isEmpty)
    let before = try await zones(world.cleo)
    _ = try await world.ada.zones.modifyRecordZones(
      .init(zoneIDsToDelete: [.init(zoneName: "trips")], deletionReason: .purged)
    )
    let deleted = try await zones(world.cleo, after: before.changeToken)
    #expect(deleted.deletedZones == [.init(zoneID: trips, reason: .purged)])
  }

  @Test("calls that wait are woken by what is shared, by an acceptance and by a loss")
  func waits() async throws {
    let world = try await World()
    let url = try await world.shareTrip(accepted: false)
    let begin = try await zones(world.ben).changeToken
    // Without the wake-ups the answers are empty, after a minute.
    async let accepted = zones(world.ben, after: begin, wait: 60)
    try await world.accept(url, by: world.ben)
    var zoneToken = try await accepted.changeToken
    #expect(try await accepted.changedZoneIDs == [trips])
    var token = try await changes(world.ben).changeToken
    for round in 0..<5 {
      let (known, knownZones) = (token, zoneToken)
      async let zone = changes(world.ben, after: known, wait: 60)
      async let database = zones(world.ben, after: knownZones, wait: 60)
      try await world.ada.save(World.record("diary", ["value": .init(.int64Value(Int64(round)))]))
      try await world.ada.save(World.record("stop", ["value": .init(.int64Value(Int64(round)))]))
      #expect(try await names(zone) == ["stop"])
      #expect(try await database.changedZoneIDs == [trips])
      token = try await zone.changeToken
      zoneToken = try await database.changeToken
    }
    let (known, knownZones) = (token, zoneToken)
    async let zone = changes(world.ben, after: known, wait: 60)
    async let database = zones(world.ben, after: knownZones, wait: 60)
    try await world.ada.shares.end(.init("s", zone: "trips"))
    #expect(try await zone.error?.code == .zoneNotFound)
    #expect(try await database.deletedZones.map(\.zoneID) == [trips])
  }

  @Test("queries find what is shared, page by page, and have no changes of the rest")
  func queries() async throws {
    let world = try await World()
    try await world.shareTrip()
    var saves: [TidingsV1.Record] = []
    for number in 0..<30 {
      let value = ["value": TidingsV1.FieldValue(.int64Value(Int64(number)))]
      saves.append(World.record("in\(number)", in: "trip", value))
      saves.append(World.record("out\(number)", value))
    }
    _ = try await world.ada.modify(saves)
    for sort in [[], [TidingsV1.SortDescriptor(fieldName: "value", descending: true)]] {
      var found: [String] = []
      var request = TidingsV1.QueryRecordsRequest(
        databaseID: World.shared,
        recordType: "Notes",
        predicate: .init(text: "value >= 5"),
        sortDescriptors: sort,
        zoneID: trips,
        limit: 4
      )
      repeat {
        let page = try await world.ben.records.queryRecords(request)
        #expect(page.records.allSatisfy { $0.recordID?.zoneID == trips })
        found += page.records.compactMap(\.recordID?.recordName)
        request.cursor = page.cursor
      } while !request.cursor.isEmpty
      let expected = (5..<30).map { "in\($0)" }
      if sort.isEmpty {
        #expect(found.sorted() == expected.sorted())
      } else {
        #expect(found == expected.reversed())
      }
      request.cursor = []
      let explained = try await world.ben.records.explainQuery(.init(query: request))
      #expect(explained.recordsVisited == explained.recordsMatched)
      let refused = await failure { _ = try await world.cleo.records.queryRecords(request) }
      #expect(refused?.message.contains("is not shared with you") == true)
      request.zoneID = nil
      let unnamed = await failure { _ = try await world.ben.records.queryRecords(request) }
      #expect(unnamed?.code == .invalidArgument)
    }
  }

  @Test("assets of shared records can be downloaded, and no others")
  func assets() async throws {
    let world = try await World()
    try await world.shareTrip()
    let uploads = world.ada.assets()
    let (shown, hidden) = (Array("shown".utf8), Array("hidden".utf8))
    var assets: [TidingsV1.Asset] = []
    for bytes in [shown, hidden] { assets.append(try await uploads.upload(bytes)) }
    _ = try await world.ada.modify([
      World.record("stop", ["photo": .init(.assetValue(assets[0]))]),
      World.record("diary", ["photo": .init(.assetValue(assets[1]))]),
    ])
    let downloads = world.ben.assets(in: World.shared)
    #expect(try await downloads.download(assets[0]) == shown)
    let refused = await failure { _ = try await downloads.download(assets[1]) }
    #expect(refused?.code == .notFound)
    let foreign = await failure {
      _ = try await world.cleo.assets(in: World.shared).download(assets[0])
    }
    #expect(foreign?.code == .notFound)
  }

  @Test("database subscriptions are notified of what is shared, while it is")
  func subscriptions() async throws {
    let world = try await World()
    let url = try await world.shareTrip(accepted: false)
    let phone = try await world.server.client(as: "ben", device: "tablet")
    for subscription in [TidingsV1.Subscription("q", "Notes"), .zone("z", "trips")] {
      var subscription = subscription
      subscription.zoneID?.ownerName = "ada"
      let result = try await phone.subscriptions.modifySubscriptions(
        .init(databaseID: World.shared, subscriptionsToSave: [subscription])
      ).results.first
      #expect(result?.error?.code == .badDatabase, "\(String(describing: result))")
    }
    let saved = try await phone.subscriptions.modifySubscriptions(
      .init(databaseID: World.shared, subscriptionsToSave: [.database("all")])
    ).results.first
    try #require(saved?.error == nil)

    var token: [UInt8] = []
    func heard(by client: Client? = nil) async throws -> [TidingsV1.Notification] {
      let (notifications, next) = try await (client ?? phone).feed(after: token)
      token = next
      return notifications
    }
    try await world.accept(url, by: world.ben)
    let joined = try await heard()
    #expect(joined.map(\.recordID?.zoneID) == [trips])
    #expect(joined.first?.databaseID?.scope == .shared && joined.first?.type == .database)
    // Several records of one call, one notification; what is beside the share, none.
    _ = try await world.ada.modify([World.record("stop"), World.record("trip")])
    #expect(try await heard().isEmpty, "nothing was changed")
    _ = try await world.ada.modify([
      World.record("stop", ["title": "a"]), World.record("trip", ["title": "b"]),
    ])
    #expect(try await heard().count == 1)
    try await world.ada.save(World.record("diary", ["title": "c"]))
    #expect(try await heard().isEmpty)
    // The device that makes a change does not learn of it.
    _ = try await phone.modifyShared([World.theirs("stop", ["title": "d"])])
    #expect(try await heard().isEmpty)
    try await world.change("s") { $0.participants.removeAll { $0.userRecordName == "ben" } }
    #expect(try await heard().map(\.recordID?.zoneID) == [trips])
    try await world.ada.save(World.record("stop", ["title": "e"]))
    #expect(try await heard().isEmpty)
  }

  @Test("rpcctl shares, accepts, reads and leaves")
  func program() async throws {
    let world = try await World()
    let server = world.server
    try await world.ada.save(World.record("list", ["title": "milk"]))
    func run(_ arguments: String..., as user: String = "ben") async -> RpcctlRun {
      await RpcctlRun(server, arguments, as: user)
    }
    let made = await run(
      "shares",
      "create",
      "--zone",
      "trips",
      "--root",
      "list",
      "--invite",
      "ben:read-write",
      as: "ada"
    )
    #expect(made.exitCode == .success, "\(made.err)")
    let share = try await world.ada.shares.all()
    let url = try #require(share.first?.share?.share?.url)
    #expect(made.out.contains(url))
    let accepted = await run("shares", "accept", url)
    #expect(accepted.exitCode == .success && accepted.out.contains("READ_WRITE"), "\(accepted.err)")
    let listed = await run("shares", "list")
    #expect(listed.out.contains("ACCEPTED") && listed.lines.count == 1)
    let zones = await run("fetch-zones", "--database", "shared")
    #expect(zones.out.contains(#""zoneName":"trips","ownerName":"ada""#), "\(zones.out)")
    let fetched = await run("fetch-records", "list", "--database", "shared", "--zone", "ada/trips")
    #expect(fetched.out.contains("milk"), "\(fetched.out)\(fetched.err)")
    let found = await run(
      "query",
      "Notes",
      "--database",
      "shared",
      "--owner",
      "ada",
      "--zone",
      "trips"
    )
    #expect(found.lines.count == 1 && found.out.contains("milk"), "\(found.out)\(found.err)")
    let changed = await run("fetch-zone-changes", "ada/trips", "--database", "shared", "--all")
    #expect(changed.out.contains("milk"), "\(changed.out)\(changed.err)")
    let added = await run("shares", "add", "--zone", "trips", "--root", "list", "cleo", as: "ada")
    #expect(added.out.contains("cleo"), "\(added.err)")
    let open = await run(
      "shares",
      "set-public",
      "--zone",
      "trips",
      "--root",
      "list",
      "read-only",
      as: "ada"
    )
    #expect(open.out.contains(#""publicPermission":"READ_ONLY""#), "\(open.err)")
    let left = await run("shares", "leave", url)
    #expect(left.exitCode == .success, "\(left.err)")
    let none = await run("fetch-zones", "--database", "shared")
    #expect(none.out.isEmpty)
    let ended = await run("shares", "end", "--zone", "trips", "--root", "list", as: "ada")
    #expect(ended.exitCode == .success, "\(ended.err)")
  }
}
