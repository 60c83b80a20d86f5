internal import TidingsMatcher
public import TidingsModel

extension Engine {
  // MARK: Subscriptions

  /// Saves a subscription.
  public func saveSubscription(
    _ subscription: Subscription,
    of owner: String,
    in id: DatabaseID
  )
    throws -> SavedSubscription
  {
    try subscriptionChanges.save(subscription, of: owner, in: id, at: now)
  }

  /// Deletes a subscription.
  public func deleteSubscription(
    _ subscriptionID: String,
    of owner: String,
    in id: DatabaseID
  )
    throws
  {
    try subscriptionChanges.delete(subscriptionID, of: owner, in: id)
  }

  /// Returns a subscription.
  public func subscription(
    _ subscriptionID: String,
    of owner: String,
    in id: DatabaseID
  ) throws
    -> SavedSubscription
  {
    try subscriptionChanges.fetch(subscriptionID, of: owner, in: id)
  }

  /// The names of a user's subscriptions in a database, sorted.
  public func subscriptionNames(of owner: String, in id: DatabaseID) throws -> [String] {
    try subscriptionChanges.names(of: owner, in: id, pace: pace)
  }

  /// How many changes were looked at that a channel might have fired for, since the server started,
  /// and when the last one; for all channels of a record type together.
  public func evaluation(of channel: Int64) -> (count: UInt64, last: Timestamp?) {
    let evaluation = channels.registry.watched.evaluation(of: channel)
    return (evaluation.count, evaluation.last)
  }

  /// How many channels have subscribers.
  public var channelCount: Int { channels.registry.watched.count }

  // MARK: Notifications

  /// Marks notifications read, for all devices of the user.
  ///
  /// - Returns: For each, why it failed, or `nil`.
  public func markRead(
    _ ids: [String],
    for caller: Caller,
    container: String,
    environment: Environment
  ) throws -> [ItemError?] {
    try catalog.requireDeployed(container, environment)
    let inbox = Inbox(user: caller.user, container: container, environment: environment)
    return try ids.map { text in
      do {
        let id = try Self.notificationID(text)
        try notifications.readMarks.mark(id, in: inbox, by: caller.device, at: now)
        pace.step()
        return nil
      } catch let error as ItemError {
        return error
      }
    }
  }

  /// Sets a user's badge: later notifications that increment it add to the number.
  public func setBadge(
    _ value: Int,
    of user: String,
    container: String,
    environment: Environment
  ) throws {
    try catalog.requireDeployed(container, environment)
    try catalog.enter(container, environment, user)
    let inbox = Inbox(user: user, container: container, environment: environment)
    try notifications.badges.set(Int64(value), of: inbox)
  }

  /// Notes that a page of the log brought notifications to a device, to be written a little later.
  ///
  /// - Parameters:
  ///   - reached: Up to which number it had each channel.
  ///   - caller: The device.
  ///   - time: When.
  /// - Returns: When `doMaintenance` is to be called, at the latest, to write that.
  public func noteFetch(
    _ reached: [Int64: Int64],
    by caller: Caller,
    at time: Timestamp
  ) -> Duration? {
    for (channel, sequence) in reached {
      notifications.fetchLog.note(channel, upTo: sequence, by: caller, at: time)
    }
    return notifications.fetchLog.isPending ? FetchLog.pause : nil
  }

  /// The story of a notification of the caller's.
  ///
  /// - Throws: `ItemError` `unknownItem` when the caller has no such notification; `SQLError`.
  public func trace(
    _ text: String,
    for caller: Caller,
    container: String,
    environment: Environment
  ) throws -> NotificationTrace {
    try catalog.requireDeployed(container, environment)
    let inbox = Inbox(user: caller.user, container: container, environment: environment)
    return try notifications.tracer.trace(try Self.notificationID(text), in: inbox)
  }

  private static func notificationID(_ text: String) throws(ItemError) -> NotificationID {
    guard let id = NotificationID(text) else {
      throw ItemError(
        .invalidArguments,
        "\(Identifier.shown(text)) is not a notification id: they look like 12-345 and come from "
          + "FetchNotificationChanges"
      )
    }
    return id
  }

  /// The number of a user's newest read mark; 0: there is none.
  public func newestReadMark(
    of user: String,
    container: String,
    environment: Environment
  ) throws -> Int64 {
    try notifications.readMarks.newest(
      of: Inbox(user: user, container: container, environment: environment)
    )
  }

  /// The channels on which a caller's pushes are published.
  public func pushChannels(
    for caller: Caller,
    container: String,
    environment: Environment
  ) throws
    -> [PushChannel]
  {
    try catalog.requireDeployed(container, environment)
    let topics = try channels.subscriptions.topics(
      of: caller.user,
      container: container,
      environment: environment,
      pace: pace
    )
    let device = events.originTags.device(of: caller)
    return try topics.compactMap { number, subscriptionID, topic in
      try pace.decisionStep()
      guard let channel = channels.registry.watched.entry(number) else { return nil }
      return PushChannel(
        channel: number,
        head: channel.head,
        topic: topic,
        subscriptionID: subscriptionID,
        originTag: device.tag(topic: topic)
      )
    }
  }

  /// The topic on which a user's devices learn that the user's channels changed.
  public func controlTopic(
    of user: String,
    container: String,
    environment: Environment
  ) throws -> [UInt8] {
    try channels.controlTopics.topic(of: user, container: container, environment: environment)
  }

  /// Marks pushes on a topic that a device caused; 0 when it gave no name.
  public func originTag(of caller: Caller, topic: [UInt8]) -> UInt64 {
    events.originTags.tag(caller, topic: topic)
  }
}
