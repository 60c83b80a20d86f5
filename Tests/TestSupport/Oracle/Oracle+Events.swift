public import TidingsProto

extension Oracle {
  /// Adds an event to each channel that a change fires.
  mutating func fire(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?,
    zone: String,
    in database: Database,
    by caller: Caller
  ) {
    for number in channels.indices.map({ $0 + 1 }) {
      let definition = channels[number - 1].definition
      let isWatched = memberships.contains { $0.channel == number && $0.ended == nil }
      guard isWatched, definition.database == database, definition.zone ?? zone == zone,
        let record = new ?? old, definition.recordType == record.recordType,
        let reason = reason(old, new, definition)
      else { continue }
      channels[number - 1].head += 1
      let head = channels[number - 1].head
      let keys = definition.info?.desiredKeys ?? []
      events.append(
        Event(
          channel: number,
          sequence: head,
          caller: caller,
          notification: .init(
            notificationID: "\(number)-\(head)",
            type: .query,
            databaseID: database.id,
            reason: reason,
            recordID: record.recordID,
            recordType: record.recordType,
            recordFields: new?.fields.filter { keys.contains($0.key) } ?? [:],
            notificationInfo: definition.info,
            position: .init(channelID: String(number), sequenceNumber: head)
          )
        )
      )
      guard definition.isOnce else { continue }
      for index in memberships.indices
      where memberships[index].channel == number && memberships[index].ended == nil {
        memberships[index].ended = head
      }
    }
  }

  private func reason(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?,
    _ definition: Definition
  ) -> TidingsV1.QueryNotificationReason? {
    guard let record = new ?? old, definition.predicate.matches(record) else { return nil }
    let (change, reason): (TidingsV1.Subscription.Changes, TidingsV1.QueryNotificationReason) =
      switch (old, new) {
      case (nil, _): (.create, .recordCreated)
      case (_, nil): (.delete, .recordDeleted)
      default: (.update, .recordUpdated)
      }
    return definition.changes.contains(change) ? reason : nil
  }

  /// What a caller's feed has after a moment, by channel and number.
  public func feed(of caller: Caller, after moment: Int = 0) -> [TidingsV1.Notification] {
    let mine = events[moment...].compactMap { event -> TidingsV1.Notification? in
      guard let owner = membership(of: caller.user, event.channel, event.sequence) else {
        return nil
      }
      let isOwn = !caller.device.isEmpty && event.caller == caller
      let isRead = marks.contains(mark(caller.user, event.notification.notificationID))
      if isOwn || isRead { return nil }
      var notification = event.notification
      notification.subscriptionID = owner.subscriptionID
      return notification
    }
    return mine.sortedByPosition()
  }

  /// What other devices of the caller's user marked read after a moment.
  public func readMarks(of caller: Caller, after moment: Int) -> [TidingsV1.Notification] {
    markLog[moment...].filter { mark in
      mark.caller.user == caller.user
        && (caller.device.isEmpty || mark.caller.device != caller.device)
    }.map { mark in
      .init(
        notificationID: mark.id,
        type: .readNotification,
        databaseID: .init(container: "default", environment: .development)
      )
    }
  }

  /// What MarkNotificationsRead answers for a notification, and does.
  public mutating func markRead(_ id: String, by caller: Caller) -> TidingsV1.NotificationResult {
    let user = caller.user
    let exists = events.contains { event in
      event.notification.notificationID == id
        && membership(of: user, event.channel, event.sequence) != nil
    }
    guard exists else {
      return .init(notificationID: id, outcome: .error(.init(.unknownItem)))
    }
    if marks.insert(mark(user, id)).inserted { markLog.append((caller, id)) }
    return .init(notificationID: id, outcome: .markedRead(true))
  }

  /// What is known of a notification, for messages.
  public func story(of id: String) -> String {
    guard let index = events.firstIndex(where: { $0.notification.notificationID == id }) else {
      let channel = id.split(separator: "-").first.flatMap { Int($0) } ?? 0
      let definition = channels.indices.contains(channel - 1) ? channels[channel - 1] : nil
      return "\(id): never happened; channel \(String(describing: definition))"
    }
    let event = events[index]
    let owners = memberships.filter { $0.channel == event.channel }
    return "\(id): event \(index) of \(moment), by \(event.caller), channel of \(owners), "
      + "marks \(marks.filter { $0.hasSuffix(" " + id) })"
  }

  private func membership(of user: String, _ channel: Int, _ sequence: UInt64) -> Membership? {
    memberships.first {
      $0.user == user && $0.channel == channel && sequence > $0.since
        && sequence <= $0.ended ?? .max
    }
  }

  private func mark(_ user: String, _ id: String) -> String { "\(user) \(id)" }
}

extension [TidingsV1.Notification] {
  /// The notifications by channel and number: between channels the server orders by time.
  public func sortedByPosition() -> Self {
    sorted { a, b in
      let (a, b) = (a.position ?? .init(), b.position ?? .init())
      return (Int(a.channelID) ?? 0, a.sequenceNumber) < (Int(b.channelID) ?? 0, b.sequenceNumber)
    }
  }
}
