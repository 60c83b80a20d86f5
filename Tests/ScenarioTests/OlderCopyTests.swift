internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// An older copy of the data folder in place of the folder: what clients keep from after the copy
/// expires in every feed, and what they keep from before it goes on.
@Suite(.endsServers, .embeddedOnly) struct OlderCopyTests {
  private typealias World = SharingWorld

  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)
  private static let trips = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")
  private static let whole = TidingsV1.ZoneID(zoneName: "whole", ownerName: "ada")

  /// A place in each feed.
  private struct Positions {
    var log: [UInt8] = []
    var zone: [UInt8] = []
    var publicZone: [UInt8] = []
    var database: [UInt8] = []
    var sharedRecords: [UInt8] = []
    var sharedZone: [UInt8] = []
    var sharedDatabase: [UInt8] = []
    var query: [UInt8] = []
  }

  // MARK: The world

  /// A server with something in every feed.
  private func makeWorld() async throws -> World {
    let world = try await World()
    try await world.shareTrip()
    let made = try await world.ada.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "whole"))])
    )
    try #require(made.results.count == 1)
    var share = World.share("cloudkit.zoneshare", with: [("ben", .readOnly)])
    share.recordID?.zoneID?.zoneName = "whole"
    let results = try await world.ada.modify([share])
    let stored = try #require(results[0].record, "\(results)")
    let url = try #require(stored.share?.url)
    try await world.accept(url, by: world.ben)
    try await world.ada.declare("Houses")
    try await world.ada.subscribe(.init("all", "Houses"))
    try await change(world, 0..<3)
    return world
  }

  /// Changes something in every feed, once for each number.
  private func change(_ world: World, _ numbers: Range<Int>) async throws {
    let builder = try await world.server.client(as: "ada", device: "builder")
    for number in numbers {
      let own: [TidingsV1.Record] = [
        .init("Houses", "h\(number)"), .init("Notes", "n\(number)", zone: "whole"),
        World.record("t\(number)", in: "trip"),
      ]
      for result in try await builder.modify(own) { try #require(result.record != nil) }
      let common = try await builder.modify(
        [.init("Houses", "p\(number)")],
        in: Self.publicDatabase
      )
      try #require(common[0].record != nil)
    }
  }

  // MARK: The feeds

  private func log(_ client: Client, after token: [UInt8]) async throws -> (Int, [UInt8]) {
    let page = try await client.feed(after: token)
    return (page.notifications.count, page.token)
  }

  private func zone(
    _ client: Client,
    _ zone: TidingsV1.ZoneID,
    after token: [UInt8],
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> (Int, [UInt8]) {
    let zones = try await client.records.fetchRecordZoneChanges(
      .init(databaseID: database, zones: [.init(zoneID: zone, changeToken: token)])
    ).zones
    let page = try #require(zones.first)
    if let error = page.error {
      guard error.code == .changeTokenExpired else {
        throw WaitingFailure(description: "refused otherwise: \(error)")
      }
      throw RPCError(.outOfRange, error.message)
    }
    #expect(!page.moreComing)
    return (page.changedRecords.count, page.changeToken)
  }

  private func database(
    _ client: Client,
    after token: [UInt8],
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> (Int, [UInt8]) {
    let page = try await client.records.fetchDatabaseChanges(
      .init(databaseID: database, changeToken: token)
    )
    #expect(!page.moreComing)
    return (page.changedZoneIDs.count, page.changeToken)
  }

  private func query(_ client: Client, after cursor: [UInt8]) async throws -> [UInt8] {
    let request =
      cursor.isEmpty
      ? TidingsV1.QueryRecordsRequest(
        recordType: "Houses",
        predicate: .init(text: "TRUEPREDICATE"),
        limit: 1
      ) : TidingsV1.QueryRecordsRequest(limit: 1, cursor: cursor)
    return try await client.records.queryRecords(request).cursor
  }

  private func positions(
    _ world: World,
    after old: Positions = Positions()
  ) async throws -> Positions {
    var positions = Positions()
    positions.log = try await log(world.ada, after: old.log).1
    positions.zone = try await zone(world.ada, .init(zoneName: ""), after: old.zone).1
    positions.publicZone = try await zone(
      world.ada,
      .init(zoneName: ""),
      after: old.publicZone,
      in: Self.publicDatabase
    ).1
    positions.database = try await database(world.ada, after: old.database).1
    positions.sharedRecords = try await zone(
      world.ben,
      Self.trips,
      after: old.sharedRecords,
      in: World.shared
    ).1
    positions.sharedZone = try await zone(
      world.ben,
      Self.whole,
      after: old.sharedZone,
      in: World.shared
    ).1
    positions.sharedDatabase = try await database(
      world.ben,
      after: old.sharedDatabase,
      in: World.shared
    ).1
    positions.query = try await query(world.ada, after: old.query)
    return positions
  }

  /// What becomes of each place: why it is refused, by feed.
  private func refusals(_ world: World, _ positions: Positions) async -> [String: RPCError?] {
    [
      "log": await failure { _ = try await log(world.ada, after: positions.log) },
      "zone": await failure {
        _ = try await zone(world.ada, .init(zoneName: ""), after: positions.zone)
      },
      "public zone": await failure {
        _ = try await zone(
          world.ada,
          .init(zoneName: ""),
          after: positions.publicZone,
          in: Self.publicDatabase
        )
      },
      "database": await failure { _ = try await database(world.ada, after: positions.database) },
      "shared records": await failure {
        _ = try await zone(world.ben, Self.trips, after: positions.sharedRecords, in: World.shared)
      },
      "shared zone": await failure {
        _ = try await zone(world.ben, Self.whole, after: positions.sharedZone, in: World.shared)
      },
      "shared database": await failure {
        _ = try await database(world.ben, after: positions.sharedDatabase, in: World.shared)
      },
      "query": await failure { _ = try await query(world.ada, after: positions.query) },
    ]
  }

  // MARK: The copy

  private func copyData(_ folder: TemporaryFolder) throws {
    try FileManager.default.copyItem(atPath: folder.file("data"), toPath: folder.file("copy"))
  }

  /// Puts the older copy in place, as an operator does by hand.
  private func installCopy(_ folder: TemporaryFolder) throws {
    try FileManager.default.removeItem(atPath: folder.file("data"))
    try FileManager.default.moveItem(atPath: folder.file("copy"), toPath: folder.file("data"))
  }

  /// A world whose server runs on an older copy: its places before the copy, and after.
  private func makeOldWorld() async throws -> (World, before: Positions, after: Positions) {
    var world = try await makeWorld()
    let before = try await positions(world)
    let folder = world.server.folder
    try await world.server.stop()
    try copyData(folder)
    world = try await continued(world)
    try await change(world, 3..<8)
    let after = try await positions(world, after: before)
    try await world.server.stop()
    try installCopy(folder)
    return (try await continued(world), before, after)
  }

  private func continued(_ world: World) async throws -> World {
    try await World(continuing: world.server.restarted())
  }

  @Test("tokens from after the copy are ahead: refused as expired", arguments: [0, 5, 9])
  func ahead(changes: Int) async throws {
    let (world, _, after) = try await makeOldWorld()
    // As many other changes as those that the tokens cover, or more.
    try await change(world, 100..<100 + changes)
    for (feed, refusal) in await refusals(world, after) {
      #expect(refusal?.code == .outOfRange, "\(feed): \(String(describing: refusal))")
      #expect(refusal?.message.contains("restored") == true, "\(feed)")
    }
    // What begins without a token has it all.
    #expect(try await log(world.ada, after: []).0 == 3 + changes)
  }

  @Test("tokens from before the copy go on, and miss nothing")
  func before() async throws {
    let (world, before, _) = try await makeOldWorld()
    try await change(world, 100..<109)
    #expect(try await log(world.ada, after: before.log).0 == 9)
    #expect(try await zone(world.ada, .init(zoneName: ""), after: before.zone).0 == 9)
    let shared = try await zone(
      world.ben,
      Self.trips,
      after: before.sharedRecords,
      in: World.shared
    )
    #expect(shared.0 == 9)
    for (feed, refusal) in await refusals(world, before) {
      #expect(refusal == nil, "\(feed): \(String(describing: refusal))")
    }
  }

  @Test("an inbox that may begin again misses nothing of an older copy")
  func inbox() async throws {
    var world = try await makeWorld()
    let folder = world.server.folder
    try await world.server.stop()
    try copyData(folder)
    world = try await continued(world)
    let path = folder.file("inbox")
    let laptop = try await world.server.client(as: "ada", device: "tablet")
    let first = try laptop.notificationInbox(at: path)
    try await change(world, 3..<8)
    try await read(8, of: first)
    try await first.commit()
    await first.close()

    try await world.server.stop()
    try installCopy(folder)
    world = try await continued(world)
    try await change(world, 100..<109)
    var options = NotificationInbox.Options()
    options.restartsWhenExpired = true
    let next = try await world.server.client(as: "ada", device: "tablet")
      .notificationInbox(at: path, options: options)
    let names = try await read(12, of: next)
    let new = (100..<109).map { "h\($0)" }
    #expect(names == ["h0", "h1", "h2"] + new)
    await next.close()
  }

  @discardableResult
  private func read(_ count: Int, of inbox: NotificationInbox) async throws -> [String] {
    var names: [String] = []
    var iterator = inbox.makeAsyncIterator()
    while names.count < count {
      let item = try #require(try await iterator.next())
      names.append(item.notification.recordID?.recordName ?? "")
    }
    return names
  }
}
