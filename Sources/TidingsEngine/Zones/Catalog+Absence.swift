internal import TidingsModel
internal import TidingsSQL

extension Catalog {
  /// Why a zone is not there, and what to do.
  ///
  /// - Parameters:
  ///   - id: The zone.
  ///   - database: Its database; `nil`: nothing was ever written to it.
  ///   - scope: The database's scope.
  ///   - isWanted: The caller needs the zone; `false`: it was to be deleted.
  /// - Returns: `userDeletedZone` when the user removed it with all data of the application, else
  ///   `zoneNotFound`.
  /// - Throws: `SQLError`.
  func absence(
    of id: ZoneID,
    in database: DatabaseEntry?,
    scope: DatabaseScope,
    isWanted: Bool = true
  ) throws(SQLError) -> ItemError {
    let name = Identifier.shown(id.zoneName)
    guard scope != .public || !isWanted else {
      return ItemError(
        .zoneNotFound,
        "zone \(name) does not exist: the public database has the default zone only, so use that, or "
          + "the private database"
      )
    }
    let reason: ZoneDeletionReason? =
      if let database { try deletionReason(id, in: database) } else { nil }
    return switch reason {
    case .purged:
      ItemError(
        .userDeletedZone,
        "zone \(name) is gone because the user removed the data of the application: delete what you "
          + "keep of it, and create it again only if the user asks for it"
      )
    case .encryptedDataReset:
      ItemError(
        .zoneNotFound,
        "zone \(name) is gone because the user's encrypted data was reset: "
          + (isWanted
            ? "create it, then save your copy of its records" : "there is nothing to delete")
      )
    case .deleted, nil:
      ItemError(
        .zoneNotFound,
        "zone \(name) does not exist: "
          + (isWanted ? "create it, then repeat" : "there is nothing to delete")
      )
    }
  }
}
