internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// References in predicates that name no zone, as they are printed within one.
@Suite(.endsServers) struct ReferencePredicateTests {
  private func reference(_ name: String, zone: String = "") -> TidingsV1.FieldValue {
    .init(.referenceValue(.init(recordID: .init(name, zone: zone))))
  }

  /// A server on which the item `i` of each zone refers to a list of its zone.
  private func withItems(_ body: (TestServer, Client) async throws -> Void) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "family"))])
    )
    for zone in ["", "family"] {
      let results = try await client.modify([
        .init("Lists", "l1", zone: zone),
        .init("Items", "i", zone: zone, ["list": reference("l1", zone: zone)]),
      ])
      try #require(results.allSatisfy { $0.error == nil })
    }
    try await body(server, client)
  }

  @Test("without a zone a reference is to the zone of the query, as text, argument and tree")
  func queries() async throws {
    try await withItems { _, client in
      let list = reference("l1")
      let forms: [TidingsV1.Predicate] = [
        .init(text: "list = @reference('l1')"), .init(text: "list = %@", arguments: [list]),
        .init(
          text: "list IN %@",
          arguments: [.init(.referenceListValue(.init(values: [.init(recordID: .init("l1"))])))]
        ),
        .init(
          text: "NOT (list != @reference('l1')) AND NOT list = %@",
          arguments: [reference("no")]
        ),
        .init(nodes: [
          .init(node: .comparison(.init(fieldName: "list", operator: .equal, values: [list])))
        ]),
      ]
      for zone in ["family", "_defaultZone"] {
        for predicate in forms {
          let page = try await client.records.queryRecords(
            .init(recordType: "Items", predicate: predicate, zoneID: .init(zoneName: zone))
          )
          #expect(page.records.map { $0.recordID?.zoneID?.zoneName ?? "_defaultZone" } == [zone])
        }
      }
      // A query of all zones, and a reference that names its zone.
      func zones(_ text: String, _ zone: String? = nil) async throws -> [String] {
        try await client.records.queryRecords(
          .init(
            recordType: "Items",
            predicate: .init(text: text),
            zoneID: zone.map { .init(zoneName: $0) }
          )
        ).records.map { $0.recordID?.zoneID?.zoneName ?? "_defaultZone" }
      }
      #expect(try await zones("list = @reference('l1')") == ["_defaultZone"])
      #expect(try await zones("list = @reference('l1', 'family')") == ["family"])
      #expect(try await zones("list = @reference('l1', '_defaultZone')", "family") == [])
      // Users are in the default zone, wherever their records are.
      for text in ["creatorUserRecordID = @reference('ada')", "___modifiedBy = @reference('ada')"] {
        #expect(try await zones(text, "family") == ["family"])
      }
      let explained = try await client.records.explainQuery(
        .init(
          query: .init(recordType: "Items", predicate: forms[0], zoneID: .init(zoneName: "family"))
        )
      )
      #expect(explained.predicate == #"list = @reference("l1", "family")"#)
    }
  }

  @Test("the same in subscriptions: in one of a zone the reference is to that zone")
  func subscriptions() async throws {
    try await withItems { _, client in
      let text = "list = @reference('l1')"
      let saved = try await client.subscribe(
        .init("inZone", "Items", where: text, zone: "family")
      )
      #expect(saved.predicate?.text == #"list = @reference("l1", "family")"#)
      try await client.subscribe(.init("anywhere", "Items", where: text))
      for zone in ["", "family"] {
        try await client.save(
          .init("Items", "new", zone: zone, ["list": reference("l1", zone: zone)])
        )
      }
      let feed = try await client.feed()
      #expect(Set(feed.notifications.map(\.subscriptionID)) == ["inZone", "anywhere"])
      #expect(feed.notifications.count == 2)
    }
  }

  @Test("what rpcctl prints can be asked for with the same --zone")
  func tool() async throws {
    try await withItems { server, _ in
      for (zone, arguments) in [("family", ["--zone", "family"]), ("_defaultZone", [])] {
        for form in [
          ["--where", "list = @reference('l1')"],
          ["--where", "list = %@", "--arg", #"{"reference":"l1"}"#],
        ] {
          let run = await RpcctlRun(server, ["query", "Items"] + form + arguments)
          #expect(run.exitCode == .success && run.lines.count == 1, "\(zone): \(run.err)")
          #expect(run.out.contains(#""list":{"reference":"l1"}"#), "\(run.out)")
        }
      }
    }
  }
}
