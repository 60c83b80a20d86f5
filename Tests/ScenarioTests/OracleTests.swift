internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// The server answers as the in-memory model does, whatever is asked in whatever order.
@Suite struct OracleTests {
  @Test(
    "thousands of random operations, with restarts, are answered as the model answers them",
    arguments: 0..<3
  )
  func randomOperations(round: Int) async throws {
    let seed = Seed.make("randomOperations") &+ UInt64(round)
    var session = try await OracleSession(seed: seed)
    for step in 0..<1200 {
      let isEqual = try await session.step()
      guard isEqual else {
        Issue.record("seed \(seed), step \(step): \(session.complaint)")
        return
      }
    }
    try await session.compareEverything()
    #expect(session.complaint == "", "seed \(seed)")
  }
}

/// One server, its clients, and the model beside them.
private struct OracleSession {
  /// Empty while all answers were equal.
  private(set) var complaint = ""

  private var random: SplitMix64
  private var oracle = Oracle()
  private var server: TestServer
  private var clients: [Oracle.Caller: Client] = [:]
  private var tokens: [String: (bytes: [UInt8], moment: Int)] = [:]
  private var recentTags: [String] = ["", "1", "zz"]
  private var keyCount = 0

  private static let users = ["ada", "bob"]
  private static let callers = users.flatMap { user in
    ["laptop", "phone", ""].map { Oracle.Caller(user, $0) }
  }
  private static let types = ["Houses", "Cars"]
  private static let zones = ["", "", "", "attic", "cellar"]

  init(seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    server = try await .startLasting()
    try await connect()
  }

  private mutating func connect() async throws {
    for caller in Self.callers {
      clients[caller] = try await server.client(as: caller.user, device: caller.device)
    }
  }

  /// - Returns: Whether the server's answer was the model's.
  mutating func step() async throws -> Bool {
    let caller = random.pick(Self.callers)
    let database = Oracle.Database(owner: random.oneIn(4) ? nil : caller.user)
    guard let client = clients[caller] else { return false }
    switch random.below(100) {
    case 0..<45: try await modify(client, caller, database)
    case 45..<57: try await saveSubscriptions(client, caller, database)
    case 57..<62: try await deleteSubscription(client, caller, database)
    case 62..<66: try await modifyZones(client, caller, database)
    case 66..<76: try await fetch(client, database)
    case 76..<90: try await readFeed(client, caller)
    case 90..<95: try await markRead(client, caller)
    case 95..<98: try await list(client, caller, database)
    case 98: try await restart()
    default: try await compareEverything()
    }
    return complaint.isEmpty
  }

  private mutating func compare<Answer: Equatable>(
    _ what: String,
    _ answer: Answer,
    _ expected: Answer
  ) {
    guard answer != expected, complaint.isEmpty else { return }
    complaint = "\(what)\nserver: \(answer)\nmodel: \(expected)"
  }

  private mutating func compareFeed(
    _ what: String,
    _ feed: [TidingsV1.Notification],
    _ expected: [TidingsV1.Notification]
  ) {
    let (ids, expectedIDs) = (feed.map(\.notificationID), expected.map(\.notificationID))
    let difference = Set(ids).symmetricDifference(expectedIDs).map { oracle.story(of: $0) }
    compare("\(what): \(difference)", ids, expectedIDs)
    for (notification, expected) in zip(feed, expected) { compare(what, notification, expected) }
  }

  // MARK: Records

  private mutating func modify(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  )
    async throws
  {
    var request = TidingsV1.ModifyRecordsRequest(databaseID: database.id)
    request.savePolicy = random.pick([.unspecified, .changedKeys, .allKeys, .allKeys])
    request.atomic = random.pick([nil, true, false])
    var used: Set<TidingsV1.RecordID> = []
    for _ in 0...random.below(random.oneIn(3) ? 12 : 2) {
      let id = randomID()
      guard used.insert(id).inserted else { continue }
      if random.oneIn(5) {
        request.recordIDsToDelete.append(id)
      } else {
        request.recordsToSave.append(randomRecord(id, in: database))
      }
    }
    keyCount += 1
    // With a key the client repeats a call whose connection was lost.
    let options = CallOptions(timeout: .seconds(60), idempotencyKey: "key-\(keyCount)")
    let answer = try await client.records.modifyRecords(request, options: options)
    let results = answer.results.map { $0.normalized() }
    compare("\(caller) \(request)", results, oracle.modify(request, in: database, by: caller))
    recentTags += answer.results.compactMap { $0.record?.changeTag }
    recentTags.removeFirst(max(0, recentTags.count - 60))
    if random.oneIn(4) {
      if random.oneIn(4) { try await restart() }
      guard let client = clients[caller] else { return }
      let again = try await client.records.modifyRecords(request, options: options)
      compare("\(caller) again \(request)", again, answer)
    }
  }

  private mutating func randomID() -> TidingsV1.RecordID {
    .init("r\(random.below(12))", zone: random.pick(Self.zones))
  }

  private mutating func randomRecord(
    _ id: TidingsV1.RecordID,
    in database: Oracle.Database
  )
    -> TidingsV1.Record
  {
    let stored = oracle.fetch([id], in: database)[0].record
    var record = TidingsV1.Record(recordID: id, recordType: random.pick(Self.types))
    if let stored, !random.oneIn(15) { record.recordType = stored.recordType }
    record.changeTag = random.oneIn(4) ? random.pick(recentTags) : stored?.changeTag ?? ""
    for _ in 0..<random.below(4) {
      switch random.below(8) {
      case 0...2: record.fields["n"] = .init(.int64Value(Int64(random.below(7))))
      case 3, 4: record.fields["city"] = .init(.stringValue(random.pick(["Oslo", "Rome", "a\0"])))
      case 5:
        let values = random.pick([[], ["a"], ["b", "a"]])
        record.fields["tags"] = .init(.stringListValue(.init(values: values)))
      case 6: record.fields[random.pick(["n", "city", "tags", "x"])] = .null
      default: record.fields[random.oneIn(3) ? "n" : "x"] = random.pick([1, "one", 1.5])
      }
    }
    return record
  }

  private mutating func fetch(_ client: Client, _ database: Oracle.Database) async throws {
    let ids = (0...random.below(5)).map { _ in randomID() }
    let keys: [String]? = random.oneIn(2) ? ["n", "tags", "none"] : nil
    let results = try await client.records.fetchRecords(
      .init(databaseID: database.id, recordIDs: ids, desiredKeys: keys.map { .init(keys: $0) })
    ).results.map { $0.normalized() }
    compare("fetch \(ids)", results, oracle.fetch(ids, keys: keys, in: database))
  }

  // MARK: Zones

  private mutating func modifyZones(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let saves = random.oneIn(3) ? [] : [random.pick(["attic", "cellar", "_defaultZone"])]
    let deletions = random.oneIn(3) ? [random.pick(["attic", "cellar", "_defaultZone"])] : []
    let results = try await client.zones.modifyRecordZones(
      .init(
        databaseID: database.id,
        zonesToSave: saves.map { .init(zoneID: .init(zoneName: $0)) },
        zoneIDsToDelete: deletions.map { .init(zoneName: $0) }
      )
    ).results.map { $0.normalized() }
    let expected =
      saves.map { oracle.saveZone($0, in: database) }
      + deletions.map { oracle.deleteZone($0, in: database, by: caller) }
    compare("zones +\(saves) -\(deletions)", results, expected)
  }

  // MARK: Subscriptions

  private mutating func saveSubscriptions(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let subscriptions = (0...random.below(2)).map { _ in randomSubscription() }
    let results = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database.id, subscriptionsToSave: subscriptions.map(\.message))
    ).results.map { $0.normalized() }
    let expected = subscriptions.map { oracle.save($0, of: caller.user, in: database) }
    compare("\(caller) subscribe \(subscriptions)", results, expected)
  }

  private mutating func randomSubscription() -> OracleSubscription {
    var subscription = OracleSubscription(
      id: "s\(random.below(8))",
      recordType: random.pick(Self.types),
      predicate: .random(using: &random),
      changes: .init(rawValue: 1 + random.below(7))
    )
    subscription.isOnce = random.oneIn(5)
    subscription.zone = random.pick([nil, nil, nil, "attic", "cellar", "_defaultZone"])
    subscription.keys = random.pick([[], ["n"], ["city", "x", "tags"]])
    return subscription
  }

  private mutating func deleteSubscription(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let id = "s\(random.below(8))"
    let results = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database.id, subscriptionIDsToDelete: [id])
    ).results.map { $0.normalized() }
    let expected = oracle.deleteSubscription(id, of: caller.user, in: database)
    compare("\(caller) unsubscribe \(id)", results, [expected])
  }

  private mutating func list(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  )
    async throws
  {
    let subscriptions = try await client.subscriptions.fetchSubscriptions(
      .init(databaseID: database.id)
    ).results.map { $0.normalized() }
    compare(
      "\(caller) subscriptions",
      subscriptions,
      oracle.fetchSubscriptions(of: caller.user, in: database)
    )
    let zones = try await client.zones.fetchRecordZones(.init(databaseID: database.id)).results
      .map { $0.normalized() }
    compare("\(caller) zones", zones, oracle.fetchZones(in: database))
  }

  // MARK: Notifications

  /// Reads on from a token that any device of the user got, in pages of any size.
  private mutating func readFeed(_ client: Client, _ caller: Oracle.Caller) async throws {
    let start = random.oneIn(5) ? nil : tokens[caller.user]
    let (notifications, token) = try await client.feed(
      after: start?.bytes ?? [],
      pageLimit: UInt32(random.below(8))
    )
    compareFeed(
      "\(caller) feed after \(start?.moment ?? 0)",
      notifications.normalized(),
      oracle.feed(of: caller, after: start?.moment ?? 0)
    )
    let times = notifications.compactMap(\.committed).map { ($0.seconds, $0.nanos) }
    compare("\(caller) order", zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, true)
    tokens[caller.user] = (token, oracle.moment)
  }

  private mutating func markRead(_ client: Client, _ caller: Oracle.Caller) async throws {
    var ids = oracle.feed(of: caller).map(\.notificationID).filter { _ in random.oneIn(6) }
    ids += ["\(1 + random.below(30))-\(1 + random.below(30))"]
    let results = try await client.notifications.markNotificationsRead(
      .init(notificationIDs: Array(ids.prefix(400)))
    ).results.map { $0.normalized() }
    compare(
      "\(caller) read \(ids)",
      results,
      ids.prefix(400).map { oracle.markRead($0, of: caller.user) }
    )
  }

  // MARK: All

  private mutating func restart() async throws {
    if random.oneIn(2) { try await server.crash() } else { try await server.stop() }
    server = try await server.restarted()
  }

  mutating func compareEverything() async throws {
    let ids = (0..<12).flatMap { name in
      ["", "attic", "cellar"].map { TidingsV1.RecordID("r\(name)", zone: $0) }
    }
    for caller in Self.callers {
      guard let client = clients[caller] else { continue }
      for database in [Oracle.Database(owner: caller.user), .init(owner: nil)] {
        let results = try await client.records.fetchRecords(
          .init(databaseID: database.id, recordIDs: ids)
        ).results.map { $0.normalized() }
        compare("\(caller) everything", results, oracle.fetch(ids, in: database))
        try await list(client, caller, database)
      }
      let feed = try await client.feed(pageLimit: 50).notifications.normalized()
      compareFeed("\(caller) whole feed", feed, oracle.feed(of: caller))
    }
  }
}
