internal import CommandLineTools
internal import TidingsProto

extension Verb {
  static let audit = Verb(
    command: Command(
      "audit",
      "Prints the newest administrative and refused actions.",
      options: [
        Option(
          "limit",
          value: "COUNT",
          default: "100",
          "Most of them; the server has at most 1000."
        ),
        Option("user", value: "NAME", "Only those of this user."),
      ],
      discussion: """
        All of them are in audit.log in the data folder of the server. The caller needs the role admin.

        Example:
          rpcctl audit --limit 20 -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let text = invocation.arguments["limit"] ?? ""
      guard let limit = UInt32(text), limit > 0 else {
        throw UsageError("\(invocation.arguments.source("limit")) takes a number, not '\(text)'")
      }
      let response = try await invocation.administration().fetchAuditLog(
        .init(limit: limit, userName: invocation.arguments["user"] ?? ""),
        options: invocation.callOptions
      )
      var results = Results(columns: [
        "TIME", "ACTION", "RESULT", "COUNT", "USER", "FROM", "DETAIL",
      ])
      for entry in response.entries {
        results.append(
          try Contract.json(entry),
          [
            entry.time?.text ?? "", entry.action, entry.refused ? "refused" : "done",
            "\(entry.count)", entry.userName, entry.address, entry.detail,
          ]
        )
      }
      return results.finish(invocation.output)
    }
  )
}
