internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct QueryPropertyTests {
  /// Fields whose indexes are declared now and then.
  private static let indexable =
    RandomQueries.fields + ["___recordID", "___modTime", "___createTime"]

  /// What indexes answer, in the text of a predicate.
  private static let words = [
    " OR ", "distanceToLocation", "[c]", "self CONTAINS",
  ]

  /// The default zone begins with its first record, behind those that are made.
  private static let zones = Array(RandomQueries.zones.dropFirst()) + [RandomQueries.zones[0]]

  private func declareSome(_ store: QueryStore, _ random: inout RandomQueries) throws {
    for field in Self.indexable where random.random.oneIn(3) { try store.declare(field) }
    for field in RandomQueries.fields where random.random.oneIn(2) {
      try store.declare(field, .words)
    }
  }

  private func ids(_ records: [Record]) -> Set<RecordID> { Set(records.map(\.recordID)) }

  @Test("with and without indexes a query finds what a plain filter and sort finds")
  func plansAgree() throws {
    let seed = Seed.make("QueryPlans")
    var seeds = SplitMix64(seed: seed)
    var plansSeen: Set<String> = []
    var indexed: Set<String> = []
    var quickCount = 0
    let rounds = TestDatabase.rounds(40)
    for _ in 0..<rounds {
      var random = RandomQueries(seed: seeds.next())
      let (withIndexes, plain) = (try QueryStore(), try QueryStore())
      if random.random.oneIn(2) { try declareSome(withIndexes, &random) }
      var model: [RecordID: Record] = [:]
      for zone in RandomQueries.zones.dropFirst() {
        try withIndexes.makeZone(zone)
        try plain.makeZone(zone)
      }
      for step in 0..<40 {
        withIndexes.now = withIndexes.now.advanced(milliseconds: 1)
        plain.now = withIndexes.now
        var record = random.record()
        if random.random.below(4) == 0 {
          model[record.recordID] = nil
          for store in [withIndexes, plain] { try store.save([], delete: [record.recordID]) }
          continue
        }
        if model[record.recordID] != nil {
          // What is not sent stays: send null for what goes.
          record.fields = RecordFields(
            RandomQueries.fields.map { .init(name: $0, value: record.fields[$0]) }
          )
        }
        for store in [withIndexes, plain] { try store.save([record]) }
        model[record.recordID] = record
        if step == 20 { try declareSome(withIndexes, &random) }
        if random.random.oneIn(4) { try withIndexes.doOneTask() }
      }
      if random.random.below(4) > 0 { try withIndexes.doMaintenance() }
      let stored = try plain.all(plain.query(type: "T"))
      #expect(ids(stored) == Set(model.values.filter { $0.recordType == "T" }.map(\.recordID)))

      for _ in 0..<40 {
        let query = random.query(in: withIndexes.database)
        let model = PlainQuery(query: query, zones: Self.zones)
        let expected = stored.filter(model.matches)
        let limits = random.random.below(9)
        let found = try withIndexes.all(query) { limits }
        let scanned = try plain.all(query) { random.random.below(5) }
        let plan = try withIndexes.page(query).answer.report.steps
        let limit = 1 + random.random.below(9)
        let sliced = try withIndexes.sliced(query, limit: limit)
        if sliced.isQuick { quickCount += 1 }
        let whole = try withIndexes.page(query, limit: limit)
        #expect(sliced.page.records == whole.records, "\(query) \(plan) seed \(seed)")
        plansSeen.insert(plan[0].prefix { $0 != ":" } + " " + (plan.last ?? "").prefix(4))
        if plan[0].hasPrefix("index ") {
          indexed.formUnion(Self.words.filter { word in plan[0].contains(word) })
        }
        let about = "\(query) \(plan) seed \(seed)"
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(about)")
        #expect(Set(scanned) == Set(expected) && scanned.count == expected.count, "\(about)")
        for (a, b) in zip(found, found.dropFirst()) {
          #expect(model.allows(a, before: b), "\(about)")
        }
        if !query.sortKeys.isEmpty {
          #expect(found.map(\.recordID) == scanned.map(\.recordID), "\(about)")
        }
      }
    }
    // The test would say nothing if all plans were scans.
    #expect(quickCount > 2 * rounds)
    guard TestDatabase.isEmbedded else { return }
    #expect(plansSeen.count > 15, "\(plansSeen.sorted())")
    #expect(indexed.count == Self.words.count, "\(indexed)")
  }

  @Test("pages keep their promise, whatever is saved meanwhile")
  func pagesUnderWrites() throws {
    let seed = Seed.make("QueryCursors")
    var seeds = SplitMix64(seed: seed)
    for _ in 0..<TestDatabase.rounds(30) {
      var random = RandomQueries(seed: seeds.next())
      let store = try QueryStore()
      try declareSome(store, &random)
      for zone in RandomQueries.zones.dropFirst() { try store.makeZone(zone) }
      for _ in 0..<40 { try store.save([random.record()]) }
      try store.doMaintenance()
      for _ in 0..<25 { try pageThrough(store, &random, seed) }
    }
  }

  private func pageThrough(
    _ store: QueryStore,
    _ random: inout RandomQueries,
    _ seed: UInt64
  )
    throws
  {
    let query = random.query(in: store.database)
    let model = PlainQuery(query: query, zones: Self.zones)
    let everything = try QueryStore.everything(of: store)
    let begin = Dictionary(uniqueKeysWithValues: everything.map { ($0.recordID, $0) })
    var lasting = ids(everything.filter(model.matches))
    var returned: [Record] = []
    var cursor: [UInt8] = []
    let about = "\(query) seed \(seed)"
    repeat {
      let page = try store.page(query, cursor: cursor, limit: 1 + random.random.below(4))
      cursor = page.answer.cursor
      let current = try QueryStore.everything(of: store)
      for record in page.records {
        #expect(current.contains(record) && model.matches(record), "\(record) \(about)")
      }
      returned += page.records
      for _ in 0..<random.random.below(6) {
        store.now = store.now.advanced(milliseconds: 1)
        let record = random.record()
        if random.random.oneIn(4) {
          try store.save([], delete: [record.recordID])
        } else {
          try store.save([record])
        }
        let now = try QueryStore.everything(of: store)
        lasting.formIntersection(ids(now.filter(model.matches)))
        // Deleted and created again is not the same record.
        if !now.contains(where: { $0.recordID == record.recordID }) {
          lasting.remove(record.recordID)
        }
      }
      if random.random.oneIn(3) { try store.doOneTask() }
    } while !cursor.isEmpty
    #expect(ids(returned).count == returned.count, "a record came twice: \(about)")
    #expect(lasting.isSubset(of: ids(returned)), "missed: \(about)")
    if !query.sortKeys.isEmpty {
      let then = returned.map { begin[$0.recordID] }
      #expect(then.allSatisfy { $0 != nil }, "was not there at the begin: \(about)")
      for (a, b) in zip(then, then.dropFirst()) {
        guard let a, let b else { continue }
        #expect(model.allows(a, before: b), "order: \(about)")
      }
    }
  }
}

extension QueryStore {
  /// All records of both types, each fetched by its name.
  static func everything(of store: QueryStore) throws -> [Record] {
    let codec = BodyCodec()
    var records: [Record] = []
    for zone in RandomQueries.zones {
      for name in RandomQueries.names {
        let id = RecordID(recordName: name, zoneID: ZoneID(zoneName: zone))
        try? store.engine.withRecord(
          id,
          in: store.database,
          caller: Caller(user: store.database.owner, device: "")
        ) {
          records.append(try codec.decodeRecord($0))
        }
      }
    }
    return records
  }
}
