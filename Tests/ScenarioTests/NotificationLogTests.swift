internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// The log of notifications as a user's devices see it: read marks, badge, retention, traces, health.
@Suite(.endsServers) struct NotificationLogTests {
  private typealias Service = TidingsV1.NotificationService

  /// One user's devices, and a subscription to all houses.
  private struct Devices {
    let server: TestServer
    let laptop: Client
    let phone: Client
    let builder: Client

    init(info: TidingsV1.NotificationInfo? = nil, arguments: [String] = []) async throws {
      server = try await TestServer.start(arguments: arguments)
      laptop = try await server.client(as: "ada", device: "laptop")
      phone = try await server.client(as: "ada", device: "phone")
      builder = try await server.client(as: "ada", device: "builder")
      var subscription = TidingsV1.Subscription("all", "Houses")
      subscription.notificationInfo = info
      try await laptop.subscribe(subscription)
    }

    /// The builder saves houses in one call.
    func build(_ names: [String]) async throws {
      let results = try await builder.modify(names.map { .init("Houses", $0) })
      #expect(results.allSatisfy { $0.record != nil })
    }
  }

  private func page(
    _ client: Client,
    after token: [UInt8] = [],
    _ change: (inout TidingsV1.FetchNotificationChangesRequest) -> Void = { _ in }
  ) async throws -> TidingsV1.FetchNotificationChangesResponse {
    var request = TidingsV1.FetchNotificationChangesRequest(changeToken: token)
    change(&request)
    return try await client.notifications.fetchNotificationChanges(request)
  }

  private func markRead(_ ids: [String], _ client: Client) async throws -> [Bool] {
    try await client.notifications.markNotificationsRead(.init(notificationIDs: ids))
      .results.map { $0.outcome == .markedRead(true) }
  }

  @Test("what one device marks read reaches the user's others as a read mark, once")
  func readMarks() async throws {
    let devices = try await Devices()
    try await devices.build(["a", "b", "c"])
    let first = try await page(devices.phone)
    #expect(first.notifications.compactMap(\.recordID?.recordName) == ["a", "b", "c"])
    let laptopToken = try await page(devices.laptop).changeToken

    let id = first.notifications[1].notificationID
    #expect(try await markRead([id, "99-1"], devices.laptop) == [true, false])
    #expect(try await markRead([id], devices.laptop) == [true])
    #expect(try await markRead([id], devices.phone) == [true])

    let second = try await page(devices.phone, after: first.changeToken)
    let mark = TidingsV1.Notification(
      notificationID: id,
      type: .readNotification,
      databaseID: .init(container: "default", environment: .development)
    )
    #expect(second.notifications == [mark])
    #expect(try await page(devices.phone, after: second.changeToken).notifications.isEmpty)
    #expect(try await page(devices.laptop, after: laptopToken).notifications.isEmpty)

    // Who leaves them out passes them.
    let omitting = try await page(devices.phone, after: first.changeToken) {
      $0.omitsReadNotifications = true
    }
    #expect(omitting.notifications.isEmpty && !omitting.moreComing)
    #expect(try await page(devices.phone, after: omitting.changeToken).notifications.isEmpty)

    // Who begins gets what is unread, and no marks of the past.
    let tablet = try await devices.server.client(as: "ada", device: "tablet")
    let names = try await page(tablet).notifications.map(\.recordID?.recordName)
    #expect(names == ["a", "c"])

    // The builder may mark what it caused itself.
    let own = first.notifications[0].notificationID
    #expect(try await markRead([own], devices.builder) == [true])
    let third = try await page(devices.phone, after: second.changeToken)
    #expect(third.notifications.map(\.notificationID) == [own])
    let bob = try await devices.server.client(as: "bob", device: "phone")
    #expect(try await markRead([own], bob) == [false])
  }

  @Test("what one call caused stays on one page, and a call that does not fit says so")
  func calls() async throws {
    let devices = try await Devices()
    try await devices.build(["a"])
    try await devices.build(["b", "c", "d"])
    let first = try await page(devices.laptop) { $0.limit = 3 }
    #expect(first.notifications.count == 1 && first.moreComing && !first.isSplit)
    let second = try await page(devices.laptop, after: first.changeToken) { $0.limit = 2 }
    #expect(second.notifications.count == 2 && second.moreComing && second.isSplit)
    let third = try await page(devices.laptop, after: second.changeToken) { $0.limit = 2 }
    #expect(third.notifications.count == 1 && !third.moreComing && !third.isSplit)
  }

  @Test("the badge counts what is unread since it was set, without a device's own changes")
  func badge() async throws {
    let devices = try await Devices(info: .init(shouldBadge: true))
    // Does not count.
    try await devices.laptop.subscribe(.init("trees", "Trees"))
    func badge(_ client: Client) async throws -> UInt32? {
      try await page(client) { $0.wantsBadge = true }.badgeValue
    }
    #expect(try await badge(devices.laptop) == 0)
    try await devices.build(["a", "b", "c"])
    try await devices.builder.save(.init("Trees", "t"))
    #expect(try await badge(devices.laptop) == 3)
    #expect(try await badge(devices.builder) == 0)
    let notifications = try await page(devices.laptop).notifications
    #expect(try await markRead([notifications[0].notificationID], devices.phone) == [true])
    #expect(try await badge(devices.laptop) == 2)

    let set = try await devices.phone.notifications.modifyBadge(.init(badgeValue: 180))
    #expect(set.badgeValue == 180)
    #expect(try await badge(devices.laptop) == 180)
    try await devices.build(["d"])
    #expect(try await badge(devices.laptop) == 181)
    // Not on a page that is not the last, and not unasked.
    let early = try await page(devices.laptop) {
      $0.wantsBadge = true
      $0.limit = 1
    }
    #expect(early.moreComing && early.badgeValue == nil)
    #expect(try await page(devices.laptop).badgeValue == nil)
  }

  @Test("a token from before what is kept expires; the newest notification stays")
  func retention() async throws {
    let devices = try await Devices(arguments: ["--limit", "notification-retention-days=0"])
    let start = try await page(devices.laptop).changeToken
    try await devices.build(["a", "b", "c"])
    var refusal: RPCError?
    // The server forgets by itself, now and then.
    try await waitUntil("the token to expire", pausing: .milliseconds(50)) {
      refusal = await failure { _ = try await page(devices.laptop, after: start) }
      return refusal != nil
    }
    #expect(refusal?.code == .outOfRange, "\(String(describing: refusal))")
    #expect(refusal?.message.contains("0 days") ?? false)
    let all = try await page(devices.laptop)
    #expect(all.notifications.map(\.recordID?.recordName) == ["c"])
    #expect(try await page(devices.laptop, after: all.changeToken).notifications.isEmpty)
    // Who has read everything loses nothing.
    try await devices.build(["d"])
    let names = try await page(devices.laptop, after: all.changeToken).notifications
      .map(\.recordID?.recordName)
    #expect(names == ["d"])
  }

  @Test("a trace shows who caused, got and read a notification, and nothing of other users")
  func trace() async throws {
    let devices = try await Devices()
    try await devices.build(["a"])
    let id = try #require(await page(devices.laptop).notifications.first).notificationID
    let bob = try await devices.server.client(as: "bob", device: "phone")
    func trace(_ client: Client) async throws -> TidingsV1.TraceNotificationResponse {
      try await client.notifications.traceNotification(.init(notificationID: id))
    }
    await #expect(throws: RPCError.self) { try await trace(bob) }

    var story = try await trace(devices.phone)
    try await waitUntil("a trace that shows a delivery", pausing: .zero) {
      guard story.deliveries.isEmpty else { return true }
      story = try await trace(devices.phone)
      return false
    }
    #expect(story.deliveries.map(\.device) == ["laptop"])
    #expect(story.fetched == story.deliveries[0].fetched)
    #expect(story.notification?.recordID?.recordName == "a")
    #expect(story.notification?.notificationID == id)
    #expect(story.notification?.subscriptionID == "all")
    #expect(story.committed == story.notification?.committed)
    #expect(story.originDevice == "builder")
    #expect(story.published != nil && story.markedRead == nil)

    _ = try await page(devices.builder)
    #expect(try await markRead([id], devices.phone) == [true])
    _ = try await page(devices.phone)
    story = try await trace(devices.laptop)
    #expect(story.markedRead != nil && story.readDevice == "phone")
    // The builder made the change, and the phone came when it was read.
    #expect(story.deliveries.map(\.device) == ["laptop"])
  }

  @Test("subscriptions show their health")
  func health() async throws {
    let devices = try await Devices()
    let bob = try await devices.server.client(as: "bob", device: "phone")
    func health(_ client: Client) async throws -> TidingsV1.SubscriptionHealth? {
      let response = try await client.subscriptions.fetchSubscriptions(.init(wantsHealth: true))
      return response.results.first?.health
    }
    let before = try #require(await health(devices.laptop))
    #expect(before.firedCount == 0 && before.lastFired == nil && before.unreadCount == 0)
    #expect(before.subscriberCount == 1)
    try await devices.build(["a", "b", "c"])
    try await devices.builder.save(.init("Trees", "t"))
    let notifications = try await page(devices.laptop).notifications
    #expect(try await markRead([notifications[0].notificationID], devices.phone) == [true])
    let after = try #require(await health(devices.laptop))
    #expect(after.firedCount == 3 && after.unreadCount == 2)
    #expect(after.lastFired == notifications.last?.committed)
    #expect(after.evaluatedCount == 3 && after.lastEvaluated != nil)
    #expect(try await health(bob) == nil)
    let silent = try await devices.laptop.subscriptions.fetchSubscriptions(.init())
    #expect(silent.results.first?.subscription != nil && silent.results.first?.health == nil)
  }

  @Test("each notification has the badge of its time, on every page and after later ones were read")
  func badgesOfTheirTime() async throws {
    let devices = try await Devices(info: .init(shouldBadge: true))
    _ = try await devices.phone.notifications.modifyBadge(.init(badgeValue: 5))
    try await devices.laptop.subscribe(.init("trees", "Trees"))
    try await devices.build(["a", "b"])
    try await devices.builder.save(.init("Trees", "t"))
    try await devices.build(["c"])
    func badges(limit: UInt32 = 0) async throws -> [String: String] {
      var badges: [String: String] = [:]
      var token: [UInt8] = []
      while true {
        let page = try await page(devices.laptop, after: token) {
          $0.wantsUserInfo = true
          $0.limit = limit
        }
        for notification in page.notifications {
          let match = try? /"badge":([0-9]+)/.firstMatch(in: notification.userInfoJson)
          badges[notification.recordID?.recordName ?? ""] = match.map { String($0.1) } ?? "none"
        }
        token = page.changeToken
        if !page.moreComing { return badges }
      }
    }
    for limit in [UInt32(0), 1, 2] {
      #expect(try await badges(limit: limit) == ["a": "6", "b": "7", "t": "none", "c": "8"])
    }
    let first = try await page(devices.laptop).notifications
    #expect(try await markRead([first[0].notificationID], devices.phone) == [true])
    try await devices.build(["d"])
    // What was read before a notification does not count for it, what was read later does.
    #expect(try await badges() == ["b": "7", "t": "none", "c": "8", "d": "8"])
    _ = try await devices.phone.notifications.modifyBadge(.init(badgeValue: 0))
    try await devices.build(["e"])
    let none = "none"
    #expect(try await badges() == ["b": none, "t": none, "c": none, "d": none, "e": "1"])
  }

  @Test("an answer has room for CloudKit's dictionaries, however long their texts become in JSON")
  func longUserInfo() async throws {
    let devices = try await Devices(info: .init(desiredKeys: ["text"]))
    // In JSON each character has six.
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "\u{1}", count: 60_000)))
    let names = (0..<60).map { "h\($0)" }
    for name in names { try await devices.builder.save(.init("Houses", name, ["text": text])) }
    var (token, seen): ([UInt8], [String]) = ([], [])
    var isLast = false
    while !isLast {
      let page = try await page(devices.phone, after: token) { $0.wantsUserInfo = true }
      #expect(page.notifications.allSatisfy { $0.userInfoJson.utf8.count > 360_000 })
      seen += page.notifications.compactMap(\.recordID?.recordName)
      (token, isLast) = (page.changeToken, !page.moreComing)
    }
    #expect(seen == names)
  }

  @Test("CloudKit's dictionary comes with each notification, when asked for")
  func userInfo() async throws {
    let devices = try await Devices(info: .init(alertBody: "New house", shouldBadge: true))
    try await devices.build(["a"])
    let asked = try await page(devices.laptop) {
      $0.wantsUserInfo = true
      $0.wantsBadge = true
    }
    let notification = try #require(asked.notifications.first)
    #expect(
      notification.userInfoJson == """
        {"aps":{"alert":"New house","badge":1},"ck":{"ce":2,"cid":"default","ckuserid":"ada",\
        "nid":"\(notification.notificationID)","qry":{"dbs":1,"sid":"all","zid":"_defaultZone",\
        "zoid":"ada","fo":1,"rid":"a"}}}
        """
    )
    #expect(try await page(devices.laptop).notifications.first?.userInfoJson == "")
  }
}
