public import TidingsProto

extension Oracle {
  /// Adds an event to each query channel that a change fires.
  mutating func fire(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?,
    zone: String,
    in database: Database,
    by caller: Caller
  ) {
    guard let record = new ?? old else { return }
    if let old, let new, old.fields == new.fields, old.parent == new.parent { return }
    note(zone, in: database) { $0.types.insert(record.recordType) }
    for number in channels.indices.map({ $0 + 1 }) {
      let definition = channels[number - 1].definition
      guard definition.kind == .query, isWatched(number), definition.database == database,
        definition.zone ?? zone == zone, definition.recordType == record.recordType,
        let reason = reason(old, new, definition)
      else { continue }
      let info = definition.info
      add(number, by: caller) { notification in
        notification.reason = reason
        notification.recordID = record.recordID
        notification.recordFields =
          new?.fields.filter { (info?.desiredKeys ?? []).contains($0.key) } ?? [:]
        notification.alertLocalizationValues =
          info?.alertLocalizationArgs.map { record.fields[$0]?.text ?? "" } ?? []
        notification.titleLocalizationValues =
          info?.titleLocalizationArgs.map { record.fields[$0]?.text ?? "" } ?? []
        let key = info?.collapseIDKey ?? ""
        notification.collapseID = record.fields[key]?.text ?? key
      }
      guard definition.isOnce else { continue }
      for index in memberships.indices
      where memberships[index].channel == number && memberships[index].ended == nil {
        memberships[index].ended = channels[number - 1].head
      }
    }
  }

  mutating func note(
    _ zone: String,
    in database: Database,
    _ change: (inout ZoneChange) -> Void
  ) {
    let known = zoneChanges.firstIndex { $0.zone == zone && $0.database == database }
    if known == nil { zoneChanges.append(.init(database: database, zone: zone)) }
    change(&zoneChanges[known ?? zoneChanges.count - 1])
  }

  /// A call is done: zone and database channels are notified of the zones that it changed.
  public mutating func endCall(by caller: Caller) {
    for change in zoneChanges {
      for number in channels.indices.map({ $0 + 1 }) {
        let definition = channels[number - 1].definition
        guard definition.kind != .query, isWatched(number),
          definition.database == change.database, hears(definition, of: change)
        else { continue }
        add(number, by: caller) { notification in
          notification.recordID = .init(zoneID: .init(zoneName: change.zone))
          notification.collapseID = definition.info?.collapseIDKey ?? ""
        }
      }
    }
    zoneChanges = []
  }

  private func hears(_ definition: Definition, of change: ZoneChange) -> Bool {
    if let zone = definition.zone, zone != change.zone { return false }
    if change.types.contains(definition.recordType) { return true }
    guard definition.recordType.isEmpty else { return false }
    let isNew = change.isCreated && definition.kind == .database
    return !change.types.isEmpty || change.isDeleted || isNew
  }

  private func isWatched(_ channel: Int) -> Bool {
    memberships.contains { $0.channel == channel && $0.ended == nil }
  }

  private mutating func add(
    _ channel: Int,
    by caller: Caller,
    _ complete: (inout TidingsV1.Notification) -> Void
  ) {
    channels[channel - 1].head += 1
    let (head, definition) = (channels[channel - 1].head, channels[channel - 1].definition)
    let types: [TidingsV1.SubscriptionType: TidingsV1.NotificationType] = [
      .query: .query, .recordZone: .recordZone, .database: .database,
    ]
    var notification = TidingsV1.Notification(
      notificationID: "\(channel)-\(head)",
      type: types[definition.kind] ?? .unspecified,
      databaseID: definition.database.id,
      recordType: definition.recordType,
      notificationInfo: definition.info,
      position: .init(channelID: String(channel), sequenceNumber: head)
    )
    complete(&notification)
    events.append(
      Event(channel: channel, sequence: head, caller: caller, notification: notification)
    )
  }

  private func reason(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?,
    _ definition: Definition
  ) -> TidingsV1.QueryNotificationReason? {
    let changes = definition.changes
    let matched = old.map { definition.predicate.matches($0) } ?? false
    let matches = new.map { definition.predicate.matches($0) } ?? false
    if old == nil, matches, changes.contains(.create) { return .recordCreated }
    if new == nil, matched, changes.contains(.delete) { return .recordDeleted }
    if matches, !matched, changes.contains(.enter) { return .recordEntered }
    if matched, !matches, changes.contains(.leave) { return .recordLeft }
    if old != nil, matches, changes.contains(.update) { return .recordUpdated }
    return nil
  }

  /// What a caller's feed has after a moment, in the order in which it happened.
  public func feed(of caller: Caller, after moment: Int = 0) -> [TidingsV1.Notification] {
    events[moment...].compactMap { event -> TidingsV1.Notification? in
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

extension TidingsV1.FieldValue {
  /// The value in a localized text.
  fileprivate var text: String {
    switch value {
    case .stringValue(let text): return text
    case .int64Value(let number): return "\(number)"
    case .doubleValue(let number):
      return number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .timestampValue(let time):
      let millisecond = time.nanos == 0 ? "000" : "005"
      let second = ["1969-12-31T23:59:59", "1970-01-01T00:00:00", "1970-01-01T00:00:01"]
      return "\(second[Int(time.seconds) + 1]).\(millisecond)Z"
    case .stringListValue(let list): return list.values.joined(separator: ", ")
    case .bytesValue(let bytes): return "\(bytes.count) bytes"
    case .referenceValue(let reference): return reference.recordID?.recordName ?? ""
    default: return "?"
    }
  }
}
