internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// Largest count that the server returns.
  private static let countedMax: UInt32 = 9_999

  private static let exitStatus = OptionKey<Bool>(
    flag: "exit-status",
    "Exit with 3 if there are unread notifications."
  )

  static let unreadCount = Verb(
    command: Command(
      "notifications unread-count",
      "Count unread notifications by subscription, in all databases.",
      options: [Option](of: exitStatus),
      discussion: """
        Counts without fetching. A count is at most 9,999; notifications of deleted subscriptions are not
        counted.

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
      if invocation.output.format == .table { invocation.output.log("\(total) unread") }
      return total > 0 && invocation.arguments[exitStatus] ? .conditionNotMet : .success
    }
  )
}
