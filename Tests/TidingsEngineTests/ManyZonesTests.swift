internal import EngineTestSupport
internal import Foundation
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

    /// It has more records than are read of a zone at a time.
    private static let largeZone = "zone 30"

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
      filled += [Self.largeZone, zones[0], zones[ZoneChunks.unprobedMax], zones[zones.count - 1]]
      self.filled = filled
      for field in RandomQueries.fields + ["___recordID", "___modTime"]
      where random.random.below(4) > 0 { try store.declare(field) }
      for field in RandomQueries.fields where random.random.oneIn(2) {
        try store.declare(field, .words)
      }
      for _ in 0..<250 { try save() }
      try store.doMaintenance()
    }

    mutating func save() throws {
      store.now = store.now.advanced(milliseconds: 1)
      let made = random.record()
      let isLarge = filled.contains(Self.largeZone) && random.random.oneIn(3)
      let name = made.recordID.recordName
      let id = RecordID(
        recordName: isLarge ? "\(name) \(random.random.below(12))" : name,
        zoneID: ZoneID(zoneName: isLarge ? Self.largeZone : random.random.pick(filled))
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

    /// Creates a zone, which has the number of the last one if that was removed.
    private mutating func makeZone() throws {
      try store.doMaintenance()
      let zone = "new zone \(zones.count) \(random.random.below(1_000))"
      guard !zones.contains(zone) else { return }
      try store.write { _ = try store.makeZone(zone, in: store.database) }
      zones.append(zone)
      filled.append(zone)
    }

    /// Changes something, now and then which zones there are.
    mutating func change(_ changed: ([RecordID: Record]) -> Void) throws {
      if random.random.oneIn(12) { try removeZone() }
      if random.random.oneIn(12) { try makeZone() }
      changed(records)
      for _ in 0..<random.random.below(4) {
        try save()
        changed(records)
      }
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

  @Test(
    "pages of many zones keep their promise, whatever is saved and deleted between them or between slices",
    arguments: [false, true]
  )
  func keepsPromise(inSlices: Bool) throws {
    let seed = Seed.make("ManyZonesPages")
    var world = try World(seed: seed)
    for _ in 0..<30 {
      let query = world.query()
      let begin = world.records
      // The zones of the begin are in this order, those that are made later behind them.
      let model = world.model(query)
      var lasting = Set(begin.values.filter(model.matches).map(\.recordID))
      var (returned, cursor) = ([] as [Record], [] as [UInt8])
      let about = "\(query) slices \(inSlices) seed \(seed)"
      func changed() throws {
        try world.change { records in
          lasting = lasting.filter { records[$0].map(model.matches) ?? false }
        }
      }
      repeat {
        let limit = 1 + world.random.random.below(12)
        var page = QueryPage(of: query, limit: limit)
        if !cursor.isEmpty { page = QueryPage(after: cursor, limit: limit) }
        while true {
          let slice = try world.store.slice(of: &page, inSlices: inSlices)
          for record in slice.records {
            #expect(world.records[record.recordID] == record && model.matches(record), "\(about)")
          }
          returned += slice.records
          if let answer = slice.answer {
            cursor = answer.cursor
            break
          }
          if world.random.random.oneIn(2) { try changed() }
        }
        try changed()
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

  @Test("the zones are looked at in several slices, in which nothing may be found")
  func pausesBetweenZones() throws {
    let store = try QueryStore()
    let zoneCount = 2 * ZoneProbe.zonesTogetherMax + 2 * ZoneProbe.zonesMax
    try store.write {
      for number in 0..<zoneCount { try store.makeZone("zone \(number)", in: store.database) }
    }
    try store.declare("a")
    let fields: RecordFields = ["a": .int64(1), "b": .string("x")]
    try store.save([record("one", zone: "zone \(zoneCount - 20)", fields)])
    try store.doMaintenance()
    func names(
      _ query: RecordQuery,
      afterFirstSlice change: () throws -> Void = {}
    ) throws -> [String] {
      var page = QueryPage(of: query, limit: 10)
      var (records, sliceCount) = ([] as [Record], 0)
      while true {
        let slice = try store.slice(of: &page, inSlices: true)
        records += slice.records
        sliceCount += 1
        guard slice.answer == nil else { break }
        if sliceCount == 1 { try change() }
      }
      #expect(sliceCount > 1, "\(query)")
      return records.map(\.recordID.recordName)
    }
    let byA = try store.query(sort: [.init(field: "a")])
    for query in [
      byA, try store.query("a = 1"), try store.query("a = 1", sort: [.init(field: "b")]),
      try store.query(sort: [.init(field: "a", isDescending: true)]),
      try store.query("recordName = 'one'"), try store.query("recordName BEGINSWITH 'o'"),
    ] {
      #expect(try names(query) == ["one"], "\(query)")
    }
    let found = "zone \(ZoneChunks.unprobedMax + 1)"
    try store.save([record("gone", zone: found, fields)])
    #expect(try names(byA) == ["gone", "one"])
    #expect(try names(byA) { try store.removeZone(found) } == ["one"])
  }

  @Test("how much an index finds is estimated from zones everywhere")
  func estimatesFromAllZones() throws {
    let store = try QueryStore()
    let zones = (0..<400).map { "zone \($0)" }
    try store.write { for zone in zones { try store.makeZone(zone, in: store.database) } }
    for field in ["a", "b"] { try store.declare(field) }
    for zone in zones.suffix(100) {
      let fields: RecordFields = ["a": .int64(1), "b": .int64(2)]
      try store.save((0..<10).map { record("r\($0)", zone: zone, fields) })
    }
    try store.doMaintenance()
    let query = try store.query("a = 1", sort: [.init(field: "b")])
    let steps = try store.page(query, limit: 10).answer.report.steps
    #expect(steps.first?.hasPrefix("index b ") == true, "\(steps)")
  }

  @Test("docs/limits.md has the zones that are looked at")
  func isDocumented() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/limits.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.contains("| \(ZoneChunks.unprobedMax) | `ZoneChunks.unprobedMax` |"))
    #expect(ZoneProbe.zonesMax == 512 && ZoneProbe.zonesTogetherMax == 2_048)
    #expect(text.contains("| 512, of 2,048 together | `ZoneProbe.zonesMax`, `zonesTogetherMax` |"))
  }
}

extension QueryStore {
  /// Works on a page, until a slice may end if it is one of several.
  fileprivate func slice(
    of page: inout QueryPage,
    inSlices: Bool
  ) throws -> (records: [Record], answer: QueryAnswer?) {
    var records: [Record] = []
    let answer = try reader.withSnapshot {
      try reader.advance(&page, for: Self.user, at: steady, until: { inSlices }) {
        records.append(try self.codec.decodeRecord($0))
      }
    }
    return (records, answer)
  }

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
