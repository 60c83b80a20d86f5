internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsRPC

extension TidingsV1.Subscription {
  /// The subscription that a client sends or the store keeps.
  ///
  /// - Parameters:
  ///   - path: Names it in errors.
  ///   - isStored: It comes from the store: its predicate is canonical text.
  /// - Returns: The subscription, not yet validated.
  /// - Throws: `ItemError` for what this server does not have, or a predicate that is not valid.
  func model(_ path: String, isStored: Bool = false) throws -> Subscription {
    guard type == .query else {
      throw ItemError(
        .serverRejectedRequest,
        "\(path): this server has query subscriptions only: set the type QUERY, with a record type "
          + "and a predicate (TRUEPREDICATE for all records)"
      )
    }
    var options: Subscription.FiringOptions = []
    if firesOnRecordCreation { options.insert(.recordCreation) }
    if firesOnRecordUpdate { options.insert(.recordUpdate) }
    if firesOnRecordDeletion { options.insert(.recordDeletion) }
    if firesOnce { options.insert(.once) }
    return Subscription(
      subscriptionID: subscriptionID,
      recordType: recordType,
      predicate: try predicate?.model(path + ".predicate", isStored: isStored) ?? .true,
      zoneID: try zoneID == nil ? nil : zoneID.model,
      options: options,
      notificationInfo: notificationInfo?.model
    )
  }

  /// The subscription as the store keeps it: the predicate in canonical form.
  init(_ subscription: Subscription) {
    self.init(
      subscriptionID: subscription.subscriptionID,
      type: .query,
      recordType: subscription.recordType,
      predicate: TidingsV1.Predicate(text: subscription.predicate.text),
      zoneID: subscription.zoneID.map { .init($0) },
      firesOnRecordCreation: subscription.options.contains(.recordCreation),
      firesOnRecordUpdate: subscription.options.contains(.recordUpdate),
      firesOnRecordDeletion: subscription.options.contains(.recordDeletion),
      firesOnce: subscription.options.contains(.once),
      notificationInfo: subscription.notificationInfo.map { .init($0) }
    )
  }

  /// The subscription as clients see it: with the place from which it is effective.
  init(_ saved: SavedSubscription) {
    self.init(saved.subscription)
    effective = TidingsV1.SubscriptionPosition(
      channelID: String(saved.channel),
      sequenceNumber: UInt64(saved.since)
    )
  }
}

extension TidingsV1.NotificationInfo {
  var model: NotificationInfo {
    var info = NotificationInfo()
    info.alertBody = alertBody
    info.alertLocalizationKey = alertLocalizationKey
    info.alertLocalizationArgs = alertLocalizationArgs
    info.title = title
    info.titleLocalizationKey = titleLocalizationKey
    info.titleLocalizationArgs = titleLocalizationArgs
    info.subtitle = subtitle
    info.subtitleLocalizationKey = subtitleLocalizationKey
    info.subtitleLocalizationArgs = subtitleLocalizationArgs
    info.alertActionLocalizationKey = alertActionLocalizationKey
    info.alertLaunchImage = alertLaunchImage
    info.soundName = soundName
    info.desiredKeys = desiredKeys
    info.shouldBadge = shouldBadge
    info.shouldSendContentAvailable = shouldSendContentAvailable
    info.shouldSendMutableContent = shouldSendMutableContent
    info.category = category
    info.collapseIDKey = collapseIDKey
    return info
  }

  init(_ info: NotificationInfo) {
    self.init(
      alertBody: info.alertBody,
      alertLocalizationKey: info.alertLocalizationKey,
      alertLocalizationArgs: info.alertLocalizationArgs,
      title: info.title,
      titleLocalizationKey: info.titleLocalizationKey,
      titleLocalizationArgs: info.titleLocalizationArgs,
      subtitle: info.subtitle,
      subtitleLocalizationKey: info.subtitleLocalizationKey,
      subtitleLocalizationArgs: info.subtitleLocalizationArgs,
      alertActionLocalizationKey: info.alertActionLocalizationKey,
      alertLaunchImage: info.alertLaunchImage,
      soundName: info.soundName,
      desiredKeys: info.desiredKeys,
      shouldBadge: info.shouldBadge,
      shouldSendContentAvailable: info.shouldSendContentAvailable,
      shouldSendMutableContent: info.shouldSendMutableContent,
      category: info.category,
      collapseIDKey: info.collapseIDKey
    )
  }
}

extension TidingsV1.Notification {
  /// An event, without what differs between its subscribers.
  init(_ event: Event, in arena: borrowing Arena) {
    self.init(
      type: .query,
      databaseID: .init(event.database),
      reason: .init(rawValue: event.reason.rawValue),
      recordID: .init(event.recordID),
      recordType: event.recordType,
      recordFields: Dictionary(
        uniqueKeysWithValues: event.fields.sorted.map { ($0.name, .init($0.value, in: arena)) }
      ),
      notificationInfo: event.notificationInfo.map { .init($0) },
      committed: .init(event.committed),
      position: .init(
        channelID: String(event.channel),
        sequenceNumber: UInt64(event.sequence)
      )
    )
  }
}
