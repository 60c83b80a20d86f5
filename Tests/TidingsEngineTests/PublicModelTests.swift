internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Random grants, roles, records and subscriptions: nobody ever sees what a plain model says they may
/// not, and all see what they may.
@Suite struct PublicModelTests {
  private static let users = ["ann", "bob", "cyd", "dan"]
  private static let types = ["A", "B", "C", "D"]
  private static let names = (0..<10).map { "r\($0)" }
  private static let roles = ["editor", "reader"]

  /// One run.
  private struct Run {
    let store: PublicStore
    var model = PublicModel()
    var random: SplitMix64
    /// By user: the token, and the number of changes when it was issued.
    var tokens: [String: (token: [UInt8], changes: Int)] = [:]

    /// Somebody was notified often enough for the checks of notifications to mean something.
    var notifiesEnough: Bool { model.notified.values.contains { $0.count > 5 } }
    var everybody: [String] { PublicModelTests.users + [""] }

    mutating func step() throws {
      switch random.below(20) {
      case 0..<8: try save()
      case 8..<10: try delete()
      case 10..<13: try subscribe()
      case 13: try unsubscribe()
      case 14: try changeGrants()
      case 15: try changeRoles()
      case 16..<18: try checkRecords()
      case 18: try checkFeeds()
      default:
        try checkNotifications()
        if random.oneIn(3) { try store.restart() }
      }
    }

    // MARK: Changes

    private mutating func save() throws {
      let (user, name) = (random.pick(PublicModelTests.users), random.pick(PublicModelTests.names))
      let known = model.records[name].flatMap { $0.isDeleted ? nil : $0.type }
      let type = random.oneIn(5) ? nil : known
      let record = Record(
        recordID: RecordID(recordName: name, zoneID: .default),
        recordType: type ?? random.pick(PublicModelTests.types),
        fields: ["n": .int64(Int64(random.below(1_000)))]
      )
      guard case .int64(let value)? = record.fields["n"] else { return }
      let before = model
      let expected = model.save(name, record.recordType, value, by: user)
      let (outcome, published) = try store.modify([record], by: user)
      expect(outcome, expected, "\(user) saves \(name) \(record.recordType)")
      if expected == nil, let new = model.records[name] {
        try checkPublished(published, new, before)
      }
    }

    private mutating func delete() throws {
      let (user, name) = (random.pick(PublicModelTests.users), random.pick(PublicModelTests.names))
      let before = model
      let expected = model.delete(name, by: user)
      let (outcome, published) = try store.modify(
        delete: [RecordID(recordName: name, zoneID: .default)],
        by: user
      )
      expect(outcome, expected, "\(user) deletes \(name)")
      if let new = model.records[name], model.changes > before.changes {
        try checkPublished(published, new, before)
      } else {
        #expect(published.isEmpty)
      }
    }

    private func expect(_ outcome: RecordOutcome, _ expected: ItemError.Code?, _ what: String) {
      if case .failed(_, let error, let conflict) = outcome {
        #expect(error.code == expected, "\(what): \(error.message)")
        #expect(conflict == .none)
      } else {
        #expect(expected == nil, "\(what)")
      }
    }

    /// Who was ever given a topic on which something is published may read the record.
    private func checkPublished(
      _ published: [PublicStore.Published],
      _ record: PublicModel.Stored,
      _ before: PublicModel
    ) throws {
      for (topic, notification) in published {
        for (user, topics) in store.topics where topics.contains(topic) {
          let story = PublicStore.story(notification)
          #expect(before.mayRead(user, record.type, by: record.creator), "\(user) gets \(story)")
        }
      }
    }

    private mutating func subscribe() throws {
      let user = random.pick(PublicModelTests.users)
      let isQuery = !random.oneIn(3)
      let type = !isQuery && random.oneIn(2) ? "" : random.pick(PublicModelTests.types)
      let id = "\(isQuery ? "q" : "d")-\(type)"
      var subscription = Subscription(
        subscriptionID: id,
        recordType: type,
        predicate: .true,
        options: isQuery ? [.recordCreation, .recordUpdate, .recordDeletion] : []
      )
      subscription.kind = isQuery ? .query : .database
      var expected: ItemError.Code? =
        type.isEmpty || model.mayReadSome(user, type) ? nil : .permissionFailure
      // In an empty schema unknown types cannot be detected; what was saved then may be saved again.
      if !type.isEmpty, model.grants[type] == nil, !model.grants.isEmpty,
        model.subscriptions[user]?[id] == nil
      {
        expected = .invalidArguments
      }
      do {
        _ = try store.publish {
          try $0.saveSubscription(subscription, of: user, in: PublicStore.database)
        }
        #expect(expected == nil, "\(user) subscribes to \(type)")
        model.subscriptions[user, default: [:]][id] = .init(isQuery: isQuery, type: type)
      } catch let error as ItemError {
        #expect(error.code == expected, "\(user) subscribes to \(type): \(error.message)")
      }
      try store.register(user)
    }

    private mutating func unsubscribe() throws {
      let user = random.pick(PublicModelTests.users)
      guard let id = model.subscriptions[user]?.keys.sorted().first else { return }
      model.subscriptions[user]?[id] = nil
      _ = try store.publish {
        try $0.deleteSubscription(id, of: user, in: PublicStore.database)
      }
    }

    private mutating func changeGrants() throws {
      var grants = model.grants
      for type in PublicModelTests.types where random.oneIn(2) {
        var rights: [String: Set<String>] = [:]
        for role in ["_world", "_icloud", "_creator"] + PublicModelTests.roles where random.oneIn(2)
        {
          rights[role] = Set(["READ", "CREATE", "WRITE"].filter { _ in random.oneIn(2) })
        }
        grants[type] = rights
      }
      model.grants = grants
      try store.apply(schema(grants))
      if random.oneIn(2) { try store.doMaintenance() }
      for user in PublicModelTests.users where random.oneIn(2) { try store.register(user) }
    }

    private mutating func schema(_ grants: [String: [String: Set<String>]]) -> Schema {
      let numbers: [String: Schema.Rights] = ["READ": .read, "CREATE": .create, "WRITE": .write]
      return Schema(
        recordTypes: grants.mapValues { roles in
          Schema.RecordType(
            fields: [
              "n": Schema.Field(
                .values(.int64),
                indexes: random.oneIn(2) ? [.queryable, .sortable] : []
              )
            ],
            grants: roles.mapValues { rights in
              rights.reduce(into: []) { $0.formUnion(numbers[$1] ?? []) }
            }.filter { !$0.value.isEmpty }
          )
        },
        roles: Set(PublicModelTests.roles)
      )
    }

    private mutating func changeRoles() throws {
      let user = random.pick(PublicModelTests.users)
      let held = Set(PublicModelTests.roles.filter { _ in random.oneIn(2) })
      model.roles[user] = held
      let container = PublicStore.database.container
      try store.setRoles(Set(held.map { random.oneIn(2) ? $0 : "\(container)/\($0)" }), of: user)
      if random.oneIn(2) { try store.register(user) }
    }

    // MARK: Checks

    mutating func checkRecords() throws {
      for user in everybody {
        for name in PublicModelTests.names {
          let seen = model.seen(name, by: user)
          let fetched = try store.fetch(name, by: user)
          #expect((fetched != nil) == (seen != nil), "\(user) fetches \(name)")
          if let fetched, let seen { #expect(fetched.creator == seen.creator) }
        }
        for type in PublicModelTests.types { try checkQuery(type, user) }
      }
    }

    private mutating func checkQuery(_ type: String, _ user: String) throws {
      let seen = PublicModelTests.names.filter { model.seen($0, by: user)?.type == type }
      let isSorted = random.oneIn(2)
      do {
        let (names, visited) = try store.query(
          type,
          sorted: isSorted,
          limit: 1 + random.below(3),
          by: user
        )
        #expect(model.mayReadSome(user, type), "\(user) queries \(type)")
        #expect(names.sorted() == seen, "\(user) queries \(type)")
        if isSorted {
          let values = names.compactMap { model.records[$0]?.value }
          #expect(values == values.sorted())
        }
        let all = model.records.values.count { $0.type == type && !$0.isDeleted }
        if seen.count < all, seen.isEmpty { #expect(visited == 0, "\(user) learns of \(type)") }
      } catch let error as ItemError {
        #expect(!model.mayReadSome(user, type), "\(user) queries \(type): \(error.message)")
        #expect(error.code == (user.isEmpty ? .notAuthenticated : .permissionFailure))
      }
    }

    mutating func checkFeeds() throws {
      for user in everybody {
        let last = random.oneIn(4) ? nil : tokens[user]
        let expected = model.changes(after: last?.changes, for: user)
        let (saved, deleted, token) = try store.feed(
          after: last?.token ?? [],
          by: user,
          limit: 1 + random.below(4)
        )
        #expect(saved == expected.saved, "the feed of \(user)")
        #expect(deleted == expected.deleted, "the feed of \(user)")
        tokens[user] = (token, model.changes)
      }
    }

    mutating func checkNotifications() throws {
      for user in PublicModelTests.users {
        // Those of one change come in the order of their channels, which the model does not know.
        let expected = model.inbox(of: user).map { "\($0.subscription) \($0.story)" }
        let (stories, badge) = try store.inbox(of: user)
        #expect(stories.sorted() == expected.sorted(), "the inbox of \(user)")
        #expect(badge == 0)
        let healths = try store.reader.withSnapshot {
          try store.reader.health(of: [], of: user, in: PublicStore.database)
        }
        #expect(Set(healths.keys) == Set(model.subscriptions[user, default: [:]].keys))
        for (id, watching) in model.subscriptions[user] ?? [:] where !watching.type.isEmpty {
          #expect(
            healths[id]?.lacksPermission == !model.mayReadSome(user, watching.type),
            "\(id) of \(user)"
          )
        }
      }
    }
  }

  @Test(
    "everybody sees what the model says, and nothing else",
    arguments: 0..<TestDatabase.rounds(4)
  )
  func model(number: Int) throws {
    let seed = Seed.make("PublicModelTests")
    var run = Run(store: try PublicStore(), random: SplitMix64(seed: seed &+ UInt64(number)))
    var steps = 0
    // Few grants may leave nobody who is notified: then it goes on, with others.
    while steps < 350 || (steps < 10_000 && !run.notifiesEnough) {
      try run.step()
      steps += 1
    }
    try run.checkRecords()
    try run.checkFeeds()
    try run.checkNotifications()
    #expect(run.notifiesEnough, "seed \(seed)")
  }
}
