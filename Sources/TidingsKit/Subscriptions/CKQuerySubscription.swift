public import Foundation
internal import TidingsProto

/// Fires for records of a type that match a predicate: when they are created, updated or deleted.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  // What can change is set before it is saved.

  /// When it fires; at least one of creation, update and deletion.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A matching record is created.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record is updated and matches afterwards.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A record that matched is deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// The subscription is deleted when it has fired once.
    public static let firesOnce = Options(rawValue: 1 << 3)
    /// A record begins to match, as it is created or updated; not in CloudKit.
    public static let firesOnRecordEnter = Options(rawValue: 1 << 4)
    /// A record ceases to match, as it is updated or deleted; not in CloudKit.
    public static let firesOnRecordLeave = Options(rawValue: 1 << 5)
  }

  /// The type of the records; never `nil`, and optional as in CloudKit.
  open var recordType: CKRecord.RecordType? { type }
  private let type: CKRecord.RecordType
  /// Which records; `NSPredicate(value: true)`: all of the type.
  open var predicate: NSPredicate { condition }
  private let condition: NSPredicate
  /// Only records of this zone; `nil`: of all.
  open var zoneID: CKRecordZone.ID?
  /// When it fires.
  public let querySubscriptionOptions: Options

  /// A subscription with a name.
  ///
  /// - Parameters:
  ///   - recordType: The type of the records.
  ///   - predicate: Which records.
  ///   - subscriptionID: Its name; saving another subscription with this name replaces it.
  ///   - querySubscriptionOptions: When it fires; by default on each creation, update and deletion.
  public init(
    recordType: CKRecord.RecordType,
    predicate: NSPredicate,
    subscriptionID: CKSubscription.ID,
    options querySubscriptionOptions: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    type = recordType
    condition = predicate
    self.querySubscriptionOptions = querySubscriptionOptions
    super.init(subscriptionID: subscriptionID, subscriptionType: .query)
  }

  /// A subscription with a random name.
  public convenience init(
    recordType: CKRecord.RecordType,
    predicate: NSPredicate,
    options querySubscriptionOptions: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    self.init(
      recordType: recordType,
      predicate: predicate,
      subscriptionID: UUID().uuidString,
      options: querySubscriptionOptions
    )
  }

  init(_ wire: TidingsV1.Subscription) {
    type = wire.recordType
    condition = NSPredicate.stored(wire.predicate)
    zoneID = wire.zoneID.map { .init($0) }
    querySubscriptionOptions = Options(wire)
    super.init(wire, subscriptionType: .query)
  }

  override func wire() throws -> TidingsV1.Subscription {
    var wire = try super.wire()
    wire.recordType = type
    wire.predicate = try condition.wire()
    wire.zoneID = zoneID?.wire
    querySubscriptionOptions.set(&wire)
    return wire
  }

  /// Another subscription that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuerySubscription(
      recordType: type,
      predicate: condition,
      subscriptionID: subscriptionID,
      options: querySubscriptionOptions
    )
    copy.zoneID = zoneID
    copy.notificationInfo = notificationInfo
    return copy
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let wire = Self.decode(coder), wire.type == .query else { return nil }
    type = wire.recordType
    condition = NSPredicate.stored(wire.predicate)
    zoneID = wire.zoneID.map { .init($0) }
    querySubscriptionOptions = Options(wire)
    super.init(coder: coder)
  }
}

/// When a query subscription fires, with its older name.
public typealias CKQuerySubscriptionOptions = CKQuerySubscription.Options

extension CKQuerySubscription.Options {
  init(_ wire: TidingsV1.Subscription) {
    self = []
    if wire.firesOnRecordCreation { insert(.firesOnRecordCreation) }
    if wire.firesOnRecordUpdate { insert(.firesOnRecordUpdate) }
    if wire.firesOnRecordDeletion { insert(.firesOnRecordDeletion) }
    if wire.firesOnce { insert(.firesOnce) }
    if wire.firesOnRecordEnter { insert(.firesOnRecordEnter) }
    if wire.firesOnRecordLeave { insert(.firesOnRecordLeave) }
  }

  func set(_ wire: inout TidingsV1.Subscription) {
    wire.firesOnRecordCreation = contains(.firesOnRecordCreation)
    wire.firesOnRecordUpdate = contains(.firesOnRecordUpdate)
    wire.firesOnRecordDeletion = contains(.firesOnRecordDeletion)
    wire.firesOnce = contains(.firesOnce)
    wire.firesOnRecordEnter = contains(.firesOnRecordEnter)
    wire.firesOnRecordLeave = contains(.firesOnRecordLeave)
  }
}
