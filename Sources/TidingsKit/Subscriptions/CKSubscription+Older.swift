public import Foundation

/// When a query subscription fires, with its oldest name.
public typealias CKSubscriptionOptions = CKQuerySubscription.Options

/// Lets the initializers of `CKSubscription` that older code knows make one of its kinds.
///
/// An initializer of a class makes that class; one of a protocol may choose.
public protocol CKSubscriptionChoosing {}

extension CKSubscription: CKSubscriptionChoosing {}

extension CKSubscriptionChoosing where Self: CKSubscription {
  /// A query subscription with a random name.
  public init(recordType: String, predicate: NSPredicate, options: CKSubscriptionOptions) {
    self.init(
      choosing: CKQuerySubscription(recordType: recordType, predicate: predicate, options: options)
    )
  }

  /// A query subscription with a name.
  public init(
    recordType: String,
    predicate: NSPredicate,
    subscriptionID: String,
    options: CKSubscriptionOptions
  ) {
    self.init(
      choosing: CKQuerySubscription(
        recordType: recordType,
        predicate: predicate,
        subscriptionID: subscriptionID,
        options: options
      )
    )
  }

  /// A zone subscription with a random name; zones have no options.
  public init(zoneID: CKRecordZone.ID, options: CKSubscriptionOptions) {
    self.init(choosing: CKRecordZoneSubscription(zoneID: zoneID))
  }

  /// A zone subscription with a name; zones have no options.
  public init(zoneID: CKRecordZone.ID, subscriptionID: String, options: CKSubscriptionOptions) {
    self.init(
      choosing: CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID)
    )
  }

  private init(choosing subscription: CKSubscription) {
    guard let subscription = subscription as? Self else {
      preconditionFailure("\(Self.self) cannot be a \(type(of: subscription)): call CKSubscription")
    }
    self = subscription
  }
}
