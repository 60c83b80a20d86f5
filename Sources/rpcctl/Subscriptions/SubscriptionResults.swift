internal import TidingsJSON
internal import TidingsProto

/// The results of subscriptions in a call.
enum SubscriptionResults {
  private static let columns = [
    "SUBSCRIPTION", "KIND", "RECORD TYPE", "PREDICATE", "ZONE", "ON", "RESULT",
  ]
  private static let healthColumns = [
    "SUBSCRIPTION", "SAVED", "LAST FIRED", "FIRED", "LAST EVALUATED", "EVALUATED", "UNREAD",
    "SUBSCRIBERS", "RESULT",
  ]

  /// Prints results, optionally with the subscriptions' health instead of their definition.
  static func print(
    _ subscriptionResults: [TidingsV1.SubscriptionResult],
    _ output: Output,
    showsHealth: Bool = false
  ) throws -> ExitCode {
    let columns = showsHealth ? healthColumns : columns
    var results = Results(columns: columns)
    /// A row with cells for id and result only.
    func row(_ id: String, _ result: String) -> [String] {
      [id] + Array(repeating: "", count: columns.count - 2) + [result]
    }
    for result in subscriptionResults {
      let id = result.subscriptionID
      switch result.outcome {
      case .subscription(let subscription):
        results.append(
          try SubscriptionJSON.json(subscription, health: result.health),
          showsHealth ? cells(id, result.health ?? .init()) : cells(subscription)
        )
      case .deleted:
        results.append(
          .object(["subscriptionId": .string(id), "deleted": .bool(true)]),
          row(id, "deleted")
        )
      case .error(let error):
        results.appendFailure(
          .object(["subscriptionId": .string(id), "error": error.json]),
          row(id, error.text)
        )
      case nil:
        results.appendFailure(.object(["subscriptionId": .string(id)]), row(id, "no result"))
      }
    }
    return results.finish(output)
  }

  private static func cells(_ subscription: TidingsV1.Subscription) -> [String] {
    let isQuery = subscription.type == .query
    return [
      subscription.subscriptionID, SubscriptionJSON.type(subscription).lowercased(),
      subscription.recordType.isEmpty ? "all" : subscription.recordType,
      isQuery ? predicate(subscription) : "",
      subscription.zoneID?.name ?? "all",
      isQuery ? changes(subscription) : "all changes", "ok",
    ]
  }

  private static func cells(_ id: String, _ health: TidingsV1.SubscriptionHealth) -> [String] {
    func text(_ time: GoogleProtobuf.Timestamp?) -> String { time?.text ?? "never" }
    return [
      id, health.saved?.text ?? "", text(health.lastFired), "\(health.firedCount)",
      text(health.lastEvaluated), "\(health.evaluatedCount)", "\(health.unreadCount)",
      "\(health.subscriberCount)", health.lacksPermission ? "no permission to read" : "ok",
    ]
  }

  private static func predicate(_ subscription: TidingsV1.Subscription) -> String {
    guard let predicate = subscription.predicate else { return "TRUEPREDICATE" }
    return predicate.nodes.isEmpty ? predicate.text : "(a tree)"
  }

  private static func changes(_ subscription: TidingsV1.Subscription) -> String {
    let changes = [
      subscription.firesOnRecordCreation ? "create" : nil,
      subscription.firesOnRecordUpdate ? "update" : nil,
      subscription.firesOnRecordDeletion ? "delete" : nil,
      subscription.firesOnRecordEnter ? "enter" : nil,
      subscription.firesOnRecordLeave ? "leave" : nil, subscription.firesOnce ? "once" : nil,
    ]
    return changes.compactMap(\.self).joined(separator: ",")
  }
}
