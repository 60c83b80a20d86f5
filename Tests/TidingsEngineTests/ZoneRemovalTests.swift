internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// What is left of a deleted zone is removed in pieces, and nobody notices.
@Suite struct ZoneRemovalTests {
  /// A store that removes nothing within calls.
  private static func store(_ rows: Int = 0, removalsPerName: Int = 8) throws -> EventStore {
    var limits = Limits()
    limits.zoneRemovalsPerNameMax = removalsPerName
    limits.zoneRowsPerTransactionMax = rows
    return try EventStore(limits: limits)
  }

  private static func records(_ count: Int, type: String = "T") -> [Record] {
    (0..<count).map { number in
      var record = Record("r\(number)", zone: "attic", type: type, ["n": .int64(Int64(number))])
      if number > 0 {
        record.parent = Reference(
          recordID: RecordID(recordName: "r0", zoneID: ZoneID(zoneName: "attic"))
        )
      }
      return record
    }
  }

  /// Tables with rows of the zone with a number, or of its removal.
  private static func leftovers(of zone: Int64, in store: EventStore) throws -> [String] {
    let tables = [
      "records", "record_references", "index_entries", "client_tokens", "asset_references",
    ]
    var found = try tables.filter {
      try store.number("SELECT count(*) FROM \($0) WHERE zone_id = \(zone)") > 0
    }
    for table in ["zone_removals", "zone_removal_types", "zone_removal_channels"]
    where try store.number("SELECT count(*) FROM \(table)") > 0 {
      found.append(table)
    }
    return found
  }

  @Test(
    "creations wait where records of their names owe many notifications, and a single one does not"
  )
  func owedNotifications() throws {
    var limits = Limits()
    limits.zoneRowsPerTransactionMax = 0
    limits.eventsPerCallMax = 7
    let store = try EventStore(limits: limits)
    try store.saveZones("attic")
    for number in 0..<4 {
      try store.subscribe("d\(number)", where: "n >= \(-number)", on: [.recordDeletion])
    }
    try store.modify(Self.records(3))
    try store.deleteZone("attic")
    try store.saveZones("attic")
    _ = try store.newEvents()
    // Nobody watches the new ones.
    func save(_ names: String...) throws -> ItemError? {
      do {
        try store.modify(names.map { Record($0, zone: "attic", type: "U", [:]) })
        return nil
      } catch let error as ItemError {
        return error
      }
    }
    let busy = try save("r0", "r1")
    #expect(busy?.code == .zoneBusy && busy?.retryAfter != nil)
    #expect(try store.newEvents().isEmpty)
    #expect(try save("r0") == nil)
    #expect(try store.newEvents().count == 4)
    try store.doMaintenance()
    #expect(try store.newEvents().count == 8)
    #expect(try save("r1", "r2") == nil)
    #expect(try store.newEvents().isEmpty)
  }

  @Test("a deleted zone is gone at once, and what is left of it goes with its notifications later")
  func pieces() throws {
    let store = try Self.store()
    try store.saveZones("attic")
    try store.subscribe("d", where: "n > 1", on: [.recordDeletion])
    try store.subscribe("attic", .recordZone, type: "", zone: "attic")
    try store.subscribe("ts", .recordZone, type: "T", zone: "attic")
    try store.subscribe("all", .database, type: "")
    try store.modify(Self.records(4))
    _ = try store.newEvents()
    let zone = try store.number("SELECT id FROM zones WHERE name = 'attic'")
    try store.deleteZone("attic")
    let first = try store.newEvents()
    #expect(first.map(\.story) == ["zone attic", "database attic"])
    #expect(try Self.leftovers(of: zone, in: store).contains("records"))
    #expect(throws: ItemError.self) {
      _ = try store.engine.zone(ZoneID(zoneName: "attic"), in: EventStore.database)
    }
    // Its number is given again only when nothing is left of it.
    try store.saveZones("attic")
    #expect(try store.number("SELECT id FROM zones WHERE name = 'attic'") > zone)
    try store.restart()
    _ = try store.newEvents()
    try store.doMaintenance()
    let later = try store.newEvents()
    #expect(later.map(\.story) == ["zone attic", "deleted r2", "deleted r3"])
    #expect(Set(later.map(\.batch)) == [first[0].batch])
    #expect(later.allSatisfy { $0.caller == EventStore.laptop })
    // All have the time of the deletion, the creation of the other zone its own.
    #expect(
      try store.number("SELECT count(*) FROM events WHERE committed > \(first[0].committed)") <= 1
    )
    #expect(try Self.leftovers(of: zone, in: store) == [])
  }

  @Test("a small zone is removed within the call, with its notifications")
  func small() throws {
    let store = try Self.store(100)
    try store.saveZones("attic")
    try store.subscribe("d", on: [.recordDeletion])
    try store.modify(Self.records(10))
    let zone = try store.number("SELECT id FROM zones WHERE name = 'attic'")
    try store.deleteZone("attic")
    #expect(try store.newStories().count == 10)
    #expect(try Self.leftovers(of: zone, in: store) == [])
  }

  @Test("what the call has begun goes on after it, nothing twice")
  func begun() throws {
    let store = try Self.store(20)
    try store.saveZones("attic")
    try store.subscribe("d", on: [.recordDeletion])
    try store.subscribe("ts", .database, type: "T")
    try store.modify(Self.records(50))
    _ = try store.newEvents()
    try store.deleteZone("attic")
    let first = try store.newEvents()
    #expect(first.map(\.story) == (0..<10).map { "deleted r\($0)" } + ["database attic"])
    try store.doMaintenance()
    let later = try store.newEvents()
    #expect(later.map(\.story) == (10..<50).map { "deleted r\($0)" })
    #expect(Set((first + later).map(\.batch)).count == 1)
  }

  @Test(
    "who subscribes after the deletion is not notified of it, who unsubscribes after it receives all"
  )
  func subscribers() throws {
    let store = try Self.store()
    try store.saveZones("attic")
    try store.subscribe("gone", where: "n > 0", on: [.recordDeletion])
    try store.subscribe("replaced", where: "n > 1", on: [.recordDeletion])
    try store.subscribe("kept", where: "n > 2", on: [.recordDeletion])
    try store.subscribe("once", on: [.recordDeletion, .once])
    try store.subscribe("type", .database, type: "T")
    try store.modify(Self.records(4))
    try store.deleteZone("attic")
    try store.commit {
      for id in ["gone", "once", "type"] {
        try $0.deleteSubscription(id, of: "ada", in: EventStore.database)
      }
    }
    try store.subscribe("again", where: "n > 0", on: [.recordDeletion])
    try store.subscribe("replaced", where: "n > 100", on: [.recordDeletion])
    try store.subscribe("new", on: [.recordDeletion])
    try store.subscribe("once", on: [.recordDeletion, .once])
    try store.subscribe("newType", .database, type: "T")
    try store.restart()
    try store.saveZones("attic")
    let other = Record("other", zone: "attic", ["n": .int64(5)])
    try store.modify([other])
    try store.modify(delete: [other.recordID])
    try store.doMaintenance()
    let names = try store.feed().map { String($0.prefix { $0 != " " }) }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    // Of the deleted zone those that were active then, whatever became of them; of the new one the others.
    let deleted = ["gone": 3, "replaced": 2, "kept": 1, "once": 1, "type": 2]
    let created = ["kept": 1, "once": 1, "again": 1, "new": 1, "newType": 2]
    #expect(counts == deleted.merging(created, uniquingKeysWith: +))
    try store.deleteZone("attic")
    try store.doMaintenance()
    #expect(try store.number("SELECT count(*) FROM zone_removal_channels") == 0)
  }

  @Test("the log says that more of a deletion is to come")
  func split() throws {
    let store = try Self.store()
    try store.saveZones("attic")
    try store.subscribe("all", .database, type: "")
    try store.modify(Self.records(4))
    try store.deleteZone("attic")
    #expect(try store.page().isSplit)
    try store.doMaintenance()
    #expect(try !store.page().isSplit)
  }

  @Test("a record that is created again is notified after the deletion of the old one")
  func order() throws {
    let store = try Self.store()
    try store.saveZones("attic")
    try store.subscribe("q", on: [.recordCreation, .recordDeletion])
    try store.modify(Self.records(3))
    try store.deleteZone("attic")
    try store.saveZones("attic")
    _ = try store.newEvents()
    try store.modify([Record("r1", zone: "attic", ["n": .int64(1)])])
    #expect(try store.newStories() == ["deleted r1", "created r1"])
    try store.doMaintenance()
    #expect(try store.newStories() == ["deleted r0", "deleted r2"])
    #expect(try store.number("SELECT count(*) FROM records") == 1)
  }

  @Test(
    "zones of one name that are deleted faster than they are removed are refused, and not for long"
  )
  func busy() throws {
    let store = try Self.store()
    for _ in 0..<8 {
      try store.saveZones("attic")
      try store.modify(Self.records(2))
      try store.deleteZone("attic")
    }
    try store.saveZones("attic")
    let error = #expect(throws: ItemError.self) { try store.deleteZone("attic") }
    #expect(error?.code == .zoneBusy && error?.retryAfter != nil)
    try store.doMaintenance()
    try store.deleteZone("attic")
  }

  /// Does the same in a store that removes all within calls, and in one that removes nothing within them.
  @Test(
    "notifications are the same, whether a zone goes at once or in pieces",
    arguments: 0..<TestDatabase.rounds(8)
  )
  func sameNotifications(round: Int) throws {
    let seed = Seed.make("ZoneRemovalTests.sameNotifications \(round)")
    var random = SplitMix64(seed: seed)
    let whole = try Self.store(.max)
    let pieces = try Self.store(round % 3, removalsPerName: .max)
    func both(_ work: (EventStore) throws -> Void) throws {
      for store in [whole, pieces] { try work(store) }
    }
    try both { try $0.teach("T", "Car", fields: ["n": .int64(0)]) }
    var names: [String] = []
    for _ in 0..<80 {
      let zone = ["attic", "cellar"][Int(random.below(2))]
      switch random.below(12) {
      case 0..<5:
        let records = (0..<random.below(6)).map { _ in
          let type = random.oneIn(3) ? "Car" : "T"
          return Record(
            "\(type)\(random.below(8))",
            zone: zone,
            type: type,
            ["n": .int64(Int64(random.below(10)))]
          )
        }
        let unique = Dictionary(records.map { ($0.recordID, $0) }) { $1 }.values
          .sorted { $0.recordID.recordName < $1.recordID.recordName }
        try both {
          try $0.saveZones(zone)
          try $0.modify(unique)
        }
      case 5, 6:
        try both {
          try $0.saveZones(zone)
          try $0.deleteZone(zone)
        }
      case 7, 8:
        let (id, kind, type) = (
          "s\(random.below(6))", random.below(3), random.oneIn(2) ? "T" : "Car"
        )
        let bound = random.below(6)
        try both { store in
          try store.saveZones(zone)
          // One that is a duplicate is refused in both.
          do {
            switch kind {
            case 0: try store.subscribe(id, .database, type: bound < 3 ? "" : type)
            case 1: try store.subscribe(id, .recordZone, type: bound < 3 ? "" : type, zone: zone)
            default:
              try store.subscribe(
                id,
                type: type,
                where: "n > \(bound)",
                zone: bound > 3 ? zone : nil,
                on: [.recordCreation, bound < 2 ? .recordDeletion : .recordLeave]
              )
            }
          } catch let error as ItemError where error.code == .serverRejectedRequest {}
        }
        names.append(id)
      case 9:
        guard let id = names.popLast() else { continue }
        try both { store in
          do {
            try store.commit { try $0.deleteSubscription(id, of: "ada", in: EventStore.database) }
          } catch let error as ItemError where error.code == .unknownItem {}
        }
      case 10: try pieces.doOneTask()
      default: if random.oneIn(2) { try both { try $0.restart() } }
      }
    }
    try both { try $0.doMaintenance() }
    let (expected, found) = (try whole.stories(), try pieces.stories())
    for key in Set(expected.keys).union(found.keys).sorted() {
      #expect(found[key] == expected[key], "seed \(seed), \(key)")
    }
    #expect(try pieces.number("SELECT count(*) FROM zone_removals") == 0)
    #expect(try pieces.number("SELECT count(*) FROM zone_removal_channels") == 0)
    #expect(
      try pieces.number("SELECT count(*) FROM records WHERE zone_id NOT IN (SELECT id FROM zones)")
        == 0
    )
    #expect(
      try whole.number("SELECT coalesce(sum(records), 0) FROM usage")
        == pieces.number("SELECT coalesce(sum(records), 0) FROM usage")
    )
  }
}
