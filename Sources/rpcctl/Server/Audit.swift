internal import CommandLineTools
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<String>(
    "limit",
    value: "COUNT",
    default: "100",
    "Most entries to show, at most 1000."
  )
  private static let user = OptionKey<String?>("user", value: "NAME", "Only actions of this user.")
  private static let result = OptionKey<String?>(
    "result",
    value: "RESULT",
    choices: ["done", "refused"],
    "Only actions with this result: done or refused."
  )
  private static let verify = OptionKey<Bool>(
    flag: "verify",
    "Verify the hash chains of all files, on the server or in --folder."
  )
  static let auditFolder = OptionKey<String?>(
    "folder",
    value: "FOLDER",
    "With --verify: a local data folder, or a copy of its audit log, to verify without a server."
  )
  static let auditHeads = OptionKey<[String]>(
    list: "head",
    value: "CHAIN=NUMBER:HASH",
    "With --verify --folder: a head that was saved elsewhere and must be in the files."
  )

  static let audit = Verb(
    command: Command(
      "audit",
      "Show the latest administrative and refused actions, or verify the audit log.",
      options: [Option](of: limit, user, result, verify, auditFolder, auditHeads),
      discussion: """
        Completed actions are in audit.log and schemas.log in the data folder of the server, refused ones
        in refusals.log. Requires the admin role.

        Each line contains the checksum of the previous line. --verify reads all files and reports each
        line that was changed, inserted or removed, and each gap; it exits with 3 if it finds any. It
        prints the head of each chain: save it elsewhere, and verify later with --head that all lines up
        to it are unchanged. Lines cut off at the end are found only with a saved head.

        Examples:
          rpcctl audit --limit 20 -o table
          rpcctl audit --result done
          rpcctl audit --verify
          rpcctl audit --verify --folder audit-copy
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      if invocation.arguments[verify] { return try await AuditVerify.run(invocation) }
      for option in [Option](of: auditFolder, auditHeads) where invocation.arguments.has(option) {
        throw UsageError("\(option.spelling) requires --verify")
      }
      let text = invocation.arguments[limit]
      guard let limit = UInt32(text), limit > 0 else {
        throw UsageError("\(invocation.arguments.source(limit)) takes a number, not '\(text)'")
      }
      let response = try await invocation.administration().fetchAuditLog(
        .init(
          limit: limit,
          userName: invocation.arguments[user] ?? "",
          refused: invocation.arguments[result].map { $0 == "refused" }
        ),
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
