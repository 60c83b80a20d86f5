public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// A subscription to changes: the server stores it, and notifies the user's devices.
///
/// Make one of its kinds: `CKQuerySubscription`, `CKRecordZoneSubscription` or
/// `CKDatabaseSubscription`.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // What can change is set before it is saved.

  /// The name of a subscription.
  public typealias ID = String

  /// What a subscription watches.
  public enum SubscriptionType: Int, Sendable {
    /// Records of a type that match a predicate.
    case query = 1
    /// All changes in a zone.
    case recordZone = 2
    /// All changes in a database.
    case database = 3
  }

  /// 1 to 255 bytes of printable ASCII; unique among the user's subscriptions in the database.
  public let subscriptionID: ID
  /// What it watches.
  public let subscriptionType: SubscriptionType
  /// What is shown, and carried, when it fires; `nil`: a silent notification.
  ///
  /// It is copied when it is set.
  open var notificationInfo: NotificationInfo? {
    get { info }
    set { info = newValue?.copy() as? NotificationInfo }
  }
  private var info: NotificationInfo?

  init(subscriptionID: ID, subscriptionType: SubscriptionType) {
    self.subscriptionID = subscriptionID
    self.subscriptionType = subscriptionType
    super.init()
  }

  /// What all kinds have in common, as the server has it.
  init(_ wire: TidingsV1.Subscription, subscriptionType: SubscriptionType) {
    subscriptionID = wire.subscriptionID
    self.subscriptionType = subscriptionType
    info = wire.notificationInfo.map { NotificationInfo($0) }
    super.init()
  }

  /// As it is sent; kinds add what is theirs.
  ///
  /// - Throws: `invalidArguments` for what cannot be sent, for example a predicate made from a block.
  func wire() throws -> TidingsV1.Subscription {
    .init(
      subscriptionID: subscriptionID,
      type: .init(rawValue: Int32(subscriptionType.rawValue)),
      notificationInfo: info?.wire
    )
  }

  /// Another subscription that says the same.
  open func copy(with zone: NSZone? = nil) -> Any {
    (try? wire()).flatMap { CKSubscription.from($0) } ?? self
  }

  /// Subscriptions are equal when all that is saved of them is.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKSubscription else { return false }
    if other === self { return true }
    guard let wire = try? wire(), let otherWire = try? other.wire() else { return false }
    return wire == otherWire
  }

  /// Of the name.
  open override var hash: Int { subscriptionID.hashValue }

  /// Its name.
  open override var description: String { "<\(type(of: self)): \(subscriptionID)>" }

  // MARK: Archives

  /// Subscriptions can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  private static let key = "subscription"

  /// Writes all of it; a predicate that no server understands is left out, and the archive cannot be
  /// read.
  open func encode(with coder: NSCoder) {
    guard let wire = try? wire() else { return }
    coder.encode(Data(wire.encoded()) as NSData, forKey: Self.key)
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let wire = Self.decode(coder), let type = SubscriptionType(wire.type) else { return nil }
    subscriptionID = wire.subscriptionID
    subscriptionType = type
    info = wire.notificationInfo.map { NotificationInfo($0) }
    super.init()
  }

  static func decode(_ coder: NSCoder) -> TidingsV1.Subscription? {
    coder.object(of: NSData.self, forKey: key)
      .flatMap { try? TidingsV1.Subscription(decoding: Array(Data(referencing: $0))) }
  }

  /// A subscription of the server's.
  ///
  /// - Returns: `nil` for a kind that only a newer client knows.
  static func from(_ wire: TidingsV1.Subscription) -> CKSubscription? {
    switch SubscriptionType(wire.type) {
    case .query?: CKQuerySubscription(wire)
    case .recordZone?: CKRecordZoneSubscription(wire)
    case .database?: CKDatabaseSubscription(wire)
    case nil: nil
    }
  }
}

/// What a subscription watches, as older code names it.
public typealias CKSubscriptionType = CKSubscription.SubscriptionType

extension CKSubscription.SubscriptionType {
  init?(_ wire: TidingsV1.SubscriptionType) { self.init(rawValue: Int(wire.rawValue)) }
}
