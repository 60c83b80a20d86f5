package import TidingsModel
package import TidingsProto
internal import TidingsRPC

extension TidingsV1.Subscription {
  /// The subscription that a client sends or the store keeps.
  ///
  /// - Parameters:
  ///   - path: Names it in errors.
  ///   - isStored: It comes from the store: its predicate is canonical text.
  ///   - user: Whoever sends it.
  /// - Returns: The subscription, not yet validated.
  /// - Throws: `ItemError` for a type that is not known, or a predicate that is not valid.
  package func model(
    _ path: String,
    isStored: Bool = false,
    user: String? = nil
  ) throws -> Subscription {
    guard let kind = Subscription.Kind(rawValue: type.rawValue) else {
      throw ItemError(
        .invalidArguments,
        type == .unspecified
          ? "\(path) has no type: set QUERY for the records that match a predicate, RECORD_ZONE for all "
            + "changes in a zone, or DATABASE for all changes in a database"
          : "\(path) has the unknown type \(type.rawValue): use QUERY, RECORD_ZONE or DATABASE"
      )
    }
    let zone = zoneID == nil ? nil : zoneID.model
    var subscription = Subscription(
      subscriptionID: subscriptionID,
      recordType: recordType,
      predicate: try predicate?.model(
        path + ".predicate",
        isStored: isStored,
        zone: zone,
        user: user
      ) ?? .true,
      zoneID: zone,
      options: options,
      notificationInfo: notificationInfo?.model
    )
    subscription.kind = kind
    return subscription
  }

  private var options: Subscription.FiringOptions {
    var options: Subscription.FiringOptions = []
    if firesOnRecordCreation { options.insert(.recordCreation) }
    if firesOnRecordUpdate { options.insert(.recordUpdate) }
    if firesOnRecordDeletion { options.insert(.recordDeletion) }
    if firesOnRecordEnter { options.insert(.recordEnter) }
    if firesOnRecordLeave { options.insert(.recordLeave) }
    if firesOnce { options.insert(.once) }
    return options
  }

  /// The subscription as the store keeps it: the predicate in canonical form.
  package init(_ subscription: Subscription) {
    let (options, isQuery) = (subscription.options, subscription.kind == .query)
    self.init(
      subscriptionID: subscription.subscriptionID,
      type: .init(rawValue: subscription.kind.rawValue),
      recordType: subscription.recordType,
      predicate: isQuery ? TidingsV1.Predicate(text: subscription.predicate.text) : nil,
      zoneID: subscription.zoneID.map { .init($0) },
      firesOnRecordCreation: options.contains(.recordCreation),
      firesOnRecordUpdate: options.contains(.recordUpdate),
      firesOnRecordDeletion: options.contains(.recordDeletion),
      firesOnce: options.contains(.once),
      notificationInfo: subscription.notificationInfo.map { .init($0) },
      firesOnRecordEnter: options.contains(.recordEnter),
      firesOnRecordLeave: options.contains(.recordLeave)
    )
  }
}

extension TidingsV1.NotificationInfo {
  package var model: NotificationInfo {
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

  package init(_ info: NotificationInfo) {
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
