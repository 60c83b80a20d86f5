internal import CommandLineTools

extension Verb {
  static let deleteSubscriptions = Verb(
    command: Command(
      "subscriptions delete",
      "Delete subscriptions.",
      operands: "ID…",
      completion: .live("subscriptions"),
      discussion: """
        Their notifications stay in the log.

        Example:
          rpcctl subscriptions delete pricey
        """
    ),
    run: { invocation in
      try await invocation.modifySubscriptions(delete: try invocation.requireOperands("ID"))
    }
  )
}
