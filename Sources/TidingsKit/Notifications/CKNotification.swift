public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// A firing of a subscription: pushed to the user's devices, and kept in the log.
///
/// What fired it says its class: `CKQueryNotification`, `CKRecordZoneNotification` or
/// `CKDatabaseNotification`.
open class CKNotification: NSObject, NSSecureCoding, CKNotificationChoosing, @unchecked Sendable {
  // Nothing of it changes.

  /// The cause of a notification.
  public enum NotificationType: Int, Sendable {
    /// A query subscription fired.
    case query = 1
    /// A zone subscription fired.
    case recordZone = 2
    /// Another device of the user marked a notification read.
    case readNotification = 3
    /// A database subscription fired.
    case database = 4
  }

  /// Names a notification.
  public typealias ID = CKNotificationID

  let content: NotificationContent

  init(_ content: NotificationContent) {
    self.content = content
    super.init()
  }

  private var wire: TidingsV1.Notification { content.wire }
  private var shown: TidingsV1.NotificationInfo { content.wire.notificationInfo ?? .init() }

  /// The cause.
  open var notificationType: NotificationType { content.type }
  /// Its name; `nil` in a push that lost it.
  open var notificationID: ID? { wire.notificationID.ifAny.map { ID($0) } }
  /// The container that it is from.
  open var containerIdentifier: String? {
    content.isContainerKnown ? wire.databaseID.map { $0.container.ifAny ?? "default" } : nil
  }
  /// The user whose subscription fired.
  open var subscriptionOwnerUserRecordID: CKRecord.ID? {
    content.user.ifAny.map { CKRecord.ID(recordName: $0) }
  }
  /// Parts were left out to keep the push small: the log has them (`CKFetchNotificationChangesOperation`).
  open var isPruned: Bool { wire.isPruned }
  /// The subscription that fired.
  open var subscriptionID: CKSubscription.ID? { wire.subscriptionID.ifAny }

  /// Text of the alert.
  open var alertBody: String? { shown.alertBody.ifAny }
  /// Key of a localized text; wins over `alertBody`.
  open var alertLocalizationKey: String? { shown.alertLocalizationKey.ifAny }
  /// Fill the localized text.
  open var alertLocalizationArgs: [String]? { wire.alertLocalizationValues.ifAny }
  /// Title of the alert.
  open var title: String? { shown.title.ifAny }
  /// Key of a localized title; wins over `title`.
  open var titleLocalizationKey: String? { shown.titleLocalizationKey.ifAny }
  /// Fill the localized title.
  open var titleLocalizationArgs: [String]? { wire.titleLocalizationValues.ifAny }
  /// Subtitle of the alert.
  open var subtitle: String? { shown.subtitle.ifAny }
  /// Key of a localized subtitle; wins over `subtitle`.
  open var subtitleLocalizationKey: String? { shown.subtitleLocalizationKey.ifAny }
  /// Fill the localized subtitle.
  open var subtitleLocalizationArgs: [String]? { wire.subtitleLocalizationValues.ifAny }
  /// Key of the localized text of the action button.
  open var alertActionLocalizationKey: String? { shown.alertActionLocalizationKey.ifAny }
  /// Name of an image to show while launching.
  open var alertLaunchImage: String? { shown.alertLaunchImage.ifAny }
  /// Name of a sound.
  open var soundName: String? { shown.soundName.ifAny }
  /// Category of actions.
  open var category: String? { shown.category.ifAny }
  /// The badge of the application; `nil`: the notification does not change it.
  open var badge: NSNumber? { content.badge.map { NSNumber(value: $0) } }

  /// Its type and name.
  open override var description: String {
    "<\(type(of: self)): \(wire.notificationID) of \(wire.subscriptionID)>"
  }

  // MARK: Archives

  /// Notifications can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all of it.
  open func encode(with coder: NSCoder) { content.encode(with: coder) }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let content = NotificationContent(coder: coder) else { return nil }
    self.content = content
    super.init()
  }

  /// A notification of the class that its type asks for.
  static func from(_ content: NotificationContent) -> CKNotification {
    switch content.type {
    case .query: CKQueryNotification(content)
    case .recordZone: CKRecordZoneNotification(content)
    case .database: CKDatabaseNotification(content)
    case .readNotification: CKNotification(content)
    }
  }
}

/// The cause of a notification, with its older name.
public typealias CKNotificationType = CKNotification.NotificationType

/// Lets `CKNotification(fromRemoteNotificationDictionary:)` make a notification of the right class.
///
/// An initializer of a class makes that class; one of a protocol may choose.
public protocol CKNotificationChoosing {}

extension CKNotificationChoosing where Self: CKNotification {
  /// The notification of a push; `nil` when it is not such a push, or not of this class.
  ///
  /// - Parameter notificationDictionary: The `userInfo` that the application was given.
  public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
    guard let content = NotificationContent(userInfo: notificationDictionary),
      let notification = CKNotification.from(content) as? Self
    else { return nil }
    self = notification
  }
}
