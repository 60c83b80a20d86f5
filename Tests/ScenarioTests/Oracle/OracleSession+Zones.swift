internal import TestSupport
internal import TidingsClient
internal import TidingsProto

extension OracleSession {
  mutating func saveZones(
    _ names: [String],
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let results = try await client.zones.modifyRecordZones(
      .init(databaseID: database.id, zonesToSave: names.map { .init(zoneID: .init(zoneName: $0)) })
    ).results.map { $0.normalized() }
    compare("save zones", results, names.map { oracle.saveZone($0, in: database) })
    oracle.endCall(by: caller)
  }

  mutating func deleteZones(
    _ names: [String],
    _ reason: TidingsV1.ZoneDeletionReason,
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let results = try await client.zones.modifyRecordZones(
      .init(
        databaseID: database.id,
        zoneIDsToDelete: names.map { .init(zoneName: $0) },
        deletionReason: reason
      )
    ).results.map { $0.normalized() }
    let expected = names.map {
      oracle.deleteZone($0, in: database, because: reason, by: caller)
    }
    oracle.endCall(by: caller)
    compare("delete zones", results, expected)
    noteChange()
  }

  mutating func list(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  )
    async throws
  {
    let subscriptions = try await client.subscriptions.fetchSubscriptions(
      .init(databaseID: database.id)
    ).results.map { $0.normalized() }
    compare(
      "\(caller) subscriptions",
      subscriptions,
      oracle.fetchSubscriptions(of: caller.user, in: database)
    ) { "\($0)" }
    let zones = try await client.zones.fetchRecordZones(.init(databaseID: database.id)).results
      .map { $0.normalized() }
    compare("\(caller) zones", zones, oracle.fetchZones(in: database)) { "\($0)" }
  }

  mutating func declare(_ indexes: [String: [String]], _ client: Client) async throws {
    _ = try await client.schemas.applySchema(.init(text: oracle.declare(indexes)))
    for slot in openQueries.keys { openQueries[slot]?.mayExpire = true }
  }

  mutating func compareEverything() async throws {
    let ids = OracleGenerator.recordNames.flatMap { name in
      ["", "attic", "cellar"].map { TidingsV1.RecordID(name, zone: $0) }
    }
    for caller in OracleGenerator.callers {
      let client = try client(of: caller)
      for database in [Oracle.Database(owner: caller.user), .init(owner: nil)] {
        try await fetch(ids, nil, client, database)
        try await list(client, caller, database)
        try await readFromStart(client, caller, database)
        try await queryAll(client, caller, database)
      }
      try await compareWholeFeed(client, caller)
    }
  }
}
