extension Subscription {
  /// Most bytes of a notification info's texts together: every event carries them.
  public static let notificationInfoBytesMax = 4_096
  /// Most arguments of one localized text: every event carries their values.
  public static let localizationArgCountMax = 16

  /// Checks that a subscription can fire and breaks no rule of its kind.
  ///
  /// - Parameter desiredKeysMax: Most desired keys, `Limits.desiredKeysMax` of the engine.
  /// - Throws: `invalidArguments`, with the subscription, what is wrong and what to do; `permissionFailure` for one
  ///   to records of users.
  public func validate(desiredKeysMax: Int) throws(ItemError) {
    if let problem = Identifier.problem(inSubscriptionID: subscriptionID) {
      throw ItemError(.invalidArguments, problem)
    }
    guard recordType != UserRecord.recordType else {
      let subject = "subscription \(Identifier.shown(subscriptionID))"
      throw UserRecord.refusal(of: subject, whatCannotBe: "watched")
    }
    if let problem = kindProblem ?? namesProblem ?? notificationInfoProblem(desiredKeysMax) {
      throw ItemError(
        .invalidArguments,
        "subscription \(Identifier.shown(subscriptionID)): \(problem)"
      )
    }
  }

  /// What does not go with the kind.
  private var kindProblem: String? {
    switch kind {
    case .query: optionsProblem
    case .recordZone:
      zoneID == nil
        ? "a zone subscription needs a zone: name one ('_defaultZone' for the default zone), or use "
          + "a DATABASE subscription for all zones"
        : problem(ofKindNamed: "a zone subscription", firesOn: "all changes in its zone")
    case .database:
      zoneID.map {
        "a database subscription watches all zones: leave out the zone \(Identifier.shown($0.zoneName)), or "
          + "use a RECORD_ZONE subscription to watch that one"
      } ?? problem(ofKindNamed: "a database subscription", firesOn: "all changes in its database")
    }
  }

  /// What only a query subscription can have.
  private func problem(ofKindNamed name: String, firesOn changes: String) -> String? {
    if options.contains(.once) {
      return "\(name) cannot fire once: leave out once, or use a QUERY subscription"
    }
    if !options.isEmpty {
      return "\(name) fires on \(changes): leave out what it fires on, or use a QUERY subscription"
    }
    if predicate != .true {
      return
        "\(name) fires on \(changes), whatever the records' values: leave out the predicate, or "
        + "use a QUERY subscription"
    }
    guard let info = notificationInfo else { return nil }
    if !info.desiredKeys.isEmpty {
      return
        "\(name) is about a zone, not a record, and cannot have desired keys: omit them "
        + "and fetch the zone's changes, or use a QUERY subscription"
    }
    if !info.localizationArgs.allSatisfy(\.names.isEmpty) {
      return
        "\(name) is about a zone, not a record, and cannot have localization arguments:  "
        + "omit them, or use a QUERY subscription"
    }
    return nil
  }

  private var optionsProblem: String? {
    let changes: FiringOptions = [
      .recordCreation, .recordUpdate, .recordDeletion, .recordEnter, .recordLeave,
    ]
    if options.isDisjoint(with: changes) {
      return "it fires on no change; choose one at least of creation, update, deletion, enter and "
        + "leave"
    }
    if !options.isSubset(of: changes.union(.once)) {
      return "the firing options \(options.rawValue) have unknown bits; the known ones add up to "
        + "\(changes.union(.once).rawValue)"
    }
    return recordType.isEmpty
      ? "a query subscription needs a record type: name one, or use a RECORD_ZONE or DATABASE "
        + "subscription for records of all types" : nil
  }

  private var namesProblem: String? {
    (recordType.isEmpty ? nil : Identifier.problem(inRecordType: recordType))
      ?? zoneID.flatMap { Identifier.problem(inZoneName: $0.zoneName) }
  }

  private func notificationInfoProblem(_ desiredKeysMax: Int) -> String? {
    guard let info = notificationInfo else { return nil }
    let keys = info.desiredKeys
    if keys.count > desiredKeysMax {
      return "it has \(keys.count) desired keys, at most \(desiredKeysMax) are allowed; "
        + "fetch the record for more"
    }
    if let problem = keys.lazy.compactMap(Identifier.problem(inFieldName:)).first {
      return "desired keys: \(problem)"
    }
    for (text, names) in info.localizationArgs {
      if names.count > Self.localizationArgCountMax {
        return "the \(text) has \(names.count) localization arguments, at most "
          + "\(Self.localizationArgCountMax) are allowed; leave some out"
      }
      if let problem = names.lazy.compactMap(Identifier.problem(inFieldName:)).first {
        return "localization arguments of the \(text): \(problem)"
      }
    }
    guard info.textBytes > Self.notificationInfoBytesMax else { return nil }
    return "the texts of its notification info have \(info.textBytes) bytes, at most "
      + "\(Self.notificationInfoBytesMax) are allowed; shorten them"
  }
}

extension NotificationInfo {
  fileprivate var localizationArgs: [(text: String, names: [String])] {
    [
      ("alert", alertLocalizationArgs), ("title", titleLocalizationArgs),
      ("subtitle", subtitleLocalizationArgs),
    ]
  }

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
