internal import TidingsModel

/// What a participant may do with the records of an owner's private database: what the shares that the
/// user has accepted hold, and allow.
final class ParticipantAccess: RecordAccess {
  private let user: String
  private let shares: ShareReader

  init(_ user: String, _ shares: ShareReader) {
    self.user = user
    self.shares = shares
  }

  /// The shares of a zone that the user has accepted.
  func shares(in zone: ZoneEntry) throws -> [Acceptances.Acceptance] {
    if let known = zone.acceptances[user] { return known }
    let found = try shares.accepted(by: user, inZone: zone.number)
      .map(Acceptances.Acceptance.init)
    zone.acceptances.remember(found, of: user)
    zone.database.remembered.add(details: 1 + found.count)
    return found
  }

  /// The zone's number from which on the user may know what a record was: what it no longer said when the
  /// user joined, or when it was shared, might have been removed for a reason.
  func known(_ name: String, in zone: ZoneEntry) throws -> Int64 {
    let accepted = try shares(in: zone)
    if let wholeZone = accepted.first(where: { $0.isZoneWide }) { return wholeZone.joined }
    guard let holding = try holding(of: name, in: zone),
      let joined = accepted.first(where: { $0.share == holding.share })?.joined
    else { return .max }
    return max(joined, holding.came)
  }

  /// The hierarchical share that holds a record; `nil`: none does.
  private func holding(of name: String, in zone: ZoneEntry) throws -> HeldRecords.Holding? {
    if let known = zone.heldRecords[name] { return known }
    let found = try shares.share(ofRecord: name, inZone: zone.number)
      .map { HeldRecords.Holding(share: $0.number, came: $0.came) }
    zone.heldRecords.remember(found, of: name)
    zone.database.remembered.add(details: 1)
    return found
  }

  /// What the user may do with what a share holds; `nil`: nothing.
  func permission(inShare share: Int64, of zone: ZoneEntry) throws -> Share.Permission? {
    try shares(in: zone).first { $0.share == share }?.permission
  }

  /// What the user may do in the whole zone; `nil`: it is not shared as a whole.
  func permission(inAllOf zone: ZoneEntry) throws -> Share.Permission? {
    try shares(in: zone).first { $0.isZoneWide }?.permission
  }

  /// What the user may do with a record; `nil`: it is not there.
  private func permission(for name: String, in zone: ZoneEntry) throws -> Share.Permission? {
    let accepted = try shares(in: zone)
    if let wholeZone = accepted.first(where: { $0.isZoneWide }) { return wholeZone.permission }
    guard !accepted.isEmpty, let holding = try holding(of: name, in: zone) else { return nil }
    return accepted.first { $0.share == holding.share }?.permission
  }

  /// Whether the user changes a share for its owner.
  private func administers(_ share: String, in zone: ZoneEntry) throws -> Bool {
    try shares(in: zone).contains { $0.name == share && $0.isAdministrator }
  }

  // MARK: RecordAccess

  func canRead(
    _ recordID: RecordID,
    of recordType: String,
    in zone: ZoneEntry,
    creator: () throws -> String
  ) throws -> Bool {
    try permission(for: recordID.recordName, in: zone) != nil
  }

  func check(saving sent: Record, over old: Record?, in zone: ZoneEntry) throws {
    let name = sent.recordID.recordName
    guard sent.share == nil, old?.share == nil else {
      guard sent.share != nil, old?.share != nil, try administers(name, in: zone) else {
        throw ItemError(
          .permissionFailure,
          "record '\(name)': only the owner and administrators change a share; to leave it, delete it in "
            + "the shared database"
        )
      }
      return
    }
    guard old != nil else {
      guard try shares(in: zone).contains(where: { $0.permission == .readWrite }) else {
        throw readOnly(name, "save")
      }
      return
    }
    guard let permission = try permission(for: name, in: zone) else {
      throw sent.changeTag.isEmpty
        ? ItemError(
          .permissionFailure,
          "record '\(name)' cannot be saved under this name: choose another"
        )
        : ItemError(
          .unknownItem,
          "record '\(name)' was sent with a change tag and does not exist: remove the tag to create it"
        )
    }
    guard permission == .readWrite else { throw readOnly(name, "save") }
  }

  func check(deleting old: Record, in zone: ZoneEntry) throws -> Bool {
    let name = old.recordID.recordName
    guard let permission = try permission(for: name, in: zone) else { return false }
    guard permission == .readWrite else { throw readOnly(name, "delete") }
    guard old.shareRecordName.isEmpty else {
      throw ItemError(
        .permissionFailure,
        "record '\(name)' is what is shared: only its owner deletes it; to leave, delete the share "
          + "'\(old.shareRecordName)'"
      )
    }
    return true
  }

  private func readOnly(_ name: String, _ verb: String) -> ItemError {
    ItemError(
      .permissionFailure,
      "record '\(name)': you may read what is shared here, and not \(verb) it: its owner can give you "
        + "the permission READ_WRITE"
    )
  }
}

extension ItemError {
  /// To the caller there is no such zone, whether it exists or not.
  static func zoneNotShared(_ zone: ZoneID, by owner: String) -> ItemError {
    ItemError(
      .zoneNotFound,
      "zone \(Identifier.shown(zone.zoneName)) of \(Identifier.shown(owner)) is not shared with you: "
        + "accept a share of it first, and drop what you keep of it from before"
    )
  }
}
