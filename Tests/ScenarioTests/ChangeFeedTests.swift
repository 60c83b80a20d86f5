internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Change feeds of a real server: pages, waits, and mirrors that stay equal to their zones.
@Suite(.endsServers) struct ChangeFeedTests {
  private typealias Zones = TidingsV1.ModifyRecordZonesRequest
  private typealias Request = TidingsV1.FetchRecordZoneChangesRequest

  private func saveZones(_ names: String..., with client: Client) async throws {
    let request = Zones(zonesToSave: names.map { .init(zoneID: .init(zoneName: $0)) })
    _ = try await client.zones.modifyRecordZones(request)
  }

  private func deleteZone(
    _ name: String,
    _ reason: TidingsV1.ZoneDeletionReason = .unspecified,
    with client: Client
  ) async throws {
    let request = Zones(zoneIDsToDelete: [.init(zoneName: name)], deletionReason: reason)
    _ = try await client.zones.modifyRecordZones(request)
  }

  private func notes(_ range: Range<Int>, value: Int64 = 0) -> [TidingsV1.Record] {
    range.map { .init("Note", "n\($0)", zone: "notes", ["value": .init(.int64Value(value))]) }
  }

  private func zone(
    _ name: String,
    after token: [UInt8] = [],
    types: [String] = [],
    keys: [String]? = nil
  ) -> TidingsV1.ZoneChangesOptions {
    .init(
      zoneID: .init(zoneName: name),
      changeToken: token,
      desiredKeys: keys.map { .init(keys: $0) },
      recordTypes: types
    )
  }

  private func changes(
    _ zones: [TidingsV1.ZoneChangesOptions],
    limit: UInt32 = 0,
    wait: Duration? = nil,
    with client: Client
  ) async throws -> [TidingsV1.ZoneChanges] {
    let request = Request(
      zones: zones,
      limit: limit,
      maxWait: wait.map {
        .init(
          seconds: $0.components.seconds,
          nanos: Int32($0.components.attoseconds / 1_000_000_000)
        )
      }
    )
    return try await client.records.fetchRecordZoneChanges(
      request,
      options: CallOptions(timeout: .seconds(600))
    ).zones
  }

  private func names(_ zone: TidingsV1.ZoneChanges) -> [String] {
    zone.changedRecords.compactMap(\.recordID?.recordName)
  }

  @Test("whole records, deletions with their types, errors of single zones")
  func pages() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    try await saveZones("notes", "gone", "purged", with: client)
    let saved = try await client.modify(notes(0..<3, value: 7))
    try await deleteZone("gone", with: client)
    try await deleteZone("purged", .purged, with: client)
    let zones = try await changes(
      [zone("gone"), zone("notes"), zone("purged"), zone("never"), zone(""), zone("_x")],
      with: client
    )
    #expect(
      zones.map { $0.error?.code } == [
        .zoneNotFound, nil, .userDeletedZone, .zoneNotFound, nil, .invalidArguments,
      ]
    )
    #expect(zones[1].changedRecords.map(\.changeTag) == saved.map { $0.record?.changeTag })
    #expect(zones[1].changedRecords == (try await fetched(zones[1], with: client)))
    #expect(zones[1].zoneID?.zoneName == "notes" && !zones[1].moreComing)

    _ = try await client.modify(delete: [.init("n1", zone: "notes")])
    let next = try await changes([zone("notes", after: zones[1].changeToken)], with: client)[0]
    #expect(next.changedRecords.isEmpty)
    #expect(
      next.deletedRecords == [.init(recordID: .init("n1", zone: "notes"), recordType: "Note")]
    )
    let keys = try await changes([zone("notes", keys: ["other"])], with: client)[0]
    #expect(names(keys) == ["n0", "n2"])
    #expect(keys.changedRecords.allSatisfy { $0.fields.isEmpty && !$0.changeTag.isEmpty })
    #expect(names(try await changes([zone("notes", types: ["X"])], with: client)[0]).isEmpty)
  }

  private func fetched(
    _ zone: TidingsV1.ZoneChanges,
    with client: Client
  ) async throws -> [TidingsV1.Record] {
    try await client.fetch(zone.changedRecords.compactMap(\.recordID)).compactMap(\.record)
  }

  @Test("calls that cannot be meant are refused as a whole")
  func refusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    func code(_ request: Request, _ client: Client) async -> RPCError? {
      await failure { _ = try await client.records.fetchRecordZoneChanges(request) }
    }
    #expect(await code(Request(), client)?.code == .invalidArgument)
    let twice = await code(Request(zones: [zone(""), zone("_defaultZone")]), client)
    #expect(twice?.code == .invalidArgument && twice?.message.contains("twice") == true)
    let negative = Request(zones: [zone("")], maxWait: .init(seconds: -1))
    #expect(await code(negative, client)?.code == .invalidArgument)
    let shared = Request(databaseID: .init(scope: .shared), zones: [zone("")])
    let unowned = try await client.records.fetchRecordZoneChanges(shared).zones.first?.error
    #expect(unowned?.code == .invalidArguments && unowned?.message.contains("owner") == true)
    let nobody = try await server.client(as: "")
    #expect(await code(Request(zones: [zone("")]), nobody)?.code == .unauthenticated)
    #expect(
      await code(Request(databaseID: .init(scope: .public), zones: [zone("")]), nobody) == nil
    )
    let foreign = try await changes([zone("", after: [1, 2, 3])], with: client)[0]
    #expect(foreign.error?.code == .invalidArguments && foreign.changeToken.isEmpty)
  }

  @Test("the database's feed shows zones that changed, and why others are gone")
  func database() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await saveZones("notes", "drafts", with: client)
    let first = try await client.records.fetchDatabaseChanges(.init(limit: 1))
    #expect(first.changedZoneIDs.map(\.zoneName) == ["notes"] && first.moreComing)
    try await client.save(.init("Note", "n", zone: "notes"))
    try await deleteZone("drafts", .purged, with: client)
    let next = try await client.records.fetchDatabaseChanges(.init(changeToken: first.changeToken))
    #expect(next.changedZoneIDs.map(\.zoneName) == ["notes"] && !next.moreComing)
    #expect(next.deletedZones == [.init(zoneID: .init(zoneName: "drafts"), reason: .purged)])

    let bob = try await server.client(as: "bob")
    let foreign = await failure {
      _ = try await bob.records.fetchDatabaseChanges(.init(changeToken: first.changeToken))
    }
    #expect(foreign?.code == .invalidArgument)
  }

  @Test("a waiting call is answered by the change it waits for, and not by others")
  func waits() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let writer = try await server.client(as: "ada")
    try await saveZones("notes", "other", with: client)
    var tokens = try await changes([zone("notes"), zone("")], with: client).map(\.changeToken)
    for round in 0..<20 {
      // Without the wake-up the answer is empty, after a minute.
      let zones = [
        zone("notes", after: tokens[0], types: ["Wanted"]), zone("", after: tokens[1]),
      ]
      async let answer = changes(zones, wait: .seconds(60), with: client)
      try await writer.save(.init("Note", "unrelated", zone: "other"))
      try await writer.save(.init("Unwanted", "u", zone: "notes"))
      try await writer.save(.init("Wanted", "w\(round)", zone: "notes"))
      let changes = try await answer
      #expect(names(changes[0]) == ["w\(round)"])
      tokens = changes.map(\.changeToken)
    }
    let zones = try await client.records.fetchDatabaseChanges(.init())
    async let answer = client.records.fetchDatabaseChanges(
      .init(changeToken: zones.changeToken, maxWait: .init(seconds: 60)),
      options: CallOptions(timeout: .seconds(600))
    )
    try await saveZones("new", with: writer)
    #expect(try await answer.changedZoneIDs.map(\.zoneName) == ["new"])
  }

  @Test("a wait ends empty: after its time, before the deadline, and when the server stops")
  func waitsEnd() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let token = try await changes([zone("")], with: client)[0].changeToken
    let clock = ContinuousClock()
    var elapsed = Duration.zero
    elapsed = try await clock.measure {
      let page = try await changes(
        [zone("", after: token)],
        wait: .milliseconds(300),
        with: client
      )
      #expect(page[0].changeToken == token && !page[0].moreComing)
    }
    #expect(elapsed >= .milliseconds(300))
    let request = Request(zones: [zone("", after: token)], maxWait: .init(seconds: 60))
    let page = try await client.records.fetchRecordZoneChanges(
      request,
      options: CallOptions(timeout: .seconds(8))
    )
    #expect(page.zones[0].changeToken == token)

    let waiters = (0..<20).map { _ in
      Task {
        try await client.records.fetchRecordZoneChanges(
          request,
          options: CallOptions(timeout: .seconds(600))
        ).zones[0].changeToken
      }
    }
    _ = try await client.health.check(.init())
    #expect(try await server.stop() == .code(0))
    for waiter in waiters {
      switch await waiter.result {
      case .success(let answer): #expect(answer == token)
      // It came when the server was stopping already.
      case .failure(let error): #expect((error as? RPCError)?.code == .unavailable)
      }
    }
  }

  @Test("mirrors that follow a zone are equal to it in the end, across restarts and crashes")
  func followAcrossRestarts() async throws {
    let seed = Seed.make("ChangeFeedFollow")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada", device: "writer")
    try await saveZones("notes", with: client)
    let mirrors = [1, 7, 0].map { Mirror(client, "notes", pageLimit: $0) }
    for round in 0..<5 {
      for _ in 0..<10 {
        let first = random.below(60)
        let saved = first..<first + 1 + random.below(20)
        _ = try await client.modify(notes(saved, value: Int64(round)))
        let gone = (0..<random.below(8)).map { _ in random.below(80) }
        _ = try await client.modify(delete: Set(gone).map { .init("n\($0)", zone: "notes") })
      }
      let value = TidingsV1.FieldValue(.int64Value(Int64(round)))
      try await client.save(.init("Note", "round", zone: "notes", ["value": value]))
      if round % 2 == 0 {
        for mirror in mirrors {
          try await mirror.records.wait("round \(round)") { $0["round"]?.value == Int64(round) }
        }
      }
      if round == 4 { break }
      if random.oneIn(2) { try await server.crash() } else { try await server.stop() }
      server = try await server.restarted()
    }
    let fresh = Mirror(client, "notes", pageLimit: 0, follow: false)
    try await fresh.finish()
    for mirror in mirrors {
      #expect(mirror.records.value == fresh.records.value, "seed \(seed)")
      mirror.cancel()
      try await mirror.finish()
    }
  }

  @Test("forgotten deletions expire a token with a message that says so")
  func expiry() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "tombstone-retention-days=0"])
    let client = try await server.client(as: "ada")
    try await saveZones("notes", with: client)
    _ = try await client.modify(notes(0..<2))
    let token = try await changes([zone("notes")], with: client)[0].changeToken
    _ = try await client.modify(delete: [.init("n0", zone: "notes")])
    // The maintenance task comes by itself: the deletion is reported until then.
    var page = try await changes([zone("notes", after: token)], with: client)[0]
    try await waitUntil("the token to expire", pausing: .zero) {
      guard page.error == nil else { return true }
      #expect(page.deletedRecords.count == 1)
      page = try await changes([zone("notes", after: token)], with: client)[0]
      return false
    }
    #expect(page.error?.code == .changeTokenExpired)
    do {
      for try await _ in client.recordZoneChanges(in: "notes", after: token) {}
      Issue.record("the token was accepted")
    } catch {
      guard case .changeTokenExpired(let message) = error else { throw error }
      #expect(message.contains("fetch without a token"))
    }
  }
}

/// A copy of a zone that a task keeps equal to it.
private final class Mirror: Sendable {
  struct Entry: Equatable {
    var value: Int64
    var changeTag: String
  }

  let records = Observed<[String: Entry]>([:])
  private let reader: Task<Void, any Error>

  init(_ client: Client, _ zone: String, pageLimit: Int, follow: Bool = true) {
    reader = Task { [records] in
      let changes = client.recordZoneChanges(in: zone, pageLimit: pageLimit, follow: follow)
      for try await page in changes {
        records.update { records in
          for record in page.changedRecords {
            guard case .int64Value(let value)? = record.fields["value"]?.value else { continue }
            records[record.recordID?.recordName ?? ""] = Entry(
              value: value,
              changeTag: record.changeTag
            )
          }
          for record in page.deletedRecords {
            records[record.recordID?.recordName ?? ""] = nil
          }
        }
      }
    }
  }

  func cancel() { reader.cancel() }
  func finish() async throws { try await reader.value }
}
