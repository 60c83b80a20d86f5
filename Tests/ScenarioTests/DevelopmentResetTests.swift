internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// Development back to what production has, through a real server.
@Suite(.endsServers) struct DevelopmentResetTests {
  private static let deployed = """
    DEFINE SCHEMA
    RECORD TYPE Notes (
      text STRING QUERYABLE
    );
    """
  private static let extended = """
    DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Notes (
      text STRING QUERYABLE,
      price INT64 SORTABLE
    );
    RECORD TYPE Drafts (
      text STRING SEARCHABLE,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
    );
    """
  private static let production = TidingsV1.DatabaseID(environment: .production)
  private static let databases: [TidingsV1.DatabaseID] = [.init(), .init(scope: .public)]

  /// Users' data in both environments; development's schema goes beyond production's.
  private func fill(_ server: TestServer, zones: Int, records: Int) async throws {
    let ada = try await server.client(as: "ada")
    for text in [Self.deployed, Self.extended] {
      _ = try await ada.schemas.applySchema(.init(text: text))
      if text == Self.deployed { _ = try await ada.schemas.deploySchema(.init()) }
    }
    _ = try await ada.records.modifyRecords(
      .init(
        databaseID: Self.production,
        recordsToSave: [.init("Notes", "kept", ["text": "kept"])]
      )
    )
    for user in ["ada", "ben"] {
      let client = try await server.client(as: user)
      let names = (0..<zones).map { "zone\($0)" }
      _ = try await client.zones.modifyRecordZones(
        .init(zonesToSave: names.map { .init(zoneID: .init(zoneName: $0)) })
      )
      try await client.subscribe(.init("all", "Notes"))
      try await client.subscribe(.database("changes"))
      for zone in names + [""] {
        var records = (0..<records).map { number in
          TidingsV1.Record(
            "Notes",
            "n\(number)",
            zone: zone,
            ["text": "t", "price": .init(integerLiteral: Int64(number))]
          )
        }
        while !records.isEmpty {
          let some = Array(records.prefix(400))
          records.removeFirst(some.count)
          let saved = try await client.modify(some)
          #expect(saved.allSatisfy { $0.record != nil })
        }
      }
      let draft = TidingsV1.Record("Drafts", "of \(user)", ["text": "words"])
      let saved = try await client.modify([draft], in: .init(scope: .public))
      #expect(saved.allSatisfy { $0.record != nil })
    }
  }

  /// What is left in development, of everybody.
  private func isEmpty(_ server: TestServer) async throws -> Bool {
    for user in ["ada", "ben"] {
      let client = try await server.client(as: user)
      for database in Self.databases {
        let zones = try await client.zones.fetchRecordZones(.init(databaseID: database))
        guard zones.results.count == 1 else { return false }
        let changes = try await client.records.fetchRecordZoneChanges(
          .init(databaseID: database, zones: [.init(zoneID: .init())])
        )
        guard changes.zones.first?.changedRecords == [] else { return false }
      }
      let subscriptions = try await client.subscriptions.fetchSubscriptions(.init())
      guard subscriptions.results.isEmpty else { return false }
    }
    return true
  }

  private func schema(
    _ client: Client,
    _ environment: TidingsV1.Environment
  ) async throws -> String {
    try await client.schemas.fetchSchema(.init(environment: environment)).text
  }

  @Test("a reset leaves production's schema and no data of anybody, and production as it was")
  func reset() async throws {
    let server = try await TestServer.start()
    try await fill(server, zones: 3, records: 500)
    let ada = try await server.client(as: "ada")
    let token = try await ada.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init())])
    ).zones.first?.changeToken
    let before = try await schema(ada, .development)
    let production = try await schema(ada, .production)
    #expect(before != production)

    let unconfirmed = await RpcctlRun(server, ["schema", "reset"])
    #expect(unconfirmed.exitCode == .localFailure && unconfirmed.err.contains("--yes"))
    let planned = await RpcctlRun(server, ["schema", "reset", "--dry-run"])
    #expect(planned.exitCode == .success, "\(planned.err)")
    #expect(planned.out.contains(#""change":"REMOVED","subject":"Drafts""#), "\(planned.out)")
    #expect(planned.err.contains("3 databases with data would be deleted"), "\(planned.err)")
    #expect(try await schema(ada, .development) == before)
    #expect(try await ada.fetch([.init("n1", zone: "zone0")]).first?.record != nil)
    let wrong = await RpcctlRun(
      server,
      ["schema", "reset", "--environment", "production", "--yes"]
    )
    #expect(wrong.exitCode == .usage)

    let done = await RpcctlRun(server, ["schema", "reset", "--yes"])
    #expect(done.exitCode == .success, "\(done.err)")
    #expect(done.out == planned.out)
    #expect(try await isEmpty(server))
    #expect(try await schema(ada, .development) == production)
    #expect(try await schema(ada, .production) == production)
    let kept = try await ada.records.fetchRecords(
      .init(databaseID: Self.production, recordIDs: [.init("kept")])
    )
    #expect(kept.results.first?.record?.fields["text"] == "kept")
    // Nobody's copy passes for the present: tokens from before expire.
    let changes = try await ada.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init(), changeToken: token ?? [])])
    )
    #expect(changes.zones.first?.error?.code == .changeTokenExpired, "\(changes)")
    // It is an environment like a new one.
    try await ada.save(.init("Notes", "n1", ["text": "new"]))
    try await ada.save(.init("Drafts", "d", ["text": "learned again"]))
    let found = try await ada.records.queryRecords(
      .init(recordType: "Notes", predicate: .init(text: "text = 'new'"))
    )
    #expect(found.records.count == 1)
    let again = await RpcctlRun(server, ["schema", "reset", "--yes"])
    #expect(again.exitCode == .success)
    #expect(try await isEmpty(server))
    if ServerDatabase.isEmbedded {
      #expect(await RpcctlRun(server, ["server", "check", "--structure"]).exitCode == .success)
    }
    let audit = await RpcctlRun(server, ["audit", "--limit", "1000"])
    #expect(audit.out.contains(#""action":"ResetDevelopment""#), "\(audit.out)")
  }

  @Test(
    "change tokens and change tags of before a reset are not valid afterwards, however much is saved"
  )
  func tokensAndTags() async throws {
    let server = try await TestServer.start()
    try await fill(server, zones: 1, records: 1)
    let ada = try await server.client(as: "ada")
    var tags: [String] = []
    for number in 0..<5 {
      let record = TidingsV1.Record("Notes", "n\(number)", ["text": "old"])
      tags.append(try #require(try await ada.modify([record]).first?.record).changeTag)
    }
    let token = try await ada.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init())])
    ).zones.first?.changeToken
    #expect(await RpcctlRun(server, ["schema", "reset", "--yes"]).exitCode == .success)
    for number in 0..<9 {
      try await ada.save(.init("Notes", "n\(number)", ["text": "new"]))
    }
    let changes = try await ada.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init(), changeToken: token ?? [])])
    )
    #expect(changes.zones.first?.error?.code == .changeTokenExpired, "\(changes)")
    for (number, tag) in tags.enumerated() {
      var record = TidingsV1.Record("Notes", "n\(number)", ["text": "written over"])
      record.changeTag = tag
      let result = try await ada.modify([record], policy: .ifServerRecordUnchanged).first
      #expect(result?.error?.code == .serverRecordChanged, "\(String(describing: result))")
    }
  }

  @Test("a reset that a crash interrupts, at any moment, goes on at the next start")
  func crashes() async throws {
    let seed = Seed.make("DevelopmentReset")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    try await fill(server, zones: 12, records: 350)
    let begun = await RpcctlRun(server, ["schema", "reset", "--yes", "--no-wait"])
    #expect(begun.exitCode == .success, "\(begun.err)")
    for _ in 0..<4 {
      // A random pause, so that each crash comes at another point of the reset.
      try await Task.sleep(for: .milliseconds(Int64(random.below(30))))
      try await server.crash()
      server = try await server.restarted()
    }
    // Calls wait for the end by themselves.
    let client = try await server.client(as: "ben")
    try await waitUntil("the end of the reset") {
      let refusal = await failure {
        try await client.save(.init("Notes", "x", ["text": "y"]))
      }
      guard let refusal else { return true }
      #expect(refusal.message.contains("being reset"), "\(refusal) seed \(seed)")
      return false
    }
    #expect(await RpcctlRun(server, ["records", "delete", "x"], as: "ben").exitCode == .success)
    #expect(try await isEmpty(server), "seed \(seed)")
    let production = try await schema(client, .production)
    #expect(try await schema(client, .development) == production, "seed \(seed)")
    if ServerDatabase.isEmbedded {
      #expect(await RpcctlRun(server, ["server", "check", "--structure"]).exitCode == .success)
    }
  }
}
