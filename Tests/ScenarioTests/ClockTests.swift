internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC

/// A server whose clock is set: what lasts, lasts as long as was promised.
@Suite(.endsServers) struct ClockTests {
  /// When the clock is set, and what becomes of the server.
  enum Setting: CaseIterable {
    case whileRunning
    case whileStopped
    case beforeCrash
    case withMachineStart
  }

  private static let farAhead = Duration.seconds(40 * 86_400)

  /// Retention as short as it can be.
  private static let arguments = [
    "--limit",
    [
      "notification-retention-days=1", "tombstone-retention-days=1", "ancestor-retention-hours=1",
      "asset-retention-hours=1", "idempotency-retention-hours=1", "cursor-retention-minutes=60",
    ].joined(separator: ","),
  ]

  private func start(_ clock: ClockFault) async throws -> TestServer {
    try await .startLasting(arguments: Self.arguments, environment: clock.environment)
  }

  /// Waits until all of the server's own work was done once more: an index is declared, which wakes all
  /// of it, and is built.
  private func waitForOwnWork(_ client: Client, field: String) async throws {
    try await client.save(.init("Indexed", "i", [field: 1]))
    let learned = try await client.schemas.fetchSchema(.init()).text
    let declared = learned.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let words = line.split(separator: " ")
      return words.first == field[...] ? "\(field) INT64 QUERYABLE," : String(line)
    }
    _ = try await client.schemas.applySchema(.init(text: declared.joined(separator: "\n")))
    try await waitUntil("the index of \(field) to be built") {
      let indexes = try await client.schemas.fetchSchema(.init()).indexes
      return indexes.contains { $0.fieldName == field && $0.state == .ready }
    }
  }

  /// Sets the clock far ahead, lets the server do its own work with it, and sets it back.
  private func jump(
    _ setting: Setting,
    _ clock: ClockFault,
    _ server: TestServer,
    meanwhile body: (TestServer) async throws -> Void
  ) async throws -> TestServer {
    var server = server
    switch setting {
    case .whileRunning: try clock.setTimeOfDay(ahead: Self.farAhead)
    case .whileStopped:
      try await server.stop()
      try clock.setTimeOfDay(ahead: Self.farAhead)
      server = try await server.restarted()
    case .beforeCrash:
      try clock.setTimeOfDay(ahead: Self.farAhead)
      try await waitForOwnWork(server.client(as: "worker"), field: "crash")
      try await server.crash()
      server = try await server.restarted()
    case .withMachineStart:
      try await server.crash()
      try clock.setTimeOfDay(ahead: Self.farAhead)
      try clock.startMachine(uptime: .seconds(3_600))
      server = try await server.restarted()
    }
    try await waitForOwnWork(server.client(as: "worker"), field: "ahead")
    try await body(server)
    try clock.setTimeOfDay(ahead: .zero)
    try await waitForOwnWork(server.client(as: "worker"), field: "back")
    return server
  }

  @Test(
    "a clock that was 40 days ahead for a while costs nothing that is kept for an hour or a day",
    .embeddedOnly,
    arguments: Setting.allCases
  )
  func retention(_ setting: Setting) async throws {
    let clock = try ClockFault()
    let server = try await start(clock)
    let (laptop, phone) = try await (
      server.client(as: "ada", device: "laptop"), server.client(as: "ada", device: "phone")
    )
    try await laptop.subscribe(.init("all", "Notes", on: [.create]))
    _ = try await laptop.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "gone"))])
    )
    for number in 0..<4 { try await laptop.save(.init("Notes", "n\(number)", ["v": 1])) }
    // The token is from before the newest notification: a log that forgot it, expires it.
    let notifications = try await phone.feed(pageLimit: 1)
    let tokens = Tokens(
      feed: try await phone.notifications.fetchNotificationChanges(.init(limit: 1)).changeToken,
      zone: try await zoneChanges(phone, after: []).changeToken,
      database: try await phone.records.fetchDatabaseChanges(.init()).changeToken,
      cursor: try await phone.records.queryRecords(.init(recordType: "Notes", limit: 2)).cursor
    )
    #expect(notifications.notifications.count == 4)
    let first = try await laptop.save(.init("Notes", "kept", ["v": 1]))
    try await laptop.save(.init("Notes", "kept", ["v": 2]))
    _ = try await laptop.modify(delete: [.init("n3")])
    _ = try await laptop.zones.modifyRecordZones(
      .init(zoneIDsToDelete: [.init(zoneName: "gone")])
    )
    let answer = try await laptop.modify([.init("Notes", "once", ["v": 1])], key: "k")[0].record
    let uploads = try await Uploads(laptop, server)

    let after = try await jump(setting, clock, server) { server in
      let client = try await server.client(as: "ada", device: "tablet")
      await check(tokens, first, answer, uploads, client)
    }
    let client = try await after.client(as: "ada", device: "tablet")
    await check(tokens, first, answer, uploads, client)
  }

  /// What a client keeps for the server.
  private struct Tokens {
    let feed: [UInt8]
    let zone: [UInt8]
    let database: [UInt8]
    let cursor: [UInt8]
  }

  /// An asset that no record names, a part of one, and a part that is old.
  private struct Uploads {
    let asset: TidingsV1.Asset
    let part: TidingsV1.Asset

    init(_ client: Client, _ server: TestServer) async throws {
      asset = try await client.assets().upload([UInt8](repeating: 7, count: 1_000))
      // Of those that the first of the threads has: the old one, which the other has, goes later.
      part = .init(checksum: [UInt8](repeating: 2, count: 32), size: 10)
      _ = try await client.assetCalls.uploadAsset(.init(asset: part, offset: 0, chunk: [1, 2]))
      let old = TidingsV1.Asset(checksum: [UInt8](repeating: 3, count: 32), size: 10)
      _ = try await client.assetCalls.uploadAsset(.init(asset: old, offset: 0, chunk: [1]))
      let names = try Folder.names(server.folder.file("data/assets/incoming"))
      let name = try #require(names.first { $0.hasPrefix("03") })
      try server.folder.makeOld("data/assets/incoming/\(name)")
    }
  }

  private func check(
    _ tokens: Tokens,
    _ first: TidingsV1.Record,
    _ answer: TidingsV1.Record?,
    _ uploads: Uploads,
    _ client: Client
  ) async {
    await attempt("notifications") {
      let rest = try await client.feed(after: tokens.feed).notifications
      #expect(rest.compactMap(\.recordID?.recordName) == ["n1", "n2", "n3", "kept", "once"])
    }
    await attempt("deleted records") {
      let changes = try await zoneChanges(client, after: tokens.zone)
      #expect(changes.error == nil)
      #expect(changes.deletedRecords.compactMap(\.recordID?.recordName) == ["n3"])
    }
    await attempt("deleted zones") {
      let zones = try await client.records.fetchDatabaseChanges(
        .init(changeToken: tokens.database)
      )
      #expect(zones.deletedZones.count == 1)
    }
    await attempt("cursors") {
      let page = try await client.records.queryRecords(.init(limit: 9, cursor: tokens.cursor))
      #expect(page.records.first?.recordID?.recordName == "n2")
    }
    await attempt("ancestors") {
      let conflict = try await client.modify(
        [.init("Notes", "kept", tag: first.changeTag, ["v": 3])],
        policy: .ifServerRecordUnchanged
      )[0]
      #expect(conflict.ancestorRecord?.fields == ["v": 1])
    }
    await attempt("answers") {
      let repeated = try await client.modify([.init("Notes", "once", ["v": 1])], key: "k")[0]
      #expect(repeated.record?.changeTag == answer?.changeTag)
    }
    await attempt("assets") {
      let whole = try await client.assetCalls.uploadAsset(.init(asset: uploads.asset))
      let part = try await client.assetCalls.uploadAsset(.init(asset: uploads.part))
      #expect(whole.complete && part.offset == 2)
    }
  }

  /// Looks at one thing; the others are looked at though it fails.
  private func attempt(_ what: Comment, _ body: () async throws -> Void) async {
    do { try await body() } catch { Issue.record("\(what): \(error)") }
  }

  private func zoneChanges(
    _ client: Client,
    after token: [UInt8]
  ) async throws -> TidingsV1.ZoneChanges {
    let zone = TidingsV1.ZoneChangesOptions(
      zoneID: .init(zoneName: "_defaultZone"),
      changeToken: token
    )
    return try #require(
      try await client.records.fetchRecordZoneChanges(.init(zones: [zone])).zones.first
    )
  }

  @Test(
    "parts of uploads are as old as they are, whatever the clock is when the server starts",
    .embeddedOnly
  )
  func parts() async throws {
    let clock = try ClockFault()
    var server = try await start(clock)
    let client = try await server.client(as: "ada")
    let uploads = try await Uploads(client, server)
    try await server.stop()
    try clock.setTimeOfDay(ahead: Self.farAhead)
    server = try await server.restarted()
    let incoming = server.folder.file("data/assets/incoming")
    // The sweep comes to the old part last.
    try await waitUntil("the old part to be removed") {
      try !Folder.names(incoming).contains { $0.hasPrefix("03") }
    }
    #expect(try Folder.names(incoming).filter { !$0.hasPrefix("02") }.isEmpty)
    let again = try await server.client(as: "ada")
    #expect(try await again.assetCalls.uploadAsset(.init(asset: uploads.part)).offset == 2)
  }

  @Test(
    "a lease lasts as long as was asked for, though the clock was set when it was given or after",
    arguments: [7_200, 0],
    [7_200, 0, -7_200]
  )
  func leases(before: Int, after: Int) async throws {
    let clock = try ClockFault()
    let server = try await start(clock)
    let client = try await server.client(as: "ada", device: "one")
    let other = try await server.client(as: "ada", device: "two")
    try await client.subscribe(.init("all", "Jobs"))
    try await client.save(.init("Jobs", "job"))
    try clock.setTimeOfDay(ahead: .seconds(before))
    let begin = ContinuousClock.now
    let leased = try await client.notifications.leaseNotifications(
      .init(group: "jobs", visibilityTimeout: .init(seconds: 2))
    ).notifications
    #expect(leased.count == 1)
    try clock.setTimeOfDay(ahead: .seconds(after))
    var next: [TidingsV1.LeasedNotification] = []
    // Much longer than it lasts, and much shorter than the clock was set.
    let patience = Duration.seconds(60)
    try await waitUntil("the end of the lease", pausing: .milliseconds(20), for: patience) {
      let page = try await other.notifications.leaseNotifications(
        .init(group: "jobs", visibilityTimeout: .init(seconds: 600))
      )
      next = page.notifications
      guard next.isEmpty else { return true }
      let expiry = try #require(page.nextExpiry)
      try #require(expiry.seconds < 60, "the lease ends in \(expiry.seconds) s")
      return false
    }
    #expect(next.count == 1)
    #expect(begin.duration(to: .now) >= .milliseconds(1_990))
  }

  @Test("a lease outlasts a crash and a start of the machine, and ends when it lasted")
  func leaseAfterMachineStart() async throws {
    let clock = try ClockFault()
    var server = try await start(clock)
    let client = try await server.client(as: "ada", device: "one")
    try await client.subscribe(.init("all", "Jobs"))
    for name in ["a", "b"] { try await client.save(.init("Jobs", name)) }
    var worker = try await server.client(as: "ada", device: "two")
    func lease(_ seconds: Int64, limit: UInt32 = 1) async throws -> [String] {
      try await worker.notifications.leaseNotifications(
        .init(group: "jobs", limit: limit, visibilityTimeout: .init(seconds: seconds))
      ).notifications.compactMap(\.notification?.recordID?.recordName)
    }
    #expect(try await lease(600) == ["a"])
    #expect(try await lease(1) == ["b"])
    try await server.crash()
    // The machine was off for half an hour, says its clock: perhaps.
    try clock.setTimeOfDay(ahead: .seconds(1_800))
    try clock.startMachine(uptime: .seconds(-1))
    server = try await server.restarted()
    worker = try await server.client(as: "ada", device: "two")
    var again: [String] = []
    let patience = Duration.seconds(60)
    try await waitUntil("the end of the lease", pausing: .milliseconds(20), for: patience) {
      again = try await lease(600, limit: 9)
      return !again.isEmpty
    }
    #expect(again == ["b"])
  }

  @Test("a lease ends in time, however often the server is killed meanwhile")
  func leaseOverKills() async throws {
    var server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada", device: "one")
    try await client.subscribe(.init("all", "Jobs"))
    try await client.save(.init("Jobs", "job"))
    func lease(seconds: Int64) async throws -> Int {
      let worker = try await server.client(as: "ada", device: "two")
      let page = try await worker.notifications.leaseNotifications(
        .init(group: "jobs", visibilityTimeout: .init(seconds: seconds))
      )
      await worker.close()
      return page.notifications.count
    }
    #expect(try await lease(seconds: 6) == 1)
    // Each of the servers runs for a fraction of that.
    try await waitUntil("the end of the lease", pausing: .zero, for: .seconds(60)) {
      try await server.crash()
      server = try await server.restarted()
      return try await lease(seconds: 600) == 1
    }
  }

  @Test("dates follow the clock, also back")
  func dates() async throws {
    let clock = try ClockFault()
    let server = try await start(clock)
    let client = try await server.client(as: "ada", device: "laptop")
    for hours in [2, 0, -2, 0] {
      try clock.setTimeOfDay(ahead: .seconds(hours * 3_600))
      let before = Timestamp.now.millisecondsSince1970 / 1_000 + Int64(hours) * 3_600
      let saved = try await client.save(.init("Notes", "h\(hours)"))
      let after = Timestamp.now.millisecondsSince1970 / 1_000 + Int64(hours) * 3_600
      let date = try #require(saved.modified?.timestamp?.seconds)
      #expect((before...after).contains(date), "\(date - before) s, \(hours) hours ahead")
    }
  }

  @Test("a cursor and a wait survive a clock that is set back, and a set clock is logged")
  func back() async throws {
    let clock = try ClockFault()
    let server = try await start(clock)
    let client = try await server.client(as: "ada", device: "laptop")
    for number in 0..<4 { try await client.save(.init("Notes", "n\(number)")) }
    let cursor = try await client.records.queryRecords(.init(recordType: "Notes", limit: 2)).cursor
    try clock.setTimeOfDay(ahead: .seconds(-7_200))
    try await waitForOwnWork(client, field: "back")
    let page = try await client.records.queryRecords(.init(limit: 9, cursor: cursor))
    #expect(page.records.count == 2)
    try clock.setTimeOfDay(ahead: .seconds(7_200))
    try await waitForOwnWork(client, field: "ahead")
    let seen = try await server.process.seen.wait("the lines of the log") {
      $0.errors.contains("2 hours behind") && $0.errors.contains("2 hours ahead")
    }
    #expect(seen.errors.contains("retention follows it after 1 hour"))
  }
}
