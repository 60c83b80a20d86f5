internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Corners of the public database that a random model seldom reaches.
@Suite struct PublicAccessTests {
  private static let grants: [String: Schema.Rights] = [
    "_icloud": .create, "_creator": [.read, .write],
  ]

  private func store(own types: String...) throws -> PublicStore {
    let store = try PublicStore()
    try store.apply(
      Schema(
        recordTypes: Dictionary(
          uniqueKeysWithValues: types.map { ($0, Schema.RecordType(grants: Self.grants)) }
        )
      )
    )
    return store
  }

  private func error(
    _ store: PublicStore,
    _ saves: [Record] = [],
    delete: [RecordID] = [],
    by user: String
  ) throws -> ItemError? {
    if case .failed(_, let error, _) = try store.modify(saves, delete: delete, by: user).outcome {
      return error
    }
    return nil
  }

  private func reference(_ target: String, _ action: Reference.Action) -> FieldValue {
    .reference(Reference(recordID: RecordID(recordName: target, zoneID: .default), action: action))
  }

  @Test("a reference to a record that the caller may not read is one to none")
  func hiddenTargets() throws {
    let store = try store(own: "Own")
    #expect(try error(store, [record("secret", type: "Own")], by: "ann") == nil)
    let validating = record("v", ["to": reference("secret", .validate)])
    let hidden = try error(store, [validating], by: "bob")
    #expect(hidden?.code == .referenceViolation)
    let absent = try error(store, [record("v", ["to": reference("absent", .validate)])], by: "bob")
    #expect(hidden?.message.replacing("secret", with: "absent") == absent?.message)
    #expect(try error(store, [validating], by: "ann") == nil)
  }

  @Test("a deletion cascades to what others created, and names nothing that is hidden")
  func cascades() throws {
    let store = try store(own: "Own")
    #expect(try error(store, [record("post")], by: "ann") == nil)
    let comment = record("comment", type: "Own", ["on": reference("post", .deleteSelf)])
    #expect(try error(store, [comment], by: "bob") == nil)
    let answer = record("answer", ["on": reference("comment", .deleteSelf)])
    #expect(try error(store, [answer], by: "bob") == nil)
    let post = RecordID(recordName: "post", zoneID: .default)
    let (modified, _) = try store.publish {
      try $0.modifyRecords(
        RecordChanges(database: PublicStore.database, saves: [], deletions: [post]),
        caller: Caller(user: "ann", device: "")
      )
    }
    // The comment goes and is not named; what went with it seems to have gone with the post.
    #expect(modified.cascadedDeletions.map(\.recordID.recordName) == ["answer"])
    #expect(modified.cascadedDeletions.map(\.target) == [post])
    #expect(try store.fetch("comment", by: "bob") == nil)
  }

  @Test("a record of who may not change another one does not keep it, hidden or not")
  func hiddenHolders() throws {
    let store = try store(own: "Own")
    #expect(try error(store, [record("post")], by: "ann") == nil)
    let holder = record("holder", type: "Own", ["on": reference("post", .validate)])
    #expect(try error(store, [holder], by: "bob") == nil)
    let post = RecordID(recordName: "post", zoneID: .default)
    #expect(try error(store, delete: [post], by: "ann") == nil)
    #expect(try store.fetch("holder", by: "bob") != nil)
    // It is not in the way of a new one either.
    #expect(try error(store, [record("post")], by: "ann") == nil)
    #expect(try error(store, delete: [post], by: "ann") == nil)
  }

  private func subscribe(_ store: PublicStore, to type: String, by user: String) throws {
    _ = try store.publish {
      try $0.saveSubscription(
        Subscription(
          subscriptionID: "s",
          recordType: type,
          predicate: .true,
          options: [.recordCreation, .recordUpdate]
        ),
        of: user,
        in: PublicStore.database
      )
    }
  }

  private func channels(_ store: PublicStore, of user: String) throws -> [PushChannel] {
    try store.engine.pushChannels(
      for: Caller(user: user, device: "d"),
      container: PublicStore.database.container,
      environment: PublicStore.database.environment
    )
  }

  @Test("an explanation names the missing right, and shows nothing of hidden records")
  func explanations() throws {
    let store = try store(own: "Own")
    #expect(try error(store, [record("secret", type: "Own")], by: "ann") == nil)
    try subscribe(store, to: "Own", by: "bob")
    func explain(_ change: ExplainedChange) throws -> SubscriptionExplanation? {
      try store.reader.withSnapshot {
        try store.reader.explain(
          change,
          to: [],
          for: Caller(user: "bob", device: ""),
          in: PublicStore.database,
          at: .now
        ).first
      }
    }
    let secret = RecordID(recordName: "secret", zoneID: .default)
    #expect(throws: ItemError.self) { try explain(.deletion(secret)) }
    // To bob it is not there, and so would be created.
    let save = try explain(.save(record("secret", type: "Own", ["n": .int64(1)])))
    #expect(save?.reason == .recordCreated)
    var others = record("x", type: "Own")
    others.created = Record.ModificationInfo(
      timestamp: .now,
      caller: Caller(user: "ann", device: "")
    )
    let refused = try explain(.change(old: nil, new: others))
    #expect(refused?.fires == false && refused?.failedTerm == "READ on 'Own'")
    #expect(refused?.message.contains("rpcctl users roles") == true)
  }

  @Test("very many subscriptions move in pieces, and meanwhile nobody receives too much")
  func manyMove() throws {
    let store = try PublicStore()
    let users = (0..<1_100).map { "u\($0)" }
    for user in users { try subscribe(store, to: "T", by: user) }
    let shared = try #require(try channels(store, of: "u0").first)
    #expect(try channels(store, of: "u1").first?.topic == shared.topic)

    try store.apply(Schema(recordTypes: ["T": Schema.RecordType(grants: Self.grants)]))
    let saved = try store.modify([record("r1")], by: "u7")
    // The creator's own channel reports it, if the subscription is there already.
    #expect(saved.published.count <= 1)
    #expect(saved.published.allSatisfy { $0.topic != shared.topic })
    try store.doMaintenance()
    let topics = try users.map { try channels(store, of: $0).map(\.topic) }
    #expect(topics.allSatisfy { $0.count == 1 } && Set(topics).count == users.count)
    #expect(try store.modify([record("r2")], by: "u7").published.map(\.topic) == topics[7])

    try store.apply(Schema(recordTypes: ["T": Schema.RecordType(grants: Schema.defaultGrants)]))
    try store.doMaintenance()
    let rejoined = Set(try users.flatMap { try channels(store, of: $0).map(\.topic) })
    #expect(rejoined.count == 1 && !rejoined.contains(shared.topic))
    #expect(try store.modify([record("r3")], by: "u7").published.map(\.topic) == Array(rejoined))
  }

  @Test("the access of a call costs at most half a microsecond")
  func cost() throws {
    let store = try store(own: "Own")
    #expect(try error(store, [record("r")], by: "ann") == nil)
    let engine = store.engine
    let database = try #require(try engine.catalog.database(PublicStore.database))
    let zone = ZoneEntry(
      number: 1,
      id: .default,
      created: .now,
      head: 0,
      database: database
    )
    let stored = record("r")
    let rounds = 100_000
    var readable = 0
    let time = try ContinuousClock().measure {
      for _ in 0..<rounds {
        let access = try engine.access.publicAccesses.access(of: "ann", in: PublicStore.database)
        if try access.canRead(stored.recordID, of: "T", in: zone, creator: { "" }) { readable += 1 }
      }
    }
    #expect(readable == rounds)
    // Printed, not expected: a debug build on a busy machine says little.
    print("an access of the public database takes \(time / rounds) in this build")
  }
}
