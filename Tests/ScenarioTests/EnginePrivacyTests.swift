internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// What users can do to others' records, and learn about them, without any right.
@Suite(.endsServers) struct EnginePrivacyTests {
  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)

  private static func reference(
    to name: String,
    _ action: TidingsV1.ReferenceAction
  ) -> TidingsV1.FieldValue {
    .init(.referenceValue(.init(recordID: .init(name), action: action)))
  }

  @Test("no reference of a stranger keeps a public record from being deleted")
  func strangersReferences() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "cascaded-deletions-max=3"])
    let ann = try await server.client(as: "ann")
    let eve = try await server.client(as: "eve")
    func save(_ client: Client, _ records: TidingsV1.Record...) async throws {
      let results = try await client.modify(records, in: Self.publicDatabase)
      try #require(results.allSatisfy { $0.error == nil }, "\(results)")
    }
    func delete(_ name: String) async throws -> TidingsV1.ErrorCode? {
      try await ann.modify(delete: [.init(name)], in: Self.publicDatabase)[0].error?.code
    }
    func exists(_ name: String) async throws -> Bool {
      try await ann.records.fetchRecords(
        .init(databaseID: Self.publicDatabase, recordIDs: [.init(name)])
      ).results[0].record != nil
    }
    var child = TidingsV1.Record("Pins", "child")
    child.parent = .init(recordID: .init("a"))
    try await save(ann, .init("Posts", "a"), .init("Posts", "b"), .init("Posts", "c"))
    try await save(eve, .init("Pins", "pin", ["post": Self.reference(to: "a", .validate)]), child)
    #expect(try await delete("a") == nil)
    // What would go along and is held stays, without what it refers to.
    try await save(eve, .init("Pins", "goes", ["post": Self.reference(to: "b", .deleteSelf)]))
    try await save(eve, .init("Pins", "holds", ["pin": Self.reference(to: "goes", .validate)]))
    #expect(try await delete("b") == nil)
    #expect(try await exists("goes"))
    // More than may go along does not.
    for number in 0..<5 {
      try await save(
        eve,
        .init("Pins", "many\(number)", ["post": Self.reference(to: "c", .deleteSelf)])
      )
    }
    #expect(try await delete("c") == nil)
    // One's own holds.
    try await save(ann, .init("Posts", "d"))
    try await save(ann, .init("Pins", "own", ["post": Self.reference(to: "d", .validate)]))
    #expect(try await delete("d") == .referenceViolation)
    // The target must be there all the same.
    let missing = try await eve.modify(
      [.init("Pins", "x", ["post": Self.reference(to: "none", .validate)])],
      in: Self.publicDatabase
    )
    #expect(missing[0].error?.code == .referenceViolation)
  }

  @Test("a repeated call of who was removed from a share brings nothing of the zone")
  func repeatedCallOfRemovedParticipant() async throws {
    let world = try await SharingWorld()
    let url = try await world.shareTrip()
    try await world.ada.save(SharingWorld.record("trip", ["secret": "first"]))
    func repeated() async throws -> [TidingsV1.RecordResult] {
      try await world.ben.modify(
        [SharingWorld.theirs("trip", ["n": 1]), SharingWorld.theirs("new", in: "trip")],
        policy: .ifServerRecordUnchanged,
        atomic: false,
        key: "again",
        in: SharingWorld.shared
      )
    }
    let first = try await repeated()
    #expect(first[0].error?.code == .serverRecordChanged)
    #expect(first[0].serverRecord?.fields["secret"] == "first")
    #expect(first[1].record != nil)
    let again = try await repeated()
    #expect(again[0].error?.code == .serverRecordChanged && again[0].serverRecord == nil)
    #expect(again[1].record?.changeTag == first[1].record?.changeTag)
    // Ben is removed.
    try await world.change("s") { share in
      share.participants.removeAll { $0.userRecordName == "ben" }
    }
    for result in try await repeated() {
      #expect(result.error?.code == .zoneNotFound)
      #expect(result.record == nil && result.serverRecord == nil && result.ancestorRecord == nil)
    }
    let accepted = try await SharingWorld.acceptance(of: url, by: world.ben)
    guard case .error? = accepted.outcome else {
      Issue.record("ben is in the share again")
      return
    }
  }

  @Test("guests do not see from which devices records come")
  func guests() async throws {
    let secure = try await SecureServer.start()
    let ann = try await secure.client(try await secure.createUser("ann"), device: "anns-phone")
    let key = KeyPair()
    _ = try await secure.administration().authorizeKey(
      .init(publicKey: .init(key: "\(key.publicKey)"))
    )
    let guest = try await secure.client(key)
    _ = try await ann.modify([.init("News", "n", ["n": 1])], in: Self.publicDatabase)
    func devices(_ record: TidingsV1.Record?) -> [String?] {
      [record?.created?.deviceID, record?.modified?.deviceID]
    }
    for (client, device) in [(ann, "anns-phone"), (guest, "")] {
      for keys in [nil, TidingsV1.DesiredKeys(keys: ["n"])] {
        let fetched = try await client.records.fetchRecords(
          .init(databaseID: Self.publicDatabase, recordIDs: [.init("n")], desiredKeys: keys)
        )
        #expect(devices(fetched.results[0].record) == [device, device])
        #expect(fetched.results[0].record?.fields["n"] == 1)
      }
      let feed = try await client.records.fetchRecordZoneChanges(
        .init(
          databaseID: Self.publicDatabase,
          zones: [.init(zoneID: .init(zoneName: "_defaultZone"))]
        )
      )
      #expect(devices(feed.zones.first?.changedRecords.first) == [device, device])
    }
  }
}
