internal import CommandLineTools
internal import TidingsClient
internal import TidingsProto

extension Invocation {
  /// Fetches all records of a zone, page by page.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - session: The connection.
  ///   - token: The token to start after; empty: the beginning.
  ///   - desiredKeys: The fields; `nil`: all.
  /// - Returns: The pages, fetched lazily.
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

  /// Fetches some zones, or all of the database, each with its own result.
  func zoneResults(
    _ ids: [TidingsV1.ZoneID] = [],
    over session: Session
  ) async throws -> [TidingsV1.ZoneResult] {
    try await TidingsV1.ZoneService.Client(session.transport).fetchRecordZones(
      .init(databaseID: settings.databaseID, zoneIDs: ids),
      options: callOptions
    ).results
  }

  /// Fetches zones by name, or all of the database, including the default zone.
  func zones(
    _ names: [String],
    over session: Session
  ) async throws -> [TidingsV1.RecordZone] {
    try await zoneResults(try names.map { try zoneID($0) }, over: session).compactMap { result in
      switch result.outcome {
      case .zone(let zone): return zone
      case .error(let error):
        let text = "zone '\(result.zoneID?.shownName ?? "")': \(error.text)"
        if error.code == .zoneNotFound { throw NotFound(text) }
        throw LocalFailure(text)
      default: return nil
      }
    }
  }

  /// Returns the zone of the one operand (default: the default zone).
  func oneZone() throws(UsageError) -> TidingsV1.ZoneID {
    guard arguments.operands.count <= 1 else {
      throw UsageError("expected one ZONE: unexpected operand '\(arguments.operands[1])'")
    }
    return try zoneID(arguments.operands.first ?? "")
  }
}
