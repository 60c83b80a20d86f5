internal import CommandLineTools
internal import TidingsProto

extension Verb {
  static let deleteSubscriptions = Verb(
    command: Command(
      "subscriptions delete",
      "Deletes subscriptions.",
      operands: "ID…",
      completion: .live("subscriptions"),
      discussion: """
        What they caused stays in the log.

        Example:
          rpcctl subscriptions delete pricey
        """
    ),
    run: { invocation in
      let ids = try invocation.requireOperands("ID")
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.SubscriptionService.Client(transport).modifySubscriptions(
        .init(databaseID: invocation.settings.databaseID, subscriptionIDsToDelete: ids),
        options: invocation.callOptions
      )
      return try SubscriptionResults.print(response.results, invocation.output)
    }
  )
}
