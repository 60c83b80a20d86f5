public import TidingsModel

/// A zone that a transaction changed.
public struct ChangedZone: Hashable, Sendable {
  /// The database.
  public let database: DatabaseID
  /// The zone.
  public let zone: ZoneID

  /// A zone in a database.
  public init(database: DatabaseID, zone: ZoneID) {
    self.database = database
    self.zone = zone
  }
}
