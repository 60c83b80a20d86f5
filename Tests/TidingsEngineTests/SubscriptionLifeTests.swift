internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel

/// When subscriptions begin and end, and which events are theirs.
@Suite struct SubscriptionLifeTests {
  private let shared = DatabaseID(
    container: "default",
    environment: .development,
    scope: .public,
    owner: ""
  )

  @Test("saving the same again changes nothing; another under its name starts again")
  func savedAgain() throws {
    let store = try EventStore()
    let first = try store.subscribe("s", on: .recordCreation)
    #expect(first.isNew)
    try store.modify([Record("a", [:])])
    let same = try store.subscribe("s", on: .recordCreation)
    #expect(!same.isNew && same.channel == first.channel && same.since == 0)
    #expect(
      try store.number("SELECT count(*) FROM subscriptions WHERE saved > 1700000000000") == 1
    )
    let other = try store.subscribe("s", on: [.recordCreation, .recordUpdate])
    #expect(other.isNew && other.channel != first.channel && other.since == 0)
    try store.modify([Record("b", [:])])
    #expect(try store.newEvents().map(\.channel) == [first.channel, other.channel])
    #expect(try store.feed() == ["s \(first.channel)-1", "s \(other.channel)-1"])
    // Back to the first: what fired meanwhile is not its own.
    try store.subscribe("t", on: .recordCreation, of: "bob")
    let again = try store.subscribe("s", on: .recordCreation)
    #expect(again.channel == first.channel && again.since == 1)
  }

  @Test("an equivalent subscription is refused, and the one that exists named, of any kind")
  func duplicates() throws {
    let store = try EventStore()
    try store.subscribe("q", where: "n = 1 AND m = 2", on: .recordEnter)
    try store.subscribe("z", .recordZone, type: "", zone: "_defaultZone")
    try store.subscribe("d", .database, type: "")
    for (existing, attempt) in [
      ("q", { try store.subscribe("x", where: "m == 2 && n == 1", on: .recordEnter) }),
      ("z", { try store.subscribe("x", .recordZone, type: "", zone: "_defaultZone") }),
      ("d", { try store.subscribe("x", .database, type: "") }),
    ] {
      let error = #expect(throws: ItemError.self) { _ = try attempt() }
      #expect(error?.code == .serverRejectedRequest)
      #expect(error?.existingSubscriptionID == existing)
    }
    #expect(throws: Never.self) { try store.subscribe("x", .database, type: "T") }
    #expect(throws: Never.self) { try store.subscribe("q", where: "m = 3", on: .recordLeave) }
    #expect(throws: Never.self) {
      try store.subscribe("x2", where: "m = 2 AND n = 1", on: .recordEnter)
    }
  }

  @Test("a subscription or zone that is refused has written nothing")
  func refused() throws {
    var limits = Limits()
    limits.zonesPerDatabaseMax = 0
    let store = try EventStore(limits: limits)
    let databases = "SELECT count(*) FROM databases"
    let before = try store.number(databases)
    let other = DatabaseID(
      container: "other",
      environment: .development,
      scope: .private,
      owner: "ada"
    )
    // An item's error does not take its transaction back.
    func refusal(_ body: (Engine) throws -> Void) throws -> ItemError.Code? {
      try store.engine.begin()
      let error = #expect(throws: ItemError.self) { try body(store.engine) }
      _ = try store.engine.commit()
      return error?.code
    }
    let attic = ZoneID(zoneName: "attic")
    let subscription = Subscription(
      subscriptionID: "z",
      recordType: "T",
      predicate: try Predicate(text: "TRUEPREDICATE"),
      zoneID: attic,
      options: [.recordCreation]
    )
    let unknown = try refusal {
      _ = try $0.saveSubscription(subscription, of: "ada", in: other)
    }
    #expect(unknown == .zoneNotFound)
    let tooMany = try refusal {
      _ = try $0.saveZone(attic, in: other, caller: EventStore.laptop)
    }
    #expect(tooMany == .limitExceeded)
    #expect(try store.number(databases) == before)
  }

  @Test("a subscription that fires once ends with its first event, and can be saved again")
  func once() throws {
    let store = try EventStore()
    let options: Subscription.FiringOptions = [.recordCreation, .once]
    let first = try store.subscribe("s", on: options)
    try store.subscribe("t", on: options, of: "bob")
    try store.modify([Record("a", [:]), Record("b", [:])])
    #expect(try store.newStories() == ["created a"])
    #expect(store.committed?.changedSubscribers.map(\.user).sorted() == ["ada", "bob"])
    #expect(try store.engine.subscriptionNames(of: "ada", in: EventStore.database) == [])
    #expect(try store.feed() == ["s \(first.channel)-1"])
    let error = #expect(throws: ItemError.self) {
      try store.commit {
        try $0.deleteSubscription("s", of: "ada", in: EventStore.database)
      }
    }
    #expect(error?.code == .unknownItem)
    let again = try store.subscribe("s", on: options)
    #expect(again.channel == first.channel && again.since == 1)
    try store.restart()
    try store.modify([Record("c", [:])])
    #expect(try store.newStories() == ["created c"])
    #expect(try store.feed() == ["s \(first.channel)-1", "s \(first.channel)-2"])
  }

  @Test("many subscriptions to one channel that fires once end together", arguments: [false, true])
  func onceForMany(doesMaintenance: Bool) throws {
    let store = try EventStore()
    let options: Subscription.FiringOptions = [.recordCreation, .once]
    let users = (0..<700).map { "user\($0)" }
    func subscribe(_ users: some Sequence<String>, as id: String) throws {
      for user in users { try store.subscribe(id, on: options, of: user, in: shared) }
    }
    try subscribe(users, as: "s")
    try store.modify([Record("a", [:]), Record("b", [:])], in: shared)
    #expect(try store.newStories() == ["created a"])
    #expect(store.committed?.changedSubscribers == [])
    if doesMaintenance { try store.doMaintenance() }
    let open = try store.number("SELECT count(*) FROM subscriptions WHERE ended IS NULL")
    #expect(open == (doesMaintenance ? 0 : 700))
    #expect(try store.engine.subscriptionNames(of: "user3", in: shared) == [])
    #expect(try store.feed(of: "user3") == ["s 1-1"])

    // Some come back: under the same name, and under another.
    try subscribe(users.prefix(150), as: "s")
    try subscribe(users[150..<300], as: "t")
    try store.restart()
    #expect(try store.engine.subscriptionNames(of: "user3", in: shared) == ["s"])
    try store.modify([Record("c", [:])], in: shared)
    // Few are left, and end at once.
    try subscribe(users.prefix(2), as: "s")
    try store.modify([Record("d", [:])], in: shared)
    #expect(store.committed?.changedSubscribers.map(\.user).sorted() == ["user0", "user1"])
    try store.modify([Record("e", [:])], in: shared)
    #expect(try store.newStories() == ["created c", "created d"])
    for _ in 0...1 {
      #expect(try store.feed(of: "user0") == ["s 1-1", "s 1-2", "s 1-3"])
      #expect(try store.feed(of: "user200") == ["s 1-1", "t 1-2"])
      #expect(try store.feed(of: "user500") == ["s 1-1"])
      #expect(try store.engine.subscriptionNames(of: "user0", in: shared) == [])
      try store.doMaintenance()
    }
    #expect(try store.number("SELECT count(*) FROM subscriptions WHERE ended IS NULL") == 0)
    #expect(try store.number("SELECT count(*) FROM channels WHERE closed > 0") == 0)
  }

  @Test("a user may have so many subscriptions, replaced and ended ones not counted")
  func countLimit() throws {
    var limits = Limits()
    limits.subscriptionsPerUserMax = 2
    let store = try EventStore(limits: limits)
    try store.subscribe("a", on: [.recordCreation, .once])
    try store.subscribe("b", .database, type: "")
    try store.subscribe("b", .database, type: "B")
    let error = #expect(throws: ItemError.self) { try store.subscribe("c", .database, type: "C") }
    #expect(error?.code == .limitExceeded)
    try store.modify([Record("r", [:])])
    try store.teach("C")
    #expect(throws: Never.self) { try store.subscribe("c", .database, type: "C") }
  }

  @Test("a device's mark differs by user, device and channel")
  func originTags() throws {
    let store = try EventStore()
    try store.subscribe("q", on: .recordCreation)
    try store.subscribe("d", .database, type: "")
    func tags(_ caller: Caller) throws -> [UInt64] {
      try store.engine.begin()
      let changes = RecordChanges(
        database: EventStore.database,
        saves: [Record("r\(caller.device)", [:])],
        deletions: [],
        policy: .allKeys
      )
      _ = try store.engine.modifyRecords(changes, caller: caller)
      let tags = try store.engine.commit().events.map(\.originTag)
      let channels = try store.engine.pushChannels(
        for: caller,
        container: "default",
        environment: .development
      )
      #expect(Set(tags) == Set(channels.map(\.originTag)))
      return tags
    }
    let all = try tags(EventStore.laptop) + tags(Caller(user: "ada", device: "phone"))
    #expect(Set(all).count == 4 && !all.contains(0))
    #expect(try tags(Caller(user: "ada", device: "")) == [0, 0])
  }
}
