import TidingsProto
import TidingsProtobuf

/// A call as large as it may be.
struct LimitCall: Sendable {
  let name: String
  /// What is to be there before.
  var prepare: @Sendable (LimitClient) throws -> Void = { _ in }
  let run: @Sendable (LimitClient) throws -> Void

  static let all: [LimitCall] =
    recordCalls + firingCalls + deletionCalls + subscriptionCalls + otherCalls

  // MARK: Records

  private static let recordCalls: [LimitCall] = [
    LimitCall(
      name: "save.bytes",
      run: { try $0.save((0..<15).map { record($0, "A", ["text": .text(1_000_000 - 300)]) }) }
    ),
    LimitCall(
      name: "save.members",
      run: { try $0.save([record(0, "A", ["list": .integers(100_000)])]) }
    ),
    LimitCall(
      name: "save.membersOfMany",
      run: { try $0.save((0..<40).map { record($0, "A", ["list": .integers(100_000)]) }) }
    ),
    LimitCall(
      name: "save.fields",
      run: {
        try $0.save(
          (0..<400).map { number in
            record(number, "A", fields(500) { .integer(number) })
          }
        )
      }
    ),
    LimitCall(
      name: "save.entries",
      prepare: {
        try $0.save([record(0, "A", ["list": .integers(1)])])
        try $0.declare("A", "list LIST<INT64> QUERYABLE")
      },
      run: { try $0.save((1..<251).map { record($0, "A", ["list": .integers(390)]) }) }
    ),
    LimitCall(
      name: "save.words",
      prepare: {
        try $0.save([record(0, "A", ["text": .text(1)])])
        try $0.declare("A", "text STRING SEARCHABLE")
      },
      run: { try $0.save((1..<10).map { record($0, "A", ["text": .words(10_000)]) }) }
    ),
    LimitCall(
      name: "save.updates",
      prepare: {
        try $0.save((0..<15).map { record($0, "A", ["text": .text(1_000_000 - 300)]) }, atATime: 1)
      },
      run: { try $0.save((0..<15).map { record($0, "A", ["more": .integer(1)]) }) }
    ),
    LimitCall(
      name: "fetch.bytes",
      prepare: {
        try $0.save((0..<15).map { record($0, "A", ["text": .text(1_000_000 - 300)]) }, atATime: 1)
      },
      run: { try $0.fetch(15, keys: nil) }
    ),
    LimitCall(
      name: "fetch.keys",
      prepare: {
        try $0.save((0..<60).map { record($0, "A", ["list": .integers(100_000)]) }, atATime: 2)
      },
      run: { try $0.fetch(60, keys: ["list"]) }
    ),
    LimitCall(
      name: "conflicts",
      prepare: {
        try $0.save((0..<400).map { record($0, "A", ["text": .text(20_000)]) }, atATime: 50)
      },
      run: { try $0.conflict(400) }
    ),
  ]

  // MARK: Firings

  private static let firingCalls: [LimitCall] = [
    LimitCall(
      name: "fire.channels",
      prepare: {
        try $0.subscribe((0..<10_000).map { subscription($0, "n >= 0 AND m != \($0 + 1)") })
      },
      run: { try $0.save([record(0, "A", ["n": .integer(1), "m": .integer(0)])]) }
    ),
    LimitCall(
      name: "fire.records",
      prepare: {
        try $0.subscribe((0..<500).map { subscription($0, "n >= 0 AND m != \($0 + 1)") })
      },
      run: {
        try $0.save((0..<38).map { record($0, "A", ["n": .integer(1), "m": .integer(0)]) })
      }
    ),
    LimitCall(
      name: "match.open",
      prepare: {
        try $0.subscribe((0..<500).map { subscription($0, "m != 0 AND n != \($0 + 1)") })
      },
      run: {
        try $0.save((0..<199).map { record($0, "A", ["n": .integer(1), "m": .integer(0)]) })
      }
    ),
    LimitCall(
      name: "match.public",
      prepare: {
        try $0.subscribe(
          (0..<5_000).map { subscription($0, "m != 0 AND n != \($0 + 1)") },
          to: publicDatabase
        )
      },
      run: {
        try $0.save(
          (0..<400).map { record($0, "A", ["n": .integer(1), "m": .integer(0)]) },
          to: publicDatabase
        )
      }
    ),
    LimitCall(
      name: "match.largeValues",
      prepare: {
        try $0.subscribe((0..<40).map { subscription($0, "text LIKE[c] '*a\($0)b*c'") })
      },
      run: { try $0.save((0..<40).map { record($0, "A", ["text": .words(40_000)]) }) }
    ),
  ]

  // MARK: Deletions

  private static let deletionCalls: [LimitCall] = [
    LimitCall(
      name: "delete.bytes",
      prepare: {
        try $0.save((0..<40).map { record($0, "A", ["text": .text(900_000)]) }, atATime: 4)
      },
      run: { try $0.modify(.init(databaseID: Calls.database, recordIDsToDelete: ids(37))) }
    ),
    LimitCall(
      name: "delete.cascade",
      prepare: { client in
        try client.save((0..<14).map { record($0, "A", [:]) })
        try client.save(
          (14..<10_014).map { number in
            record(number, "A", ["to": .owner(number % 14), "text": .text(3_000)])
          }
        )
      },
      run: { try $0.modify(.init(databaseID: Calls.database, recordIDsToDelete: ids(14))) }
    ),
    LimitCall(
      name: "delete.zone",
      prepare: { client in
        try client.zones(saving: ["z"])
        try client.save(
          (0..<200).map { record($0, "A", ["text": .text(900_000)], zone: "z") },
          atATime: 4
        )
      },
      run: { try $0.zones(deleting: ["z"]) }
    ),
    LimitCall(
      name: "zones",
      run: { try $0.zones(saving: (0..<400).map { "zone-\($0)" }) }
    ),
    LimitCall(
      name: "zones.delete",
      prepare: { client in
        try client.zones(saving: (0..<400).map { "zone-\($0)" })
        try client.save(
          (0..<400).map { record($0, "A", ["text": .text(5_000)], zone: "zone-\($0)") }
        )
      },
      run: { try $0.zones(deleting: (0..<400).map { "zone-\($0)" }) }
    ),
  ]

  // MARK: Subscriptions

  private static let subscriptionCalls: [LimitCall] = [
    LimitCall(
      name: "subscribe",
      run: { try $0.subscribe((0..<400).map { subscription($0, predicate(bytes: 9_000, $0)) }) }
    ),
    LimitCall(
      name: "subscriptions.fetch",
      prepare: { try $0.subscribe((0..<10_000).map { subscription($0, "n == \($0)") }) },
      run: { try $0.fetchSubscriptions() }
    ),
    LimitCall(
      name: "subscriptions.delete",
      prepare: {
        try $0.subscribe((0..<400).map { subscription($0, predicate(bytes: 9_000, $0)) })
      },
      run: { try $0.unsubscribe(400) }
    ),
    LimitCall(
      name: "subscriptions.explain",
      prepare: {
        try $0.subscribe((0..<400).map { subscription($0, predicate(bytes: 9_000, $0)) })
      },
      run: { try $0.explain(400) }
    ),
    LimitCall(
      name: "devices.register",
      prepare: { try $0.subscribe((0..<10_000).map { subscription($0, "n == \($0)") }) },
      run: { try $0.registerDevice() }
    ),
    LimitCall(
      name: "channels.rotate",
      prepare: { try $0.subscribe((0..<10_000).map { subscription($0, "n == \($0)") }) },
      run: { try $0.rotateChannels() }
    ),
  ]

  // MARK: What else there is

  private static let otherCalls: [LimitCall] = [
    LimitCall(
      name: "query",
      prepare: {
        try $0.save((0..<400).map { record($0, "A", ["text": .text(30_000)]) }, atATime: 50)
      },
      run: { try $0.query() }
    ),
    LimitCall(
      name: "notifications.fetch",
      prepare: { try $0.firedTwoThousandTimes() },
      run: { try $0.fetchNotifications() }
    ),
    LimitCall(
      name: "notifications.mark",
      prepare: { try $0.firedTwoThousandTimes() },
      run: { try $0.markNotificationsRead() }
    ),
    LimitCall(
      name: "notifications.lease",
      prepare: { try $0.firedTwoThousandTimes() },
      run: { try $0.leaseAndSettle() }
    ),
    LimitCall(
      name: "shares",
      prepare: { try $0.zones(saving: ["z"]) },
      run: { try $0.share(200, participants: 99) }
    ),
    LimitCall(
      name: "shares.accept",
      prepare: { client in
        try client.zones(saving: ["z"])
        try client.share(200, participants: 0)
      },
      run: { try $0.acceptShares() }
    ),
    LimitCall(
      name: "schema",
      run: { try $0.declareTypes(300, fields: 50) }
    ),
    LimitCall(
      name: "changes",
      prepare: {
        try $0.save((0..<400).map { record($0, "A", ["text": .text(30_000)]) }, atATime: 50)
      },
      run: { try $0.fetchChanges() }
    ),
  ]

  // MARK: Parts

  static let publicDatabase = TidingsV1.DatabaseID(
    container: "bench",
    environment: .development,
    scope: .public
  )

  static func record(
    _ number: Int,
    _ type: String,
    _ fields: [String: TidingsV1.FieldValue],
    zone: String? = nil
  ) -> TidingsV1.Record {
    TidingsV1.Record(recordID: id(number, zone: zone), recordType: type, fields: fields)
  }

  static func id(_ number: Int, zone: String? = nil) -> TidingsV1.RecordID {
    .init(recordName: "record-\(number)", zoneID: zone.map { .init(zoneName: $0) })
  }

  static func ids(_ count: Int) -> [TidingsV1.RecordID] { (0..<count).map { id($0) } }

  private static func fields(
    _ count: Int,
    _ value: () -> TidingsV1.FieldValue
  ) -> [String: TidingsV1.FieldValue] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", value()) })
  }

  static func subscription(_ number: Int, _ predicate: String) -> TidingsV1.Subscription {
    TidingsV1.Subscription(
      subscriptionID: "subscription-\(number)",
      type: .query,
      recordType: "A",
      predicate: .init(text: predicate),
      firesOnRecordCreation: true,
      firesOnRecordUpdate: true,
      firesOnRecordDeletion: true
    )
  }

  /// A predicate of about so many bytes.
  private static func predicate(bytes: Int, _ number: Int) -> String {
    var text = "n == \(number)"
    var next = 0
    while text.utf8.count < bytes {
      text += " OR text\(next) == '\(number)'"
      next += 1
    }
    return text
  }
}

extension TidingsV1.FieldValue {
  fileprivate static func integer(_ value: Int) -> Self { .init(value: .int64Value(Int64(value))) }

  fileprivate static func text(_ bytes: Int) -> Self {
    .init(value: .stringValue(String(repeating: "a", count: bytes)))
  }

  fileprivate static func words(_ count: Int) -> Self {
    .init(value: .stringValue((0..<count).map { "w\($0)" }.joined(separator: " ")))
  }

  fileprivate static func integers(_ count: Int) -> Self {
    .init(value: .int64ListValue(.init(values: (0..<count).map { Int64($0) })))
  }

  fileprivate static func owner(_ number: Int) -> Self {
    .init(value: .referenceValue(.init(recordID: LimitCall.id(number), action: .deleteSelf)))
  }
}
