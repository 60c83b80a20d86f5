internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What a save or a deletion compares, and what becomes of fields that are not sent.
@Suite(.endsServers) struct SavePolicyTests {
  private func withClient(_ body: (Client) async throws -> Void) async throws {
    let server = try await TestServer.start()
    try await body(try await server.client(as: "ada", device: "laptop"))
  }

  private func fields(
    of name: String,
    _ client: Client
  ) async throws -> [String: TidingsV1.FieldValue]? {
    let request = TidingsV1.FetchRecordsRequest(recordIDs: [.init(name)])
    return try await client.records.fetchRecords(request).results.first?.record?.fields
  }

  @Test("a replacement removes the fields that are not sent, and creates what is missing")
  func replacement() async throws {
    try await withClient { client in
      let first = try await client.save(.init("Houses", "h", ["n": 1, "city": "Bern"]))
      let kept = try await client.modify([.init("Houses", "h", ["n": 2])], policy: .changedKeys)
      #expect(kept[0].error == nil)
      #expect(try await fields(of: "h", client) == ["n": 2, "city": "Bern"])
      let stale = try await client.modify(
        [.init("Houses", "h", tag: first.changeTag, ["n": 3])],
        policy: .replaceIfUnchanged
      )[0]
      #expect(stale.error?.code == .serverRecordChanged)
      #expect(stale.serverRecord?.fields == ["n": 2, "city": "Bern"])
      #expect(stale.ancestorRecord?.fields == ["n": 1, "city": "Bern"])
      let untagged = try await client.modify(
        [.init("Houses", "h", ["n": 3])],
        policy: .replaceIfUnchanged
      )[0]
      #expect(untagged.error?.code == .serverRecordChanged)
      let tag = try #require(stale.serverRecord?.changeTag)
      let replaced = try await client.modify(
        [.init("Houses", "h", tag: tag, ["n": 3])],
        policy: .replaceIfUnchanged
      )[0]
      #expect(replaced.error == nil)
      #expect(try await fields(of: "h", client) == ["n": 3])
      _ = try await client.modify([.init("Houses", "h", ["city": "Basel"])], policy: .replace)
      #expect(try await fields(of: "h", client) == ["city": "Basel"])
      let created = try await client.modify(
        [
          .init("Houses", "with a tag", tag: "5", ["n": 1]), .init("Houses", "without", ["n": 2]),
        ],
        policy: .replaceIfUnchanged
      )
      #expect(created.allSatisfy { $0.error == nil })
      #expect(try await fields(of: "with a tag", client) == ["n": 1])
    }
  }

  @Test("each save of a call can have its own policy")
  func policies() async throws {
    try await withClient { client in
      for name in ["a", "b", "c", "d"] {
        try await client.save(.init("Houses", name, ["n": 1, "city": "Bern"]))
      }
      let names = ["a", "b", "c", "d", "e"]
      let response = try await client.records.modifyRecords(
        .init(
          recordsToSave: names.map { .init("Houses", $0, ["n": 2]) },
          savePolicy: .replace,
          savePolicies: [
            .ifServerRecordUnchanged, .changedKeys, .replace, .unspecified,
            .ifServerRecordUnchanged,
          ]
        )
      )
      #expect(
        response.results.map { $0.error?.code } == [
          .serverRecordChanged, nil, nil, .serverRecordChanged, nil,
        ]
      )
      #expect(try await fields(of: "b", client) == ["n": 2, "city": "Bern"])
      #expect(try await fields(of: "c", client) == ["n": 2])
      #expect(try await fields(of: "e", client) == ["n": 2])
    }
  }

  @Test("a deletion compares the change tag that it names")
  func deletions() async throws {
    try await withClient { client in
      let old = try await client.save(.init("Houses", "a", ["n": 1]))
      let new = try await client.save(.init("Houses", "a", ["n": 2]))
      try await client.save(.init("Houses", "b"))
      func delete(_ names: [String], _ tags: [String]) async throws -> [TidingsV1.RecordResult] {
        try await client.records.modifyRecords(
          .init(recordIDsToDelete: names.map { .init($0) }, expectedChangeTags: tags)
        ).results
      }
      let refused = try await delete(["a", "none"], [old.changeTag, "1"])
      #expect(refused.map { $0.error?.code } == [.serverRecordChanged, .unknownItem])
      #expect(refused[0].serverRecord?.fields == ["n": 2])
      #expect(refused[0].ancestorRecord?.fields == ["n": 1])
      #expect(try await fields(of: "a", client) == ["n": 2])
      let done = try await delete(["a", "b", "none"], [new.changeTag, "", ""])
      #expect(done.allSatisfy { $0.outcome == .deleted(true) })
      let gone = try await delete(["a"], [new.changeTag])
      #expect(gone[0].error?.code == .unknownItem)
    }
  }

  @Test("lists that do not fit together are refused before anything is written")
  func counts() async throws {
    try await withClient { client in
      let lists: [([TidingsV1.SavePolicy], [String])] = [
        ([.replace], []), ([], ["1"]), ([.replace, .init(rawValue: 9)], []),
      ]
      for (policies, tags) in lists {
        let request = TidingsV1.ModifyRecordsRequest(
          recordsToSave: [.init("Houses", "x"), .init("Houses", "y")],
          recordIDsToDelete: [.init("z"), .init("w")],
          savePolicies: policies,
          expectedChangeTags: tags
        )
        await #expect(throws: RPCError.self) {
          try await client.records.modifyRecords(request)
        }
      }
      let found = try await fields(of: "x", client)
      #expect(found == nil)
    }
  }

  @Test("policies and tags stay with their records when a call concerns zones of several owners")
  func shared() async throws {
    let world = try await SharingWorld()
    let trips = TidingsV1.RecordZone(zoneID: .init(zoneName: "trips"))
    _ = try await world.cleo.zones.modifyRecordZones(.init(zonesToSave: [trips]))
    for owner in [world.ada, world.cleo] {
      let stored = try await owner.modify([
        SharingWorld.record("keeps", ["n": 1, "city": "Bern"]),
        SharingWorld.record("replaces", ["n": 1, "city": "Bern"]),
        SharingWorld.share("", with: [("ben", .readWrite)]),
      ])
      let url = try #require(stored.last?.record?.share?.url)
      try await world.accept(url, by: world.ben)
    }
    let records: [(name: String, owner: String, policy: TidingsV1.SavePolicy)] = [
      ("keeps", "ada", .changedKeys), ("replaces", "cleo", .replace),
      ("replaces", "ada", .replace), ("keeps", "cleo", .changedKeys),
    ]
    let response = try await world.ben.records.modifyRecords(
      .init(
        databaseID: SharingWorld.shared,
        recordsToSave: records.map {
          .init(
            recordID: SharingWorld.theirID($0.name, owner: $0.owner),
            recordType: "Notes",
            fields: ["n": 2]
          )
        },
        savePolicies: records.map(\.policy)
      )
    )
    #expect(response.results.map(\.error) == [nil, nil, nil, nil])
    for (name, owner, policy) in records {
      let id = SharingWorld.theirID(name, owner: owner)
      let request = TidingsV1.FetchRecordsRequest(
        databaseID: SharingWorld.shared,
        recordIDs: [id]
      )
      let found = try await world.ben.records.fetchRecords(request).results.first?.record?.fields
      #expect(found == (policy == .replace ? ["n": 2] : ["n": 2, "city": "Bern"]), "\(id)")
    }
    let tags = try await world.ben.records.modifyRecords(
      .init(
        databaseID: SharingWorld.shared,
        recordIDsToDelete: [
          SharingWorld.theirID("keeps"), SharingWorld.theirID("keeps", owner: "cleo"),
        ],
        expectedChangeTags: ["wrong", response.results[3].record?.changeTag ?? ""]
      )
    )
    #expect(tags.results.map { $0.error?.code } == [.serverRecordChanged, nil])
  }
}
