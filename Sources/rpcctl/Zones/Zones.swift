internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let save = OptionKey<[String]>(
    list: "save",
    value: "NAME…",
    takesMany: true,
    "Names of zones to create."
  )
  private static let delete = OptionKey<[String]>(
    list: "delete",
    value: "NAME…",
    takesMany: true,
    completion: .live("zones"),
    "Names of zones to delete, with all their records."
  )

  static let modifyZones = Verb(
    command: Command(
      "modify-zones",
      "Create and delete zones.",
      options: [Option](of: save, delete),
      discussion: """
        Example:
          rpcctl modify-zones --save notes drafts --delete old
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let (save, delete) = (invocation.arguments[save], invocation.arguments[delete])
      guard !save.isEmpty || !delete.isEmpty else {
        throw UsageError("nothing to do: use --save or --delete")
      }
      return try await invocation.modifyZones(save: save, delete: delete)
    }
  )

  static let fetchZones = Verb(
    command: Command(
      "zones list",
      aliases: ["zones get", "fetch-zones"],
      "List zones by name, or all of the database.",
      operands: "[NAME…]",
      completion: .live("zones"),
      discussion: """
        Examples:
          rpcctl zones list -o table
          rpcctl zones list notes
          rpcctl zones list --as bob --database shared
        """
    ),
    run: { invocation in
      let ids = try invocation.arguments.operands.map { try invocation.zoneID($0) }
      let results = try await invocation.zoneResults(ids, over: try await invocation.connect())
      return try printZones(results, invocation.output)
    }
  )

  static func printZones(
    _ zoneResults: [TidingsV1.ZoneResult],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["ZONE", "SEQUENCE", "CREATED", "RESULT"])
    for result in zoneResults {
      let name = result.zoneID?.shownName ?? ""
      switch result.outcome {
      case .zone(let zone):
        results.append(
          try zone.json,
          [
            zone.zoneID?.shownName ?? name, "\(zone.sequenceNumber)",
            zone.created.map { JSONValue.timestamp($0).string ?? "" } ?? "", "ok",
          ]
        )
      case .deleted:
        results.append(
          zoneJSON(result.zoneID, "deleted", .bool(true)),
          [name, "", "", "deleted"]
        )
      case .error(let error):
        results.appendFailure(
          zoneJSON(result.zoneID, "error", error.json),
          [name, "", "", error.text]
        )
      case nil:
        results.appendFailure(zoneJSON(result.zoneID), [name, "", "", "no result"])
      }
    }
    return results.finish(output)
  }

  private static func zoneJSON(
    _ id: TidingsV1.ZoneID?,
    _ name: String? = nil,
    _ value: JSONValue = .null
  ) -> JSONValue {
    var object = (id ?? .init()).json
    if let name { object.append(name, value) }
    return .object(object)
  }
}
