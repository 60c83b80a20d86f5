internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

@Suite("What a change would cause", .endsServers)
struct ExplainSubscriptionsTests {
  private static func explain(
    _ request: TidingsV1.ExplainSubscriptionsRequest,
    _ client: Client
  ) async throws -> [TidingsV1.SubscriptionExplanation] {
    try await client.subscriptions.explainSubscriptions(request).explanations
  }

  @Test("a save shows what it would fire, and which term fails, of what is stored and sent")
  func saves() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "realty", device: "laptop")
    try await client.subscribe(.init("pricey", "Houses", where: "price > 100000"))
    try await client.subscribe(
      .init("sold", "Houses", where: "price > 100000 AND sold = 1", on: .delete)
    )
    let house = TidingsV1.Record("Houses", "h1", ["price": 90_000, "rooms": 3])

    let created = try await Self.explain(.init(recordAfter: house), client)
    #expect(created.map(\.subscriptionID) == ["pricey", "sold"])
    #expect(!created[0].fires && created[0].failedTerm == "price > 100000")
    #expect(created[0].expectedValue == "100000" && created[0].actualValue == "90000")
    #expect(created[1].failedTerm == "fires_on_record_creation")

    try await client.save(house)
    // Only what changes is sent: the rest is stored.
    let rise = TidingsV1.Record("Houses", "h1", ["price": 200_000])
    let risen = try await Self.explain(.init(recordAfter: rise, isSave: true), client)
    #expect(risen[0].fires && risen[0].reason == .recordUpdated)
    let same = TidingsV1.Record("Houses", "h1", ["rooms": 3])
    let unchanged = try await Self.explain(.init(recordAfter: same, isSave: true), client)
    #expect(unchanged.allSatisfy { !$0.fires && $0.failedTerm == "the record changes" })

    let deletion = TidingsV1.ExplainSubscriptionsRequest(
      subscriptionIDs: ["sold"],
      isSave: true,
      recordID: .init("h1")
    )
    let deleted = try await Self.explain(deletion, client)
    #expect(deleted.map(\.failedTerm) == ["price > 100000"])
    // Nothing was written.
    #expect(try await client.feed().notifications.isEmpty)
    #expect(try await client.fetch([.init("h1")])[0].record?.fields["price"] == 90_000)
  }

  @Test("a change that was made up is explained as it is")
  func madeUp() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "realty")
    try await client.subscribe(.init("s", "T", where: "a = 1", on: [.update, .delete]))
    let (old, new) = (TidingsV1.Record("T", "r", ["a": 0]), TidingsV1.Record("T", "r", ["a": 1]))
    let updated = try await Self.explain(.init(recordAfter: new, recordBefore: old), client)
    #expect(updated[0].fires && updated[0].reason == .recordUpdated)
    let deleted = try await Self.explain(.init(recordBefore: new), client)
    #expect(deleted[0].fires && deleted[0].reason == .recordDeleted)
    try await client.subscribe(.init("s", "T", where: "a = 1", on: .leave))
    let left = try await Self.explain(.init(recordBefore: new), client)
    #expect(left[0].fires && left[0].reason == .recordLeft)
    #expect(left[0].message == "the record is deleted and matched")
  }

  @Test("what cannot be explained is refused, with what to do")
  func refusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "realty")
    let record = TidingsV1.Record("T", "r", ["a": 1])
    let refusals: [(TidingsV1.ExplainSubscriptionsRequest, TidingsV1.ErrorCode, String)] = [
      (.init(), .invalidArguments, "there is no record"),
      (.init(isSave: true), .invalidArguments, "record_after"),
      (
        .init(recordAfter: record, recordBefore: record, isSave: true), .invalidArguments, "is_save"
      ),
      (.init(recordID: .init("r")), .invalidArguments, "is_save"),
      (.init(isSave: true, recordID: .init("r")), .unknownItem, "does not exist"),
      (.init(subscriptionIDs: ["nobody"], recordAfter: record), .unknownItem, "'nobody'"),
      (
        .init(recordAfter: .init("T", "r", zone: "gone"), isSave: true), .zoneNotFound,
        "zone 'gone'"
      ),
      (.init(recordAfter: .init("T", "r", zone: "gone")), .zoneNotFound, "zone 'gone'"),
      (
        .init(recordAfter: record, recordBefore: .init("U", "r")), .invalidArguments,
        "not one record"
      ),
      (.init(recordAfter: .init("T", "_x")), .invalidArguments, "_x"),
    ]
    for (request, code, text) in refusals {
      let error = await failure { _ = try await Self.explain(request, client) }
      let detail = error?.details.compactMap { try? TidingsV1.ItemError(decoding: $0.value) }.first
      #expect(detail?.code == code, "\(String(describing: error))")
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "no error")")
    }
    let nobody = try await server.client(as: "")
    #expect(await failure { _ = try await Self.explain(.init(recordAfter: record), nobody) } != nil)
  }

  @Test("what it says is what happens", arguments: [1, 2] as [UInt64])
  func previews(seed: UInt64) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    let writer = try await server.client(as: "ada", device: "server")
    var random = SplitMix64(seed: seed)
    let zones = ["", "z1", "z2"]
    for zone in zones.dropFirst() {
      _ = try await client.zones.modifyRecordZones(
        .init(zonesToSave: [.init(zoneID: .init(zoneName: zone))])
      )
    }
    for number in 0..<24 {
      try await client.subscribe(Self.subscription(number, zones, &random))
    }
    var token = try await client.feed().token
    for round in 0..<60 {
      let id = TidingsV1.RecordID("r\(random.below(3))", zone: random.pick(zones))
      let type = ["A", "B", "A"][Int(id.recordName.dropFirst()) ?? 0]
      let isDeletion = random.oneIn(4)
      var record = TidingsV1.Record(recordID: id, recordType: type)
      if random.oneIn(3) { record.fields["a"] = random.oneIn(4) ? .null : .init(integerLiteral: 1) }
      if random.oneIn(2) { record.fields["b"] = .init(integerLiteral: Int64(random.below(3))) }
      let request: TidingsV1.ExplainSubscriptionsRequest =
        isDeletion ? .init(isSave: true, recordID: id) : .init(recordAfter: record, isSave: true)
      let reported: [TidingsV1.SubscriptionExplanation]
      do {
        reported = try await Self.explain(request, client)
      } catch {
        #expect(isDeletion, "seed \(seed), round \(round): \(error)")
        continue
      }
      let results = try await writer.modify(
        isDeletion ? [] : [record],
        delete: isDeletion ? [id] : [],
        policy: .changedKeys
      )
      #expect(results.allSatisfy { $0.error == nil }, "seed \(seed): \(results)")
      let feed = try await client.feed(after: token)
      token = feed.token
      let expected = reported.filter(\.fires).map { "\($0.subscriptionID) \($0.reason)" }.sorted()
      let happened = feed.notifications.map { "\($0.subscriptionID) \($0.reason)" }.sorted()
      #expect(expected == happened, "seed \(seed), round \(round): \(request)")
      #expect(reported.allSatisfy { $0.fires == $0.failedTerm.isEmpty && !$0.message.isEmpty })
    }
  }

  private static func subscription(
    _ number: Int,
    _ zones: [String],
    _ random: inout SplitMix64
  ) -> TidingsV1.Subscription {
    // Their definitions differ, so that none is a duplicate.
    let info = TidingsV1.NotificationInfo(alertBody: "\(number)")
    let zone = TidingsV1.ZoneID(zoneName: random.pick(zones))
    let type = random.pick(["A", "B"])
    switch random.below(4) {
    case 0:
      return .init(
        subscriptionID: "s\(number)",
        type: .recordZone,
        recordType: random.oneIn(2) ? type : "",
        zoneID: zone,
        notificationInfo: info
      )
    case 1:
      return .init(
        subscriptionID: "s\(number)",
        type: .database,
        recordType: random.oneIn(2) ? type : "",
        notificationInfo: info
      )
    default:
      let options = 1 + random.below(31)
      return .init(
        subscriptionID: "s\(number)",
        type: .query,
        recordType: type,
        predicate: .init(
          text: random.pick(["a = 1", "b > 0", "a = 1 AND b != 2", "TRUEPREDICATE"])
        ),
        zoneID: random.oneIn(3) ? zone : nil,
        firesOnRecordCreation: options & 1 != 0,
        firesOnRecordUpdate: options & 2 != 0,
        firesOnRecordDeletion: options & 4 != 0,
        notificationInfo: info,
        firesOnRecordEnter: options & 8 != 0,
        firesOnRecordLeave: options & 16 != 0
      )
    }
  }
}
