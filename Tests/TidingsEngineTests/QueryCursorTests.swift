internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct QueryCursorTests {
  private func filled(_ count: Int = 10, limits: Limits = Limits()) throws -> QueryStore {
    let store = try QueryStore(limits: limits)
    try store.save((0..<count).map { record("r\($0)", ["n": .int64(Int64($0))]) })
    return store
  }

  private func code(_ body: () throws -> Void) -> ItemError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ItemError)?.code
    }
  }

  @Test(
    "U+0000, which is in no name and which not every database can store, is compared as other text",
    arguments: [
      ("recordName = 'r1\0'", []), ("recordName IN {'r1\0', 'r2'}", ["r2"]),
      ("recordName > 'r1\0a'", ["r2", "r3"]), ("recordName < 'r1\0a'", ["r0", "r1"]),
      ("recordName BETWEEN {'r1\0a', 'r2\0'}", ["r2"]),
    ]
  )
  func impossibleNames(_ predicate: String, _ names: [String]) throws {
    let store = try filled(4)
    let found = try store.all(store.query(predicate)).map(\.recordID.recordName)
    #expect(found.sorted() == names)
  }

  @Test(
    "names are compared with other texts by bytes, page after page",
    arguments: [
      ("recordName > 'a\u{301}'", ["b", "c"]), ("recordName < 'a\u{301}'", ["K", "a", "a~"]),
      ("recordName <= 'a\u{301}'", ["K", "a", "a~"]), ("recordName BEGINSWITH 'a\u{301}'", []),
      ("recordName > 'K' AND recordName < 'b\u{301}'", ["a", "a~", "b"]),
      ("recordName BETWEEN {'a\u{301}', 'b\u{301}'}", ["b"]),
      ("recordName BEGINSWITH 'a' AND recordName < 'a\u{301}'", ["a", "a~"]),
      ("recordName IN {'\u{212a}', 'K', 'e\u{301}'}", ["K"]), ("recordName >= 'é'", []),
    ]
  )
  func otherTexts(_ predicate: String, _ names: [String]) throws {
    let store = try QueryStore()
    try store.save(["K", "a", "a~", "b", "c"].map { record($0, ["n": .int64(1)]) })
    let query = try store.query(predicate)
    var (found, cursor) = ([] as [String], [] as [UInt8])
    for _ in 0...names.count {
      let page = try store.page(query, cursor: cursor, limit: 1)
      found += page.records.map(\.recordID.recordName)
      cursor = page.answer.cursor
      if cursor.isEmpty { break }
    }
    #expect(found == names && cursor.isEmpty)
  }

  @Test("names that there cannot be hide none in any of many zones")
  func otherTextsInManyZones() throws {
    let store = try QueryStore()
    let zones = (0..<ZoneChunks.unprobedMax + 4).map { "z\($0)" }
    for zone in zones { try store.makeZone(zone) }
    try store.save(zones.map { record("b", zone: $0, ["n": .int64(1)]) })
    for predicate in ["recordName IN {'a\u{301}', 'b'}", "recordName > 'a\u{301}'"] {
      let found = try store.all(store.query(predicate))
      #expect(found.count == zones.count && Set(found).count == zones.count, "\(predicate)")
    }
  }

  @Test("a cursor outlives the server, and fits its user only")
  func users() throws {
    let store = try filled()
    let query = try store.query("n > 2", sort: [.init(field: "n")])
    let first = try store.page(query, limit: 3)
    #expect(first.records.map(\.recordID.recordName) == ["r3", "r4", "r5"])
    let reader = try EngineReader(
      store.testDatabase.connect(readsOnly: true),
      limits: Limits()
    )
    let next = try store.page(query, cursor: first.answer.cursor, limit: 2, from: reader)
    #expect(next.records.map(\.recordID.recordName) == ["r6", "r7"])
    let last = try store.page(query, cursor: next.answer.cursor)
    #expect(last.records.count == 2 && last.answer.cursor.isEmpty)
    #expect(
      code { _ = try store.page(query, cursor: first.answer.cursor, user: "bob") }
        == .invalidArguments
    )
  }

  @Test("a cursor that was altered anywhere is refused")
  func altered() throws {
    let store = try filled()
    let query = try store.query(sort: [.init(field: "n")])
    let cursor = try store.page(query, limit: 3).answer.cursor
    for index in cursor.indices {
      var other = cursor
      other[index] ^= 1
      let code = code { _ = try store.page(query, cursor: other) }
      #expect(code == .invalidArguments || code == .changeTokenExpired, "byte \(index)")
    }
    #expect(code { _ = try store.page(query, cursor: [1, 2, 3]) } == .invalidArguments)
  }

  @Test("a cursor is valid for as long as is promised")
  func age() throws {
    let store = try filled()
    let query = try store.query()
    let cursor = try store.page(query, limit: 3).answer.cursor
    let minutes = Int64(Limits().cursorRetentionMinutes)
    store.now = store.now.advanced(milliseconds: minutes * 60_000)
    #expect(try store.page(query, cursor: cursor).records.count == 7)
    store.now = store.now.advanced(milliseconds: 1)
    #expect(code { _ = try store.page(query, cursor: cursor) } == .changeTokenExpired)
    // A clock that went back must not bring forgotten entries' cursors to life.
    store.now = store.now.advanced(milliseconds: -(minutes + 5) * 60_000)
    #expect(code { _ = try store.page(query, cursor: cursor) } == .changeTokenExpired)
  }

  @Test("when the index is gone, or the zone, the cursor says so")
  func gone() throws {
    let store = try filled()
    try store.declare("n")
    try store.doMaintenance()
    let query = try store.query("n >= 0")
    let cursor = try store.page(query, limit: 3).answer.cursor
    try store.drop("n")
    #expect(code { _ = try store.page(query, cursor: cursor) } == .changeTokenExpired)
    try store.declare("n")
    try store.doMaintenance()
    #expect(code { _ = try store.page(query, cursor: cursor) } == .changeTokenExpired)

    try store.makeZone("z")
    try store.save((0..<4).map { record("z\($0)", zone: "z", ["n": .int64(Int64($0))]) })
    let inZone = try store.page(store.query("n >= 0", zone: "z"), limit: 2).answer.cursor
    let everywhere = try store.page(query, limit: 2).answer.cursor
    try store.write {
      try store.engine.deleteZone(
        ZoneID(zoneName: "z"),
        in: store.database,
        because: .deleted,
        caller: Caller(user: QueryStore.user, device: "")
      )
    }
    #expect(code { _ = try store.page(query, cursor: inZone) } == .zoneNotFound)
    #expect(try store.page(query, cursor: everywhere).records.count == 8)
    // The next zone may get the number of the last one: nothing of that is found in it.
    try store.makeZone("y")
    #expect(try store.all(store.query("n >= 0", zone: "y")).isEmpty)
  }

  @Test("when nobody knows any more what a record was, a sorted scan expires")
  func forgotten() throws {
    var limits = Limits()
    limits.ancestorsMax = 1
    let store = try filled(10, limits: limits)
    let query = try store.query(sort: [.init(field: "n")])
    let cursor = try store.page(query, limit: 3).answer.cursor
    try store.save([record("r9", ["n": .int64(0)])])
    let kept = try store.page(query, cursor: cursor)
    #expect(kept.records.last?.recordID.recordName == "r9", "in its old place, with its new value")
    #expect(kept.records.last?.fields["n"] == .int64(0))
    for number in 0..<3 { try store.save([record("r8", ["n": .int64(Int64(number))])]) }
    try store.doMaintenance()
    #expect(code { _ = try store.page(query, cursor: cursor) } == .changeTokenExpired)
  }

  @Test("pages end by count, by bytes and by rows looked at")
  func pageBounds() throws {
    var limits = Limits()
    limits.queryRowsPerPageMax = 4
    limits.querySortedRowsMax = 6
    limits.answerBytesMax = 5_000
    let store = try filled(10, limits: limits)
    let sparse = try store.query("n = 9")
    let first = try store.page(sparse)
    #expect(first.records.isEmpty && !first.answer.cursor.isEmpty)
    #expect(
      first.answer.report.steps.last
        == "the page ended after 4 rows; the query continues with its cursor"
    )
    let full = try store.page(store.query("n >= 0"), limit: 4)
    #expect(
      !full.answer.cursor.isEmpty && !full.answer.report.steps.contains { $0.contains("ended") }
    )
    #expect(try store.all(sparse).map(\.recordID.recordName) == ["r9"])
    do {
      _ = try store.page(store.query(sort: [.init(field: "n")]))
      Issue.record("more was sorted than allowed")
    } catch let error as ItemError {
      #expect(error.code == .limitExceeded && error.message.contains("T.n SORTABLE"))
    }
    let large = FieldValue.bytes([UInt8](repeating: 1, count: 2_000))
    try store.save((0..<3).map { record("x\($0)", type: "Large", ["blob": large]) })
    let page = try store.page(store.query("recordName BEGINSWITH 'x'", type: "Large"))
    #expect(page.records.count == 2)
    #expect(try store.all(store.query("recordName BEGINSWITH 'x'", type: "Large")).count == 3)
    // The last page has no cursor: nobody has to ask for an empty one.
    #expect(try store.page(store.query("recordName IN {'r1', 'r2'}"), limit: 2).answer.cursor == [])
  }
}
