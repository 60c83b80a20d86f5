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
    let expected = subscriptions.enumerated().map { index, subscription in
      oracle.save(
        subscription,
        of: caller.user,
        in: database,
        answered: results.count > index ? results[index] : nil
      )
    }
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
    let isMark = { (notification: TidingsV1.Notification) in
      notification.type == .readNotification
    }
    compareFeed(
      "notifications after \(start?.moment ?? 0)",
      notifications.filter { !isMark($0) }.normalized(),
      oracle.feed(of: caller, after: start?.moment ?? 0)
    )
    // Who begins is notified of no marks of the past.
    compare(
      "read marks after \(start?.marks ?? 0)",
      notifications.filter(isMark),
      start.map { oracle.readMarks(of: caller, after: $0.marks) } ?? []
    ) { "\($0)" }
    notificationTokens[caller.user] = (token, oracle.moment, oracle.markMoment)
  }

  mutating func markRead(
    _ ids: [String],
    _ client: Client,
    _ caller: Oracle.Caller
  ) async throws {
    let results = try await client.notifications.markNotificationsRead(
      .init(notificationIDs: ids)
    ).results.map { $0.normalized() }
    compare("mark read", results, ids.map { oracle.markRead($0, by: caller) }) { "\($0)" }
  }

  mutating func compareWholeFeed(_ client: Client, _ caller: Oracle.Caller) async throws {
    let feed = try await client.feed(pageLimit: 50).notifications.normalized()
    compareFeed("\(caller) all notifications", feed, oracle.feed(of: caller))
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
