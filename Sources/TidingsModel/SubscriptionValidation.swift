extension Subscription {
  /// Most fields that a notification carries, CloudKit's number.
  public static let desiredKeyCountMax = 3
  /// Most bytes of a notification info's texts together: every event carries them.
  public static let notificationInfoBytesMax = 4_096

  /// Checks the names, options and desired keys of a subscription.
  ///
  /// - Throws: `invalidArguments`, with the subscription, what is wrong and what to do.
  public func validate() throws(ItemError) {
    if let problem = Identifier.problem(inSubscriptionID: subscriptionID) {
      throw ItemError(.invalidArguments, problem)
    }
    if let problem = problem {
      throw ItemError(
        .invalidArguments,
        "subscription \(Identifier.shown(subscriptionID)): \(problem)"
      )
    }
  }

  private var problem: String? {
    let changes: FiringOptions = [.recordCreation, .recordUpdate, .recordDeletion]
    if options.isDisjoint(with: changes) {
      return "it fires on no change; choose one at least of creation, update and deletion"
    }
    if !options.isSubset(of: changes.union(.once)) {
      return "the firing options \(options.rawValue) have unknown bits; the known ones add up to 15"
    }
    return Identifier.problem(inRecordType: recordType)
      ?? zoneID.flatMap { Identifier.problem(inZoneName: $0.zoneName) } ?? desiredKeysProblem
      ?? notificationInfoProblem
  }

  private var notificationInfoProblem: String? {
    guard let bytes = notificationInfo?.textBytes, bytes > Self.notificationInfoBytesMax else {
      return nil
    }
    return "the texts of its notification info have \(bytes) bytes, at most "
      + "\(Self.notificationInfoBytesMax) are allowed; shorten them"
  }

  private var desiredKeysProblem: String? {
    guard let keys = notificationInfo?.desiredKeys else { return nil }
    if keys.count > Self.desiredKeyCountMax {
      return "it has \(keys.count) desired keys, at most \(Self.desiredKeyCountMax) are allowed; "
        + "fetch the record for more"
    }
    if let problem = keys.lazy.compactMap(Identifier.problem(inFieldName:)).first {
      return "desired keys: \(problem)"
    }
    return nil
  }
}

extension NotificationInfo {
  /// The bytes of all texts together.
  fileprivate var textBytes: Int {
    let texts =
      [
        alertBody, alertLocalizationKey, title, titleLocalizationKey, subtitle,
        subtitleLocalizationKey, alertActionLocalizationKey, alertLaunchImage, soundName, category,
        collapseIDKey,
      ] + alertLocalizationArgs + titleLocalizationArgs + subtitleLocalizationArgs + desiredKeys
    return texts.reduce(0) { $0 + $1.utf8.count }
  }
}
