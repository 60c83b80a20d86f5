internal import CommandLineTools
internal import TidingsProto

extension Verb {
  static let createZones = Verb(
    command: Command(
      "zones create",
      "Creates zones; those that exist stay as they are.",
      operands: "NAME…",
      discussion: """
        Example:
          rpcctl zones create notes drafts
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      return try await invocation.modifyZones(save: names)
    }
  )

  static let deleteZones = Verb(
    command: Command(
      "zones delete",
      "Deletes zones with all their records.",
      operands: "NAME…",
      completion: .live("zones"),
      discussion: """
        On a terminal it asks first; `zones purge` keeps the zone and deletes the records.

        Examples:
          rpcctl zones delete drafts
          rpcctl zones delete drafts old --yes
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      let which = names.map { "'\($0)'" }.joined(separator: ", ")
      try invocation.confirm(
        "delete \(names.count == 1 ? "zone" : "zones") \(which) with all records"
      )
      return try await invocation.modifyZones(delete: names)
    }
  )
}

extension Invocation {
  /// Creates and deletes zones, and prints what became of them.
  fileprivate func modifyZones(
    save: [String] = [],
    delete: [String] = []
  ) async throws -> ExitCode {
    guard !(save + delete).contains("") else { throw UsageError("one of the names is empty") }
    let request = TidingsV1.ModifyRecordZonesRequest(
      databaseID: settings.databaseID,
      zonesToSave: try save.map { .init(zoneID: try zoneID($0)) },
      zoneIDsToDelete: try delete.map { try zoneID($0) }
    )
    let zones = TidingsV1.ZoneService.Client(try await connect().transport)
    let response = try await zones.modifyRecordZones(request, options: callOptions)
    return try Verb.printZones(response.results, output)
  }
}
