internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Reads a zone with its change feed.
struct ZoneRead: Sendable {
  /// A page of the feed.
  struct Page: Sendable {
    /// Saved records, then deleted ones, which have no value.
    var versions: [Version]
    var nextToken: [UInt8]
    var isLast: Bool
  }

  private let stage: Stage
  private let zone: String

  init(_ stage: Stage, _ zone: String) {
    self.stage = stage
    self.zone = zone
  }

  /// Reads one page.
  ///
  /// - Parameters:
  ///   - client: The connection.
  ///   - token: Where it begins; empty: at the beginning.
  ///   - limit: Most records; 0: as many as an answer holds.
  /// - Returns: The page.
  /// - Throws: `RPCError`, or `CheckError` when the zone itself fails.
  func page(_ client: Client, after token: [UInt8], limit: Int = 0) async throws -> Page {
    let options = TidingsV1.ZoneChangesOptions(zoneID: stage.zoneID(zone), changeToken: token)
    let (records, database) = (client.records, stage.database)
    let answer = try await client.pageLimits.page(of: UInt32(limit)) { limit throws(RPCError) in
      try await records.fetchRecordZoneChanges(
        .init(databaseID: database, zones: [options], limit: limit)
      )
    }
    let changes = answer.zones.first
    guard let changes, changes.error == nil else {
      throw CheckError("zone '\(zone)' has no feed: \(changes?.error?.message ?? "no answer")")
    }
    return Page(
      versions: changes.changedRecords.map(\.version)
        + changes.deletedRecords.map { Version($0.recordID?.recordName ?? "") },
      nextToken: changes.changeToken,
      isLast: !changes.moreComing
    )
  }

  /// Reads all pages from the beginning, and returns the records that are there.
  func versions(_ client: Client) async throws -> [Version] {
    var (found, token): ([String: Version], [UInt8]) = ([:], [])
    for _ in 0..<stage.pagesMax {
      let page = try await page(client, after: token)
      for version in page.versions {
        found[version.name] = version.value == nil ? nil : version
      }
      token = page.nextToken
      if page.isLast { return found.values.sorted { $0.name < $1.name } }
    }
    throw CheckError("the feed of '\(zone)' has no end: after each page there was one more")
  }
}
