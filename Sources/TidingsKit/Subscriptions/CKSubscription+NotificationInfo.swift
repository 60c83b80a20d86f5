public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// What is shown, and carried, when a subscription fires.
open class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Set before its subscription is saved.

  /// As it is sent: an empty text stands for none.
  var wire: TidingsV1.NotificationInfo

  /// Nothing is shown or carried.
  public override init() {
    wire = .init()
    super.init()
  }

  init(_ wire: TidingsV1.NotificationInfo) {
    self.wire = wire
    super.init()
  }

  /// All at once.
  public convenience init(
    alertBody: String? = nil,
    alertLocalizationKey: String? = nil,
    alertLocalizationArgs: [CKRecord.FieldKey] = [],
    title: String? = nil,
    titleLocalizationKey: String? = nil,
    titleLocalizationArgs: [CKRecord.FieldKey] = [],
    subtitle: String? = nil,
    subtitleLocalizationKey: String? = nil,
    subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
    alertActionLocalizationKey: String? = nil,
    alertLaunchImage: String? = nil,
    soundName: String? = nil,
    desiredKeys: [CKRecord.FieldKey] = [],
    shouldBadge: Bool = false,
    shouldSendContentAvailable: Bool = false,
    shouldSendMutableContent: Bool = false,
    category: String? = nil,
    collapseIDKey: String? = nil
  ) {
    self.init()
    self.alertBody = alertBody
    self.alertLocalizationKey = alertLocalizationKey
    self.alertLocalizationArgs = alertLocalizationArgs
    self.title = title
    self.titleLocalizationKey = titleLocalizationKey
    self.titleLocalizationArgs = titleLocalizationArgs
    self.subtitle = subtitle
    self.subtitleLocalizationKey = subtitleLocalizationKey
    self.subtitleLocalizationArgs = subtitleLocalizationArgs
    self.alertActionLocalizationKey = alertActionLocalizationKey
    self.alertLaunchImage = alertLaunchImage
    self.soundName = soundName
    self.desiredKeys = desiredKeys
    self.shouldBadge = shouldBadge
    self.shouldSendContentAvailable = shouldSendContentAvailable
    self.shouldSendMutableContent = shouldSendMutableContent
    self.category = category
    self.collapseIDKey = collapseIDKey
  }

  /// Text of the alert.
  open var alertBody: String? {
    get { wire.alertBody.ifAny }
    set { wire.alertBody = newValue ?? "" }
  }

  /// Key of a localized text; wins over `alertBody`.
  open var alertLocalizationKey: String? {
    get { wire.alertLocalizationKey.ifAny }
    set { wire.alertLocalizationKey = newValue ?? "" }
  }

  /// Names of fields whose values fill the localized text; query subscriptions only.
  open var alertLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.alertLocalizationArgs.ifAny }
    set { wire.alertLocalizationArgs = newValue ?? [] }
  }

  /// Title of the alert.
  open var title: String? {
    get { wire.title.ifAny }
    set { wire.title = newValue ?? "" }
  }

  /// Key of a localized title; wins over `title`.
  open var titleLocalizationKey: String? {
    get { wire.titleLocalizationKey.ifAny }
    set { wire.titleLocalizationKey = newValue ?? "" }
  }

  /// Names of fields whose values fill the localized title.
  open var titleLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.titleLocalizationArgs.ifAny }
    set { wire.titleLocalizationArgs = newValue ?? [] }
  }

  /// Subtitle of the alert.
  open var subtitle: String? {
    get { wire.subtitle.ifAny }
    set { wire.subtitle = newValue ?? "" }
  }

  /// Key of a localized subtitle; wins over `subtitle`.
  open var subtitleLocalizationKey: String? {
    get { wire.subtitleLocalizationKey.ifAny }
    set { wire.subtitleLocalizationKey = newValue ?? "" }
  }

  /// Names of fields whose values fill the localized subtitle.
  open var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.subtitleLocalizationArgs.ifAny }
    set { wire.subtitleLocalizationArgs = newValue ?? [] }
  }

  /// Key of the localized text of the action button.
  open var alertActionLocalizationKey: String? {
    get { wire.alertActionLocalizationKey.ifAny }
    set { wire.alertActionLocalizationKey = newValue ?? "" }
  }

  /// Name of an image to show while launching.
  open var alertLaunchImage: String? {
    get { wire.alertLaunchImage.ifAny }
    set { wire.alertLaunchImage = newValue ?? "" }
  }

  /// Name of a sound; `default` for the system's.
  open var soundName: String? {
    get { wire.soundName.ifAny }
    set { wire.soundName = newValue ?? "" }
  }

  /// Fields whose values the notification carries; query subscriptions only.
  open var desiredKeys: [CKRecord.FieldKey]? {
    get { wire.desiredKeys.ifAny }
    set { wire.desiredKeys = newValue ?? [] }
  }

  /// Increments the badge.
  open var shouldBadge: Bool {
    get { wire.shouldBadge }
    set { wire.shouldBadge = newValue }
  }

  /// Wakes the application without showing anything.
  open var shouldSendContentAvailable: Bool {
    get { wire.shouldSendContentAvailable }
    set { wire.shouldSendContentAvailable = newValue }
  }

  /// Lets the application change the notification before it is shown.
  open var shouldSendMutableContent: Bool {
    get { wire.shouldSendMutableContent }
    set { wire.shouldSendMutableContent = newValue }
  }

  /// Category of actions.
  open var category: String? {
    get { wire.category.ifAny }
    set { wire.category = newValue ?? "" }
  }

  /// Notifications with the same collapse id replace each other where they are shown: the name of a
  /// field that has it, or the id itself.
  open var collapseIDKey: String? {
    get { wire.collapseIDKey.ifAny }
    set { wire.collapseIDKey = newValue ?? "" }
  }

  /// Another one that says the same.
  open func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(wire) }

  /// It can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all of it.
  open func encode(with coder: NSCoder) {
    coder.encode(Data(wire.encoded()) as NSData, forKey: "info")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "info"),
      let wire = try? TidingsV1.NotificationInfo(decoding: Array(Data(referencing: data)))
    else { return nil }
    self.wire = wire
    super.init()
  }
}

extension CKSubscription {
  /// What is shown, and carried, when a subscription fires.
  public typealias NotificationInfo = CKNotificationInfo
}

extension Collection {
  /// Nothing instead of an empty one, as CloudKit has it.
  var ifAny: Self? { isEmpty ? nil : self }
}
