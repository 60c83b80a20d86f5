internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Where all items of a call succeed or none does, when the call does not say, and when it does.
@Suite(.endsServers) struct AtomicityTests {
  private typealias Code = TidingsV1.ErrorCode

  /// Saves one good record and one that conflicts.
  private func outcome(
    _ client: Client,
    zone: String = "",
    atomic: Bool?,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> [Code?] {
    _ = try await client.modify([.init("Notes", "taken", zone: zone)], in: database)
    _ = try await client.modify(delete: [.init("free", zone: zone)], in: database)
    let records: [TidingsV1.Record] = [
      .init("Notes", "taken", zone: zone), .init("Notes", "free", zone: zone),
    ]
    return try await client.modify(
      records,
      policy: .ifServerRecordUnchanged,
      atomic: atomic,
      in: database
    ).map { $0.error?.code }
  }

  @Test("custom zones are atomic and default zones are not, unless the call says it")
  func zones() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let made = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "notes"))])
    )
    #expect(made.results.count == 1)
    let apart: [Code?] = [.serverRecordChanged, nil]
    let together: [Code?] = [.serverRecordChanged, .batchRequestFailed]
    let publicDatabase = TidingsV1.DatabaseID(scope: .public)
    for name in ["", "_defaultZone"] {
      #expect(try await outcome(client, zone: name, atomic: nil) == apart)
    }
    #expect(try await outcome(client, atomic: nil, in: publicDatabase) == apart)
    #expect(try await outcome(client, zone: "notes", atomic: nil) == together)
    for (zone, database) in [("", nil), ("notes", nil), ("", publicDatabase)] {
      #expect(try await outcome(client, zone: zone, atomic: true, in: database) == together)
      #expect(try await outcome(client, zone: zone, atomic: false, in: database) == apart)
    }
    // Each zone for itself within one call.
    _ = try await client.modify(delete: [.init("free"), .init("free", zone: "notes")])
    let both = try await client.modify(
      [
        .init("Notes", "taken"), .init("Notes", "free"), .init("Notes", "taken", zone: "notes"),
        .init("Notes", "free", zone: "notes"),
      ],
      policy: .ifServerRecordUnchanged
    )
    #expect(both.map { $0.error?.code } == apart + together)
  }

  @Test("zones say whether they are atomic")
  func capabilities() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "notes"))])
    )
    try await client.save(.init("Notes", "n"))
    let zones = try await client.zones.fetchRecordZones(.init()).results
    var atomic: [String: Bool] = [:]
    for case .zone(let zone)? in zones.map(\.outcome) {
      atomic[zone.zoneID?.zoneName ?? ""] = zone.capabilities?.atomic
      #expect(zone.capabilities?.fetchChanges == true)
    }
    #expect(atomic == ["_defaultZone": false, "notes": true])
  }

  @Test("a reference to what could not be saved fails with it in a default zone, and nothing else")
  func dependents() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Notes", "taken"))
    var child = TidingsV1.Record("Notes", "child")
    child.parent = .init(recordID: .init("bad"))
    let results = try await client.modify(
      [child, .init("Notes", "bad", tag: "99"), .init("Notes", "other")],
      policy: .ifServerRecordUnchanged
    )
    #expect(results.map { $0.error?.code } == [.referenceViolation, .unknownItem, nil])
  }
}
