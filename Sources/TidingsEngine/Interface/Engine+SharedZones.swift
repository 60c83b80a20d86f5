internal import TidingsModel

extension Engine {
  /// A zone of a shared database, as the user sees it.
  func sharedZone(_ id: ZoneID, in database: DatabaseID) throws -> ZoneInfo {
    let zone = try sharing.reader.acceptedZone(id, in: database, catalog)
    return try info(of: zone, named: id)
  }

  private func info(of zone: ShareReader.AcceptedZone, named id: ZoneID) throws -> ZoneInfo {
    ZoneInfo(
      id: id,
      created: zone.entry.created,
      head: try zone.shares.lazy.map { try sharing.reader.head(of: $0.share, catalog) }.max() ?? 0
    )
  }

  /// The zones of a shared database, sorted by name and owner.
  func sharedZones(in database: DatabaseID) throws -> [ZoneInfo] {
    let accepted = try sharing.reader.accepted(of: database, catalog)
    let zones = Dictionary(grouping: accepted, by: \.share.zoneOfOwner)
    return try zones.sorted {
      ($0.key.zoneName, $0.key.ownerName) < ($1.key.zoneName, $1.key.ownerName)
    }.compactMap { id, shares in
      try pace.decisionStep()
      guard let share = shares.first?.share,
        let entry = try catalog.zone(
          share.zone,
          in: catalog.database(numbered: share.database)
        )
      else { return nil }
      return try info(of: ShareReader.AcceptedZone(entry: entry, shares: shares), named: id)
    }
  }

  /// Nothing that a call waits for was committed since its snapshot, or will be with this transaction.
  public func isCurrent(_ watch: FeedWatch) throws -> Bool {
    guard watch.database.scope == .shared else { return try head(of: watch.database) == watch.head }
    return try sharing.reader.heads(of: watch.database, in: watch.zones, catalog)
      == watch.sharedHeads
  }
}
