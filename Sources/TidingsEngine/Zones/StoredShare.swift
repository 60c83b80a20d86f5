internal import TidingsModel

/// A share, as the tables know it.
struct StoredShare: Hashable {
  /// In the store.
  let number: Int64
  /// The number of its database, its owner's private one.
  let database: Int64
  /// The number of its zone.
  let zoneNumber: Int64
  /// The name of its zone, within its database.
  let zone: ZoneID
  /// Whose it is.
  let owner: String
  /// The name of the share's own record.
  let name: String
  /// The record that is shared with its descendants; empty: the zone.
  let root: String
  /// What anyone may do who has the URL.
  let publicPermission: Share.Permission
  /// The zone's number at the newest change of what a hierarchical share holds; of a zone-wide one the
  /// zone's own head counts, if it is newer.
  let head: Int64
  /// Up to which number it is forgotten what left the share.
  let floor: Int64

  /// Whether it shares a whole zone.
  var isZoneWide: Bool { root.isEmpty }
}
