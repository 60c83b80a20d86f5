/// A group of verbs in the help.
struct VerbSection: Sendable {
  let title: String
  let verbs: [Verb]

  init(_ title: String, _ verbs: [Verb]...) {
    self.title = title
    self.verbs = verbs.flatMap(\.self)
  }
}

extension Verb {
  /// All verbs, in the order of help.
  ///
  /// A verb of several words is listed with its group.
  static let sections = [
    VerbSection(
      "Records",
      [modifyRecords, fetchRecords, query, explain, export, importRecords],
      recordVerbs
    ),
    VerbSection("Zones", [modifyZones, fetchZones], zoneVerbs),
    VerbSection(
      "Subscriptions",
      [modifySubscriptions, fetchSubscriptions, explainSubscriptions],
      subscriptionVerbs
    ),
    VerbSection(
      "Notifications",
      [
        watch, fetchNotificationChanges, markNotificationsRead, modifyBadge, traceNotification,
        leaseNotifications, settleNotifications, work, rotateChannels,
      ],
      notificationVerbs,
      targetVerbs
    ),
    VerbSection("Changes", [fetchZoneChanges, fetchDatabaseChanges], changeVerbs, tokenVerbs),
    VerbSection("Assets", [uploadAsset, downloadAsset, assetStat, assetVerify]),
    VerbSection("Schema", schemaVerbs, schemaReviewVerbs),
    VerbSection("Sharing", shareVerbs),
    VerbSection(
      "Users and keys",
      [account],
      userVerbs,
      directoryVerbs,
      keyVerbs,
      keyRotationVerbs,
      keyFileVerbs,
      keyRingVerbs,
      webTokenVerbs,
      grantVerbs
    ),
    VerbSection(
      "Server",
      [status, call, describe, audit, backup],
      reflectVerbs,
      serverVerbs,
      operationVerbs,
      sessionVerbs,
      [clusterStatus, top, bench, doctor]
    ),
    VerbSection(
      "Local",
      contextVerbs,
      [repl, cheat, completion, complete, manual, version, generalOptions, help]
    ),
  ]

  static let all: [Verb] = sections.flatMap { $0.verbs }
}
