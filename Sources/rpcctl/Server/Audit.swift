internal import CommandLineTools
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<String>(
    "limit",
    value: "COUNT",
    default: "100",
    "Most of them; the server has at most 1000."
  )
  private static let user = OptionKey<String?>("user", value: "NAME", "Only those of this user.")
  private static let result = OptionKey<String?>(
    "result",
    value: "RESULT",
    choices: ["done", "refused"],
    "Only actions that were done, or only refused ones."
  )
  private static let verify = OptionKey<Bool>(
    flag: "verify",
    "Check the chain of the lines in all files on the server, or in a --folder."
  )
  static let auditFolder = OptionKey<String?>(
    "folder",
    value: "FOLDER",
    "With --verify: a data folder, or a copy of its audit log, on this machine; no server is called."
  )
  static let auditHeads = OptionKey<[String]>(
    list: "head",
    value: "CHAIN=NUMBER:HASH",
    "With --verify --folder: a head that was kept elsewhere, which must be in the files unchanged."
  )

  static let audit = Verb(
    command: Command(
      "audit",
      "Show the newest administrative and refused actions, or verify the audit log.",
      options: [Option](of: limit, user, result, verify, auditFolder, auditHeads),
      discussion: """
        Done actions are in audit.log and schemas.log in the data folder of the server, refused ones in
        refusals.log. The caller needs the role admin.

        Each line has the checksum of the line before it. --verify reads all files and names each line
        that was changed, inserted or removed, and where lines are missing; it ends with 3 if there is
        one. It prints the head of each chain: keep it elsewhere, and --head tells later whether all
        lines up to it are still as they were. Without a head kept elsewhere, lines that were cut off
        at the end are not found.

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
        throw UsageError("\(option.spelling) is for --verify")
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
