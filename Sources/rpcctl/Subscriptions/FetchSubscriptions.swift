internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let health = OptionKey<Bool>(
    flag: "health",
    "Show health instead: last fired, number of firings, unread notifications."
  )

  static let fetchSubscriptions = Verb(
    command: Command(
      "subscriptions list",
      aliases: ["subscriptions get", "fetch-subscriptions"],
      "List subscriptions by id, or all of the user's.",
      operands: "[ID…]",
      completion: .live("subscriptions"),
      options: [Option](of: health),
      discussion: """
        Examples:
          rpcctl subscriptions list pricey
          rpcctl subscriptions list --health

        The output can be used with `modify-subscriptions --save`. With --health, FIRED counts how often a
        subscription fired since it was saved, and EVALUATED the changes it was evaluated for since the
        server started: those of its record type in the database, in any zone; for zone and database
        subscriptions those of any zone of the database.
        """
    ),
    run: { invocation in
      let request = TidingsV1.FetchSubscriptionsRequest(
        databaseID: invocation.settings.databaseID,
        subscriptionIDs: invocation.arguments.operands,
        wantsHealth: invocation.arguments[health]
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.SubscriptionService.Client(transport)
        .fetchSubscriptions(request, options: invocation.callOptions)
      if response.results.isEmpty, invocation.output.format == .table {
        invocation.output.log("no subscriptions in this database")
      }
      return try SubscriptionResults.print(
        response.results,
        invocation.output,
        showsHealth: request.wantsHealth
      )
    }
  )
}
