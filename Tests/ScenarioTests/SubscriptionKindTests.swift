internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Which kinds of subscriptions may be where: the others are refused with a code and in words, and
/// those that may be deliver to another device.
@Suite(.endsServers) struct SubscriptionKindTests {
  private static let publicDatabase = TidingsV1.DatabaseID(
    container: "default",
    environment: .development,
    scope: .public
  )

  private func save(
    _ subscription: TidingsV1.Subscription,
    with client: Client,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> TidingsV1.SubscriptionResult? {
    try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database, subscriptionsToSave: [subscription])
    ).results.first
  }

  private func reported(_ notification: TidingsV1.Notification) -> String {
    let (id, reason) = (notification.recordID, notification.reason)
    let words: [TidingsV1.QueryNotificationReason: String] = [
      .recordCreated: " created", .recordUpdated: " updated", .recordDeleted: " deleted",
      .recordEntered: " entered", .recordLeft: " left",
    ]
    return notification.subscriptionID + (words[reason] ?? "") + " "
      + (notification.type == .query ? id?.recordName ?? "" : id?.zoneID?.zoneName ?? "")
  }

  @Test(
    "in a private database each kind delivers to the user's other device, by push and in the log"
  )
  func privateDatabase() async throws {
    let server = try await TestServer.start()
    let (laptop, phone) = (
      try await server.client(as: "ada", device: "laptop"),
      try await server.client(as: "ada", device: "phone")
    )
    _ = try await phone.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "attic"))])
    )
    let leaving: TidingsV1.Subscription.Changes = [.enter, .leave]
    for subscription in [
      .init("cheap", "Houses", where: "price < 9", on: leaving, keys: ["price"]),
      .init("attic query", "Houses", on: [.create, .delete], zone: "attic"),
      .init("default query", "Houses", on: .create, once: true, zone: "_defaultZone"),
      .zone("attic", "attic"), .zone("attic cars", "attic", type: "Cars"),
      .zone("default", "_defaultZone"), .database("all"), .database("cars", type: "Cars"),
    ] as [TidingsV1.Subscription] {
      let saved = try await laptop.subscribe(subscription)
      #expect(saved.type == subscription.type && saved.zoneID == subscription.zoneID)
      #expect(saved.firesOnRecordEnter == subscription.firesOnRecordEnter)
      #expect(saved.firesOnRecordLeave == subscription.firesOnRecordLeave)
      #expect((saved.predicate == nil) == (subscription.type != .query))
      #expect(saved.effective?.channelID.isEmpty == false)
      // What was fetched can be saved, and changes nothing.
      #expect(try await save(saved, with: laptop)?.subscription == saved)
    }
    let stream = Collector(laptop)
    try await phone.save(.init("Houses", "h", ["price": 5]))
    try await phone.save(.init("Houses", "h", ["price": 5]))
    try await phone.save(.init("Houses", "h", ["price": 10]))
    try await phone.save(.init("Cars", "c", zone: "attic"))
    try await phone.save(.init("Houses", "a", zone: "attic", ["price": 20]))
    _ = try await phone.zones.modifyRecordZones(
      .init(
        zonesToSave: [.init(zoneID: .init(zoneName: "cellar"))],
        zoneIDsToDelete: [.init(zoneName: "attic")]
      )
    )
    let expected = [
      "cheap entered h", "default query created h", "default _defaultZone", "all _defaultZone",
      "cheap left h", "default _defaultZone", "all _defaultZone",
      "attic attic", "attic cars attic", "all attic", "cars attic",
      "attic query created a", "attic attic", "all attic",
      "attic query deleted a", "all cellar", "attic attic", "attic cars attic", "all attic",
      "cars attic",
    ]
    let pushed = try await stream.wait(for: expected.count)
    #expect(pushed.map(reported).sorted() == expected.sorted())
    let log = try await laptop.feed().notifications
    #expect(log.map(reported) == expected)
    #expect(log[0].recordFields == ["price": 5])
    #expect(try await phone.feed().notifications == [])
    let names = try await laptop.subscriptions.fetchSubscriptions(.init()).results
      .map(\.subscriptionID)
    #expect(!names.contains("default query") && names.count == 7)
    try await stream.stop()
  }

  @Test("the public database has query subscriptions, and ours of its zone and itself")
  func publicDatabase() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    let bob = try await server.client(as: "bob", device: "laptop")
    for subscription in [
      .init("q", "Houses", on: .create), .zone("z", "_defaultZone", type: "Houses"),
      .database("d"),
    ] as [TidingsV1.Subscription] {
      let result = try await save(subscription, with: ada, in: Self.publicDatabase)
      #expect(result?.subscription != nil, "\(String(describing: result))")
    }
    let stream = Collector(ada)
    _ = try await bob.modify([.init("Houses", "h")], in: Self.publicDatabase)
    _ = try await bob.modify([.init("Cars", "c")], in: Self.publicDatabase)
    let expected = ["q created h", "z _defaultZone", "d _defaultZone", "d _defaultZone"]
    #expect(try await stream.wait(for: 4).map(reported).sorted() == expected.sorted())
    let log = try await ada.feed().notifications
    #expect(log.map(reported) == expected)
    #expect(log.allSatisfy { $0.databaseID?.scope == .public })
    let attic = try await save(.zone("a", "attic"), with: ada, in: Self.publicDatabase)
    #expect(attic?.error?.code == .zoneNotFound)
    try await stream.stop()
  }

  @Test("shared databases have database subscriptions only")
  func sharedDatabase() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let shared = TidingsV1.DatabaseID(scope: .shared)
    for subscription in [.init("q", "Houses"), .zone("z", "_defaultZone")]
      as [TidingsV1.Subscription]
    {
      let result = try await save(subscription, with: client, in: shared)
      #expect(result?.error?.message.contains("shared") == true, "\(String(describing: result))")
    }
    let saved = try await save(.database("d"), with: client, in: shared)
    #expect(saved?.error == nil && saved?.subscription != nil)
  }

  @Test("what a kind does not have is refused, with the kind that has it")
  func refused() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    func changed(
      _ subscription: TidingsV1.Subscription,
      _ change: (inout TidingsV1.Subscription) -> Void
    ) -> TidingsV1.Subscription {
      var copy = subscription
      change(&copy)
      return copy
    }
    var wrong: [(TidingsV1.Subscription, TidingsV1.ErrorCode, String)] = [
      (.zone("s", "nowhere"), .zoneNotFound, "nowhere"),
      (.init("s", "Houses", zone: "nowhere"), .zoneNotFound, "nowhere"),
      (.init("s", ""), .invalidArguments, "RECORD_ZONE or DATABASE"),
      (.init("s", "Houses", on: []), .invalidArguments, "fires on no change"),
      (changed(.database("s")) { $0.type = .unspecified }, .invalidArguments, "has no type"),
      (
        changed(.database("s")) { $0.type = .init(rawValue: 4) }, .invalidArguments,
        "unknown type 4"
      ),
      (
        changed(.zone("s", "x")) { $0.zoneID = nil }, .invalidArguments,
        "use a DATABASE subscription"
      ),
      (
        changed(.database("s")) { $0.zoneID = .init(zoneName: "_defaultZone") }, .invalidArguments,
        "use a RECORD_ZONE subscription"
      ),
    ]
    for kind in [TidingsV1.Subscription.zone("s", "_defaultZone"), .database("s")] {
      let query = "a QUERY subscription"
      for change: (inout TidingsV1.Subscription) -> Void in [
        { $0.firesOnRecordCreation = true }, { $0.firesOnRecordUpdate = true },
        { $0.firesOnRecordDeletion = true }, { $0.firesOnRecordEnter = true },
        { $0.firesOnRecordLeave = true }, { $0.firesOnce = true },
        { $0.predicate = .init(text: "price > 3") },
        { $0.notificationInfo = .init(desiredKeys: ["price"]) },
        { $0.notificationInfo = .init(alertLocalizationArgs: ["price"]) },
        { $0.notificationInfo = .init(titleLocalizationArgs: ["price"]) },
        { $0.notificationInfo = .init(subtitleLocalizationArgs: ["price"]) },
      ] {
        wrong.append((changed(kind, change), .invalidArguments, query))
      }
    }
    for (subscription, code, part) in wrong {
      let error = try await save(subscription, with: client)?.error
      #expect(error?.code == code, "\(subscription)")
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "saved")")
      #expect(error?.message.contains("'s'") == true, "\(error?.message ?? "saved")")
    }
    #expect(try await client.subscriptions.fetchSubscriptions(.init()).results == [])
  }

  @Test("a subscription that fired once can be saved again while a device listens")
  func onceAgain() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let phone = try await server.client(as: "ada", device: "phone")
    try await laptop.subscribe(.init("once", "Houses", on: .create, once: true))
    let stream = Collector(laptop)
    try await phone.save(.init("Houses", "first"))
    try await stream.wait(for: 1)
    try await laptop.subscribe(.init("once", "Houses", on: .create, once: true))
    try await phone.save(.init("Houses", "second"))
    try await phone.save(.init("Houses", "third"))
    let seen = try await stream.wait(for: 2)
    #expect(seen.map(reported) == ["once created first", "once created second"])
    #expect(try await laptop.feed().notifications.map(reported) == seen.map(reported))
    try await stream.stop()
  }
}
