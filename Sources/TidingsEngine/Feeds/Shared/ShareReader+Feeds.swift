internal import TidingsModel
internal import TidingsSQL

extension ShareReader {
  /// A zone of a shared database, and the shares in it that the user has accepted, at least one.
  struct AcceptedZone {
    let entry: ZoneEntry
    let shares: [AcceptedShare]
  }

  /// The zone that a user names in the shared database.
  ///
  /// - Parameters:
  ///   - id: The zone, with its owner.
  ///   - database: The user's shared database.
  ///   - catalog: Zones and their numbers.
  /// - Returns: The zone with the shares in it that the user has accepted.
  /// - Throws: `ItemError` `zoneNotFound` whether it does not exist or is not shared with the user;
  ///   `invalidArguments`; `SQLError`.
  func acceptedZone(
    _ id: ZoneID,
    in database: DatabaseID,
    _ catalog: Catalog
  ) throws -> AcceptedZone {
    try id.validate()
    let location = try database.location(of: id, for: database.owner)
    guard let owner = try catalog.database(location.database),
      let zone = try catalog.zone(location.zone, in: owner)
    else { throw ItemError.zoneNotShared(id, by: id.ownerName) }
    let shares = try accepted(by: database.owner, inZone: zone.number)
    guard !shares.isEmpty else { throw ItemError.zoneNotShared(id, by: id.ownerName) }
    return AcceptedZone(entry: zone, shares: shares)
  }

  /// The shares that the owner of a shared database has accepted, oldest first.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func accepted(of database: DatabaseID, _ catalog: Catalog) throws -> [AcceptedShare] {
    try catalog.requireDeployed(database.container, database.environment)
    return try accepted(
      by: database.owner,
      container: database.container,
      environment: database.environment
    )
  }

  /// The zone's number at the newest change of what a share holds.
  func head(of share: StoredShare, _ catalog: Catalog) throws -> Int64 {
    guard share.isZoneWide,
      let zone = try catalog.zone(share.zone, in: catalog.database(numbered: share.database))
    else { return share.head }
    return max(share.head, zone.head)
  }

  /// The heads of all shares that the owner of a shared database has accepted.
  ///
  /// - Parameters:
  ///   - database: The shared database.
  ///   - zones: Only those in these zones; empty: all.
  ///   - catalog: Zones and their numbers.
  /// - Returns: The heads by share.
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func heads(
    of database: DatabaseID,
    in zones: [ZoneID],
    _ catalog: Catalog
  ) throws -> SharedHeads {
    var heads = SharedHeads()
    let zones = Set(zones)
    for accepted in try accepted(of: database, catalog) {
      let share = accepted.share
      guard zones.isEmpty || zones.contains(share.zoneOfOwner) else { continue }
      heads.heads[share.number] = try head(of: share, catalog)
    }
    return heads
  }
}

extension StoredShare {
  /// Its zone, as those see it who have accepted it.
  var zoneOfOwner: ZoneID { ZoneID(zoneName: zone.zoneName, ownerName: owner) }
}

extension ZoneID {
  /// The zone in messages, with its owner if it has one.
  var shown: String {
    let name = "zone " + Identifier.shown(zoneName)
    return ownerName.isEmpty ? name : "\(name) of \(Identifier.shown(ownerName))"
  }
}
