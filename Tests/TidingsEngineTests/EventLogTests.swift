internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// What is stored when records change that query subscriptions watch.
@Suite struct EventLogTests {
  private let n = "n"

  @Test("each change fires for the first reason that applies and is asked for")
  func reasons() throws {
    let all: [(Subscription.FiringOptions, String)] = [
      (.recordCreation, "created"), (.recordDeletion, "deleted"), (.recordEnter, "entered"),
      (.recordLeave, "left"), (.recordUpdate, "updated"),
    ]
    // The value before and after; nil: there is no record. Then what applies, in order.
    let changes: [(before: Int64?, after: Int64?, reasons: [String])] = [
      (nil, 5, ["created", "entered"]), (nil, 0, []), (5, 6, ["updated"]), (5, 0, ["left"]),
      (0, 5, ["entered", "updated"]), (0, 1, []), (5, nil, ["deleted", "left"]), (0, nil, []),
    ]
    let store = try EventStore()
    for bits in 1..<32 {
      let asked = all.indices.filter { bits & 1 << $0 != 0 }.map { all[$0] }
      try store.subscribe("s\(bits)", where: "n > 3", on: .init(asked.map(\.0)))
    }
    for (index, change) in changes.enumerated() {
      if let before = change.before {
        try store.modify([Record("r\(index)", ["n": .int64(before)])])
      }
      _ = try store.newEvents()
      if let after = change.after {
        try store.modify([Record("r\(index)", ["n": .int64(after)])])
      } else {
        try store.modify(delete: [RecordID(recordName: "r\(index)")])
      }
      var expected: [String] = []
      for bits in 1..<32 {
        let asked = all.indices.filter { bits & 1 << $0 != 0 }.map { all[$0].1 }
        if let reason = change.reasons.first(where: asked.contains) {
          expected.append("\(reason) r\(index)")
        }
      }
      #expect(try store.newStories() == expected, "\(change)")
    }
  }

  @Test("a save that changes neither fields nor parent fires nothing")
  func nothingVisible() throws {
    let store = try EventStore()
    try store.subscribe("q", on: [.recordCreation, .recordUpdate, .recordEnter])
    try store.subscribe("z", .recordZone, type: "", zone: "_defaultZone")
    try store.subscribe("d", .database, type: "")
    var record = Record("r", ["n": .int64(1), "t": .string("é")])
    let parent = Record("p", ["n": .int64(1)])
    try store.modify([record, parent])
    #expect(try store.newEvents().count == 4)
    try store.modify([record, parent])
    #expect(try store.newStories() == [])
    record.fields["t"] = .string("e\u{301}")
    try store.modify([record, parent])
    #expect(try store.newStories() == ["updated r", "zone _defaultZone", "database _defaultZone"])
    record.parent = Reference(recordID: parent.recordID)
    try store.modify([record])
    #expect(try store.newEvents().count == 3)
    try store.modify([record], delete: [RecordID(recordName: "unknown")])
    #expect(try store.newEvents().count == 0)
    try store.modify([Record("r", ["n": .int64(2)])], isDryRun: true)
    #expect(try store.newEvents().count == 0)
  }

  @Test("desired keys are carried as long as there is room; those beyond are named")
  func desiredKeys() throws {
    var limits = Limits()
    limits.notificationFieldsBytesMax = 100
    let store = try EventStore(limits: limits)
    try store.subscribe("q", on: [.recordCreation, .recordDeletion, .recordUpdate]) {
      $0.desiredKeys = ["a", "large", "b", "none", "a", "large"]
    }
    let fields: RecordFields = [
      "a": .string(String(repeating: "x", count: 60)), "b": .string("y"),
      "large": .string(String(repeating: "z", count: 41)), "other": .int64(1),
    ]
    try store.modify([Record("r", fields)])
    let event = try #require(try store.newEvents().first).notification
    #expect(event.recordFields.keys.sorted() == ["a", "b"])
    #expect(event.omittedKeys == ["large"])
    #expect(event.notificationInfo?.desiredKeys.count == 6)
    #expect(event.recordType == "T")
    try store.modify([Record("r", ["large": .string("z")])])
    #expect(try store.newEvents()[0].notification.omittedKeys == [])
    try store.modify(delete: [RecordID(recordName: "r")])
    let deletion = try #require(try store.newEvents().first).notification
    #expect(deletion.recordFields.isEmpty && deletion.omittedKeys.isEmpty)
  }

  @Test(
    "what many events of a change carry is stored once, and forgotten and paid back with the last"
  )
  func sharedContents() throws {
    var limits = Limits()
    limits.notificationRetentionDays = 0
    let store = try EventStore(limits: limits)
    for (name, predicate) in [("p", "n > 0"), ("q", "n > -1"), ("small", "n > -2")] {
      try store.subscribe(name, where: predicate, on: [.recordCreation, .recordUpdate]) {
        $0.desiredKeys = name == "small" ? ["n"] : ["n", "text"]
        $0.alertLocalizationArgs = name == "q" ? ["text"] : []
      }
    }
    let text = String(repeating: "x", count: 5_000)
    for number in 1...3 {
      try store.modify([Record("r", ["n": .int64(Int64(number)), "text": .string(text)])])
    }
    let notifications = try store.page().items.map { try TidingsV1.Notification(decoding: $0.body) }
    #expect(notifications.count == 9)
    #expect(notifications.map { $0.recordFields.count }.sorted() == [1, 1, 1, 2, 2, 2, 2, 2, 2])
    #expect(notifications.filter { !$0.alertLocalizationValues.isEmpty }.count == 3)
    #expect(try store.number("SELECT count(*) FROM event_contents") == 3)
    #expect(try store.number("SELECT sum(length(body)) FROM events") < 1_000)
    let difference = """
      SELECT (SELECT sum(length(body)) FROM records)
        + (SELECT sum(length(body) + length(origin_user) + length(origin_device) + 96) FROM events)
        + (SELECT coalesce(sum(length(body) + 96), 0) FROM event_contents)
        + (SELECT sum(2 * length(body) + 256) FROM subscriptions)
        - (SELECT sum(bytes) FROM usage WHERE owner = 'ada')
      """
    #expect(try store.number(difference) == 0)
    try blockUntil("all events but one to be forgotten", pausing: .zero) {
      guard try store.number("SELECT count(*) FROM events") > 1 else { return true }
      try store.doOneTask()
      return false
    }
    #expect(try store.number("SELECT count(*) FROM event_contents") <= 1)
    #expect(try store.number(difference) == 0)
  }

  @Test("a record that left is described as it is now, a deleted one as it was, without fields")
  func statesOfContent() throws {
    let store = try EventStore()
    try store.subscribe("q", where: "n > 3", on: .recordLeave) {
      $0.desiredKeys = ["n"]
      $0.alertLocalizationArgs = ["city", "n", "none"]
      $0.titleLocalizationArgs = ["when"]
      $0.subtitleLocalizationArgs = ["long"]
      $0.collapseIDKey = "city"
    }
    let long = String(repeating: "ab", count: 60)
    for name in ["r", "s"] {
      try store.modify([
        Record(
          name,
          [
            "n": .int64(5), "city": .string("Oslo"), "long": .string(long),
            "when": .timestamp(Timestamp(millisecondsSince1970: 0)),
          ]
        )
      ])
    }
    try store.modify([Record("r", ["n": .int64(1), "city": .string(long)])])
    let left = try #require(try store.newEvents().first).notification
    #expect(left.reason == .recordLeft)
    #expect(left.recordFields == ["n": 1])
    #expect(left.alertLocalizationValues == [String(long.prefix(100)), "1", ""])
    #expect(left.titleLocalizationValues == ["1970-01-01T00:00:00.000Z"])
    #expect(left.subtitleLocalizationValues == [String(long.prefix(100))])
    #expect(left.collapseID == String(long.prefix(64)))
    try store.modify(delete: [RecordID(recordName: "s")])
    let gone = try #require(try store.newEvents().first).notification
    #expect(gone.reason == .recordLeft)
    #expect(gone.recordFields.isEmpty)
    #expect(gone.alertLocalizationValues == ["Oslo", "5", ""])
    #expect(gone.collapseID == "Oslo")
  }

  @Test("the collapse id is its key when the record has no such field")
  func collapseKey() throws {
    let store = try EventStore()
    let key = String(repeating: "ö", count: 40)
    try store.subscribe("q", on: .recordCreation) { $0.collapseIDKey = key }
    try store.subscribe("z", .recordZone, type: "", zone: "_defaultZone") { $0.collapseIDKey = "z" }
    try store.modify([Record("r", [:])])
    let events = try store.newEvents().map(\.notification)
    #expect(events.map(\.collapseID) == [String(repeating: "ö", count: 32), "z"])
  }

  @Test("the events of a call are one batch, those of zones come last")
  func batches() throws {
    let store = try EventStore()
    try store.saveZones("attic")
    try store.subscribe("d", .database, type: "")
    try store.subscribe("z", .recordZone, type: "T", zone: "attic")
    try store.subscribe("q", on: .recordCreation)
    try store.subscribe("q2", where: "n = 1", on: .recordCreation)
    try store.modify([
      Record("a", zone: "attic", ["n": .int64(1)]), Record("b", ["n": .int64(2)]),
    ])
    let events = try store.newEvents()
    #expect(
      events.map(\.story) == [
        "created a", "created a", "created b", "database attic", "zone attic",
        "database _defaultZone",
      ]
    )
    #expect(Set(events.map(\.batch)) == [events[0].id])
    #expect(events.map(\.id) == Array(events[0].id..<events[0].id + 6))
    #expect(events.allSatisfy { $0.caller == EventStore.laptop })
    let zone = events[4].notification
    #expect(zone.recordID == .init(zoneID: .init(zoneName: "attic")))
    #expect(zone.databaseID?.scope == .private && zone.databaseID?.container == "default")
    #expect(zone.recordType == "T" && zone.reason == .unspecified)
    #expect(zone.position?.sequenceNumber == 1)
    try store.modify([Record("c", [:])])
    #expect(try store.newEvents().map(\.batch) == [events[5].id + 1, events[5].id + 1])
  }

  @Test("what a deletion cascades to fires, and belongs to its batch")
  func cascades() throws {
    let store = try EventStore()
    try store.subscribe("q", type: "Child", where: "n > 0", on: [.recordDeletion])
    try store.subscribe("l", type: "Child", where: "n > 1", on: [.recordLeave])
    try store.subscribe("d", .database, type: "Child")
    try store.subscribe("other", .database, type: "Other")
    let owner = Reference(recordID: RecordID(recordName: "p"), action: .deleteSelf)
    try store.modify([Record("p", [:])])
    try store.modify(
      (0..<3).map {
        Record("c\($0)", type: "Child", ["owner": .reference(owner), "n": .int64($0)])
      }
    )
    _ = try store.newEvents()
    try store.modify(delete: [RecordID(recordName: "p")])
    let events = try store.newEvents()
    #expect(
      Set(events.dropLast().map(\.story)) == ["deleted c1", "deleted c2", "left c2"]
        && events.last?.story == "database _defaultZone" && events.count == 4
    )
    #expect(Set(events.map(\.batch)) == [events[0].id])
  }
}
