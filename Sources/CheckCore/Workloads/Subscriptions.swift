internal import TidingsClient
internal import TidingsProto

/// Subscriptions of a run: those of queries, which fire as their rules say, and of its zone.
struct Subscriptions: Sendable {
  let stage: Stage
  let zone: String
  let type: String

  /// Teaches the schema of development the fields: a subscription to unknown ones is refused.
  func teach() async throws {
    let record = TidingsV1.Record(type, stage.recordID("first", in: zone), Version("first", 0))
    let results = try await stage.insist {
      try await $0.records.modifyRecords(
        .init(databaseID: stage.database, recordsToSave: [record], savePolicy: .allKeys)
      ).results
    }
    if let failure = results.first?.failure {
      throw CheckError("the type '\(type)' cannot be used: \(failure.message)")
    }
  }

  /// Saves a subscription, until that succeeds, and records it as one call.
  ///
  /// - Parameters:
  ///   - id: Its ID.
  ///   - rule: What it fires for; `nil`: all changes of the zone.
  ///   - process: Who.
  /// - Throws: `CheckError` when it is refused.
  func save(_ id: String, _ rule: Rule?, _ process: inout LogicalProcess) async throws {
    var call = Call(.subscribe, id)
    call.rule = rule
    let subscription =
      rule.map { querySubscription(id, $0) }
      ?? TidingsV1.Subscription(
        subscriptionID: id,
        type: .recordZone,
        zoneID: stage.zoneID(zone)
      )
    try await process.make(call) { [stage] _, call in
      let result = try await stage.insist {
        try await $0.subscriptions.modifySubscriptions(
          .init(databaseID: stage.database, subscriptionsToSave: [subscription])
        ).results.first
      }
      guard case .subscription(let saved)? = result?.outcome, let effective = saved.effective else {
        throw CheckError("not subscribed: \(String(describing: result?.outcome))")
      }
      call.notices = [
        Notice(
          subscription: id,
          channel: effective.channelID,
          number: Int64(effective.sequenceNumber)
        )
      ]
    }
  }

  /// Deletes subscriptions.
  func delete(_ ids: [String]) async {
    _ = try? await stage.insist {
      try await $0.subscriptions.modifySubscriptions(
        .init(databaseID: stage.database, subscriptionIDsToDelete: ids)
      )
    }
  }

  private func querySubscription(_ id: String, _ rule: Rule) -> TidingsV1.Subscription {
    .init(
      subscriptionID: id,
      type: .query,
      recordType: type,
      predicate: .init(
        text: "n >= %@ AND n < %@",
        arguments: [rule.from, rule.below].map { .init(value: .int64Value($0)) }
      ),
      zoneID: stage.zoneID(zone),
      firesOnRecordCreation: rule.reasons.contains("created"),
      firesOnRecordUpdate: rule.reasons.contains("updated"),
      firesOnRecordDeletion: rule.reasons.contains("deleted"),
      notificationInfo: .init(desiredKeys: ["value"]),
      firesOnRecordEnter: rule.reasons.contains("entered"),
      firesOnRecordLeave: rule.reasons.contains("left")
    )
  }
}

extension Notice {
  private static let reasons: [TidingsV1.QueryNotificationReason: String] = [
    .recordCreated: "created", .recordUpdated: "updated", .recordDeleted: "deleted",
    .recordEntered: "entered", .recordLeft: "left",
  ]

  /// A notification of a query subscription.
  init(_ notification: TidingsV1.Notification) {
    self.init(
      id: notification.notificationID,
      subscription: notification.subscriptionID,
      record: notification.recordID?.recordName ?? "",
      value: notification.recordFields.runValue,
      reason: Self.reasons[notification.reason] ?? "\(notification.reason)",
      channel: notification.position?.channelID ?? "",
      number: Int64(notification.position?.sequenceNumber ?? 0)
    )
  }
}
