internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsKeys
internal import TidingsModel

@testable internal import TidingsEngine

/// Rejected users are not notified any more, whatever their number of channels.
@Suite final class UserRotationTests {
  private let store: TestDatabase
  private let key = KeyPair().publicKey
  private var time: Int64 = 1_700_000_000_000
  private var wrongBy: Int64 = 0
  private let reported = Reports()
  private let publicDatabase = DatabaseID(
    container: "default",
    environment: .development,
    scope: .public,
    owner: ""
  )

  init() throws { store = try TestDatabase() }

  private func open() throws -> Engine {
    try Engine(store.connect()) { [unowned self] in
      ClockReading(
        timeOfDay: Timestamp(millisecondsSince1970: time + wrongBy),
        uptime: time,
        boot: 1
      )
    }
  }

  /// What transactions came to.
  private final class Reports {
    var ended = EndedAccess()
    var subscribers: Set<ChangedSubscriber> = []

    func takeEnded() -> EndedAccess {
      defer { ended = EndedAccess() }
      return ended
    }
  }

  private func commit<R>(_ engine: Engine, _ body: () throws -> R) throws -> R {
    try engine.begin()
    let result = try body()
    let committed = try engine.commit()
    reported.ended.keys.formUnion(committed.endedAccess.keys)
    reported.ended.users.formUnion(committed.endedAccess.users)
    reported.ended.controlTopics.formUnion(committed.endedAccess.controlTopics)
    reported.ended.retiredTopics += committed.endedAccess.retiredTopics
    reported.subscribers.formUnion(committed.changedSubscribers)
    return result
  }

  private func subscribe(
    _ user: String,
    _ number: Int,
    in database: DatabaseID,
    _ engine: Engine
  ) throws {
    let subscription = Subscription(
      subscriptionID: "s\(number)",
      recordType: "Houses",
      predicate: try Predicate(text: "city = %@", arguments: [.int64(Int64(number))]),
      options: [.recordCreation]
    )
    _ = try engine.saveSubscription(subscription, of: user, in: database)
  }

  private func topics(_ user: String, _ engine: Engine) throws -> Set<[UInt8]> {
    Set(
      try engine.pushChannels(
        for: Caller(user: user, device: ""),
        container: "default",
        environment: .development
      ).map(\.topic)
    )
  }

  private func controlTopic(_ user: String, _ engine: Engine) throws -> [UInt8] {
    try engine.controlTopic(of: user, container: "default", environment: .development)
  }

  /// A user with a key and many subscriptions, and another one with two of the same.
  private func prepare(_ engine: Engine, publicCount: Int, privateCount: Int) throws {
    var ownDatabase = publicDatabase
    (ownDatabase.scope, ownDatabase.owner) = (.private, "ada")
    try commit(engine) {
      _ = try engine.createUser(AccountRequest("ada", key: KeyRequest(key)))
      for number in 0..<publicCount { try subscribe("ada", number, in: publicDatabase, engine) }
      for number in 0..<privateCount {
        try subscribe("ada", publicCount + number, in: ownDatabase, engine)
      }
      try subscribe("bob", 0, in: publicDatabase, engine)
      try subscribe("bob", publicCount - 1, in: publicDatabase, engine)
      try subscribe("cy", 1_000_000, in: publicDatabase, engine)
    }
  }

  @Test("a revoked key's user gets all topics again, over a restart, and others are reported")
  func revocation() throws {
    var engine = try open()
    try prepare(engine, publicCount: 1_100, privateCount: 150)
    let old = (
      ada: try topics("ada", engine), bob: try topics("bob", engine), cy: try topics("cy", engine),
      control: try controlTopic("ada", engine), bobsControl: try controlTopic("bob", engine)
    )
    #expect(old.ada.count == 1_250)
    let (account, rotatedCount) = try commit(engine) { try engine.revokeKey(key) }
    #expect(account?.name == "ada" && rotatedCount == 1_000)
    let ended = reported.takeEnded()
    #expect(ended.keys == [1] && ended.users.isEmpty)
    #expect(ended.controlTopics == [old.control])
    #expect(
      ended.retiredTopics.count == 1_001 && old.ada.isSuperset(of: ended.retiredTopics.dropFirst())
    )
    #expect(reported.ended.isEmpty)

    engine = try open()
    reported.subscribers = []
    var retired = Set(ended.retiredTopics)
    var pieces = 0
    repeat {
      pieces += 1
      let pause = try commit(engine) { try engine.doMaintenance() }
      retired.formUnion(reported.takeEnded().retiredTopics)
      if pause != .zero, pieces > 10 { break }
    } while pieces < 1_000
    #expect(try topics("ada", engine).isDisjoint(with: old.ada))
    #expect(retired == old.ada.union([old.control]))
    #expect(try topics("bob", engine).isDisjoint(with: old.bob))
    #expect(try topics("bob", engine).isSubset(of: topics("ada", engine)))
    #expect(try topics("cy", engine) == old.cy)
    #expect(try controlTopic("ada", engine) != old.control)
    #expect(try controlTopic("bob", engine) == old.bobsControl)
    let users = Set(reported.subscribers.map(\.user))
    #expect(users.contains("bob") && !users.contains("cy"))
    // It is done once.
    let now = try topics("ada", engine)
    _ = try commit(engine) { try engine.revokeKey(key) }
    try blockUntil("the engine's own work to be done", pausing: .zero) {
      try commit(engine) { try engine.doMaintenance() } != .zero
    }
    #expect(try topics("ada", engine) == now)
  }

  @Test("a key that a wrong clock let expire ends what it receives again when it does expire")
  func expiryByWrongClock() throws {
    let engine = try open()
    try prepare(engine, publicCount: 1, privateCount: 1)
    let expires = Timestamp(millisecondsSince1970: time + 10_000_000)
    _ = try commit(engine) { try engine.authorizeKey(KeyRequest(key, expires: expires), of: "ada") }
    func endedKeys(after milliseconds: Int64) throws -> Int {
      wrongBy += milliseconds
      for _ in 0..<3 {
        time += 60_000
        _ = try commit(engine) { try engine.doMaintenance() }
      }
      return reported.takeEnded().keys.count
    }
    #expect(try endedKeys(after: 0) == 0)
    #expect(try endedKeys(after: 20_000_000) == 1)
    #expect(try endedKeys(after: -20_000_000) == 0)
    #expect(try endedKeys(after: 10_000_000) == 1)
    #expect(try endedKeys(after: 0) == 0)
  }

  @Test("a key that expires ends what it received by itself, once; a later expiry is obeyed")
  func expiry() throws {
    let engine = try open()
    try prepare(engine, publicCount: 3, privateCount: 2)
    func work() throws {
      try blockUntil("the engine's own work to be done", pausing: .zero) {
        try commit(engine) { try engine.doMaintenance() } != .zero
      }
    }
    let expires = Timestamp(millisecondsSince1970: time + 10_000)
    _ = try commit(engine) { try engine.authorizeKey(KeyRequest(key, expires: expires), of: "ada") }
    let old = try topics("ada", engine)
    time += 9_999
    try work()
    #expect(try topics("ada", engine) == old && reported.ended.isEmpty)
    let later = Timestamp(millisecondsSince1970: time + 10_000)
    _ = try commit(engine) { try engine.authorizeKey(KeyRequest(key, expires: later), of: "ada") }
    time += 9_999
    try work()
    #expect(try topics("ada", engine) == old && reported.ended.isEmpty)
    time += 1
    try work()
    #expect(reported.takeEnded().keys == [1])
    let new = try topics("ada", engine)
    #expect(new.isDisjoint(with: old))
    time += 100_000
    try work()
    #expect(try topics("ada", engine) == new)
  }

  @Test("what only the user receives is replaced too, whether it is subscribed to now or not")
  func heardAlone() throws {
    let engine = try open()
    _ = try commit(engine) {
      try engine.applySchema(
        """
        DEFINE SCHEMA
        RECORD TYPE Houses (city INT64, GRANT READ TO "_creator", GRANT CREATE TO "_icloud");
        """,
        to: "default",
        isDryRun: false
      )
    }
    try prepare(engine, publicCount: 2, privateCount: 1)
    let old = (ada: try topics("ada", engine), bob: try topics("bob", engine))
    #expect(old.ada.count == 3 && old.ada.isDisjoint(with: old.bob))
    try commit(engine) { try engine.deleteSubscription("s0", of: "ada", in: publicDatabase) }
    let rotatedCount = try commit(engine) { try engine.revokeKey(key).rotatedCount }
    #expect(rotatedCount == 3)
    try commit(engine) { try subscribe("ada", 0, in: publicDatabase, engine) }
    let new = try topics("ada", engine)
    #expect(new.count == 3 && new.isDisjoint(with: old.ada))
    let retired = try commit(engine) {
      try engine.rotateOwnChannels(of: "ada", container: "default", environment: .development)
    }
    #expect(Set(retired) == new && retired.count == 3)
    #expect(try topics("ada", engine).isDisjoint(with: new))
    #expect(try topics("bob", engine) == old.bob)
  }

  @Test("leases of a restricted user end; those of a user with another key go on")
  func leases() throws {
    let engine = try open()
    try prepare(engine, publicCount: 1, privateCount: 0)
    let group = WorkGroup(container: "default", environment: .development, name: "g")
    let ada = Caller(user: "ada", device: "worker")
    let other = KeyPair().publicKey
    try commit(engine) {
      _ = try engine.authorizeKey(KeyRequest(other), of: "ada")
      _ = try engine.modifyRecords(
        RecordChanges(
          database: publicDatabase,
          saves: [
            Record(
              recordID: RecordID(recordName: "a"),
              recordType: "Houses",
              fields: ["city": .int64(0)]
            )
          ],
          deletions: [],
          policy: .allKeys
        ),
        caller: Caller(user: "bob", device: "phone")
      )
    }
    func lease() throws -> Int {
      try commit(engine) {
        try engine.leaseNotifications(
          of: group,
          for: ada,
          limit: 10,
          timeout: VisibilityTimeout(.seconds(3_600)),
          startsAtEnd: false
        ).items.count
      }
    }
    #expect(try lease() == 1)
    _ = try commit(engine) { try engine.revokeKey(key) }
    #expect(try lease() == 0)
    _ = try commit(engine) { try engine.updateUser("ada", AccountChange(isRestricted: true)) }
    #expect(reported.takeEnded().users == ["ada"])
    _ = try commit(engine) { try engine.updateUser("ada", AccountChange(isRestricted: false)) }
    #expect(try lease() == 1)
  }
}
