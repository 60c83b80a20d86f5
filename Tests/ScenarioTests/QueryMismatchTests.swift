internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// Queries for what the schema does not have: they find nothing, and say why.
@Suite(.endsServers) struct QueryMismatchTests {
  private typealias Request = TidingsV1.QueryRecordsRequest

  private static let production = TidingsV1.DatabaseID(environment: .production)
  private static let house: [String: TidingsV1.FieldValue] = [
    "price": 5, "city": "Berlin", "area": 1.5,
    "tags": .init(.stringListValue(.init(values: ["red"]))),
    "marks": .init(.int64ListValue(.init(values: [1]))),
    "built": .init(.timestampValue(.init(seconds: 1))),
    "place": .init(.locationValue(.init(latitude: 1, longitude: 2))),
    "seller": .init(.referenceValue(.init(recordID: .init("ann")))),
  ]

  /// A server whose production has what development has.
  private func deployed() async throws -> (TestServer, Client) {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1", Self.house))
    _ = try await client.schemas.deploySchema(.init())
    let saved = try await client.modify([.init("Houses", "h1", Self.house)], in: Self.production)
    try #require(saved[0].error == nil)
    return (server, client)
  }

  private func query(
    _ text: String,
    type: String = "Houses",
    sort: [String] = [],
    in database: TidingsV1.DatabaseID? = nil
  ) -> Request {
    Request(
      databaseID: database,
      recordType: type,
      predicate: .init(text: text),
      sortDescriptors: sort.map { .init(fieldName: $0) }
    )
  }

  @Test(
    "what no record can match is warned of in development, and refused in production",
    arguments: [
      ("prcie > 5", ["'prcie'", "'Houses'", "did you mean 'price'?"]),
      ("NOT colour = 'red'", ["has no field 'colour'"]),
      ("price = '5'", ["'price'", "INT64", "STRING"]),
      ("price != '5'", ["'price'", "INT64", "STRING"]),
      ("price IN {5, 'five'}", ["'price'", "STRING"]),
      ("city > 5", ["'city'", "STRING", "INT64"]),
      ("city BEGINSWITH 'B' OR area = 'x'", ["'area'", "DOUBLE"]),
      ("price BEGINSWITH '5'", ["'price'", "INT64", "STRING"]),
      ("tags = 'red'", ["'tags'", "LIST<STRING>", "ANY"]),
      ("tags CONTAINS 5", ["'tags'", "LIST<STRING>", "INT64"]),
      ("ANY price > 5", ["'price'", "INT64", "ANY"]),
      ("ANY marks > 'x'", ["'marks'", "LIST<INT64>"]),
      ("price CONTAINS 5", ["'price'", "CONTAINS"]),
      ("built > 5", ["'built'", "TIMESTAMP", "@2026"]),
      ("place = 'here'", ["'place'", "LOCATION"]),
      ("distanceToLocation:fromLocation:(city, @location(1, 2)) < 5", ["'city'", "LOCATION"]),
      ("seller = 'ann'", ["'seller'", "REFERENCE", "@reference"]),
      ("creationDate > '2020-01-01'", ["'creationDate'", "TIMESTAMP", "STRING"]),
      ("recordName = 5", ["'recordName'", "STRING", "INT64"]),
      ("___etag = 5", ["'recordChangeTag'", "STRING"]),
    ]
  )
  func mismatches(text: String, words: [String]) async throws {
    let (_, client) = try await deployed()
    let page = try await client.records.queryRecords(query(text))
    #expect(page.warnings.count == 1, "\(page.warnings)")
    for word in words { #expect(page.warnings.first?.contains(word) == true, "\(page.warnings)") }
    let explained = try await client.records.explainQuery(.init(query: query(text)))
    #expect(explained.warnings == page.warnings && explained.advice.isEmpty, "\(explained)")
    let refusal = await failure {
      _ = try await client.records.queryRecords(query(text, in: Self.production))
    }
    #expect(refusal?.code == .invalidArgument)
    for word in words { #expect(refusal?.message.contains(word) == true, "\(refusal as Any)") }
  }

  @Test("unknown types and sort keys too; the nearest name is proposed")
  func names() async throws {
    let (_, client) = try await deployed()
    for (request, words) in [
      (query("price = 5", type: "Hosues"), ["'Hosues'", "did you mean 'Houses'?"]),
      (query("price = 5", type: "houses"), ["'houses'", "did you mean 'Houses'?"]),
      (query("price = 5", type: "Planets"), ["'Planets'", "not in the schema"]),
      (query("price = 5", sort: ["prise"]), ["'prise'", "did you mean 'price'?"]),
      (query("price = 5", sort: ["createionDate"]), ["did you mean 'creationDate'?"]),
    ] {
      let page = try await client.records.queryRecords(request)
      #expect(page.warnings.count == 1)
      for word in words { #expect(page.warnings.first?.contains(word) == true, "\(page.warnings)") }
      var inProduction = request
      inProduction.databaseID = Self.production
      let refusal = await failure { _ = try await client.records.queryRecords(inProduction) }
      #expect(refusal?.code == .invalidArgument)
      for word in words { #expect(refusal?.message.contains(word) == true, "\(refusal as Any)") }
    }
  }

  @Test("rpcctl warns of them on standard error, and ends well")
  func warnings() async throws {
    let (server, _) = try await deployed()
    for (arguments, words) in [
      (["Hosues"], ["'Hosues'", "did you mean 'Houses'?"]), (["Planets"], ["not in the schema"]),
      (["Houses", "--sort", "prise"], ["did you mean 'price'?"]),
      (["Houses", "--where", "prcie > 5"], ["did you mean 'price'?"]),
      (["Houses", "--where", "price > 5"], []),
    ] {
      for format in [OutputFormat.jsonl, .table] {
        let run = await RpcctlRun(server, ["query"] + arguments, format: format)
        #expect(run.exitCode == .success, "\(run)")
        #expect(run.out.isEmpty == !arguments.contains("--sort"), "\(run)")
        for word in words { #expect(run.err.contains("warning: ") && run.err.contains(word)) }
        if words.isEmpty { #expect(!run.err.contains("warning"), "\(run)") }
      }
    }
  }

  @Test("what some record may match is answered in silence, also when nothing does")
  func silence() async throws {
    let (_, client) = try await deployed()
    for text in [
      "price = 6", "price = 5.5", "area > 1", "city CONTAINS 'ulm'", "tags CONTAINS 'red'",
      "ANY marks > 5", "built > @2026-01-01T00:00:00Z", "seller = @reference('ben')",
      "creatorUserRecordID = 'bob'", "recordID = 'h2'", "self CONTAINS 'ulm'",
      "parent = @reference('p')",
      "ANY tags BEGINSWITH 'b'", "distanceToLocation:fromLocation:(place, @location(9, 9)) < 5",
    ] {
      for database in [nil, Self.production] {
        let page = try await client.records.queryRecords(
          query(text, sort: ["price", "creationDate"], in: database)
        )
        #expect(page.warnings.isEmpty, "\(text): \(page.warnings)")
      }
    }
  }

  @Test("a warning names no type that only others' private saves need")
  func hiddenTypes() async throws {
    let secure = try await SecureServer.start()
    let dev = try await secure.client(try await secure.createUser("dev", roles: ["developer"]))
    let ben = try await secure.client(try await secure.createUser("ben", roles: []))
    try await dev.save(.init("Diary", "d", ["secret": 1]))
    _ = try await dev.modify([.init("News", "n", ["day": 1])], in: .init(scope: .public))
    func warnings(_ client: Client, _ type: String, _ text: String) async throws -> [String] {
      try await client.records.queryRecords(query(text, type: type)).warnings
    }
    for (type, text) in [("Diary", "secret = 'x'"), ("Diary", "secrte = 1"), ("Diray", "day = 1")] {
      let all = try await warnings(ben, type, text)
      let reported = try #require(all.first)
      #expect(all.count == 1 && reported.hasPrefix("record type '\(type)' is not in the schema"))
      #expect(!reported.contains("'Diary'") || type == "Diary", "\(reported)")
      #expect(!reported.contains("did you mean"), "\(reported)")
    }
    #expect(try await warnings(ben, "Newz", "day = 1").first?.contains("'News'") == true)
    #expect(try await warnings(dev, "Diray", "day = 1").first?.contains("'Diary'") == true)
    // Whose own saves need the type sees it.
    try await ben.save(.init("Diary", "own", ["secret": 2]))
    #expect(try await warnings(ben, "Diary", "secret = 1").isEmpty)
    #expect(try await warnings(ben, "Diary", "secrte = 1").first?.contains("'secret'") == true)
  }

  @Test(
    "records of a type that a participant does not see in the schema are found without a warning"
  )
  func sharedTypes() async throws {
    let secure = try await SecureServer.start()
    let dev = try await secure.client(try await secure.createUser("dev", roles: ["developer"]))
    let ben = try await secure.client(try await secure.createUser("ben", roles: []))
    _ = try await dev.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "z"))])
    )
    var share = TidingsV1.Record("cloudkit.share", "s", zone: "z")
    share.share = .init(
      rootRecordName: "d",
      participants: [.init(userRecordName: "ben", permission: .readOnly)]
    )
    let saved = try await dev.modify([.init("Diary", "d", zone: "z", ["day": 1]), share])
    try #require(saved.allSatisfy { $0.error == nil }, "\(saved)")
    let stored = try await dev.fetch([.init("s", zone: "z")])[0].record
    let accepted = try await TidingsV1.ShareService.Client(ben.transport)
      .acceptShares(.init(urls: [stored?.share?.url ?? ""]))
    try #require(accepted.results.count == 1)
    var request = query("day = 1", type: "Diary", in: .init(scope: .shared))
    request.zoneID = .init(zoneName: "z", ownerName: "dev")
    let page = try await ben.records.queryRecords(request)
    #expect(page.records.count == 1 && page.warnings.isEmpty, "\(page)")
  }
}
