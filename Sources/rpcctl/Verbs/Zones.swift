internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let modifyZones = Verb(
    command: Command(
      "modify-zones",
      "Creates and deletes zones.",
      options: [
        Option("save", value: "NAME…", takesMany: true, "Names of zones to create."),
        Option(
          "delete",
          value: "NAME…",
          takesMany: true,
          "Names of zones to delete, with all their records."
        ),
      ],
      discussion: """
        Example:
          rpcctl modify-zones --save notes drafts --delete old
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      for option in ["save", "delete"] where arguments.all(option).contains("") {
        throw UsageError("--\(option) takes the names of zones, and one of them is empty")
      }
      let request = TidingsV1.ModifyRecordZonesRequest(
        databaseID: invocation.settings.databaseID,
        zonesToSave: arguments.all("save").map { .init(zoneID: .init(zoneName: $0)) },
        zoneIDsToDelete: arguments.all("delete").map { .init(zoneName: $0) }
      )
      guard !request.zonesToSave.isEmpty || !request.zoneIDsToDelete.isEmpty else {
        throw UsageError("nothing to do: --save and --delete say what")
      }
      let zones = TidingsV1.ZoneService.Client(try await invocation.connect().transport)
      let response = try await zones.modifyRecordZones(request, options: invocation.callOptions)
      return try printZones(response.results, invocation.output)
    }
  )

  static let fetchZones = Verb(
    command: Command(
      "fetch-zones",
      "Fetches zones by name, or all of the database.",
      operands: "[NAME…]",
      discussion: """
        Example:
          rpcctl fetch-zones -o table
        """
    ),
    run: { invocation in
      let request = TidingsV1.FetchRecordZonesRequest(
        databaseID: invocation.settings.databaseID,
        zoneIDs: invocation.arguments.operands.map { .init(zoneName: $0) }
      )
      let zones = TidingsV1.ZoneService.Client(try await invocation.connect().transport)
      let response = try await zones.fetchRecordZones(request, options: invocation.callOptions)
      return try printZones(response.results, invocation.output)
    }
  )

  static func printZones(
    _ zoneResults: [TidingsV1.ZoneResult],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["ZONE", "SEQUENCE", "CREATED", "RESULT"])
    for result in zoneResults {
      let name = result.zoneID?.name ?? ""
      switch result.outcome {
      case .zone(let zone):
        results.append(
          try zone.json,
          [
            zone.zoneID?.name ?? name, "\(zone.sequenceNumber)",
            zone.created.map { JSONValue.timestamp($0).string ?? "" } ?? "", "ok",
          ]
        )
      case .deleted:
        results.append(
          .object(["zoneName": .string(name), "deleted": .bool(true)]),
          [name, "", "", "deleted"]
        )
      case .error(let error):
        results.appendFailure(
          .object(["zoneName": .string(name), "error": error.json]),
          [name, "", "", error.text]
        )
      case nil:
        results.appendFailure(.object(["zoneName": .string(name)]), [name, "", "", "no outcome"])
      }
    }
    return results.finish(output)
  }
}
