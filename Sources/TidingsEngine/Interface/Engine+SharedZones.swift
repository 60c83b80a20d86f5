internal import TidingsModel

extension Engine {
  /// A zone of a shared database, as the user sees it.
  func sharedZone(_ id: ZoneID, in database: DatabaseID) throws -> ZoneInfo {
    let zone = try sharing.reader.acceptedZone(id, in: database, catalog)
    return ZoneInfo(
      id: id,
      created: zone.entry.created,
      head: try zone.shares.lazy.map { try sharing.reader.head(of: $0.share, catalog) }.max() ?? 0
    )
  }

  /// The zones of a shared database, sorted by name and owner.
  func sharedZones(in database: DatabaseID) throws -> [ZoneInfo] {
    let zones = Set(
      try sharing.reader.accepted(of: database, catalog).lazy.map(\.share.zoneOfOwner)
    )
    return try zones.sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }
      .map { try sharedZone($0, in: database) }
  }

  /// Nothing that a call waits for was committed since its snapshot, or will be with this transaction.
  public func isCurrent(_ watch: FeedWatch) throws -> Bool {
    guard watch.database.scope == .shared else { return try head(of: watch.database) == watch.head }
    return try sharing.reader.heads(of: watch.database, in: watch.zones, catalog)
      == watch.sharedHeads
  }
}
