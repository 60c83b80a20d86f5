internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A saved record reaches those who asked for it, and nobody else.
@Suite(.endsServers) struct FirstLightTests {
  private func house(_ name: String, _ price: Int64, city: String = "Oslo") -> TidingsV1.Record {
    .init("Houses", name, ["price": .init(.int64Value(price)), "city": .init(.stringValue(city))])
  }

  @Test("a subscriber's stream gets the save of another device, the saving device gets none")
  func streamFollows() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "realty", device: "laptop")
    let device = try await server.client(as: "realty", device: "server")
    try await laptop.subscribe(
      .init(
        subscriptionID: "pricey",
        type: .query,
        recordType: "Houses",
        predicate: .init(text: "price > 100000"),
        firesOnRecordCreation: true,
        firesOnRecordUpdate: true,
        notificationInfo: .init(alertBody: "A pricey house")
      )
    )
    let (onLaptop, onDevice) = (Collector(laptop), Collector(device))

    try await device.save(house("cheap", 1))
    try await device.save(house("h1", 300_000))
    let first = try await onLaptop.wait(for: 1)[0]
    #expect(first.recordID == .init("h1"))
    #expect(first.reason == .recordCreated)
    #expect(first.type == .query)
    #expect(first.subscriptionID == "pricey")
    #expect(first.recordType == "Houses")
    #expect(first.notificationInfo?.alertBody == "A pricey house")
    #expect(first.position?.sequenceNumber == 1)
    #expect(!first.notificationID.isEmpty)
    #expect(first.databaseID?.container == "default")

    // What the laptop saves reaches the other device, and shows that nothing came before it there.
    try await laptop.save(house("h2", 400_000))
    let onDeviceSeen = try await onDevice.wait(for: 1)
    #expect(onDeviceSeen.map(\.recordID) == [.init("h2")])
    try await device.save(house("h3", 500_000))
    let onLaptopSeen = try await onLaptop.wait(for: 2)
    #expect(onLaptopSeen.map(\.recordID) == [.init("h1"), .init("h3")])
    try await onLaptop.stop()
    try await onDevice.stop()
  }

  @Test("with the subscriber offline the feed keeps the notification, until it is marked read")
  func offlineFeed() async throws {
    let server = try await TestServer.start()
    let device = try await server.client(as: "realty", device: "server")
    try await device.subscribe(.init("pricey", "Houses", where: "price > 100000", keys: ["city"]))
    try await device.save(house("h1", 300_000))
    try await device.save(house("cheap", 99_999))

    let laptop = try await server.client(as: "realty", device: "laptop")
    let (waiting, token) = try await laptop.feed()
    #expect(waiting.map(\.recordID) == [.init("h1")])
    #expect(waiting[0].recordFields == ["city": "Oslo"])
    #expect(try await device.feed().notifications == [])
    #expect(try await laptop.feed(after: token).notifications == [])

    let marked = try await laptop.notifications.markNotificationsRead(
      .init(notificationIDs: [waiting[0].notificationID, "99-1", "nonsense"])
    ).results
    #expect(marked[0].outcome == .markedRead(true))
    guard case .error(let unknown)? = marked[1].outcome,
      case .error(let invalid)? = marked[2].outcome
    else { return #expect(Bool(false), "\(marked)") }
    #expect(unknown.code == .unknownItem)
    #expect(invalid.code == .invalidArguments)
    #expect(try await laptop.feed().notifications == [])
    // The mark is the user's, and nobody else's.
    let phone = try await server.client(as: "realty", device: "phone")
    #expect(try await phone.feed().notifications == [])
  }

  @Test("a subscription that fires once is gone after its first event")
  func firesOnce() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "realty", device: "laptop")
    let device = try await server.client(as: "realty", device: "server")
    try await laptop.subscribe(.init("first", "Houses", where: "price > 10", once: true))
    let results = try await device.modify([house("a", 5), house("b", 20), house("c", 30)])
    #expect(results.allSatisfy { $0.record != nil })
    try await device.save(house("d", 40))

    #expect(try await laptop.feed().notifications.map(\.recordID) == [.init("b")])
    let left = try await laptop.subscriptions.fetchSubscriptions(.init())
    #expect(left.results == [])
  }

  @Test("a deletion fires with the old state, an update out of the predicate fires nothing")
  func deletionAndLeaving() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "realty", device: "laptop")
    let device = try await server.client(as: "realty", device: "server")
    try await laptop.subscribe(
      .init(
        "all",
        "Houses",
        where: "price > 100",
        on: [.create, .update, .delete],
        keys: ["price"]
      )
    )
    try await device.save(house("a", 200))
    try await device.save(house("a", 201))
    try await device.save(house("a", 50))
    _ = try await device.modify(delete: [.init("a")])
    try await device.save(house("b", 300))
    _ = try await device.modify(delete: [.init("b"), .init("never")])

    let seen = try await laptop.feed().notifications
    #expect(seen.map(\.recordID?.recordName) == ["a", "a", "b", "b"])
    #expect(
      seen.map(\.reason) == [.recordCreated, .recordUpdated, .recordCreated, .recordDeleted]
    )
    #expect(seen.map(\.recordFields) == [["price": 200], ["price": 201], ["price": 300], [:]])
    #expect(seen.map(\.position?.sequenceNumber) == [1, 2, 3, 4])
  }

  @Test("another user sees neither the records nor the notifications")
  func usersAreApart() async throws {
    let server = try await TestServer.start()
    let owner = try await server.client(as: "realty", device: "laptop")
    let other = try await server.client(as: "other", device: "laptop")
    try await owner.subscribe(.init("all", "Houses"))
    try await other.subscribe(.init("all", "Houses"))
    let device = try await server.client(as: "realty", device: "server")
    try await device.save(house("h1", 1))
    #expect(try await owner.feed().notifications.count == 1)
    #expect(try await other.feed().notifications == [])
    #expect(try await other.fetch([.init("h1")])[0].error?.code == .unknownItem)
  }

  @Test("the public database is everybody's, and one event serves all its subscribers")
  func publicDatabase() async throws {
    let server = try await TestServer.start()
    let database = TidingsV1.DatabaseID(scope: .public)
    let users = ["ada", "bob"]
    for user in users {
      let client = try await server.client(as: user, device: "laptop")
      let saved = try await client.subscriptions.modifySubscriptions(
        .init(
          databaseID: database,
          subscriptionsToSave: [.init("sub-\(user)", "Houses", where: "price > 1")]
        )
      )
      #expect(saved.results[0].subscription?.effective?.channelID == "1")
    }
    let writer = try await server.client(as: "writer", device: "laptop")
    _ = try await writer.modify([house("h1", 2)], in: database)
    for user in users {
      let client = try await server.client(as: user, device: "laptop")
      let seen = try await client.feed().notifications
      #expect(seen.map(\.subscriptionID) == ["sub-\(user)"])
      #expect(seen.map(\.databaseID?.scope) == [.public])
    }
  }
}
