internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel

/// The engine with a clock that tests set.
@Suite struct EngineClockTests {
  private let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )
  private let laptop = Caller(user: "ada", device: "laptop")
  private let server = Caller(user: "ada", device: "server")

  private func engine(_ store: TestDatabase, at milliseconds: Int64) throws -> Engine {
    try Engine(
      store.connect(),
      clock: { ClockReading(undisturbed: Timestamp(millisecondsSince1970: milliseconds)) }
    )
  }

  private func commit(_ engine: Engine, _ body: () throws -> Void) throws {
    try engine.begin()
    try body()
    _ = try engine.commit()
  }

  private func save(_ name: String, _ engine: Engine) throws {
    let record = Record(recordID: RecordID(recordName: name), recordType: "Houses")
    _ = try engine.modifyRecords(
      RecordChanges(database: database, saves: [record], deletions: [], policy: .allKeys),
      caller: server
    )
  }

  /// A page of the laptop's notifications, on a connection of its own.
  private func page(
    _ store: TestDatabase,
    after token: [UInt8] = [],
    limit: Int = 0
  ) throws -> NotificationPage {
    let reader = try EngineReader(
      store.connect(readsOnly: true),
      limits: Limits()
    )
    return try reader.withSnapshot {
      try reader.notifications(
        NotificationRequest(
          caller: laptop,
          container: "default",
          environment: .development,
          changeToken: token,
          limit: limit
        )
      )
    }
  }

  private var subscription: Subscription {
    Subscription(
      subscriptionID: "all",
      recordType: "Houses",
      predicate: .true,
      options: [.recordCreation, .recordUpdate]
    )
  }

  @Test(
    "a clock that went back while the server was down costs and doubles no notification",
    arguments: [1, 2, 10]
  )
  func clockGoesBack(limit: Int) throws {
    let store = try TestDatabase()
    let first = try engine(store, at: 2_000_000)
    try commit(first) { _ = try first.saveSubscription(subscription, of: "ada", in: database) }
    try commit(first) {
      try save("a", first)
      try save("b", first)
    }
    try commit(first) { try first.deleteSubscription("all", of: "ada", in: database) }

    let second = try engine(store, at: 1_000_000)
    try commit(second) { _ = try second.saveSubscription(subscription, of: "ada", in: database) }
    try commit(second) {
      try save("c", second)
      try save("d", second)
    }
    var (ids, token, isDone) = ([] as [String], [] as [UInt8], false)
    while !isDone {
      let page = try page(store, after: token, limit: limit)
      ids += page.items.map(\.id.description)
      token = page.changeToken
      isDone = !page.moreComing || ids.count > 20
    }
    #expect(ids == ["1-1", "1-2", "1-3", "1-4"])
  }

  @Test("after a group is rolled back the engine knows nothing of it")
  func rollback() throws {
    let store = try TestDatabase()
    let engine = try engine(store, at: 1)
    try commit(engine) {
      _ = try engine.saveSubscription(subscription, of: "ada", in: database)
      try save("a", engine)
    }
    try engine.begin()
    try save("b", engine)
    try engine.deleteSubscription("all", of: "ada", in: database)
    engine.rollback()
    try engine.begin()
    #expect(engine.channelCount == 1)
    _ = try engine.commit()
    #expect(throws: ItemError.self) {
      try engine.withRecord(RecordID(recordName: "b"), in: database, caller: laptop) { _ in }
    }
    try engine.begin()
    try save("c", engine)
    let events = try engine.commit().events
    #expect(events.map(\.sequence) == [2])
    let page = try page(store)
    #expect(page.items.map(\.id.description) == ["1-1", "1-2"])
  }
}
