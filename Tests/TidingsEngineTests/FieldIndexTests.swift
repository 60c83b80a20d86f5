internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

@Suite struct FieldIndexTests {
  private func entryCount(_ store: QueryStore, where condition: String = "1 = 1") throws -> Int64 {
    let connection = try store.testDatabase.connect(readsOnly: true)
    let statement = try connection.prepare(
      "SELECT count(*) FROM index_entries WHERE \(condition)"
    )
    defer { statement.reset() }
    _ = try statement.step()
    return statement.int64(0)
  }

  @Test("an index of existing records is built in pieces, over a restart, while saves go on")
  func building() throws {
    let database = try TestDatabase()
    var names: Set<String> = []
    do {
      let store = try QueryStore(testDatabase: database)
      try store.makeZone("z")
      for start in stride(from: 0, to: 1200, by: 400) {
        try store.save(
          (start..<start + 400).map {
            record("r\(1000 + $0)", zone: "z", ["n": .int64(Int64($0 % 3)), "m": .int64(1)])
          }
        )
      }
      try store.declare("n")
      #expect(
        store.engine.schema.indexes.indexes(of: "default", .development).map(\.state) == [.building]
      )
      try store.doOneTask()
      try store.doOneTask()
      let built = try entryCount(store)
      #expect(built > 0 && built < 1200)
      let explained = try store.page(store.query("n = 1"), limit: 1).answer.report
      #expect(explained.indexField.isEmpty && explained.advice.contains("is being built"))
    }
    let store = try QueryStore(testDatabase: database)
    // Before and behind the place that building came to.
    for name in ["r1000", "r2199"] {
      try store.save([record(name, zone: "z", ["n": .int64(7)])])
      try store.save([record(name, zone: "z", ["m": .int64(2)])])
      names.insert(name)
    }
    try store.doMaintenance()
    #expect(
      store.engine.schema.indexes.indexes(of: "default", .development).map(\.state) == [.ready]
    )
    #expect(try entryCount(store, where: "until IS NULL") == 1200)
    let page = try store.page(store.query("n = 7"))
    #expect(page.answer.report.indexField == "n" && page.answer.report.entriesVisited == 2)
    #expect(Set(page.records.map(\.recordID.recordName)) == names)
  }

  @Test(
    "a zone that goes while its records are added does not bring another container's records in"
  )
  func zoneNumbers() throws {
    let store = try QueryStore()
    try store.makeZone("z")
    for start in stride(from: 0, to: 1200, by: 400) {
      try store.save(
        (start..<start + 400).map { record("r\(1000 + $0)", zone: "z", ["n": .int64(1)]) }
      )
    }
    try store.declare("n")
    try blockUntil("the first entries of the index", pausing: .zero) {
      guard try entryCount(store) == 0 else { return true }
      try store.doOneTask()
      return false
    }
    let ada = Caller(user: QueryStore.user, device: "")
    let other = DatabaseID(
      container: "other",
      environment: .development,
      scope: .private,
      owner: QueryStore.user
    )
    let zone = ZoneID(zoneName: "z")
    try store.write {
      try store.engine.deleteZone(zone, in: store.database, because: .deleted, caller: ada)
      // It gets the number of the zone that went.
      _ = try store.engine.saveZone(zone, in: other, caller: Caller(user: "ada", device: "laptop"))
      _ = try store.engine.modifyRecords(
        RecordChanges(
          database: other,
          saves: [record("r9999", zone: "z", ["n": .int64(1)])],
          deletions: []
        ),
        caller: ada
      )
    }
    try store.doMaintenance()
    #expect(
      store.engine.schema.indexes.indexes(of: "default", .development).map(\.state) == [.ready]
    )
    #expect(try entryCount(store) == 0)
  }

  @Test("the zones of a container are found behind any number of others' zones, a few at a time")
  func otherZones() throws {
    let store = try QueryStore()
    let other = DatabaseID(
      container: "other",
      environment: .development,
      scope: .private,
      owner: "eve"
    )
    func makeZones(_ prefix: String, _ count: Int) throws {
      try store.write {
        for number in 0..<count {
          _ = try store.engine.saveZone(
            ZoneID(zoneName: "\(prefix)\(number)"),
            in: other,
            caller: Caller(user: "eve", device: "")
          )
        }
      }
    }
    // As many as are looked at together, and some more.
    try makeZones("a", 400)
    try store.makeZone("z")
    try store.save([record("r", zone: "z", ["n": .int64(1)])])
    try makeZones("b", 900)
    try store.declare("n")
    var pieces = 0
    while store.engine.schema.indexes.unfinished.first != nil {
      try store.doOneTask()
      pieces += 1
      try #require(pieces < 1_000)
    }
    #expect(pieces >= 4)
    #expect(try entryCount(store) == 1)
  }

  @Test("a call changes a limited number of entries, and one save always may")
  func entriesPerCall() throws {
    var limits = Limits()
    limits.indexEntriesPerCallMax = 10
    let store = try QueryStore(limits: limits)
    try store.declare("tags")
    try store.doMaintenance()
    func tagged(_ name: String, _ count: Int) -> Record {
      record(name, ["tags": .int64List((0..<count).map { Int64($0) })])
    }
    try store.save([tagged("a", 20)])
    try store.save([tagged("b", 5), tagged("c", 5)])
    let refused = try store.write {
      try store.engine.modifyRecords(
        RecordChanges(
          database: store.database,
          saves: [tagged("d", 5), tagged("e", 6)],
          deletions: [],
          isAtomic: false
        ),
        caller: Caller(user: QueryStore.user, device: "")
      )
    }
    guard case .saved = refused.outcomes[0], case .failed(_, let error, _) = refused.outcomes[1]
    else {
      Issue.record("\(refused.outcomes)")
      return
    }
    #expect(error.code == .limitExceeded)
    #expect(try entryCount(store) == 35)
    // What stays as it is costs nothing.
    try store.save(["a", "b", "c"].map { record($0, ["m": .int64(1)]) })
  }

  @Test("only what changed is written; ended entries go after a while, deleted ones at once")
  func entries() throws {
    let store = try QueryStore()
    try store.declare("n")
    try store.declare("tags")
    try store.doMaintenance()
    try store.save([record("a", ["n": .int64(1), "tags": .stringList(["x", "y"])])])
    #expect(try entryCount(store) == 3)
    try store.save([record("a", ["m": .int64(1)])])
    #expect(try entryCount(store) == 3)
    try store.save([record("a", ["tags": .stringList(["y", "z"])])])
    #expect(try entryCount(store) == 4)
    #expect(try entryCount(store, where: "until IS NOT NULL") == 1)
    try store.doOneTask()
    #expect(try entryCount(store) == 4)
    store.now = store.now.advanced(
      milliseconds: Int64(Limits().cursorRetentionMinutes) * 3 * 60_000
    )
    try store.doMaintenance()
    #expect(try entryCount(store) == 3)
    try store.save([], delete: [RecordID(recordName: "a")])
    #expect(try entryCount(store) == 0)
  }

  @Test("a dropped index is gone at once, its entries later, and it can be declared again")
  func dropping() throws {
    let store = try QueryStore()
    try store.save((0..<700).prefix(400).map { record("r\($0)", ["n": .int64(Int64($0))]) })
    try store.save((400..<700).map { record("r\($0)", ["n": .int64(Int64($0))]) })
    try store.declare("n")
    try store.doMaintenance()
    try store.drop("n")
    #expect(try store.page(store.query("n = 5")).answer.report.indexField.isEmpty)
    try store.declare("n")
    try store.doMaintenance()
    #expect(try entryCount(store) == 700)
    let report = try store.page(store.query("n = 5")).answer.report
    #expect(report.indexField == "n" && report.recordsMatched == 1)
  }

  @Test("what is rolled back is not in the index, and a save is seen at once")
  func rollback() throws {
    let store = try QueryStore()
    try store.declare("n")
    try store.doMaintenance()
    try store.engine.begin()
    _ = try store.engine.modifyRecords(
      RecordChanges(
        database: store.database,
        saves: [record("a", ["n": .int64(1)])],
        deletions: [],
        policy: .allKeys
      ),
      caller: Caller(user: QueryStore.user, device: "")
    )
    store.engine.rollback()
    #expect(try store.all(store.query("n = 1")).isEmpty)
    try store.save([record("a", ["n": .int64(1)])])
    #expect(try store.all(store.query("n = 1")).count == 1)
  }

  @Test("sources with more entries than are read at once are merged in order", arguments: [0, 7])
  func batches(limit: Int) throws {
    let store = try QueryStore()
    try store.makeZone("z")
    for zone in ["_defaultZone", "z"] {
      try store.save(
        (0..<150).map {
          record("r\(1000 + $0)", zone: zone, ["n": .int64(Int64($0 * 7 % 50)), "m": .int64(1)])
        }
      )
    }
    try store.declare("n")
    try store.doMaintenance()
    func values(_ text: String, isDescending: Bool) throws -> [FieldValue?] {
      let query = try store.query(text, sort: [.init(field: "n", isDescending: isDescending)])
      return try store.all(query) { limit }.map { $0.fields["n"] }
    }
    let all = (0..<300).map { FieldValue.int64(Int64($0 / 6)) }
    #expect(try values("m = 1", isDescending: false) == all)
    #expect(try values("m = 1", isDescending: true) == all.reversed())
    let keys = try store.query("n IN {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}")
    let found = try store.all(keys) { limit }
    #expect(found.count == 90 && Set(found.map(\.recordID)).count == 90)
  }

  @Test(
    "a record is found once, however many of its members begin like a long text",
    arguments: [0, 1]
  )
  func longMembers(limit: Int) throws {
    let store = try QueryStore()
    for field in ["tags", "n"] { try store.declare(field) }
    try store.doMaintenance()
    let (lower, upper) = (String(repeating: "ab", count: 65), String(repeating: "AB", count: 65))
    var names: [String] = []
    func add(_ name: String, _ tags: [String]) throws {
      let number = FieldValue.int64(Int64(names.count))
      try store.save([record(name, ["tags": .stringList(tags), "n": number, "m": number])])
      names.append(name)
    }
    func check() throws {
      for condition in ["", " OR n = 7"] {
        for sort in [[], [RecordQuery.SortKey(field: "n")], [RecordQuery.SortKey(field: "m")]] {
          let query = try store.query("tags CONTAINS[c] '\(lower)x'" + condition, sort: sort)
          #expect(try store.page(query).answer.report.indexField.contains("tags"))
          let found = try store.all(query) { limit }.map(\.recordID.recordName)
          #expect(found.sorted() == names.sorted())
          if !sort.isEmpty { #expect(found == names) }
        }
      }
    }
    // One spelling, and then several.
    for name in ["b", "a", "c"] { try add(name, ["x", "X", "y"].map { lower + $0 }) }
    try store.save([record("z", ["tags": .stringList([lower + "y"])])])
    try check()
    for name in ["e", "d"] { try add(name, [upper + "X", lower + "x", lower + "X"]) }
    try check()
  }

  @Test("words that begin with a mark do not hide others")
  func markedWords() throws {
    let store = try QueryStore()
    try store.declare("s", .words)
    try store.doMaintenance()
    try store.save([record("a", ["s": .string("bob")]), record("b", ["s": .string("\u{93e}b")])])
    let page = try store.page(store.query("self CONTAINS 'bob \u{93e}b'"))
    #expect(page.answer.report.indexField == "s")
    #expect(page.records.map(\.recordID.recordName) == ["a", "b"])
  }

  @Test("a query explains itself")
  func explaining() throws {
    let store = try QueryStore()
    try store.save(
      (0..<20).map { record("r\($0)", ["n": .int64(Int64($0)), "s": .string("x y")]) }
    )
    let scan = try store.page(store.query("n = 5")).answer.report
    #expect(scan.recordsVisited == 20 && scan.recordsMatched == 1)
    #expect(scan.advice.contains("declare T.n QUERYABLE"))
    #expect(
      try store.page(store.query("s CONTAINS 'y'")).answer.report.advice.contains("T.s SEARCHABLE")
    )
    let sorted = try store.page(store.query(sort: [.init(field: "creationDate")])).answer.report
    #expect(sorted.advice.contains("T.___createTime SORTABLE"))
    try store.declare("n")
    try store.doMaintenance()
    let indexed = try store.page(store.query("n = 5 AND s = 'x y'")).answer.report
    #expect(indexed.steps.first == "index n: n = 5")
    #expect(indexed.entriesVisited == 1 && indexed.advice.isEmpty)
    let ordered = try store.page(store.query(sort: [.init(field: "n")]), limit: 3).answer.report
    #expect(ordered.isSortedByIndex && ordered.recordsVisited == 3)
  }

  @Test("what cannot be sorted is refused, with the field")
  func unsortable() throws {
    let store = try QueryStore()
    let position = Location(latitude: 1, longitude: 2)
    try store.save([
      record("a", ["tags": .stringList(["x"]), "place": .location(position), "n": .int64(1)])
    ])
    for (key, word) in [
      (RecordQuery.SortKey(field: "tags"), "tags"), (.init(field: "place"), "relative location"),
      (.init(field: "n", relativeLocation: position), "only a LOCATION"),
    ] {
      do {
        _ = try store.page(store.query(sort: [key]))
        Issue.record("sorted by \(key.field)")
      } catch let error as ItemError {
        #expect(error.code == .invalidArguments && error.message.contains(word))
      }
    }
    #expect(
      try store.all(store.query(sort: [.init(field: "place", relativeLocation: position)])).count
        == 1
    )
  }
}
