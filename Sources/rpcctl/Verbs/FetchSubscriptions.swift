internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let fetchSubscriptions = Verb(
    command: Command(
      "fetch-subscriptions",
      "Fetches subscriptions by id, or all of the user's.",
      operands: "[ID…]",
      discussion: """
        Example:
          rpcctl fetch-subscriptions pricey

        What it prints can be given to `modify-subscriptions --save`.
        """
    ),
    run: { invocation in
      let request = TidingsV1.FetchSubscriptionsRequest(
        databaseID: invocation.settings.databaseID,
        subscriptionIDs: invocation.arguments.operands
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.SubscriptionService.Client(transport)
        .fetchSubscriptions(request, options: invocation.callOptions)
      return try SubscriptionResults.print(response.results, invocation.output)
    }
  )
}

/// What became of subscriptions, as it is printed.
enum SubscriptionResults {
  static func print(
    _ subscriptionResults: [TidingsV1.SubscriptionResult],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: [
      "SUBSCRIPTION", "RECORD TYPE", "PREDICATE", "ZONE", "ON", "RESULT",
    ])
    for result in subscriptionResults {
      let id = result.subscriptionID
      switch result.outcome {
      case .subscription(let subscription):
        results.append(
          try SubscriptionJSON.json(subscription),
          [
            subscription.subscriptionID, subscription.recordType, predicate(subscription),
            subscription.zoneID?.name ?? "all", changes(subscription), "ok",
          ]
        )
      case .deleted:
        results.append(
          .object(["subscriptionId": .string(id), "deleted": .bool(true)]),
          [id, "", "", "", "", "deleted"]
        )
      case .error(let error):
        results.appendFailure(
          .object(["subscriptionId": .string(id), "error": error.json]),
          [id, "", "", "", "", error.text]
        )
      case nil:
        results.appendFailure(
          .object(["subscriptionId": .string(id)]),
          [id, "", "", "", "", "no outcome"]
        )
      }
    }
    return results.finish(output)
  }

  private static func predicate(_ subscription: TidingsV1.Subscription) -> String {
    guard let predicate = subscription.predicate else { return "TRUEPREDICATE" }
    return predicate.nodes.isEmpty ? predicate.text : "(a tree)"
  }

  private static func changes(_ subscription: TidingsV1.Subscription) -> String {
    let changes = [
      subscription.firesOnRecordCreation ? "create" : nil,
      subscription.firesOnRecordUpdate ? "update" : nil,
      subscription.firesOnRecordDeletion ? "delete" : nil, subscription.firesOnce ? "once" : nil,
    ]
    return changes.compactMap(\.self).joined(separator: ",")
  }
}
