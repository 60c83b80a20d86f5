internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// Calls of one group meet each other's rows, although these are inserted together.
@Suite struct GroupedRowsTests {
  private static let zones = ["_defaultZone", "notes"]

  /// A store, a model of its records, and the events that their changes should have stored.
  private struct World {
    typealias Model = [RecordID: Int64]

    let store: EventStore
    var records: Model = [:]
    var stories: [String] = []
    private var committed: (records: Model, storyCount: Int) = ([:], 0)

    init() throws {
      store = try EventStore()
      try store.saveZones("notes")
      try store.modify([Record(GroupedRowsTests.id("first", "notes"), 0)])
      for zone in GroupedRowsTests.zones {
        try store.subscribe(
          "all in \(zone)",
          zone: zone,
          on: [.recordCreation, .recordUpdate, .recordDeletion]
        )
      }
      try store.modify(delete: [GroupedRowsTests.id("first", "notes")])
      _ = try store.newEvents()
    }

    /// Changes records in the open transaction.
    mutating func modify(_ saves: [RecordID: Int64], delete: [RecordID] = []) throws {
      let changes = RecordChanges(
        database: EventStore.database,
        saves: saves.sorted { $0.key.recordName < $1.key.recordName }.map(Record.init),
        deletions: delete,
        policy: .allKeys,
        isAtomic: false
      )
      let outcomes = try store.engine.modifyRecords(changes, caller: EventStore.laptop).outcomes
      for outcome in outcomes {
        switch outcome {
        case .saved(let record):
          let id = record.recordID
          stories.append("\(records[id] == nil ? "created" : "updated") \(id.recordName)")
          records[id] = saves[id]
        case .deleted(let id):
          // What is not there is deleted without an event.
          if records[id] != nil { stories.append("deleted \(id.recordName)") }
          records[id] = nil
        case .failed(let id, let error, _):
          #expect(error.code == .unknownItem && records[id] == nil, "\(id): \(error)")
        }
      }
    }

    /// What a call reads of a record in the open transaction.
    func value(of id: RecordID) throws -> Int64? {
      var value: Int64?
      do {
        try store.engine.withRecord(id, in: EventStore.database, caller: EventStore.laptop) {
          body in
          if case .int64(let number)? = try store.codec.decodeRecord(body).fields["n"] {
            value = number
          }
        }
      } catch let error as ItemError where error.code == .unknownItem {
        return nil
      }
      return value
    }

    /// The names of the records that a statement of the writer finds.
    func names() throws -> [String] {
      let select = try store.connection.prepare(
        "SELECT name FROM records WHERE body IS NOT NULL ORDER BY name, zone_id"
      )
      var names: [String] = []
      try select.forEachRow { names.append(select.string(0)) }
      return names
    }

    mutating func commit() throws {
      let transaction = try store.engine.commit()
      #expect(transaction.events.count == stories.count - committed.storyCount)
      committed = (records, stories.count)
      let reader = try store.testDatabase.connect(readsOnly: true)
      let count = try reader.prepare("SELECT count(*) FROM records WHERE body IS NOT NULL")
      #expect(try count.step() && Int(count.int64(0)) == records.count)
    }

    mutating func rollback() {
      store.engine.rollback()
      records = committed.records
      stories.removeLast(stories.count - committed.storyCount)
    }
  }

  private static func id(_ name: String, _ zone: String) -> RecordID {
    RecordID(recordName: name, zoneID: ZoneID(zoneName: zone))
  }

  @Test("random calls of a group find what a model has", arguments: 0..<4)
  func random(run: Int) throws {
    let seed = Seed.make("GroupedRowsTests.random \(run)")
    var random = SplitMix64(seed: seed)
    var world = try World()
    let ids = Self.zones.flatMap { zone in (0..<60).map { Self.id("r\($0)", zone) } }
    // A save that changes nothing stores no event.
    var number: Int64 = 0
    for group in 0..<25 {
      try world.store.engine.begin()
      for call in 0..<random.below(60) {
        let id = random.pick(ids)
        number += 1
        switch random.below(20) {
        case 0..<11: try world.modify([id: number])
        case 11:
          let many = ids.shuffled(using: &random).prefix(random.below(40))
          try world.modify(Dictionary(uniqueKeysWithValues: many.map { ($0, number) }))
        case 12..<14: try world.modify([:], delete: [id])
        case 14: try world.modify([id: number], delete: ids.filter { $0 != id && random.oneIn(30) })
        case 15..<18:
          #expect(try world.value(of: id) == world.records[id], "seed \(seed), \(group).\(call)")
        case 18:
          let expected = world.records.keys.map(\.recordName).sorted()
          #expect(try world.names().sorted() == expected, "seed \(seed), \(group).\(call)")
        default: _ = try world.store.engine.doMaintenance()
        }
      }
      if random.oneIn(4) { world.rollback() } else { try world.commit() }
      for id in ids {
        let (found, expected) = (try world.value(of: id), world.records[id])
        try #require(found == expected, "seed \(seed), group \(group): \(id)")
      }
    }
    #expect(try world.store.newStories() == world.stories, "seed \(seed)")
    #expect(world.stories.count > 200, "seed \(seed)")
  }

  @Test("each way to read or change a record in the group that made it")
  func eachWay() throws {
    var world = try World()
    let ids = (0..<20).map { Self.id("r\($0)", "notes") }
    let before = try world.store.number("SELECT count(*) FROM events")
    try world.store.engine.begin()
    // Each before the rows are so many that they are written anyway.
    for id in ids.prefix(4) { try world.modify([id: 1]) }
    #expect(try world.value(of: ids[0]) == 1)
    try world.modify([ids[1]: 2])
    try world.modify([:], delete: [ids[2]])
    try world.modify([ids[2]: 3])
    try world.modify([ids[4]: 4])
    #expect(try world.names() == ["r0", "r1", "r2", "r3", "r4"])
    try world.modify([ids[5]: 5])
    #expect(try world.store.number("SELECT count(*) FROM events") == before + 9)
    // The zone goes with rows of this group, and the events of their deletion come.
    try world.store.engine.deleteZone(
      ZoneID(zoneName: "notes"),
      in: EventStore.database,
      because: .deleted,
      caller: EventStore.laptop
    )
    _ = try world.store.engine.commit()
    try world.store.doMaintenance()
    #expect(try world.store.number("SELECT count(*) FROM records") == 0)
    let deleted = try world.store.newStories().filter { $0.hasPrefix("deleted") }
    #expect(deleted.sorted() == [0, 1, 2, 2, 3, 4, 5].map { "deleted r\($0)" })
  }

  /// A statement that only names something else would miss the queued rows.
  @Test("no view, trigger or foreign key leads to a table with queued rows", .embeddedOnly)
  func detours() throws {
    let select = try EventStore().connection.prepare(
      "SELECT type, lower(sql) FROM sqlite_master WHERE sql IS NOT NULL"
    )
    var count = 0
    try select.forEachRow {
      let (type, sql) = (select.string(0), select.string(1))
      let words = Set(sql.split { !($0 == "_" || $0.isLetter) })
      let isQueued = !words.isDisjoint(with: ["records", "events", "ancestors"])
      #expect(type != "trigger" && !(type == "view" && isQueued), "\(sql)")
      #expect(!words.contains("references"), "\(sql)")
      count += 1
    }
    #expect(count > 50)
  }

  @Test("rows that cannot be inserted cost the group, and nothing of it is kept", .embeddedOnly)
  func failure() throws {
    var world = try World()
    try world.store.execute(
      """
      CREATE TRIGGER refusal BEFORE INSERT ON records WHEN NEW.name = 'bad'
        BEGIN SELECT RAISE(FAIL, 'made to fail'); END
      """
    )
    func failure(_ body: () throws -> Void) -> SQLError? {
      do {
        try body()
        return nil
      } catch {
        return error as? SQLError
      }
    }
    let (good, bad) = (Self.id("good", "notes"), Self.id("bad", "notes"))
    for isMet in [false, true] {
      try world.store.engine.begin()
      try world.modify([good: 1])
      try world.modify([bad: 2])
      let found = failure {
        if isMet { _ = try world.value(of: bad) }
        try world.commit()
      }
      #expect(found?.isDeferred == true && found?.message == "made to fail")
      world.rollback()
      #expect(try world.value(of: good) == nil && world.value(of: bad) == nil)
    }
    try world.store.engine.begin()
    try world.modify([good: 1])
    try world.commit()
    #expect(try world.value(of: good) == 1)
  }
}

extension Record {
  fileprivate init(_ id: RecordID, _ number: Int64) {
    self.init(recordID: id, recordType: "T", fields: ["n": .int64(number)])
  }
}
