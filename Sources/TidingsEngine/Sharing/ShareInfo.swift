public import TidingsModel

/// A share as one who may join sees it.
public struct ShareInfo: Sendable {
  /// The owner's private database.
  public var database: DatabaseID
  /// The zone, with its owner.
  public var zone: ZoneID
  /// The share's record, as the caller may see it.
  public var record: Record
  /// What the caller is in it; `nil`: nothing yet.
  public var participant: Share.Participant?
  /// The record that is shared, encoded without the owner of its zone, if it was asked for and the
  /// caller may read it.
  public var rootRecord: [UInt8]?
}
