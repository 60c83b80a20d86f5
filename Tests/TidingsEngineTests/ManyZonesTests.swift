internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel

@testable internal import TidingsEngine

/// Queries of a database with so many zones that they are looked at many at a time.
@Suite struct ManyZonesTests {
  /// More than the first ones and those of one statement.
  private static let zoneCount = ZoneChunks.unprobedMax + ZoneProbe.zonesMax + 40

  /// A store with many zones, of which some have records.
  private struct World {
    var random: RandomQueries
    let store: QueryStore
    let seed: UInt64
    /// In the order of their first use.
    var zones: [String]
    /// The zones that records are in.
    var filled: [String]
    var records: [RecordID: Record] = [:]

    init(seed: UInt64) throws {
      self.seed = seed
      random = RandomQueries(seed: seed)
      store = try QueryStore()
      zones = (0..<ManyZonesTests.zoneCount).map { "zone \($0)" }
      // The numbers of some follow each other; between others are zones of other databases.
      var other = store.database
      other.owner = "grace"
      try store.write { [store, zones, random] in
        var random = random
        for zone in zones {
          _ = try store.makeZone(zone, in: store.database)
          if random.random.oneIn(40) { _ = try store.makeZone(zone, in: other) }
        }
      }
      var filled: [String] = []
      for zone in zones where random.random.oneIn(12) { filled.append(zone) }
      filled += [zones[0], zones[ZoneChunks.unprobedMax], zones[zones.count - 1]]
      self.filled = filled
      for field in RandomQueries.fields + ["___recordID", "___modTime"]
      where random.random.below(4) > 0 { try store.declare(field) }
      for field in RandomQueries.fields where random.random.oneIn(2) {
        try store.declare(field, .words)
      }
      for _ in 0..<150 { try save() }
      try store.doMaintenance()
    }

    mutating func save() throws {
      store.now = store.now.advanced(milliseconds: 1)
      let made = random.record()
      let id = RecordID(
        recordName: made.recordID.recordName,
        zoneID: ZoneID(zoneName: random.random.pick(filled))
      )
      if records[id] != nil, random.random.oneIn(3) {
        records[id] = nil
        return try store.save([], delete: [id])
      }
      // What is not sent stays: send null for what goes.
      let fields =
        records[id] == nil
        ? made.fields
        : RecordFields(RandomQueries.fields.map { .init(name: $0, value: made.fields[$0]) })
      try store.save([Record(recordID: id, recordType: made.recordType, fields: fields)])
      records[id] = try store.record(id)
    }

    mutating func removeZone() throws {
      guard filled.count > 8 else { return }
      let zone = filled.remove(at: random.random.below(filled.count))
      filled.removeAll { $0 == zone }
      zones.removeAll { $0 == zone }
      records = records.filter { $0.key.zoneID.zoneName != zone }
      try store.removeZone(zone)
    }

    mutating func query() -> RecordQuery {
      var query = random.query(in: store.database)
      query.zoneID = nil
      return query
    }

    func model(_ query: RecordQuery) -> PlainQuery { PlainQuery(query: query, zones: zones) }
  }

  @Test("a query of many zones finds what a plain filter and sort finds, in any pages and slices")
  func findsAll() throws {
    let seed = Seed.make("ManyZones")
    var seeds = SplitMix64(seed: seed)
    var plansSeen: Set<String> = []
    for _ in 0..<2 {
      var world = try World(seed: seeds.next())
      for _ in 0..<60 {
        if world.random.random.oneIn(15) { try world.removeZone() }
        let query = world.query()
        let model = world.model(query)
        let expected = world.records.values.filter(model.matches)
        let limit = 1 + world.random.random.below(40)
        let found = try world.store.all(query) { limit }
        let whole = try world.store.page(query, limit: limit)
        let sliced = try world.store.sliced(query, limit: limit).page
        let steps = whole.answer.report.steps
        plansSeen.insert(steps[0].prefix { $0 != ":" } + " " + (steps.last ?? "").prefix(4))
        let about = "\(query) \(steps) seed \(seed)"
        #expect(sliced.records == whole.records, "\(about)")
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(about)")
        for (a, b) in zip(found, found.dropFirst()) {
          #expect(model.allows(a, before: b), "\(about)")
        }
      }
    }
    // The test would say nothing if all plans were scans.
    #expect(plansSeen.count > 8, "\(plansSeen.sorted())")
  }

  @Test("pages of many zones keep their promise, whatever is saved and deleted meanwhile")
  func keepsPromise() throws {
    let seed = Seed.make("ManyZonesPages")
    var seeds = SplitMix64(seed: seed)
    for _ in 0..<1 {
      var world = try World(seed: seeds.next())
      for _ in 0..<30 {
        let query = world.query()
        let model = world.model(query)
        let begin = world.records
        var lasting = Set(begin.values.filter(model.matches).map(\.recordID))
        var (returned, cursor) = ([] as [Record], [] as [UInt8])
        let about = "\(query) seed \(seed)"
        repeat {
          let page = try world.store.page(
            query,
            cursor: cursor,
            limit: 1 + world.random.random.below(12)
          )
          cursor = page.answer.cursor
          for record in page.records {
            #expect(world.records[record.recordID] == record && model.matches(record), "\(about)")
          }
          returned += page.records
          if world.random.random.oneIn(12) { try world.removeZone() }
          for _ in 0..<world.random.random.below(4) {
            try world.save()
            lasting = lasting.filter { world.records[$0].map(model.matches) ?? false }
          }
          lasting = lasting.filter { world.records[$0] != nil }
        } while !cursor.isEmpty
        let ids = Set(returned.map(\.recordID))
        #expect(ids.count == returned.count, "a record came twice: \(about)")
        #expect(lasting.isSubset(of: ids), "missed: \(about)")
        guard !query.sortKeys.isEmpty else { continue }
        let then = returned.map { begin[$0.recordID] }
        #expect(then.allSatisfy { $0 != nil }, "was not there at the begin: \(about)")
        for (a, b) in zip(then, then.dropFirst()) {
          guard let a, let b else { continue }
          #expect(model.allows(a, before: b), "order: \(about)")
        }
      }
    }
  }
}

extension QueryStore {
  fileprivate func makeZone(_ name: String, in database: DatabaseID) throws {
    let caller = Caller(user: database.owner, device: "laptop")
    _ = try engine.saveZone(ZoneID(zoneName: name), in: database, caller: caller)
  }

  fileprivate func removeZone(_ name: String) throws {
    let caller = Caller(user: Self.user, device: "laptop")
    _ = try write {
      try engine.deleteZone(
        ZoneID(zoneName: name),
        in: database,
        because: .deleted,
        caller: caller
      )
    }
  }

  /// A record as it is stored.
  fileprivate func record(_ id: RecordID) throws -> Record? {
    var record: Record?
    let caller = Caller(user: Self.user, device: "")
    try? engine.withRecord(id, in: database, caller: caller) {
      record = try codec.decodeRecord($0)
    }
    return record
  }
}
