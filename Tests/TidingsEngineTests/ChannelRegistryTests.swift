internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// What memory knows of channels is what the store says, whatever happened.
@Suite struct ChannelRegistryTests {
  private let store: TestDatabase
  private let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .public,
    owner: ""
  )
  private let caller = Caller(user: "ada", device: "laptop")

  init() throws { store = try TestDatabase() }

  private func open() throws -> Engine {
    try Engine(store.connect()) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: 1_000))
    }
  }

  private func commit(_ engine: Engine, _ body: () throws -> Void) throws -> [StoredEvent] {
    try engine.begin()
    try body()
    return try engine.commit().events
  }

  private func subscription(
    _ name: String,
    _ city: Int64,
    _ options: Subscription.FiringOptions = [.recordCreation, .recordUpdate]
  ) throws -> Subscription {
    Subscription(
      subscriptionID: name,
      recordType: "Houses",
      predicate: try Predicate(text: "city = %@", arguments: [.int64(city)]),
      options: options
    )
  }

  private func house(_ name: String, city: Int64) -> Record {
    Record(
      recordID: RecordID(recordName: name),
      recordType: "Houses",
      fields: ["city": .int64(city)]
    )
  }

  private func save(_ record: Record, _ engine: Engine) throws {
    _ = try engine.modifyRecords(
      RecordChanges(database: database, saves: [record], deletions: [], policy: .allKeys),
      caller: caller
    )
  }

  /// All that a registry knows, for comparison.
  private func facts(_ engine: Engine) throws -> [String] {
    guard let entry = try engine.catalog.database(database) else { return [] }
    var facts = ["\(engine.channelCount) channels"]
    for number in 1...80 as ClosedRange<Int64> {
      guard let channel = engine.channels.registry.watched.entry(number) else { continue }
      let content = try engine.channels.registry.content(of: channel)
      facts.append(
        "\(number): head \(channel.head), members \(channel.members), \(channel.kind), "
          + "database \(channel.databaseNumber) \(content.database.number), topic \(content.topic), "
          + "\(content.definition)"
      )
    }
    for city in 0..<6 as Range<Int64> {
      var firings: [Firing] = []
      engine.channels.registry.watched.match(
        old: nil,
        new: house("h", city: city),
        zone: .default,
        in: entry,
        memory: nil,
        into: &firings
      )
      facts.append("\(city): \(firings.map(\.channel))")
    }
    return facts
  }

  @Test(
    "committed or rolled back, memory is what another start reads",
    arguments: [1, 2, 3, 4] as [UInt64]
  )
  func agreesWithStore(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let engine = try open()
    var (rolledBack, largest) = (0, 0)
    for round in 0..<60 {
      try engine.begin()
      for _ in 0...random.below(6) {
        let (user, name) = ("user-\(random.below(4))", "s\(random.below(4))")
        do {
          switch random.below(4) {
          case 0: try engine.deleteSubscription(name, of: user, in: database)
          case 1: try save(house("h\(random.below(3))", city: Int64(random.below(6))), engine)
          default:
            _ = try engine.saveSubscription(
              subscription(
                name,
                Int64(random.below(6)),
                random.pick([[.recordCreation, .recordUpdate], [.recordUpdate, .once]])
              ),
              of: user,
              in: database
            )
          }
        } catch is ItemError {
          // Unknown, or a duplicate: nothing happened.
        }
      }
      if random.oneIn(3) {
        rolledBack += 1
        engine.rollback()
      } else {
        _ = try engine.commit()
      }
      _ = try commit(engine) {}
      let facts = try facts(engine)
      #expect(try facts == self.facts(open()), "seed \(seed), round \(round)")
      largest = max(largest, engine.channelCount)
    }
    #expect(rolledBack > 5 && largest > 4, "seed \(seed)")
  }

  @Test("a duplicate is refused, and counts nobody")
  func duplicate() throws {
    let engine = try open()
    _ = try commit(engine) {
      _ = try engine.saveSubscription(subscription("a", 1), of: "ada", in: database)
      #expect(throws: ItemError.self) {
        try engine.saveSubscription(subscription("b", 1), of: "ada", in: database)
      }
    }
    #expect(engine.channels.registry.watched.entry(1)?.members == 1)
    _ = try commit(engine) { try engine.deleteSubscription("a", of: "ada", in: database) }
    #expect(engine.channelCount == 0)
  }

  @Test(
    "what the index wants is made when the store does not have it",
    arguments: ["NULL", "x''", "x'00ff'"]
  )
  func filled(watch: String) throws {
    let first = try open()
    let events = try commit(first) {
      for city in 0..<1_100 as Range<Int64> {
        _ = try first.saveSubscription(
          subscription("s\(city)", city, .recordCreation),
          of: "user-\(city / 500)",
          in: database
        )
      }
      try save(house("a", city: 1_050), first)
    }
    let connection = try store.connect()
    try connection.execute("UPDATE channels SET watch = \(watch) WHERE id > 3")
    // As after a migration: the definition has the name of one of the subscriptions.
    try connection.execute(
      """
      UPDATE channels SET definition =
        (SELECT body FROM subscriptions s WHERE s.channel_id = channels.id ORDER BY body LIMIT 1)
      WHERE id > 3
      """
    )
    let second = try open()
    #expect(second.channelCount == 1_100)
    let again = try commit(second) { try save(house("b", city: 1_050), second) }
    #expect(again.map(\.topic) == events.map(\.topic))
    let left = try connection.prepare("SELECT count(*) FROM channels WHERE length(watch) < 10")
    #expect(try left.step() && left.int64(0) == 0)
    let channel = try #require(second.channels.registry.watched.entry(1_051))
    #expect(try second.channels.registry.content(of: channel).definition.subscriptionID == "")
  }

  @Test("changes are counted for the channels that look at them")
  func evaluation() throws {
    let engine = try open()
    _ = try commit(engine) {
      _ = try engine.saveSubscription(subscription("a", 1), of: "ada", in: database)
      try save(house("x", city: 1), engine)
      try save(house("y", city: 2), engine)
    }
    #expect(engine.channels.registry.watched.evaluation(of: 1).count == 2)
    #expect(
      engine.channels.registry.watched.evaluation(of: 1).last
        == Timestamp(millisecondsSince1970: 1_000)
    )
    #expect(engine.channels.registry.watched.evaluation(of: 2).last == nil)
  }
}
