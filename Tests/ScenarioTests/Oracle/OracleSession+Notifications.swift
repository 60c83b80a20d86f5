internal import TestSupport
internal import TidingsClient
internal import TidingsProto

extension OracleSession {
  mutating func subscribe(
    _ subscriptions: [OracleSubscription],
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let results = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database.id, subscriptionsToSave: subscriptions.map(\.message))
    ).results.map { $0.normalized() }
    let expected = subscriptions.map { oracle.save($0, of: caller.user, in: database) }
    compare("subscriptions", results, expected) { "\($0)" }
  }

  mutating func unsubscribe(
    _ id: String,
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let results = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database.id, subscriptionIDsToDelete: [id])
    ).results.map { $0.normalized() }
    let expected = oracle.deleteSubscription(id, of: caller.user, in: database)
    compare("unsubscribe", results, [expected])
  }

  /// Reads on from a token that any device of the user got, in pages of any size.
  mutating func readNotifications(
    _ fromStart: Bool,
    _ pageLimit: UInt32,
    _ client: Client,
    _ caller: Oracle.Caller
  ) async throws {
    let start = fromStart ? nil : notificationTokens[caller.user]
    let (notifications, token) = try await client.feed(
      after: start?.bytes ?? [],
      pageLimit: pageLimit
    )
    compareFeed(
      "notifications after \(start?.moment ?? 0)",
      events(of: notifications, caller),
      oracle.feed(of: caller, after: start?.moment ?? 0)
    )
    notificationTokens[caller.user] = (token, oracle.moment)
  }

  mutating func markRead(
    _ ids: [String],
    _ client: Client,
    _ caller: Oracle.Caller
  ) async throws {
    let results = try await client.notifications.markNotificationsRead(
      .init(notificationIDs: ids)
    ).results.map { $0.normalized() }
    compare("mark read", results, ids.map { oracle.markRead($0, of: caller.user) }) { "\($0)" }
  }

  mutating func compareWholeFeed(_ client: Client, _ caller: Oracle.Caller) async throws {
    let feed = try await client.feed(pageLimit: 50).notifications
    compareFeed("\(caller) all notifications", events(of: feed, caller), oracle.feed(of: caller))
  }

  /// What fired; the marks among them tell of what was read.
  private mutating func events(
    of notifications: [TidingsV1.Notification],
    _ caller: Oracle.Caller
  ) -> [TidingsV1.Notification] {
    for mark in notifications where mark.type == .readNotification {
      compare(
        "a mark of \(mark.notificationID)",
        oracle.isRead(mark.notificationID, by: caller.user),
        true
      )
    }
    return notifications.filter { $0.type != .readNotification }.normalized()
  }

  private mutating func compareFeed(
    _ what: String,
    _ feed: [TidingsV1.Notification],
    _ expected: [TidingsV1.Notification]
  ) {
    let (ids, expectedIDs) = (feed.map(\.notificationID), expected.map(\.notificationID))
    if let id = Set(ids).symmetricDifference(expectedIDs).min() {
      let side = ids.contains(id) ? "comes unasked" : "is missing"
      return complain("\(what): \(side) \(oracle.story(of: id))")
    }
    compare(what, feed, expected) { "\($0)" }
  }
}
