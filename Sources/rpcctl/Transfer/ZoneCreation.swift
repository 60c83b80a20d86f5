internal import TidingsProto
internal import TidingsRPC

/// Creates the zones that an import needs.
struct ZoneCreation: Sendable {
  let transport: any ClientTransport
  let options: CallOptions
  let databaseID: TidingsV1.DatabaseID

  /// Asks for the default zone: whether the server is there and lets the caller in shows before a
  /// file is read.
  func check() async throws(RPCError) {
    _ = try await TidingsV1.ZoneService.Client(transport).fetchRecordZones(
      .init(databaseID: databaseID, zoneIDs: [.init(zoneName: ZoneName.defaultZone)]),
      options: options
    )
  }

  /// Creates zones; those that exist stay as they are.
  ///
  /// One that cannot be created is told; its records then fail each by itself.
  func create(_ names: [[UInt8]], _ report: ImportReport) async throws(RPCError) {
    let creation = ZoneModification(
      databaseID: databaseID,
      saves: names.map { .init(zoneName: String(decoding: $0, as: UTF8.self)) }
    )
    for result in try await creation.send(over: transport, options: options) {
      guard case .error(let error)? = result.outcome else { continue }
      report.tell("the zone '\(result.zoneID?.name ?? "")' cannot be created: \(error.text)")
    }
  }
}
