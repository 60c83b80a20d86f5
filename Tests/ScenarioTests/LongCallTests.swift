internal import Glibc
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Calls that change much pause: others' reads are answered meanwhile, others' writes after them.
@Suite(.endsServers) struct LongCallTests {
  /// A call of ada's that takes long, and what is there before.
  struct Long: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// How often it is made.
    var count = 1
    var prepare: @Sendable (TestServer, Client) async throws -> Void = { _, _ in }
    let call: @Sendable (Client) async throws -> RawCall
  }

  private static func modify(_ request: TidingsV1.ModifyRecordsRequest) -> RawCall {
    RawCall(RawCall.modifyRecords, request.encoded())
  }

  private static func notes(_ numbers: Range<Int>) -> [TidingsV1.Record] {
    numbers.map { .init("Notes", "n\($0)", ["n": 1, "tags": list(20)]) }
  }

  private static func list(_ count: Int) -> TidingsV1.FieldValue {
    .init(.int64ListValue(.init(values: (0..<count).map { Int64($0) })))
  }

  private static func save(_ records: [TidingsV1.Record], _ client: Client) async throws {
    let results = try await client.records.modifyRecords(.init(recordsToSave: records)).results
    #expect(results.allSatisfy { $0.error == nil })
  }

  private static func subscribe(_ client: Client, _ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 400) {
      let results = try await client.subscriptions.modifySubscriptions(
        .init(
          subscriptionsToSave: (start..<min(start + 400, count)).map {
            .init("s\($0)", "Notes", where: "n >= 0 AND m != \($0 + 1)")
          }
        )
      ).results
      #expect(results.allSatisfy { $0.error == nil })
    }
  }

  static let all: [Long] = [
    Long(testDescription: "400 records") { _ in
      modify(.init(recordsToSave: notes(0..<400), savePolicy: .allKeys))
    },
    Long(
      testDescription: "many entries of an index",
      prepare: { _, client in
        _ = try await client.schemas.applySchema(
          .init(text: "DEFINE SCHEMA RECORD TYPE Notes (n INT64, tags LIST<INT64> QUERYABLE);")
        )
      },
      call: { _ in
        modify(.init(recordsToSave: [.init("Notes", "n", ["tags": list(3_000)])]))
      }
    ),
    Long(
      testDescription: "a save that fires 800 channels",
      prepare: { _, client in try await subscribe(client, 800) },
      call: { _ in modify(.init(recordsToSave: [.init("Notes", "n", ["n": 1, "m": 0])])) }
    ),
    Long(
      testDescription: "a deletion that takes 300 records along",
      prepare: { _, client in
        try await save([.init("Notes", "owner")], client)
        try await save(
          (0..<300).map { .init("Notes", "n\($0)", ["of": .owner("owner")]) },
          client
        )
      },
      call: { _ in modify(.init(recordIDsToDelete: [.init("owner")])) }
    ),
    Long(testDescription: "300 zones") { _ in
      RawCall(
        "tidings.v1.ZoneService/ModifyRecordZones",
        TidingsV1.ModifyRecordZonesRequest(
          zonesToSave: (0..<300).map { .init(zoneID: .init(zoneName: "z\($0)")) }
        ).encoded()
      )
    },
    Long(
      testDescription: "new topics",
      prepare: { _, client in try await subscribe(client, 1_200) },
      call: { _ in
        RawCall(
          "tidings.v1.NotificationService/RotateChannels",
          TidingsV1.RotateChannelsRequest().encoded()
        )
      }
    ),
    Long(
      testDescription: "a device that registers for 1,200 channels",
      prepare: { _, client in try await subscribe(client, 1_200) },
      call: { _ in
        RawCall(
          "tidings.v1.NotificationService/RegisterDevice",
          TidingsV1.RegisterDeviceRequest().encoded()
        )
      }
    ),
    Long(
      testDescription: "1,200 subscriptions, fetched",
      prepare: { _, client in try await subscribe(client, 1_200) },
      call: { _ in
        RawCall(
          "tidings.v1.SubscriptionService/FetchSubscriptions",
          TidingsV1.FetchSubscriptionsRequest().encoded()
        )
      }
    ),
    Long(
      testDescription: "300 records, fetched",
      // One of them may be over before the next call has come.
      count: 16,
      prepare: { _, client in try await save(notes(0..<300), client) },
      call: { _ in
        RawCall(
          RawCall.fetchRecords,
          TidingsV1.FetchRecordsRequest(
            recordIDs: (0..<300).map { .init("n\($0)") },
            desiredKeys: .init(keys: ["n"])
          ).encoded()
        )
      }
    ),
  ]

  @Test(
    "another user's fetch behind a long call is answered first, and a write in its turn",
    arguments: all
  )
  func others(long: Long) async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "phone")
    try await long.prepare(server, ada)
    let fetch = RawCall(
      RawCall.fetchRecords,
      TidingsV1.FetchRecordsRequest(recordIDs: [.init("t")]).encoded(),
      as: "bob"
    )
    let save = RawCall(
      RawCall.modifyRecords,
      TidingsV1.ModifyRecordsRequest(recordsToSave: [.init("Other", "t")]).encoded(),
      as: "carol"
    )
    let calls = [RawCall](repeating: try await long.call(ada), count: long.count)
    let answers = try await server.answers(to: calls + [fetch, save])
    // On a server, what arrives while a group is written is read with the next one.
    if ServerDatabase.isEmbedded {
      let order = answers.map(\.call)
      let (fetched, last) = (
        try #require(order.firstIndex(of: long.count)),
        try #require(order.firstIndex(of: long.count - 1))
      )
      #expect(fetched < last, "\(order)")
    }
    let saved = try TidingsV1.ModifyRecordsResponse(
      decoding: answers.first { $0.call == long.count + 1 }?.body ?? []
    )
    #expect(saved.results.first?.record != nil, "\(saved)")
    let info = try await ada.server.fetchServerInfo(.init())
    #expect(info.counters?.longestTurnProcessorMicroseconds ?? 0 > 0)
  }

  @Test("long calls of one connection that follow each other at once")
  func series() async throws {
    let server = try await TestServer.start()
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "x", count: 2_000)))
    let save = Self.modify(
      .init(
        recordsToSave: (0..<150).map { .init("Notes", "n\($0)", ["text": text]) },
        savePolicy: .allKeys
      )
    )
    for _ in 0..<60 {
      let (header, body) = try await save.send(on: socket)
      #expect(header.status == 0, "\(header.message)")
      let response = try TidingsV1.ModifyRecordsResponse(decoding: body)
      #expect(response.results.count == 150)
      #expect(response.results.allSatisfy { $0.record != nil })
    }
  }

  @Test(
    "a long call is whole or not there, whenever the server is killed or stopped",
    arguments: 0..<6
  )
  func interrupted(round: Int) async throws {
    var server = try await TestServer.startLasting(arguments: ["--limit", "call-cost-max=0"])
    let ada = try await server.client(as: "ada")
    try await Self.save([.init("Notes", "before")], ada)
    let zone = TidingsV1.ZoneID(zoneName: "z")
    _ = try await ada.zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: zone)]))
    let call = Task {
      try? await ada.records.modifyRecords(
        .init(
          recordsToSave: (0..<400).map {
            .init(
              recordID: .init(recordName: "n\($0)", zoneID: zone),
              recordType: "Notes",
              fields: ["tags": Self.list(50)]
            )
          }
        )
      )
    }
    // Each round in another part of it: it pauses for other calls.
    let other = try await server.client(as: "bob")
    for _ in 0..<20 * round { _ = try await other.health.check(.init()) }
    if round.isMultiple(of: 2) { try await server.crash() } else { try await server.stop() }
    call.cancel()
    let answer = await call.value
    server = try await server.restarted()
    let again = try await server.client(as: "ada")
    let page = try await again.records.fetchRecordZoneChanges(.init(zones: [.init(zoneID: zone)]))
    let count = page.zones.first?.changedRecords.count
    #expect(count == 0 || count == 400, "\(String(describing: count)) records")
    if answer?.results.first?.record != nil { #expect(count == 400) }
  }
}

extension TidingsV1.FieldValue {
  fileprivate static func owner(_ name: String) -> Self {
    .init(.referenceValue(.init(recordID: .init(name), action: .deleteSelf)))
  }
}
