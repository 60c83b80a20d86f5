internal import TidingsProto
internal import TidingsRPC

/// Creates the zones that an import needs.
struct ZoneCreation: Sendable {
  let transport: any ClientTransport
  let options: CallOptions
  let databaseID: TidingsV1.DatabaseID

  /// Fetches the default zone, to check that the server is reachable and authorizes the caller before
  /// a file is read.
  func check() async throws(RPCError) {
    _ = try await TidingsV1.ZoneService.Client(transport).fetchRecordZones(
      .init(databaseID: databaseID, zoneIDs: [.init(zoneName: ZoneName.defaultZone)]),
      options: options
    )
  }

  /// Creates zones; existing ones are kept.
  ///
  /// Reports zones that cannot be created; their records then fail individually.
  func create(_ names: [[UInt8]], _ report: ImportReport) async throws(RPCError) {
    let creation = ZoneModification(
      databaseID: databaseID,
      saves: names.map { .init(zoneName: String(decoding: $0, as: UTF8.self)) }
    )
    for result in try await creation.send(over: transport, options: options) {
      guard case .error(let error)? = result.outcome else { continue }
      report.log("cannot create zone '\(result.zoneID?.name ?? "")': \(error.text)")
    }
  }
}
