/// Which changes, of which records, cause notifications.
public struct Subscription: Hashable, Sendable {
  /// What a subscription watches.
  ///
  /// The numbers are those of `CKSubscription.SubscriptionType`.
  public enum Kind: Int32, Hashable, Sendable {
    /// Records of a type that match a predicate.
    case query = 1
    /// All changes in a zone.
    case recordZone = 2
    /// All changes in a database.
    case database = 3
  }

  /// The changes that make a query subscription fire.
  ///
  /// The first four bits are CloudKit's.
  public struct FiringOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int64

    /// Options from their bits.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// A matching record is created.
    public static let recordCreation = Self(rawValue: 1)
    /// A record is updated, and matches afterwards.
    public static let recordUpdate = Self(rawValue: 2)
    /// A record that matched is deleted.
    public static let recordDeletion = Self(rawValue: 4)
    /// The subscription is deleted when it has fired once.
    public static let once = Self(rawValue: 8)
    /// A record matches that did not match before.
    ///
    /// Not CloudKit's.
    public static let recordEnter = Self(rawValue: 16)
    /// A record that matched matches no longer.
    ///
    /// Not CloudKit's.
    public static let recordLeave = Self(rawValue: 32)
  }

  /// Unique among the user's subscriptions in the database.
  public var subscriptionID: String
  /// What it watches.
  public var kind = Kind.query
  /// The records' type; empty: records of all types, which a query subscription cannot watch.
  public var recordType: String
  /// Which records of the type.
  public var predicate: Predicate
  /// Only records of this zone; `nil`: of all zones.
  public var zoneID: ZoneID?
  /// Which changes.
  public var options: FiringOptions
  /// What to show and to carry; `nil`: nothing, a silent notification.
  public var notificationInfo: NotificationInfo?

  /// A query subscription.
  public init(
    subscriptionID: String,
    recordType: String,
    predicate: Predicate,
    zoneID: ZoneID? = nil,
    options: FiringOptions,
    notificationInfo: NotificationInfo? = nil
  ) {
    self.subscriptionID = subscriptionID
    self.recordType = recordType
    self.predicate = predicate
    self.zoneID = zoneID
    self.options = options
    self.notificationInfo = notificationInfo
  }
}

/// What is shown, and what is carried, when a subscription fires.
///
/// - SeeAlso: `proto/tidings/v1/notification.proto` describes each member.
public struct NotificationInfo: Hashable, Sendable {
  /// Text of the alert.
  public var alertBody = ""
  /// Key of a localized text; wins over `alertBody`.
  public var alertLocalizationKey = ""
  /// Fields whose values fill the localized text.
  public var alertLocalizationArgs: [String] = []
  /// Title of the alert.
  public var title = ""
  /// Key of a localized title; wins over `title`.
  public var titleLocalizationKey = ""
  /// Fields whose values fill the localized title.
  public var titleLocalizationArgs: [String] = []
  /// Subtitle of the alert.
  public var subtitle = ""
  /// Key of a localized subtitle; wins over `subtitle`.
  public var subtitleLocalizationKey = ""
  /// Fields whose values fill the localized subtitle.
  public var subtitleLocalizationArgs: [String] = []
  /// Key of the localized text of the action button.
  public var alertActionLocalizationKey = ""
  /// Name of an image to show while launching.
  public var alertLaunchImage = ""
  /// Name of a sound.
  public var soundName = ""
  /// Fields whose values the notification carries.
  public var desiredKeys: [String] = []
  /// Increments the badge.
  public var shouldBadge = false
  /// Wakes the application without showing anything.
  public var shouldSendContentAvailable = false
  /// Lets the application change the notification before it is shown.
  public var shouldSendMutableContent = false
  /// Category of actions.
  public var category = ""
  /// Notifications with the same value replace each other where they are shown.
  public var collapseIDKey = ""

  /// Nothing shown, nothing carried.
  public init() {}
}
