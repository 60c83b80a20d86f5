public import TidingsModel

/// A notification for a target, leased to one sender.
public struct LeasedDelivery: Sendable {
  /// Names the lease.
  public let leaseID: String
  /// The same for each attempt.
  public let deliveryID: String
  /// Where to.
  public let target: DeliveryTarget
  /// What; `nil`: a test.
  public let notification: NotificationID?
  /// The user's subscription that fired.
  public let subscriptionID: String
  /// The encoded notification, without its name and subscription.
  public let body: [UInt8]
  /// How often it was tried before.
  public let attempts: Int64
  /// When it was found in the log.
  public let created: Timestamp
}

/// What a sender got.
public struct DeliveryPage: Sendable {
  /// Those that wait longest first.
  public internal(set) var items: [LeasedDelivery] = []
  /// There is more at once.
  public internal(set) var moreComing = false
  /// Until the next one is due; `nil`: none is known.
  public internal(set) var nextDue: Duration?
}

/// What became of a delivery.
public enum DeliveryOutcome: Sendable {
  /// It was sent.
  case sent
  /// It failed and is due again after so long.
  case retry(Duration)
  /// It failed for good.
  case givenUp
  /// The address is gone: of the target as it was added at that time; `nil`: as it is now.
  case targetGone(Timestamp?)
  /// It was not tried, and is due again after so long.
  case postponed(Duration)
}

/// A delivery that failed for good.
public struct DeadLetter: Sendable {
  let number: Int64
  /// The target.
  public let target: DeliveryTarget
  /// What could not be sent; `nil`: a test.
  public let notification: NotificationID?
  /// The user's subscription that fired; empty: it is no longer kept.
  public let subscriptionID: String
  /// The encoded notification; `nil`: it is no longer kept, or may not be seen any more.
  public let body: [UInt8]?
  /// When it was given up.
  public let givenUp: Timestamp
  /// How often it was tried.
  public let attempts: Int64
  /// Why the last attempt failed.
  public let reason: String

  /// Identifies it.
  public var idText: String { "\(target.idText)-\(number)" }
}
