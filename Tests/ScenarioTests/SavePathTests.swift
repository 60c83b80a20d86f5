internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// What a save answers and keeps besides the record: ancestors, marks, nothing in a dry run.
@Suite(.endsServers) struct SavePathTests {
  private func withClient(_ body: (TestServer, Client) async throws -> Void) async throws {
    let server = try await TestServer.startLasting()
    try await body(server, try await server.client(as: "ada", device: "laptop"))
  }

  @Test("a conflict brings the record as the client had read it, also after a restart")
  func ancestor() async throws {
    try await withClient { server, client in
      let tags = [
        try await client.save(.init("Houses", "h", ["n": 0])).changeTag,
        try await client.save(.init("Houses", "h", ["n": 1])).changeTag,
        try await client.save(.init("Houses", "h", ["n": 2])).changeTag,
      ]
      try await server.crash()
      let restarted = try await server.restarted()
      let client = try await restarted.client(as: "ada", device: "laptop")
      try await client.save(.init("Houses", "h", ["n": 3]))
      for (index, tag) in tags.enumerated() {
        let result = try await client.modify(
          [.init("Houses", "h", tag: tag, ["n": 9])],
          policy: .ifServerRecordUnchanged
        )[0]
        #expect(result.error?.code == .serverRecordChanged)
        #expect(result.serverRecord?.fields == ["n": 3])
        #expect(result.ancestorRecord?.fields == ["n": .init(.int64Value(Int64(index)))])
        #expect(result.ancestorRecord?.changeTag == tag)
        #expect(result.ancestorRecord?.recordID == .init("h"))
      }
      for tag in ["", "zz", "-1", "01", "4", "A"] {
        let result = try await client.modify(
          [.init("Houses", "h", tag: tag)],
          policy: .ifServerRecordUnchanged
        )[0]
        #expect(result.ancestorRecord == nil, "\(tag)")
      }
    }
  }

  @Test("the last version of a deleted record is known to who saves it, and to who recreated it")
  func ancestorOfDeleted() async throws {
    try await withClient { _, client in
      let tag = try await client.save(.init("Houses", "h", ["n": 1])).changeTag
      _ = try await client.modify(delete: [.init("h")])
      let stale = TidingsV1.Record("Houses", "h", tag: tag, ["n": 2])
      let gone = try await client.modify([stale], policy: .ifServerRecordUnchanged)[0]
      #expect(gone.error?.code == .unknownItem)
      #expect(gone.serverRecord == nil)
      #expect(gone.ancestorRecord?.fields == ["n": 1])
      try await client.save(.init("Houses", "h", ["n": 5]))
      let changed = try await client.modify([stale], policy: .ifServerRecordUnchanged)[0]
      #expect(changed.error?.code == .serverRecordChanged)
      #expect(changed.serverRecord?.fields == ["n": 5])
      #expect(changed.ancestorRecord?.fields == ["n": 1])
    }
  }

  @Test("a dry run answers as the call would, and leaves no trace, not even of its key")
  func dryRun() async throws {
    try await withClient { server, client in
      _ = try await client.modify([
        .init("Houses", "h"),
        .init(
          "Rooms",
          "r",
          ["house": .init(.referenceValue(.init(recordID: .init("h"), action: .deleteSelf)))]
        ),
      ])
      let options = CallOptions(idempotencyKey: "once")
      var request = TidingsV1.ModifyRecordsRequest(
        recordsToSave: [.init("Houses", "new", ["size": 1])],
        recordIDsToDelete: [.init("h")],
        clientChangeTokenData: [1]
      )
      request.dryRun = true
      let before = try await client.zones.fetchRecordZones(.init())
      let foretold = try await client.records.modifyRecords(request, options: options)
      #expect(try await client.zones.fetchRecordZones(.init()) == before)
      let ids = ["h", "r", "new"].map { TidingsV1.RecordID($0) }
      #expect(try await client.fetch(ids).map { $0.record != nil } == [true, true, false])

      request.dryRun = false
      let done = try await client.records.modifyRecords(request, options: options)
      #expect(done.results.map { $0.error == nil } == [true, true])
      #expect(foretold.results[0].record?.changeTag == done.results[0].record?.changeTag)
      #expect(foretold.cascadedDeletions == done.cascadedDeletions)
      #expect(done.cascadedDeletions.map(\.recordID?.recordName) == ["r"])

      // Nothing is learned, and nothing is created in a database that is not there.
      let bob = try await server.client(as: "bob")
      request = .init(recordsToSave: [.init("Cars", "c", ["n": 1])], dryRun: true)
      #expect(try await bob.records.modifyRecords(request).results[0].record?.changeTag == "1")
      try await bob.save(.init("Cars", "c", ["n": "text"]))
    }
  }

  @Test("a client's mark has a length and a device")
  func clientChangeToken() async throws {
    try await withClient { server, client in
      func save(_ client: Client, _ token: [UInt8]) async throws {
        _ = try await client.records.modifyRecords(
          .init(
            recordsToSave: [.init("Houses", "h")],
            savePolicy: .allKeys,
            clientChangeTokenData: token
          )
        )
      }
      try await save(client, [UInt8](repeating: 1, count: 1024))
      let long = await failure { try await save(client, [UInt8](repeating: 1, count: 1025)) }
      #expect(long?.code == .resourceExhausted)
      #expect(long?.message.contains("1025") == true && long?.message.contains("1024") == true)
      let nameless = try await server.client(as: "ada")
      let error = await failure { try await save(nameless, [1]) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("tidings-device") == true, "\(error?.message ?? "")")
      try await save(nameless, [])
    }
  }

  @Test("a purged zone is not a zone that never was, whatever is asked of it")
  func absentZones() async throws {
    try await withClient { _, client in
      for (name, reason) in [
        ("purged", TidingsV1.ZoneDeletionReason.purged), ("reset", .encryptedDataReset),
        ("plain", .unspecified),
      ] {
        _ = try await client.zones.modifyRecordZones(
          .init(zonesToSave: [.init(zoneID: .init(zoneName: name))])
        )
        _ = try await client.zones.modifyRecordZones(
          .init(zoneIDsToDelete: [.init(zoneName: name)], deletionReason: reason)
        )
      }
      for (name, code, word) in [
        ("purged", TidingsV1.ErrorCode.userDeletedZone, "removed the data"),
        ("reset", .zoneNotFound, "encrypted"), ("plain", .zoneNotFound, "create it"),
        ("never", .zoneNotFound, "create it"),
      ] {
        let id = TidingsV1.RecordID("h", zone: name)
        let zones = try await client.zones.fetchRecordZones(
          .init(zoneIDs: [.init(zoneName: name)])
        ).results
        let deleted = try await client.zones.modifyRecordZones(
          .init(zoneIDsToDelete: [.init(zoneName: name)])
        ).results
        let subscribed = try await client.subscriptions.modifySubscriptions(
          .init(subscriptionsToSave: [.init("s", "Houses", zone: name)])
        ).results
        let errors = [
          try await client.modify([.init("Houses", "h", zone: name)])[0].error,
          try await client.modify(delete: [id])[0].error, try await client.fetch([id])[0].error,
          zones[0].error, subscribed[0].error,
        ]
        // Who deletes a zone is not advised to create it.
        let isPurged = code == .userDeletedZone
        #expect(deleted[0].error?.code == code)
        #expect(deleted[0].error?.message.contains("nothing to delete") == !isPurged)
        for error in errors {
          #expect(error?.code == code, "\(name): \(String(describing: error))")
          #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
          #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        }
      }
      // Who creates it again means it.
      _ = try await client.zones.modifyRecordZones(
        .init(zonesToSave: [.init(zoneID: .init(zoneName: "purged"))])
      )
      try await client.save(.init("Houses", "h", zone: "purged"))
    }
  }

  @Test("the public database has the default zone only, and nobody creates zones in a shared one")
  func zonesByScope() async throws {
    try await withClient { _, client in
      let attic = TidingsV1.RecordZone(zoneID: .init(zoneName: "attic"))
      let refused = try await client.zones.modifyRecordZones(
        .init(databaseID: .init(scope: .public), zonesToSave: [attic, .init()])
      ).results
      #expect(refused[0].error?.code == .badDatabase)
      #expect(refused[1].error == nil)
      let saved = try await client.modify(
        [.init("Houses", "h", zone: "attic")],
        in: .init(scope: .public)
      )[0]
      #expect(saved.error?.code == .zoneNotFound)
      #expect(saved.error?.message.contains("public") == true)
      let shared = try await client.zones.modifyRecordZones(
        .init(
          databaseID: .init(scope: .shared),
          zonesToSave: [.init(zoneID: .init(zoneName: "attic", ownerName: "ben"))]
        )
      ).results[0]
      guard case .error(let error)? = shared.outcome else {
        throw WaitingFailure(description: "\(shared)")
      }
      #expect(error.code == .badDatabase)
    }
  }

  @Test("every type of value, and the empty list of no type, come back as they were saved")
  func everyType() async throws {
    try await withClient { _, client in
      let here = TidingsV1.Location(latitude: 1, longitude: 2, altitude: 3)
      let moment = GoogleProtobuf.Timestamp(seconds: 5, nanos: 7_000_000)
      let link = TidingsV1.Reference(recordID: .init("x"), action: .none)
      let fields: [String: TidingsV1.FieldValue] = [
        "a": "text", "b": 1, "c": 1.5, "d": .init(.bytesValue([1, 0])),
        "e": .init(.timestampValue(moment)), "f": .init(.locationValue(here)),
        "g": .init(.referenceValue(link)), "h": .init(.stringListValue(.init(values: ["", "b"]))),
        "i": .init(.int64ListValue(.init(values: [.min, .max]))),
        "j": .init(.doubleListValue(.init(values: [0.5]))),
        "k": .init(.bytesListValue(.init(values: [[], [1]]))),
        "l": .init(.timestampListValue(.init(values: [moment, moment]))),
        "m": .init(.locationListValue(.init(values: [here]))),
        "n": .init(.referenceListValue(.init(values: [link]))),
        "o": .init(.stringListValue(.init(values: []))),
        "p": .init(.unknownListValue(.init())),
      ]
      try await client.save(.init("Things", "t", fields))
      #expect(try await client.fetch([.init("t")])[0].record?.fields == fields)
      // A typed field may hold the empty list of no type, and its type stays.
      let empty = TidingsV1.FieldValue(.unknownListValue(.init()))
      for name in ["h", "b"] {
        try await client.save(.init("Things", "t", [name: empty, "a": .null]))
        let stored = try await client.fetch([.init("t")])[0].record?.fields
        #expect(stored?[name] == empty && stored?["a"] == nil && stored?.count == 15)
      }
      let wrong = try await client.modify([.init("Things", "t", ["h": "text"])])[0].error
      #expect(wrong?.code == .invalidArguments)
      for word in ["'t'", "'h'", "LIST<STRING>", "STRING", "send"] {
        #expect(wrong?.message.contains(word) == true, "\(wrong?.message ?? ""): \(word)")
      }
      // The first value with a type fixes it.
      try await client.save(
        .init("Things", "t2", ["p": .init(.int64ListValue(.init(values: [1])))])
      )
      #expect(try await client.modify([.init("Things", "t", ["p": "x"])])[0].error != nil)
    }
  }

  @Test("desired keys: all fields, none, some, and not more than a type has")
  func desiredKeys() async throws {
    try await withClient { _, client in
      try await client.save(.init("Houses", "h", ["a": 1, "b": 2]))
      func fetch(_ keys: [String]?) async throws -> TidingsV1.Record? {
        try await client.records.fetchRecords(
          .init(recordIDs: [.init("h")], desiredKeys: keys.map { .init(keys: $0) })
        ).results[0].record
      }
      #expect(try await fetch(nil)?.fields == ["a": 1, "b": 2])
      #expect(try await fetch(["b", "x"])?.fields == ["b": 2])
      let bare = try await fetch([])
      #expect(bare?.fields == [:] && bare?.changeTag == "1" && bare?.recordType == "Houses")
      let many = await failure { _ = try await fetch((0...1000).map { "k\($0)" }) }
      #expect(many?.code == .resourceExhausted && many?.message.contains("1001") == true)
    }
  }
}

extension TidingsV1.ZoneResult {
  fileprivate var error: TidingsV1.ItemError? {
    if case .error(let error)? = outcome { error } else { nil }
  }
}
