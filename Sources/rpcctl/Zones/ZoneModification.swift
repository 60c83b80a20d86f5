internal import CommandLineTools
internal import TidingsProto
internal import TidingsRPC

/// Zones to create and to delete: the operation ModifyRecordZones.
struct ZoneModification: Sendable {
  let databaseID: TidingsV1.DatabaseID
  var saves: [TidingsV1.ZoneID] = []
  var deletes: [TidingsV1.ZoneID] = []

  /// Makes the call; existing zones are kept.
  func send(
    over transport: any ClientTransport,
    options: CallOptions
  ) async throws(RPCError) -> [TidingsV1.ZoneResult] {
    try await TidingsV1.ZoneService.Client(transport).modifyRecordZones(
      .init(
        databaseID: databaseID,
        zonesToSave: saves.map { .init(zoneID: $0) },
        zoneIDsToDelete: deletes
      ),
      options: options
    ).results
  }
}

extension Invocation {
  /// Creates and deletes zones by name, after confirmation, and prints the results.
  func modifyZones(save: [String] = [], delete: [String] = []) async throws -> ExitCode {
    guard !(save + delete).contains("") else {
      throw UsageError("invalid zone name: a name is empty")
    }
    let modification = ZoneModification(
      databaseID: settings.databaseID,
      saves: try save.map { try zoneID($0) },
      deletes: try delete.map { try zoneID($0) }
    )
    if !delete.isEmpty {
      let names = modification.deletes.map { printable($0.shownName) }.joined(separator: ", ")
      try confirm("delete \(counted(delete.count, "zone")) with all records: \(names)")
    }
    let results = try await modification.send(
      over: try await connect().transport,
      options: callOptions
    )
    return try Verb.printZones(results, output)
  }
}
