internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// References that bind: what is refused, and what deletions cascade to.
@Suite(.endsServers) struct ReferenceTests {
  private typealias Record = TidingsV1.Record

  private func withClient(_ body: (Client) async throws -> Void) async throws {
    let server = try await TestServer.start()
    try await body(try await server.client(as: "ada", device: "laptop"))
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

  private func there(_ client: Client, _ names: [String]) async throws -> [String] {
    let results = try await client.fetch(names.map { .init($0) })
    return zip(names, results).filter { $1.record != nil }.map(\.0)
  }

  @Test("a binding reference stays in its zone; a reference with NONE may point anywhere")
  func zones() async throws {
    try await withClient { client in
      _ = try await client.zones.modifyRecordZones(
        .init(zonesToSave: [.init(zoneID: .init(zoneName: "attic"))])
      )
      try await client.save(.init("Houses", "h"))
      for action in [TidingsV1.ReferenceAction.deleteSelf, .validate] {
        let room = Record("Rooms", "r", zone: "attic", ["house": .to("h", action)])
        expect(
          try await client.modify([room])[0],
          .invalidArguments,
          about: "r",
          "house",
          "attic",
          "_defaultZone",
          "NONE"
        )
      }
      var child = Record("Rooms", "r", zone: "attic")
      child.parent = .init(recordID: .init("h"))
      expect(try await client.modify([child])[0], .invalidArguments, about: "parent", "attic")
      child.parent = .init(recordID: .init("h", zone: "attic"), action: .deleteSelf)
      expect(try await client.modify([child])[0], .invalidArguments, about: "parent", "NONE")

      let loose = Record(
        "Rooms",
        "r",
        zone: "attic",
        ["house": .to("h", .none), "gone": .to("nobody")]
      )
      try await client.save(loose)
      _ = try await client.modify(delete: [.init("h")])
      #expect(
        try await client.fetch([.init("r", zone: "attic")])[0].record?.fields["house"]
          == .to("h", .none)
      )
    }
  }

  @Test("validated targets and parents must be there, before or in the same call, in any order")
  func targetsMustExist() async throws {
    try await withClient { client in
      let room = Record("Rooms", "r", ["house": .to("h", .validate)])
      expect(
        try await client.modify([room])[0],
        .referenceViolation,
        about: "'r'",
        "'h'",
        "does not exist",
        "same call"
      )
      let child = Record("Rooms", "c", parent: "h")
      expect(try await client.modify([child])[0], .referenceViolation, about: "'c'", "parent")
      let results = try await client.modify([room, child, .init("Houses", "h")])
      #expect(results.allSatisfy { $0.record != nil })
      // What deletes itself may come before its target.
      try await client.save(.init("Rooms", "early", ["house": .to("later", .deleteSelf)]))
    }
  }

  @Test(
    "what needs a record that the call could not save fails with it, and learns whose fault it is"
  )
  func failedTargets() async throws {
    try await withClient { client in
      try await client.save(.init("Houses", "first", ["n": 1]))
      let bad = Record("Houses", "h", ["n": "text"])
      let chain = [
        Record("Rooms", "b", parent: "a"), .init("Rooms", "a", ["house": .to("h", .validate)]), bad,
        .init("Rooms", "free", ["house": .to("h", .deleteSelf)]),
      ]
      let loose = try await client.modify(chain, atomic: false)
      expect(loose[0], .referenceViolation, about: "'b'", "'a'", "fix 'h'")
      expect(loose[1], .referenceViolation, about: "'a'", "'h'")
      expect(loose[2], .invalidArguments, about: "'h'", "'n'", "INT64", "STRING")
      #expect(loose[3].record != nil)

      let atomic = try await client.modify(chain, atomic: true)
      for index in [0, 1, 3] { expect(atomic[index], .batchRequestFailed, about: "'h'") }
      expect(atomic[2], .invalidArguments)
    }
  }

  @Test("deleting a target deletes what refers to it with DELETE_SELF, cycles included, each once")
  func cascade() async throws {
    try await withClient { client in
      try await client.subscribe(.init("rooms", "Rooms", on: [.delete]))
      let watcher = client
      _ = try await client.modify([
        .init("Houses", "h"), .init("Houses", "h2"),
        .init("Rooms", "a", ["house": .to("h", .deleteSelf), "other": .to("h2", .deleteSelf)]),
        .init("Rooms", "b", ["house": .to("a", .deleteSelf)]),
        .init("Rooms", "c", ["house": .to("b", .deleteSelf), "next": .to("a", .deleteSelf)]),
        .init("Rooms", "d", ["house": .to("h", .none)]),
      ])
      // A cycle.
      try await client.save(.init("Rooms", "a", ["back": .to("c", .deleteSelf)]))
      let answer = try await client.records.modifyRecords(
        .init(recordIDsToDelete: [.init("h")])
      )
      #expect(answer.results[0].outcome == .deleted(true))
      #expect(answer.cascadedDeletions.map(\.recordID?.recordName) == ["a", "b", "c"])
      #expect(answer.cascadedDeletions.map(\.targetID?.recordName) == ["h", "a", "a"])
      #expect(answer.cascadedDeletions.allSatisfy { $0.recordType == "Rooms" })
      #expect(try await there(client, ["h", "h2", "a", "b", "c", "d"]) == ["h2", "d"])
      // The device is not notified of its own changes; another device of the user is.
      #expect(try await watcher.feed().notifications.isEmpty)
      // Each deletion has its own number in the zone: a record that is saved again has a new change tag.
      let again = try await client.save(.init("Rooms", "a"))
      #expect(again.changeTag == "4")
    }
  }

  @Test("cascaded deletions fire subscriptions, in order")
  func cascadeFires() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    let other = try await server.client(as: "ada", device: "phone")
    try await client.subscribe(.init("rooms", "Rooms", on: [.delete]))
    _ = try await client.modify([
      .init("Houses", "h"), .init("Rooms", "a", ["house": .to("h", .deleteSelf)]),
      .init("Rooms", "b", ["house": .to("a", .deleteSelf)]),
    ])
    _ = try await client.modify(delete: [.init("h")])
    let seen = try await other.feed().notifications
    #expect(seen.map(\.recordID?.recordName) == ["a", "b"])
    #expect(seen.allSatisfy { $0.reason == .recordDeleted })
  }

  @Test("what is referred to by a parent or a validation stays, and the message names who refers")
  func blockedDeletions() async throws {
    try await withClient { client in
      _ = try await client.modify([
        .init("Houses", "h"), .init("Rooms", "child", parent: "h"),
        .init("Houses", "v"), .init("Rooms", "checked", ["house": .to("v", .validate)]),
        .init("Houses", "top"), .init("Houses", "mid", ["up": .to("top", .deleteSelf)]),
        .init("Rooms", "low", parent: "mid"),
      ])
      expect(
        try await client.modify(delete: [.init("h")])[0],
        .referenceViolation,
        about: "'h'",
        "'child'",
        "parent"
      )
      expect(
        try await client.modify(delete: [.init("v")])[0],
        .referenceViolation,
        about: "'checked'",
        "VALIDATE"
      )
      expect(
        try await client.modify(delete: [.init("top")])[0],
        .referenceViolation,
        about: "'top'",
        "'mid'",
        "'low'"
      )
      // Together they go, in any order, and so does a target whose source moves on.
      #expect(
        try await client.modify(delete: [.init("h"), .init("child")]).allSatisfy {
          $0.outcome == .deleted(true)
        }
      )
      let moved = try await client.modify(
        [.init("Rooms", "low", parent: "v")],
        delete: [.init("top")]
      )
      #expect(moved.allSatisfy { $0.error == nil })
      #expect(try await there(client, ["top", "mid", "low"]) == ["low"])
      // Without a record name the parent is removed; without a parent it stays.
      try await client.save(.init("Rooms", "low", ["n": 1]))
      expect(
        try await client.modify(delete: [.init("v"), .init("checked")])[0],
        .referenceViolation
      )
      var orphan = Record("Rooms", "low")
      orphan.parent = .init(recordID: .init(""))
      try await client.save(orphan)
      #expect(try await client.fetch([.init("low")])[0].record?.parent == nil)
      let freed = try await client.modify(delete: [.init("v"), .init("checked")])
      #expect(freed.allSatisfy { $0.outcome == .deleted(true) })
    }
  }

  @Test("a save must not refer to what the same call deletes")
  func saveToDeleted() async throws {
    try await withClient { client in
      _ = try await client.modify([
        .init("Houses", "h"), .init("Rooms", "old", ["house": .to("h", .deleteSelf)]),
      ])
      for reference in [TidingsV1.FieldValue.to("h", .deleteSelf), .to("h", .validate)] {
        let results = try await client.modify(
          [.init("Rooms", "new", ["house": reference])],
          delete: [.init("h")],
          atomic: true
        )
        expect(results[0], .referenceViolation, about: "'new'", "'h'", "deletes")
        expect(results[1], .batchRequestFailed, about: "'new'")
      }
      let along = try await client.modify(
        [.init("Rooms", "new", ["house": .to("old", .validate)])],
        delete: [.init("h")],
        atomic: true
      )
      expect(along[0], .referenceViolation, about: "'old'", "along with 'h'")
      // The state that the call leaves counts: what no longer refers stays.
      let kept = try await client.modify(
        [.init("Rooms", "old", ["house": .null])],
        delete: [.init("h")]
      )
      #expect(kept.allSatisfy { $0.error == nil })
      #expect(try await there(client, ["h", "old"]) == ["old"])
    }
  }

  @Test("751 records cannot refer to one with DELETE_SELF, and the message names both")
  func ownersLimit() async throws {
    try await withClient { client in
      func rooms(_ numbers: Range<Int>) -> [Record] {
        numbers.map { .init("Rooms", "r\($0)", ["house": .to("h", .deleteSelf)]) }
      }
      #expect(try await client.modify(rooms(0..<400)).allSatisfy { $0.record != nil })
      let rest = try await client.modify(rooms(400..<752), atomic: false)
      #expect(rest.prefix(350).allSatisfy { $0.record != nil })
      expect(rest[350], .limitExceeded, about: "'r750'", "'h'", "750")
      expect(rest[351], .limitExceeded, about: "'r751'")
      // Who was there before may be saved again, and when one goes there is room.
      #expect(try await client.modify(rooms(0..<10)).allSatisfy { $0.record != nil })
      let swapped = try await client.modify(rooms(750..<751), delete: [.init("r0")])
      #expect(swapped.allSatisfy { $0.error == nil })
      try await client.save(.init("Houses", "h"))
      let answer = try await client.records.modifyRecords(.init(recordIDsToDelete: [.init("h")]))
      #expect(answer.cascadedDeletions.count == 750)
    }
  }

  @Test("a zone that is created again knows no references of the old one")
  func zoneDeletion() async throws {
    try await withClient { client in
      let zone = TidingsV1.RecordZone(zoneID: .init(zoneName: "attic"))
      _ = try await client.zones.modifyRecordZones(.init(zonesToSave: [zone]))
      var child = Record("Rooms", "c", zone: "attic")
      child.parent = .init(recordID: .init("h", zone: "attic"))
      #expect(
        try await client.modify([child, .init("Houses", "h", zone: "attic")]).allSatisfy {
          $0.record != nil
        }
      )
      _ = try await client.zones.modifyRecordZones(
        .init(zoneIDsToDelete: [.init(zoneName: "attic")])
      )
      _ = try await client.zones.modifyRecordZones(.init(zonesToSave: [zone]))
      try await client.save(.init("Houses", "h", zone: "attic"))
      let results = try await client.modify(delete: [.init("h", zone: "attic")])
      #expect(results[0].outcome == .deleted(true))
    }
  }
}

extension TidingsV1.FieldValue {
  /// A reference to a record of the default zone.
  fileprivate static func to(
    _ name: String,
    _ action: TidingsV1.ReferenceAction = .none
  ) -> Self {
    .init(.referenceValue(.init(recordID: .init(name), action: action)))
  }
}

extension TidingsV1.Record {
  fileprivate init(_ type: String, _ name: String, parent: String) {
    self.init(type, name)
    self.parent = .init(recordID: .init(parent))
  }
}
