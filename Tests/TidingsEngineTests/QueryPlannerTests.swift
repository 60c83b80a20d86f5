internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct QueryPlannerTests {
  private static let kinds: [String: FieldValue.Kind] = [
    "tags": .stringList, "text": .string, "city": .string, "price": .int64, "place": .location,
  ]
  private static let indexes: [String: QueryPlanner.ReadyIndex] = Dictionary(
    uniqueKeysWithValues: [
      ("city", IndexKind.ordered), ("price", .ordered), ("tags", .ordered), ("text", .words),
      ("___modTime", .ordered), ("___recordID", .ordered), ("place", .ordered),
    ].enumerated().map { number, index in
      (
        index.0,
        QueryPlanner.ReadyIndex(number: Int64(number + 1), field: index.0, kind: index.1)
      )
    }
  )

  private func plan(
    _ predicate: String,
    sort: [RecordQuery.SortKey] = [],
    with fields: [String] = ["city", "price", "tags", "text", "___modTime", "place"],
    counts: [Int64: Int] = [:]
  ) throws -> QueryPlan {
    try QueryPlanner(
      query: RecordQuery(
        database: DatabaseID(
          container: "default",
          environment: .development,
          scope: .public,
          owner: ""
        ),
        recordType: "House",
        predicate: Predicate(text: predicate),
        sortKeys: sort
      ),
      indexes: fields.compactMap { Self.indexes[$0] },
      kind: { Self.kinds[$0] },
      textFields: { Self.kinds.filter { $0.value == .string }.map(\.key).sorted() },
      probe: { access, limit in
        min(access.entries.map { $0.reduce(0) { $0 + counts[$1.index, default: 10] } } ?? 10, limit)
      },
      spellings: { _, head, wanted in
        ["berlin", "Berlin", "BERLIN", "Bern"].compactMap {
          wanted.spelling(of: Array($0.utf8)).map { IndexKey(bytes: head.bytes + $0) }
        }
      }
    ).plan()
  }

  private func key(_ value: FieldValue, asMember: Bool = false) throws -> IndexKey {
    try #require(IndexKey(value, asMember: asMember))
  }

  @Test("an equality is one key, and nothing needs to be compared")
  func equality() throws {
    let plan = try plan("city = 'Berlin'")
    #expect(plan.access == .range(index: 1, KeyRange(try key(.string("Berlin")))))
    #expect(plan.isExact && plan.order == .any && plan.indexField == "city")
    #expect(try !self.plan("city = 'Berlin' AND area = 5").isExact)
  }

  @Test("without a fitting index a query scans, or lists the type")
  func scans() throws {
    #expect(try plan("area = 5").access == .scanAll)
    #expect(try plan("NOT city = 'Berlin'").access == .scanAll)
    #expect(try plan("city = 'a' OR area = 5").access == .scanAll)
    #expect(try plan("self CONTAINS 'bob'").access == .scanAll)
    #expect(try plan("FALSEPREDICATE").access == .named([]))
    let listed = try plan("TRUEPREDICATE", with: ["___recordID"])
    #expect(listed.access == .range(index: 6, .scalars) && listed.isExact)
  }

  @Test("IN, OR of one field, members of lists and words are keys")
  func keys() throws {
    let cities = try ["a", "b"].map { try key(.string($0)) }
    #expect(try plan("city IN {'b', 'a'}").access == keys(1, cities))
    let members = try ["x", "y"].map { try key(.string($0), asMember: true) }
    #expect(try plan("tags CONTAINS 'x'").access == .range(index: 3, KeyRange(members[0])))
    #expect(try plan("ANY tags IN {'y', 'x'}").access == keys(3, members))
    let words = ["bob", "smith"].map { IndexKey(word: $0) }
    #expect(try plan("text CONTAINS 'Smith the Bob'").access == keys(4, words))
  }

  private func keys(_ index: Int64, _ keys: [IndexKey]) -> QueryAccess {
    .keys(keys.map { IndexedKey(index: index, key: $0) })
  }

  @Test("an OR of several fields is the entries of all of them")
  func alternatives() throws {
    let (city, price) = (try key(.string("a")), try key(.int64(5)))
    let points = try plan("city = 'a' OR price = 5")
    #expect(
      points.access == .keys([IndexedKey(index: 1, key: city), IndexedKey(index: 2, key: price)])
    )
    #expect(points.isExact && points.indexField == "city, price")
    let ranges = try plan("city = 'a' OR price > 5")
    let above = KeyRange(lower: price.successor, upper: price.classPrefix.afterPrefix)
    #expect(
      ranges.access
        == .ranges([
          IndexedRange(index: 1, range: KeyRange(city)), IndexedRange(index: 2, range: above),
        ])
    )
    #expect(ranges.isExact)
    let narrowed = try plan(
      "(city = 'a' AND price = 5 AND area = 1) OR price > 5",
      counts: [1: 90, 2: 10]
    )
    #expect(
      narrowed.access == .range(index: 2, KeyRange(lower: price, upper: above.upper))
        || narrowed.access
          == .ranges([
            IndexedRange(index: 2, range: KeyRange(price)), IndexedRange(index: 2, range: above),
          ])
    )
    #expect(!narrowed.isExact)
    #expect(try plan("city = 'a' OR NOT price = 5").access == .scanAll)
  }

  @Test("without regard to case a query looks for the spellings that the index has")
  func spellings() throws {
    func plan(_ text: String) throws -> QueryPlan { try self.plan(text) }
    let found = try ["BERLIN", "Berlin", "berlin"].map { try key(.string($0)) }
    let equal = try plan("city =[c] 'bErLiN'")
    #expect(equal.access == keys(1, found) && equal.isExact)
    let heads = try ["BERLIN", "Berlin", "berlin"].map { name in
      let head = try key(.string(String(name.prefix(4))))
      return IndexedRange(index: 1, range: KeyRange(lower: head, upper: head.afterPrefix))
    }
    #expect(try plan("city BEGINSWITH[c] 'berl'").access == .ranges(heads))
    #expect(try plan("city =[c] 'Rome'").access == .keys([]))
    #expect(try plan("area =[c] 'Rome'").access == .scanAll)
  }

  @Test("a distance looks into a few cells of the globe, all texts into the words of each")
  func locationsAndTexts() throws {
    let near = try plan("distanceToLocation:fromLocation:(place, @location(48.1, 11.5)) < 500")
    guard case .ranges(let ranges) = near.access else {
      Issue.record("\(near.access)")
      return
    }
    #expect((1...LocationCell.cellsMax).contains(ranges.count) && !near.isExact)
    let inside = try key(.location(Location(latitude: 48.1001, longitude: 11.5001)))
    let outside = try key(.location(Location(latitude: 48.2, longitude: 11.5)))
    #expect(ranges.contains { $0.range.contains(inside) })
    #expect(!ranges.contains { $0.range.contains(outside) })
  }

  @Test("comparisons of order become one range")
  func ranges() throws {
    let (low, high) = (try key(.int64(5)), try key(.int64(9)))
    #expect(
      try plan("price > 5 AND price < 9").access
        == .range(index: 2, KeyRange(lower: low.successor, upper: high))
    )
    let open = try plan("price >= 5").access
    #expect(open == .range(index: 2, KeyRange(lower: low, upper: low.classPrefix.afterPrefix)))
    let city = try key(.string("Be"))
    #expect(
      try plan("city BEGINSWITH 'Be'").access
        == .range(index: 1, KeyRange(lower: city, upper: city.afterPrefix))
    )
  }

  @Test("of two ways the one with fewer entries is taken")
  func choice() throws {
    let text = "city = 'Berlin' AND price > 5"
    #expect(try plan(text, counts: [1: 900, 2: 10]).indexField == "price")
    #expect(try plan(text, counts: [1: 10, 2: 900]).indexField == "city")
    #expect(try plan(text, counts: [1: 5000, 2: 5000]).indexField == "city")
  }

  @Test("a sort uses the index of its key, unless little has to be sorted")
  func sorting() throws {
    let byPrice = [RecordQuery.SortKey(field: "price", isDescending: true)]
    let whole = QueryAccess.ordered(index: 2, .scalars, descending: true, withAbsent: true)
    let plain = try plan("TRUEPREDICATE", sort: byPrice)
    #expect(plain.access == whole && plain.order == .access && plain.isExact)
    let many = try plan("city = 'a'", sort: byPrice, counts: [1: 100_000])
    #expect(many.access == whole && many.order == .access && !many.isExact)
    let few = try plan("city = 'a'", sort: byPrice, counts: [1: 20])
    #expect(few.indexField == "city" && few.order == .sorted(isPrefix: false))
    let low = try key(.int64(5))
    let range = try plan("price > 5", sort: byPrice, counts: [2: 100_000])
    #expect(
      range.access
        == .ordered(
          index: 2,
          KeyRange(lower: low.successor, upper: low.classPrefix.afterPrefix),
          descending: true,
          withAbsent: false
        )
    )
    #expect(range.isExact && range.order == .access)
    let two = try plan("TRUEPREDICATE", sort: byPrice + [.init(field: "city")])
    #expect(two.access == whole && two.order == .sorted(isPrefix: true))
    let unindexed = try plan("TRUEPREDICATE", sort: [.init(field: "area")])
    #expect(unindexed.access == .scanAll && unindexed.order == .sorted(isPrefix: false))
    let byTime = try plan("TRUEPREDICATE", sort: [.init(field: "modificationDate")])
    #expect(byTime.indexField == "___modTime" && byTime.order == .access)
  }

  @Test("records are found by their names without an index")
  func names() throws {
    #expect(try plan("recordName = 'x'").access == .named(["x"]))
    #expect(try plan("recordName IN {'y', 'x'}").access == .named(["x", "y"]))
    #expect(
      try plan("recordName BEGINSWITH 'x'").access
        == .scan(from: "x", to: "x" + QueryAccess.nameMax)
    )
  }
}
