internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Queries through a real server.
@Suite(.endsServers) struct QueryTests {
  private func names(_ page: TidingsV1.QueryRecordsResponse) -> [String] {
    page.records.compactMap(\.recordID?.recordName)
  }

  private func house(_ index: Int) -> TidingsV1.Record {
    .init(
      "Houses",
      "h\(index)",
      [
        "city": .init(stringLiteral: index % 2 == 0 ? "Berlin" : "Ulm"),
        "price": .init(integerLiteral: Int64(100 - index)),
      ]
    )
  }

  @Test("an acknowledged save is found, in pages, in the order asked for, over a restart")
  func pages() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for index in 0..<9 { try await client.save(house(index)) }
    var request = TidingsV1.QueryRecordsRequest(
      recordType: "Houses",
      predicate: .init(text: "city = %@", arguments: ["Berlin"]),
      sortDescriptors: [.init(fieldName: "price")],
      limit: 2
    )
    let first = try await client.records.queryRecords(request)
    #expect(names(first) == ["h8", "h6"] && first.records[0].fields["price"] == 92)
    try await client.save(.init("Houses", "h4", ["price": 0]))
    _ = try await client.modify(delete: [.init("h2")])
    let restarted = try await {
      try await server.crash()
      return try await server.restarted()
    }()
    let again = try await restarted.client(as: "ada")
    request = .init(desiredKeys: .init(keys: ["price"]), limit: 9, cursor: first.cursor)
    let second = try await again.records.queryRecords(request)
    #expect(names(second) == ["h4", "h0"] && second.cursor.isEmpty)
    #expect(second.records[0].fields == ["price": 0])
    let foreign = try await restarted.client(as: "bob")
    let refusal = await failure { _ = try await foreign.records.queryRecords(request) }
    #expect(refusal?.code == .invalidArgument)
  }

  @Test("a query without a zone asks all zones; what cannot be asked is refused in words")
  func zonesAndRefusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "z"))])
    )
    try await client.save(house(1))
    try await client.save(.init("Houses", "inZone", zone: "z", ["price": 50]))
    func query(
      _ text: String = "TRUEPREDICATE",
      zone: String? = nil,
      sort: [TidingsV1.SortDescriptor] = [],
      type: String = "Houses",
      in database: TidingsV1.DatabaseID? = nil
    ) -> TidingsV1.QueryRecordsRequest {
      .init(
        databaseID: database,
        recordType: type,
        predicate: .init(text: text),
        sortDescriptors: sort,
        zoneID: zone.map { .init(zoneName: $0) }
      )
    }
    func refusal(_ request: TidingsV1.QueryRecordsRequest) async -> RPCError? {
      await failure { _ = try await client.records.queryRecords(request) }
    }
    let all = try await client.records.queryRecords(
      query(sort: [.init(fieldName: "price", descending: true)])
    )
    #expect(names(all) == ["h1", "inZone"])
    #expect(names(try await client.records.queryRecords(query(zone: "z"))) == ["inZone"])
    #expect(try await client.records.queryRecords(query(type: "Nothing")).records.isEmpty)
    #expect(await refusal(query(zone: "missing"))?.code == .notFound)
    #expect(await refusal(query("price >"))?.code == .invalidArgument)
    #expect(await refusal(query(type: ""))?.code == .invalidArgument)
    let shared = TidingsV1.DatabaseID(scope: .shared)
    #expect(await refusal(query(in: shared))?.message.contains("a zone and its owner") == true)
    #expect(await refusal(query(zone: "z", in: shared))?.code == .invalidArgument)
    var foreign = query(in: shared)
    foreign.zoneID = .init(zoneName: "z", ownerName: "bob")
    #expect(await refusal(foreign)?.code == .notFound)
    let production = TidingsV1.DatabaseID(environment: .production)
    #expect(await refusal(query(type: "Nothing", in: production)) != nil)
  }

  @Test(
    "records with equal sort keys come by zone and name, in both directions, with an index and without",
    arguments: [false, true]
  )
  func equalKeys(isIndexed: Bool) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    // Zones come in the order of their first use.
    for zone in ["z", "b"] {
      _ = try await client.zones.modifyRecordZones(
        .init(zonesToSave: [.init(zoneID: .init(zoneName: zone))])
      )
      for (index, name) in ["d", "a", "c", "b", "e"].enumerated() {
        try await client.save(
          .init("Houses", name, zone: zone, ["floor": index == 4 ? 2 : 1, "city": "Ulm"])
        )
      }
    }
    if isIndexed {
      let text = "DEFINE SCHEMA RECORD TYPE Houses (floor INT64 SORTABLE, city STRING);"
      _ = try await client.schemas.applySchema(.init(text: text))
      let sorted = TidingsV1.QueryRecordsRequest(
        recordType: "Houses",
        sortDescriptors: [.init(fieldName: "floor")]
      )
      try await waitUntil("the index to be built") {
        try await client.records.explainQuery(.init(query: sorted)).sortedByIndex
      }
    }
    func found(
      _ sort: [TidingsV1.SortDescriptor],
      zone: String? = nil,
      limit: UInt32
    ) async throws -> [String] {
      var names: [String] = []
      var request = TidingsV1.QueryRecordsRequest(
        recordType: "Houses",
        sortDescriptors: sort,
        zoneID: zone.map { .init(zoneName: $0) }
      )
      repeat {
        request.limit = limit
        let page = try await client.records.queryRecords(request)
        names += page.records.map {
          ($0.recordID?.zoneID?.zoneName ?? "") + "/" + ($0.recordID?.recordName ?? "")
        }
        request = .init(cursor: page.cursor)
      } while !request.cursor.isEmpty
      return names
    }
    let (low, high) = (["a", "b", "c", "d"], ["e"])
    func all(_ names: [String]) -> [String] {
      ["z", "b"].flatMap { zone in names.map { "\(zone)/\($0)" } }
    }
    for limit in [UInt32(1), 3, 100] {
      let ascending = TidingsV1.SortDescriptor(fieldName: "floor")
      let descending = TidingsV1.SortDescriptor(fieldName: "floor", descending: true)
      let city = TidingsV1.SortDescriptor(fieldName: "city", descending: true)
      for keys in [[ascending], [ascending, city]] {
        #expect(try await found(keys, limit: limit) == all(low) + all(high))
      }
      for keys in [[descending], [descending, city]] {
        #expect(try await found(keys, limit: limit) == all(high) + all(low))
        #expect(
          try await found(keys, zone: "b", limit: limit) == (high + low).map { "b/\($0)" }
        )
      }
      #expect(try await found([city], limit: limit) == all(low + high))
    }
  }

  @Test("a declared index serves the query once it is built, and the query says so")
  func indexes() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for index in 0..<9 { try await client.save(house(index)) }
    let query = TidingsV1.QueryRecordsRequest(
      recordType: "Houses",
      predicate: .init(text: "city = 'Ulm'")
    )
    let before = try await client.records.explainQuery(.init(query: query))
    #expect(before.indexField.isEmpty && before.advice.contains("Houses.city QUERYABLE"))
    _ = try await client.schemas.applySchema(
      .init(
        text: """
          DEFINE SCHEMA
          RECORD TYPE Houses (
            city STRING QUERYABLE,
            price INT64
          );
          """
      )
    )
    var after = before
    try await waitUntil("the index to be built") {
      after = try await client.records.explainQuery(.init(query: query))
      return !after.indexField.isEmpty
    }
    #expect(after.indexField == "city" && after.entriesVisited == 4 && after.recordsMatched == 4)
    #expect(after.advice.isEmpty && after.predicate == #"city = "Ulm""#)
    try await client.save(.init("Houses", "h1", ["city": "Berlin"]))
    let found = try await client.records.queryRecords(query)
    #expect(Set(names(found)) == ["h3", "h5", "h7"])
  }
}
