internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// The server counts so far and no further.
  private static let countedMax: UInt32 = 9_999

  private static let exitStatus = OptionKey<Bool>(
    flag: "exit-status",
    "End with 3 when something is unread."
  )

  static let unreadCount = Verb(
    command: Command(
      "notifications unread-count",
      "Counts what is unread of each subscription, in all databases.",
      options: [Option](of: exitStatus),
      discussion: """
        Nothing is fetched for it. A subscription counts to 9,999; those of a deleted subscription are
        not counted.

        Examples:
          rpcctl notifications unread-count
          rpcctl notifications unread-count --exit-status
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let session = try await invocation.connect()
      var list: [JSONValue] = []
      var table = Table(["DATABASE", "SUBSCRIPTION", "UNREAD"])
      var total: UInt64 = 0
      for scope in [TidingsV1.DatabaseScope.public, .private, .shared] {
        let name = Contract.shortName(scope, "DATABASE_SCOPE_").lowercased()
        for result in try await invocation.subscriptions(in: scope, over: session) {
          let count = result.health?.unreadCount ?? 0
          total += UInt64(count)
          guard count > 0 else { continue }
          list.append(
            .object([
              "database": .string(name), "subscriptionId": .string(result.subscriptionID),
              "unread": .integer(count),
            ])
          )
          table.append([
            name, result.subscriptionID, count < countedMax ? "\(count)" : "\(count) or more",
          ])
        }
      }
      invocation.output.write(list) { table }
      if invocation.output.format == .table { invocation.output.tell("\(total) unread") }
      return total > 0 && invocation.arguments[exitStatus] ? .conditionNotMet : .success
    }
  )
}
