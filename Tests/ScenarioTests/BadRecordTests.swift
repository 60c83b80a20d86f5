internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Records that cannot be saved are refused one by one, with a reason and a remedy.
@Suite(.endsServers) struct BadRecordTests {
  private func withClient(_ body: (TestServer, Client) async throws -> Void) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    try await body(server, client)
    #expect(try await client.health.check(.init()).status == .serving)
  }

  private func expect(
    _ result: TidingsV1.RecordResult?,
    _ code: TidingsV1.ErrorCode,
    about words: String...
  ) {
    #expect(result?.error?.code == code, "\(String(describing: result))")
    for word in words {
      #expect(
        result?.error?.message.contains(word) == true,
        "\(result?.error?.message ?? ""): \(word)"
      )
    }
  }

  @Test("a value of a type that the server does not know is refused, not taken for a removal")
  func unknownFieldType() async throws {
    try await withClient { server, client in
      try await client.save(.init("Houses", "h1", ["price": 1]))
      let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
      for value in [
        WireBytes().field(200, "new"), .init().varint(99, 1), .init().fixed64(19, 1),
      ] {
        let record = WireBytes().field(1, WireBytes().field(1, "h1")).field(2, "Houses")
          .field(3, WireBytes().field(1, "price").field(2, value))
        let request = WireBytes().field(2, record).varint(4, 3)
        let (header, body) = try await RawCall(RawCall.modifyRecords, request.bytes).send(
          on: socket
        )
        #expect(header.status == StatusCode.ok.rawValue)
        let results = try TidingsV1.ModifyRecordsResponse(decoding: body).results
        expect(results.first, .invalidArguments, about: "price", "h1")
      }
      #expect(try await client.fetch([.init("h1")])[0].record?.fields == ["price": 1])
    }
  }

  @Test("a field keeps the type of its first save, for all records and users")
  func fieldTypeChange() async throws {
    try await withClient { server, client in
      try await client.save(.init("Houses", "h1", ["price": 1]))
      let other = try await server.client(as: "bob")
      for saver in [client, other] {
        let result = try await saver.modify([.init("Houses", "h2", ["price": "one"])])[0]
        expect(result, .invalidArguments, about: "price", "INT64", "STRING")
      }
      // An empty list of no type and null say nothing about the type.
      try await client.save(.init("Houses", "h1", ["price": .null]))
      try await client.save(
        .init("Houses", "h3", ["price": .init(.unknownListValue(.init()))])
      )
      expect(
        try await client.modify([.init("Houses", "h1", ["price": 1.5])])[0],
        .invalidArguments
      )
      try await client.save(.init("Cars", "c1", ["price": 1.5]))
    }
  }

  @Test("the first save of a field in a batch fixes its type for the rest of the batch")
  func fieldTypeWithinBatch() async throws {
    try await withClient { _, client in
      let results = try await client.modify(
        [.init("Houses", "a", ["n": 1]), .init("Houses", "b", ["n": "text"])],
        atomic: false
      )
      #expect(results[0].record != nil)
      expect(results[1], .invalidArguments, about: "INT64", "STRING")
      let atomic = try await client.modify(
        [.init("Cars", "a1", ["n": 1]), .init("Cars", "b1", ["n": "text"])],
        atomic: true
      )
      expect(atomic[0], .batchRequestFailed, about: "b1")
      expect(atomic[1], .invalidArguments)
      // Nothing of the batch was kept, so the type is still open.
      try await client.save(.init("Cars", "b1", ["n": "text"]))
    }
  }

  @Test("a stale change tag is a conflict, and the server's record comes back")
  func staleChangeTag() async throws {
    try await withClient { _, client in
      let first = try await client.save(.init("Houses", "h1", ["price": 1, "city": "Oslo"]))
      let second = try await client.save(.init("Houses", "h1", ["price": 2]))
      let sent = TidingsV1.Record("Houses", "h1", tag: first.changeTag, ["price": 3])
      for policy in [TidingsV1.SavePolicy.unspecified, .ifServerRecordUnchanged] {
        let result = try await client.modify([sent], policy: policy)[0]
        expect(result, .serverRecordChanged, about: "h1", first.changeTag, second.changeTag)
        #expect(result.serverRecord?.changeTag == second.changeTag)
        #expect(result.serverRecord?.fields == ["price": 2, "city": "Oslo"])
        #expect(result.serverRecord?.recordID == .init("h1"))
      }
      let untagged = try await client.modify(
        [.init("Houses", "h1", ["price": 3])],
        policy: .ifServerRecordUnchanged
      )[0]
      expect(untagged, .serverRecordChanged)
      #expect(untagged.serverRecord?.changeTag == second.changeTag)

      var merged = try #require(untagged.serverRecord)
      merged.fields["price"] = 4
      let saved = try await client.modify([merged], policy: .ifServerRecordUnchanged)[0]
      #expect(saved.record != nil)
      _ = try await client.modify(delete: [.init("h1")])
      let gone = try await client.modify([merged], policy: .ifServerRecordUnchanged)[0]
      expect(gone, .unknownItem)
      #expect(gone.serverRecord == nil)
    }
  }

  @Test("an unknown zone is ZONE_NOT_FOUND for saves, deletions, fetches and subscriptions")
  func unknownZone() async throws {
    try await withClient { _, client in
      expect(
        try await client.modify([.init("Houses", "h1", zone: "attic")])[0],
        .zoneNotFound,
        about: "attic"
      )
      expect(
        try await client.modify(delete: [.init("h1", zone: "attic")])[0],
        .zoneNotFound
      )
      expect(try await client.fetch([.init("h1", zone: "attic")])[0], .zoneNotFound)
      let subscribed = try await client.subscriptions.modifySubscriptions(
        .init(subscriptionsToSave: [.init("s", "Houses", zone: "attic")])
      )
      #expect(subscribed.results[0].error?.code == .zoneNotFound)
      let deleted = try await client.zones.modifyRecordZones(
        .init(zoneIDsToDelete: [.init(zoneName: "attic"), .init()])
      )
      guard case .error(let unknown)? = deleted.results[0].outcome,
        case .error(let isDefault)? = deleted.results[1].outcome
      else { return #expect(Bool(false), "\(deleted)") }
      #expect(unknown.code == .zoneNotFound)
      #expect(isDefault.code == .badDatabase)
    }
  }

  @Test("401 items are too many for any call that takes items; 400 are not")
  func tooManyItems() async throws {
    try await withClient { _, client in
      let records = (0..<401).map { TidingsV1.Record("Houses", "h\($0)") }
      let ids = records.compactMap(\.recordID)
      let names = (0..<401).map { "s\($0)" }
      let errors = [
        await failure { _ = try await client.modify(records) },
        await failure { _ = try await client.modify(Array(records[1...]), delete: [ids[0]]) },
        await failure { _ = try await client.fetch(ids) },
        await failure {
          _ = try await client.subscriptions.modifySubscriptions(
            .init(subscriptionIDsToDelete: names)
          )
        },
        await failure {
          _ = try await client.subscriptions.fetchSubscriptions(.init(subscriptionIDs: names))
        },
        await failure {
          _ = try await client.notifications.markNotificationsRead(
            .init(notificationIDs: names)
          )
        },
        await failure {
          _ = try await client.zones.fetchRecordZones(
            .init(zoneIDs: names.map { .init(zoneName: $0) })
          )
        },
      ]
      for (index, error) in errors.enumerated() {
        #expect(error?.code == .resourceExhausted, "\(index): \(String(describing: error))")
        #expect(error?.message.contains("401") == true, "\(index): \(error?.message ?? "")")
        let detail = try (error?.details.first).map { try TidingsV1.ItemError(decoding: $0.value) }
        #expect(detail?.code == .limitExceeded, "\(index)")
      }
      #expect(try await client.modify(Array(records[1...])).allSatisfy { $0.record != nil })
      #expect(try await client.fetch(Array(ids[1...])).allSatisfy { $0.record != nil })
      #expect(try await client.fetch([ids[0]])[0].error?.code == .unknownItem)
    }
  }

  @Test("a record may have 1,000,000 bytes and not one more")
  func recordSize() async throws {
    try await withClient { _, client in
      let empty = try await client.save(.init("Houses", "h1", ["data": .init(.bytesValue([]))]))
      let stored = try #require(try await client.fetch([.init("h1")])[0].record)
      #expect(stored.changeTag == empty.changeTag)
      // Lengths of 1,000,000 take two bytes more than that of an empty value, in three places; times
      // take more bytes at some milliseconds than at others.
      let room = 1_000_000 - stored.encoded().count - 6
      var outcomes: [Bool] = []
      for extra in -12...12 {
        let data = [UInt8](repeating: 1, count: room + extra)
        let result = try await client.modify(
          [.init("Houses", "h1", ["data": .init(.bytesValue(data))])])[0]
        outcomes.append(result.record != nil)
        if result.record == nil {
          expect(result, .limitExceeded, about: "h1", "1000000")
          let size = result.error?.message.split(separator: " ").lazy.compactMap { Int($0) }.first
          #expect(size.map { (1_000_001...1_000_024).contains($0) } == true)
        } else {
          let size = try await client.fetch([.init("h1")])[0].record?.encoded().count
          #expect(size.map { (999_976...1_000_000).contains($0) } == true)
        }
      }
      #expect(outcomes.first == true && outcomes.last == false, "\(outcomes)")
    }
  }

  @Test("values that are no numbers, times or places are refused, with the field's name")
  func valuesOutOfRange() async throws {
    try await withClient { _, client in
      let values: [TidingsV1.FieldValue] = [
        .init(.doubleValue(.nan)), .init(.doubleValue(.infinity)),
        .init(.doubleListValue(.init(values: [1, -.infinity]))),
        .init(.locationValue(.init(latitude: 91, longitude: 0))),
        .init(.locationValue(.init(latitude: 0, longitude: -180.5))),
        .init(.locationValue(.init(latitude: .nan, longitude: 0))),
        .init(.locationValue(.init(latitude: 0, longitude: 0, altitude: .nan))),
      ]
      for value in values {
        expect(
          try await client.modify([.init("Houses", "h1", ["bad": value])])[0],
          .invalidArguments,
          about: "bad",
          "h1"
        )
      }
      for time in [
        GoogleProtobuf.Timestamp(seconds: 253_402_300_800), .init(seconds: -62_135_596_801),
        .init(seconds: 0, nanos: 1_000_000_000), .init(seconds: 0, nanos: -1),
        .init(seconds: .max), .init(seconds: .min),
      ] {
        for value in [
          TidingsV1.FieldValue(.timestampValue(time)),
          .init(.timestampListValue(.init(values: [time]))),
          .init(.locationValue(.init(latitude: 0, longitude: 0, timestamp: time))),
        ] {
          expect(
            try await client.modify([.init("Houses", "h1", ["bad": value])])[0],
            .invalidArguments,
            about: "bad",
            "h1"
          )
        }
      }
      let edges = [
        GoogleProtobuf.Timestamp(seconds: 253_402_300_799, nanos: 999_000_000),
        .init(seconds: -62_135_596_800), .init(seconds: -1, nanos: 999_000_000),
      ]
      let fields = ["edges": TidingsV1.FieldValue(.timestampListValue(.init(values: edges)))]
      try await client.save(.init("Houses", "h2", fields))
      #expect(try await client.fetch([.init("h2")])[0].record?.fields == fields)
    }
  }

  @Test("names that break their grammar are refused one by one")
  func badNames() async throws {
    try await withClient { _, client in
      let long = String(repeating: "n", count: 256)
      for record in [
        TidingsV1.Record("", "h1"), .init("9Houses", "h1"), .init("Ho uses", "h1"),
        .init(long, "h1"), .init("Houses", "_h1"), .init("Houses", "\u{fc}"),
        .init("Houses", "a\u{0}b"), .init("Houses", long), .init("Houses", "h1", ["1a": 1]),
        .init("Houses", "h1", ["": 1]), .init("Houses", "h1", ["a\u{0}": 1]),
      ] {
        expect(try await client.modify([record])[0], .invalidArguments)
      }
      let twice = await failure {
        _ = try await client.modify([.init("Houses", "h1")], delete: [.init("h1")])
      }
      #expect(twice?.code == .invalidArgument && twice?.message.contains("twice") == true)
      let container = await failure {
        _ = try await client.modify([.init("Houses", "h1")], in: .init(container: "a/b"))
      }
      #expect(container?.code == .invalidArgument)
      let shared = try await client.modify([.init("Houses", "h1")], in: .init(scope: .shared))
      #expect(shared[0].error?.code == .invalidArguments)
      #expect(shared[0].error?.message.contains("owner") == true)
      let policy = await failure {
        _ = try await client.modify([.init("Houses", "h1")], policy: .init(rawValue: 9))
      }
      #expect(policy?.code == .invalidArgument)
      #expect(try await client.fetch([.init("h1")])[0].error?.code == .unknownItem)
    }
  }

  @Test("U+0000 in a string is kept through save, fetch, predicate and notification")
  func zeroCharacter() async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada", device: "laptop")
    do {
      let text = "a\u{0}b"
      try await client.subscribe(
        .init(
          "zero",
          "Houses",
          where: "name = %@",
          arguments: [.init(.stringValue(text))],
          keys: ["name"]
        )
      )
      let stream = Collector(client)
      let device = try await server.client(as: "ada", device: "server")
      try await device.save(.init("Houses", "cut", ["name": "a"]))
      let fields: [String: TidingsV1.FieldValue] = [
        "name": .init(.stringValue(text)),
        "list": .init(.stringListValue(.init(values: ["\u{0}", text]))),
      ]
      try await device.save(.init("Houses", "h1", fields))
      #expect(try await device.fetch([.init("h1")])[0].record?.fields == fields)
      let seen = try await client.feed().notifications
      #expect(seen.map(\.recordID?.recordName) == ["h1"])
      #expect(seen.map(\.recordFields) == [["name": .init(.stringValue(text))]])
      #expect(try await stream.wait(for: 1) == seen)

      try await server.crash()
      let restarted = try await server.restarted()
      let after = try await restarted.client(as: "ada", device: "laptop")
      #expect(try await after.fetch([.init("h1")])[0].record?.fields == fields)
      #expect(try await after.feed().notifications == seen)
      let listed = try await after.subscriptions.fetchSubscriptions(.init()).results
      #expect(listed.count == 1)
      try await restarted.client(as: "ada", device: "server")
        .save(.init("Houses", "h2", ["name": .init(.stringValue(text))]))
      #expect(try await after.feed().notifications.count == 2)
    }
  }
}

/// What takes few bytes when it is sent and many when it is kept is bounded.
@Suite(.endsServers) struct BoundTests {
  @Test("a record's lists have at most 100,000 members together, over several saves too")
  func listMembers() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    func positions(_ count: Int) -> TidingsV1.FieldValue {
      .init(
        value: .locationListValue(.init(values: Array(repeating: .init(), count: count)))
      )
    }
    try await client.save(.init("Houses", "h1", ["a": positions(60_000)]))
    let result = try await client.modify([.init("Houses", "h1", ["b": positions(60_000)])])[0]
    #expect(result.error?.code == .limitExceeded)
    #expect(result.error?.message.contains("100000") == true)
    #expect(try await client.fetch([.init("h1")])[0].record?.fields.keys.sorted() == ["a"])
  }

  @Test("a zone that is created again does not repeat change tags")
  func tagsOfRecreatedZone() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let zone = TidingsV1.ZoneID(zoneName: "attic")
    _ = try await client.zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: zone)]))
    func save() async throws -> String? {
      var record = TidingsV1.Record("Houses", "h1")
      record.recordID?.zoneID = zone
      return try await client.modify([record])[0].record?.changeTag
    }
    let first = try await save()
    _ = try await client.zones.modifyRecordZones(.init(zoneIDsToDelete: [zone]))
    _ = try await client.zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: zone)]))
    #expect(try await save() != first)
  }

  @Test("the texts of a notification info have at most 4,096 bytes together")
  func notificationInfo() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let response = try await client.subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: [
        .init(
          subscriptionID: "s",
          type: .query,
          recordType: "Houses",
          firesOnRecordCreation: true,
          notificationInfo: .init(alertBody: String(repeating: "x", count: 5_000))
        )
      ])
    )
    guard case .error(let error) = response.results[0].outcome else {
      Issue.record("accepted")
      return
    }
    #expect(error.code == .invalidArguments && error.message.contains("4096"))
  }
}
