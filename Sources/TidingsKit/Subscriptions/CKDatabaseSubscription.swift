public import Foundation
internal import TidingsProto

/// Fires for all changes in a database.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  // What can change is set before it is saved.

  /// Only changes to records of this type; `nil`: to all.
  open var recordType: CKRecord.RecordType?

  /// A subscription with a name.
  public init(subscriptionID: CKSubscription.ID) {
    super.init(subscriptionID: subscriptionID, subscriptionType: .database)
  }

  /// A subscription with a random name.
  public convenience init() { self.init(subscriptionID: UUID().uuidString) }

  init(_ wire: TidingsV1.Subscription) {
    recordType = wire.recordType.ifAny
    super.init(wire, subscriptionType: .database)
  }

  override func wire() throws -> TidingsV1.Subscription {
    var wire = try super.wire()
    wire.recordType = recordType ?? ""
    return wire
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let wire = Self.decode(coder), wire.type == .database else { return nil }
    recordType = wire.recordType.ifAny
    super.init(coder: coder)
  }
}
