internal import CommandLineTools
internal import TidingsClient
internal import TidingsProto

extension Invocation {
  /// All of a zone, page after page.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - session: Carries the calls.
  ///   - token: Where to begin; empty: at the beginning.
  ///   - desiredKeys: Which fields; `nil`: all.
  /// - Returns: The pages, fetched as they are asked for.
  func pages(
    of zone: TidingsV1.ZoneID,
    over session: Session,
    after token: [UInt8] = [],
    desiredKeys: [String]? = nil
  ) -> RecordZoneChanges {
    RecordZoneChanges(
      session.transport,
      database: settings.databaseID,
      .init(zoneID: zone, changeToken: token, desiredKeys: desiredKeys.map { .init(keys: $0) }),
      timeout: settings.timeout
    )
  }

  /// The outcome for each of some zones, or all zones of the database.
  func zoneResults(
    _ ids: [TidingsV1.ZoneID] = [],
    over session: Session
  ) async throws -> [TidingsV1.ZoneResult] {
    try await TidingsV1.ZoneService.Client(session.transport).fetchRecordZones(
      .init(databaseID: settings.databaseID, zoneIDs: ids),
      options: callOptions
    ).results
  }

  /// The zones with names, or all of the database: the default zone too.
  func zones(
    _ names: [String],
    over session: Session
  ) async throws -> [TidingsV1.RecordZone] {
    try await zoneResults(try names.map { try zoneID($0) }, over: session).compactMap { result in
      switch result.outcome {
      case .zone(let zone): return zone
      case .error(let error):
        let text = "the zone '\(result.zoneID?.shownName ?? "")': \(error.text)"
        if error.code == .zoneNotFound { throw NotFound(text) }
        throw LocalFailure(text)
      default: return nil
      }
    }
  }

  /// The one zone that is named by the operand, or else the default zone.
  func oneZone() throws(UsageError) -> TidingsV1.ZoneID {
    guard arguments.operands.count <= 1 else {
      throw UsageError("one ZONE at most: '\(arguments.operands[1])' is one too many")
    }
    return try zoneID(arguments.operands.first ?? "")
  }
}
