internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// What a user had, and what others offer a user, does not grow without end, and is not looked through.
@Suite struct BoundedLookupTests {
  @Test("users have only so many ended subscriptions of whose notifications some are kept")
  func endedSubscriptions() throws {
    var limits = Limits()
    limits.endedSubscriptionsPerUserMax = 3
    let store = try EventStore(limits: limits)
    store.time = 1_700_000_000_000
    // One that fired for the only time, and others that were changed.
    try store.subscribe("once", on: [.recordCreation, .once])
    for number in 0..<3 {
      store.time += 1_000
      try store.subscribe("s", where: "n >= \(number)", on: .recordCreation)
      try store.modify([Record("r\(number)", ["n": .int64(9)])])
    }
    func refusal() -> ItemError? {
      #expect(throws: ItemError.self) {
        try store.subscribe("s", where: "n >= 7", on: .recordCreation)
      }
    }
    #expect(refusal()?.code == .limitExceeded)
    #expect(try store.engine.subscription("s", of: "ada", in: EventStore.database).since == 0)
    // The same again changes nothing, and others are not concerned.
    #expect(try !store.subscribe("s", where: "n >= 2", on: .recordCreation).isNew)
    #expect(try store.subscribe("s", on: .recordCreation, of: "bob").isNew)
    // Their notifications are forgotten.
    try store.pass(.seconds(86_400 * (limits.notificationRetentionDays + 1)))
    for _ in 0..<3 { try store.pass(.seconds(3_600)) }
    #expect(try store.subscribe("s", where: "n >= 7", on: .recordCreation).isNew)
  }

  @Test("a user's shares are found behind any number of invitations elsewhere")
  func invitations() throws {
    let world = try FaultWorld()
    // More than are looked at together: of a share that has ended, and of other containers.
    try world.connection.execute(
      """
      INSERT INTO databases (id, container, environment, scope, owner, zone_floor)
        VALUES (900, 'other', 1, 2, 'eve', 0);
      WITH RECURSIVE n (i) AS (SELECT -700 UNION ALL SELECT i + 1 FROM n WHERE i < -1)
      INSERT INTO shares (id, database_id, zone_id, zone_name, name, root, token, public_permission, head)
        SELECT i, 900, 900, 'z', 'n' || i, 'r' || i, CAST(i AS BLOB), 1, 0 FROM n;
      INSERT INTO share_participants (share_id, user, role, permission, status, joined)
        SELECT id, 'ben', 3, 3, 1, 0 FROM shares WHERE id < 0
      """
    )
    /// A page from a share on, with room for so many.
    func page(after number: Int64, limit: Int, room: Int) throws -> (zones: [String], next: Int64?)
    {
      var zones: [String] = []
      let next = try world.commit { engine in
        try engine.shares(
          of: FaultWorld.ben,
          container: "c",
          environment: .development,
          after: number,
          limit: limit
        ) { share in
          guard zones.count < room else { return false }
          zones.append(share.zone.zoneName)
          return true
        }
      }
      return (zones, next)
    }
    let found = try page(after: -1_000, limit: 9, room: 9)
    #expect(found.zones.sorted() == ["notes", "whole"])
    #expect(found.next == nil)
    for (limit, room) in [(1, 9), (9, 1)] {
      let first = try page(after: -1_000, limit: limit, room: room)
      #expect(first.zones == found.zones.dropLast())
      let next = try #require(first.next)
      #expect(try page(after: next, limit: 9, room: 9).zones == [found.zones[1]])
    }
  }

  @Test(
    "what left a share that ends is forgotten when it would have been, and is not looked through"
  )
  func endedShare() throws {
    let world = try FaultWorld()
    try world.save([], delete: ["n0", "n1"])
    func rows(_ condition: String) throws -> Int64 {
      let statement = try world.connection.prepare(
        "SELECT count(*) FROM shared_records WHERE \(condition)"
      )
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : -1
    }
    #expect(try rows("gone = 0") > 0)
    let gone = try rows("gone > 0")
    #expect(gone >= 2)
    try world.save([], delete: ["s"])
    #expect(try rows("gone = 0") == 0 && rows("gone > 0") == gone)
    // The records can be shared again.
    try world.save([FaultWorld.share("again", FaultWorld.notes, of: "trip")])
    #expect(try rows("gone = 0") > 0)
  }

  @Test("an asset that very many records name is looked for in some of them, and then refused")
  func manyReferences() throws {
    let world = try FaultWorld()
    let shared = FaultWorld.sharedByAda
    let lookup = try AssetLookup(world.connection)
    let checksum = FaultWorld.asset.checksum
    #expect(try lookup.readableAsset(checksum, in: shared, by: "ben") == nil)
    func name(_ count: Int) throws {
      try world.connection.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO asset_references (database_id, checksum, zone_id, name)
          SELECT r.database_id, r.checksum, r.zone_id, 'other ' || i FROM asset_references r, n
          WHERE r.name = 'a'
        """
      )
    }
    try name(49_000)
    #expect(try lookup.readableAsset(checksum, in: shared, by: "ben") == nil)
    try world.connection.execute("DELETE FROM asset_references WHERE name <> 'a'")
    try name(60_000)
    let error = #expect(throws: ItemError.self) {
      _ = try lookup.readableAsset(checksum, in: shared, by: "ben")
    }
    #expect(error?.code == .limitExceeded)
    // One that is shared, and comes first.
    try world.save([
      FaultWorld.record("A", FaultWorld.notes, ["photo": .asset(FaultWorld.asset)], parent: "trip")
    ])
    #expect(try lookup.readableAsset(checksum, in: shared, by: "ben") != nil)
  }

  @Test("a call fires the channels of zones only so often, and one that says so fires none")
  func zoneEvents() throws {
    var limits = Limits()
    limits.eventsPerCallMax = 5
    let store = try EventStore(limits: limits)
    try store.saveZones("a", "b", "c")
    for number in 0..<3 {
      try store.subscribe("d\(number)", .database, type: "") { $0.alertBody = "\(number)" }
    }
    // Of other zones and types.
    try store.subscribe("only a", .recordZone, type: "", zone: "a")
    try store.teach("other")
    try store.subscribe("other", .database, type: "other")
    func save(in zones: String...) throws -> ItemError? {
      do {
        try store.modify(zones.map { Record("r", zone: $0, [:]) })
        return nil
      } catch let error as ItemError {
        return error
      }
    }
    #expect(try save(in: "a") == nil && store.newEvents().count == 4)
    #expect(try save(in: "b", "c")?.code == .limitExceeded && store.newEvents().isEmpty)
    let names = ["x", "y"].map { ZoneID(zoneName: $0) }
    let home = EventStore.database
    #expect(throws: ItemError.self) {
      try store.commit { try $0.checkChanges(saving: names, deleting: [], in: home) }
    }
    try store.commit { try $0.checkChanges(saving: [names[0]], deleting: [], in: home) }
  }

  @Test("one zone, too, is created with pauses when very many are notified of it")
  func oneZone() throws {
    let store = try EventStore()
    for number in 0..<301 {
      try store.subscribe("d\(number)", .database, type: "") { $0.alertBody = "\(number)" }
    }
    let zone = ZoneID(zoneName: "z")
    func check() throws {
      try store.commit {
        try $0.checkChanges(saving: [zone], deleting: [], in: EventStore.database)
      }
    }
    try check()
    store.engine.pace.givesUpLongCalls = true
    #expect(throws: LongCall.self) { try check() }
  }

  @Test("a user's shared database has only so many subscriptions, which fire with others' changes")
  func sharedSubscriptions() throws {
    var limits = Limits()
    limits.sharedSubscriptionsPerUserMax = 2
    limits.eventsPerCallMax = 1
    let world = try FaultWorld(limits: limits)
    func save(_ name: String, _ text: String) throws {
      var subscription = FaultWorld.subscription(name)
      (subscription.kind, subscription.recordType) = (.database, "")
      subscription.options = []
      subscription.notificationInfo?.alertBody = text
      try attempt { [subscription] in
        _ = try $0.saveSubscription(subscription, of: "ben", in: FaultWorld.sharedByAda)
      }
    }
    func attempt(_ body: (Engine) throws -> Void) throws {
      do { try world.commit(body) } catch {
        world.engine.rollback()
        throw error
      }
    }
    try save("a", "1")
    try save("b", "2")
    let error = #expect(throws: ItemError.self) { try save("c", "3") }
    #expect(error?.code == .limitExceeded)
    try save("b", "3")
    try world.save([], delete: ["s"])
    try world.save([FaultWorld.share("again", FaultWorld.notes, of: "trip")])
    let urls = try world.engine.shares(of: FaultWorld.ada, after: 0)
      .compactMap(\.record.share?.url)
    func check(_ urls: [String]) throws {
      try attempt {
        try $0.checkFirings(ofSharesAt: urls, for: FaultWorld.ben, isRequest: false)
      }
    }
    // Ben has accepted one of them, and would be notified twice of the other.
    #expect(throws: ItemError.self) { try check(urls) }
    let accepted = urls.filter(world.urls.contains)
    #expect(urls.count == 2 && accepted.count == 1)
    try check(accepted + accepted)
    for url in urls { try check([url]) }
  }

  @Test("a subscription that ended where another began with the same number is not taken for it")
  func emptyMembership() throws {
    let store = try FeedStore()
    try store.addChannel(1, head: 9)
    try store.write {
      try store.add(.init(channel: 1, name: "s", since: 5, ended: nil))
      try store.add(.init(channel: 1, name: "ended", since: 5, ended: 5))
    }
    let inbox = Inbox(user: "ada", container: "default", environment: .development)
    let memberships = try MembershipTable(store.connection)
    #expect(
      try memberships.subscriptionID(of: NotificationID(channel: 1, sequence: 6), in: inbox) == "s"
    )
  }

  @Test("a deletion is refused for the bytes of its cascades, and so is its dry run")
  func replacedBytes() throws {
    var limits = Limits()
    limits.replacedBytesPerCallMax = 1_000
    let store = try EventStore(limits: limits)
    let root = Record("root", [:])
    let reference = Reference(recordID: root.recordID, action: .deleteSelf)
    let text = String(repeating: "x", count: 900)
    try store.modify([root])
    for number in 0..<2 {
      try store.modify([
        Record("r\(number)", ["up": .reference(reference), "text": .string(text)])
      ])
    }
    for isDryRun in [true, false] {
      let error = #expect(throws: ItemError.self) {
        try store.modify(delete: [root.recordID], isDryRun: isDryRun)
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test("badges are counted whatever lies between, and given up when nobody waits")
  func manyEvents() throws {
    let store = try FeedStore()
    try store.addChannel(1, head: 0)
    var unread = 0
    try store.write {
      try store.add(.init(channel: 1, name: "s", since: 0, ended: nil))
      for number in 1...2_500 {
        let isOwn = number % 700 != 0
        try store.add(
          .init(
            channel: 1,
            sequence: Int64(number),
            committed: 1,
            origin: isOwn ? FeedStore.laptop : Caller(user: "ada", device: "phone"),
            body: [1]
          )
        )
        if !isOwn { unread += 1 }
      }
      try store.markRead(NotificationID(channel: 1, sequence: 1_400))
    }
    let locations = try EventPositions(store.connection)
    let interruption = Interruption()
    var checks = 0
    interruption.check = { checks += 1 }
    let counter = try UnreadCounter(
      store.connection,
      locations: locations,
      interruption: interruption
    )
    let membership = MembershipTable.Membership(channel: 1, subscriptionID: "s", since: 0)
    func count(max: Int64 = 9_999) throws -> Int64 {
      try counter.count(membership, of: "ada", visible: .all, withoutOwn: "laptop", max: max)
    }
    #expect(try count() == Int64(unread) - 1 && checks == 3)
    #expect(try count(max: 1) == 1)
    let listed = try counter.unread(
      membership,
      of: "ada",
      visible: .all,
      withoutOwn: "laptop",
      in: (0, .max),
      at: Timestamp(millisecondsSince1970: 0),
      max: 9
    )
    #expect(listed.count == unread)
    interruption.check = { throw WaitingFailure(description: "nobody waits") }
    #expect(throws: WaitingFailure.self) { try count() }
  }

  @Test(
    "the shares of a zone end a few at a time when nobody waits for it",
    arguments: ["erasure", "reset"]
  )
  func manyShares(removal: String) throws {
    let world = try FaultWorld()
    try world.connection.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO shares (database_id, zone_id, zone_name, name, root, token, public_permission, head)
        SELECT database_id, zone_id, zone_name, 'n' || i, 'r' || i, CAST(i AS BLOB), 1, 0 FROM n, shares
        WHERE name = 's';
      INSERT INTO share_participants (share_id, user, role, permission, status, joined)
        SELECT id, 'ben', 3, 3, 2, 0 FROM shares WHERE name LIKE 'n%'
      """
    )
    func count() throws -> Int64 {
      let shares = try world.connection.prepare("SELECT count(*) FROM shares WHERE ended IS NULL")
      defer { shares.reset() }
      return try shares.step() ? shares.int64(0) : -1
    }
    let engine = try world.freshEngine()
    func commit<R>(_ body: () throws -> R) throws -> R {
      try engine.begin()
      defer { _ = try? engine.commit() }
      return try body()
    }
    try commit {
      if removal == "erasure" {
        _ = try engine.eraseUser("ada", by: "root", publicRecords: .delete)
      } else {
        _ = try engine.resetDevelopment(of: "c", by: "root", isDryRun: false)
      }
    }
    var pieces: [Int64] = []
    try blockUntil("the last row to be removed", pausing: .zero) {
      let before = try count()
      guard before > 0 else { return true }
      _ = try commit { try engine.doMaintenance() }
      let after = try count()
      if after < before { pieces.append(before - after) }
      return false
    }
    #expect(pieces.reduce(0, +) >= 3_002)
    #expect(pieces.count > 1, "\(pieces)")
    try blockUntil("the engine's own work to be done", pausing: .zero) {
      try commit { try engine.doMaintenance() } != .zero
    }
    #expect(try engine.shares(of: FaultWorld.ben, after: -10_000).isEmpty)
  }

  @Test("large notifications are forgotten a few at a time")
  func largeNotifications() throws {
    var limits = Limits()
    limits.notificationsMax = 1
    let store = try EventStore(limits: limits)
    try store.subscribe("s", on: .recordCreation) { $0.desiredKeys = ["text"] }
    let text = String(repeating: "x", count: 60_000)
    for number in 0..<40 { try store.modify([Record("r\(number)", ["text": .string(text)])]) }
    var pieces = 0
    while try store.number("SELECT count(*) FROM events") > 1 {
      try store.doOneTask()
      pieces += 1
      try #require(pieces < 1_000)
    }
    #expect(pieces > 1)
  }

  @Test(
    "large values that several notifications carry are forgotten with the last, however few at a time"
  )
  func largeContents() throws {
    var limits = Limits()
    limits.notificationsMax = 1
    let store = try EventStore(limits: limits)
    for name in ["p", "q"] {
      try store.subscribe(name, where: "text != '\(name)'", on: .recordCreation) {
        $0.desiredKeys = ["text"]
      }
    }
    let text = String(repeating: "x", count: 60_000)
    for number in 0..<60 { try store.modify([Record("r\(number)", ["text": .string(text)])]) }
    #expect(try store.number("SELECT count(*) FROM event_contents") == 60)
    try store.doMaintenance()
    #expect(try store.number("SELECT count(*) FROM events") == 1)
    #expect(try store.number("SELECT count(*) FROM event_contents") == 1)
  }

  @Test("expired answers are removed by their size, and paid back")
  func expiredAnswers() throws {
    let store = try EventStore()
    store.time = 1_700_000_000_000
    func keep(_ key: String, bytes: Int) throws {
      let call = IdempotentCall(
        owner: "ada",
        key: key,
        method: "m",
        request: .init(start: nil, count: 0)
      )
      try store.commit { engine in
        _ = try engine.answer(to: call)
        try engine.keep([UInt8](repeating: 1, count: bytes), for: call)
      }
    }
    for number in 0..<12 { try keep("large \(number)", bytes: 300_000) }
    func rows() throws -> Int64 { try store.number("SELECT count(*) FROM answers") }
    #expect(try rows() == 12)
    store.time += Int64(Limits().idempotencyRetentionHours) * 3_600_000 + 1
    try keep("small", bytes: 1)
    // A mebibyte of them.
    #expect(try rows() == 12 + 1 - 4)
    try keep("small 2", bytes: 1)
    #expect(try rows() == 10)
    // A large one takes more along than it adds.
    try keep("large", bytes: 300_000)
    #expect(try rows() == 10 + 1 - 2)
    for step in 0..<3 {
      store.time += 1_000
      try keep("small \(step + 3)", bytes: 1)
    }
    #expect(try store.number("SELECT count(*) FROM answers WHERE length(response) > 1") == 1)
    let cost = try store.number(
      "SELECT sum(length(response) + length(idempotency_key) + 96) FROM answers"
    )
    #expect(try store.engine.usage(of: "ada").reduce(0) { $0 + $1.usage.bytes } == cost)
  }

  @Test("whatever is forgotten of databases and zones is looked up again, and counted right")
  func forgotten() throws {
    var limits = Limits()
    limits.rememberedEntriesMax = 1
    let world = try FaultWorld(limits: limits)
    for call in FaultCall<Engine>.writes {
      _ = try world.commit { try call(world, $0) }
      let fresh = try world.freshEngine()
      for read in FaultCall<Engine>.reads {
        let (known, stored) = (try read(world, world.engine), try read(world, fresh))
        #expect(known == stored, "\(read.name) after \(call.name)")
      }
    }
  }
}
