public import Foundation
internal import TidingsProto

/// Fires for all changes in a zone.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  // What can change is set before it is saved.

  /// The zone.
  public let zoneID: CKRecordZone.ID
  /// Only changes to records of this type; `nil`: to all.
  open var recordType: CKRecord.RecordType?

  /// A subscription with a name.
  public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.zoneID = zoneID
    super.init(subscriptionID: subscriptionID, subscriptionType: .recordZone)
  }

  /// A subscription with a random name.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
  }

  init(_ wire: TidingsV1.Subscription) {
    zoneID = .init(wire.zoneID ?? .init())
    recordType = wire.recordType.ifAny
    super.init(wire, subscriptionType: .recordZone)
  }

  override func wire() throws -> TidingsV1.Subscription {
    var wire = try super.wire()
    wire.zoneID = zoneID.wire
    wire.recordType = recordType ?? ""
    return wire
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let wire = Self.decode(coder), wire.type == .recordZone else { return nil }
    zoneID = .init(wire.zoneID ?? .init())
    recordType = wire.recordType.ifAny
    super.init(coder: coder)
  }
}
