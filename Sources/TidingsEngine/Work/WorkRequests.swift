public import TidingsModel

/// A group of a user's devices that shares the work on notifications.
public struct WorkGroup: Hashable, Sendable {
  /// The container.
  public var container: String
  /// The environment.
  public var environment: Environment
  /// 1 to 255 bytes of printable ASCII.
  public var name: String

  /// A group by its name.
  public init(container: String, environment: Environment, name: String) {
    self.container = container
    self.environment = environment
    self.name = name
  }

  /// Refuses a name that is none.
  func validate() throws(ItemError) {
    guard !name.isEmpty, name.utf8.count <= 255,
      name.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
    else {
      throw ItemError(
        .invalidArguments,
        "the group \(Identifier.shown(name)) needs 1 to 255 printable ASCII characters"
      )
    }
  }
}

/// How long a notification is leased.
public struct VisibilityTimeout: Hashable, Sendable {
  /// What is meant when none is named.
  public static let standard = Self(unchecked: .seconds(30))

  let duration: Duration

  private init(unchecked duration: Duration) { self.duration = duration }

  /// A timeout from 1 second to 12 hours.
  ///
  /// - Throws: `ItemError` `invalidArguments` for another.
  public init(_ duration: Duration) throws(ItemError) {
    guard duration >= .seconds(1), duration <= .seconds(12 * 3600) else {
      throw ItemError(
        .invalidArguments,
        "the visibility timeout is \(Self.text(duration)): use 1 second to 12 hours"
      )
    }
    self.duration = duration
  }

  /// As a floating-point number, 13 hours would be 46799.99999999999 seconds.
  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return attoseconds == 0 ? "\(seconds) seconds" : "\(duration)"
  }
}

/// A notification that a device has leased.
public struct LeasedNotification: Sendable {
  /// Which one.
  public let id: NotificationID
  /// Names this lease.
  public let leaseID: LeaseID
  /// The user's subscription that fired.
  public let subscriptionID: String
  /// The encoded notification, without its name and subscription.
  public let body: [UInt8]
  /// When the lease ends.
  public let expires: Timestamp
  /// How often the notification was leased, this time included.
  public var deliveryCount: Int64 { leaseID.number }
  /// The calling device made the change itself.
  public let isOwnChange: Bool
}

/// What a device got to work on.
public struct LeasePage: Sendable {
  /// Those handed out again first, then new ones in the order of the log.
  public internal(set) var items: [LeasedNotification] = []
  /// There is more at once.
  public internal(set) var moreComing = false
  /// When nothing was handed out: how long until the next lease of the group ends; `nil`: none is open.
  public internal(set) var nextExpiry: Duration?
}

/// What becomes of leases.
public enum LeaseSettlement: Hashable, Sendable {
  /// The work is done; the notification may be marked read too.
  case done(marksRead: Bool)
  /// The work is given back.
  case released
  /// The lease starts again.
  case extended(VisibilityTimeout)
}
