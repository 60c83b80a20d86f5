internal import TidingsModel

/// The records of a zone that others share with a user, for a query on one snapshot.
final class SharedRecords {
  /// Where the records are.
  let zone: ZoneEntry
  private let shares: ShareReader
  /// The numbers of the user's shares; `nil`: the zone is shared as a whole.
  private let accepted: Set<Int64>?

  init(_ zone: ShareReader.AcceptedZone, _ shares: ShareReader) {
    self.zone = zone.entry
    self.shares = shares
    accepted =
      zone.shares.contains(where: \.share.isZoneWide)
      ? nil : Set(zone.shares.lazy.map(\.share.number))
  }

  /// Whether a record is in one of the user's shares.
  func holds(_ recordName: String) throws -> Bool {
    guard let accepted else { return true }
    guard let share = try shares.share(ofRecord: recordName, inZone: zone.number) else {
      return false
    }
    return accepted.contains(share.number)
  }
}

extension SharedRecords: Hashable {
  static func == (a: SharedRecords, b: SharedRecords) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
