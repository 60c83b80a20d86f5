public import TidingsModel

/// What a client asks of its notifications.
public struct NotificationRequest: Sendable {
  /// Whose notifications, and the device whose own changes are left out.
  public var caller: Caller
  /// The container.
  public var container: String
  /// The environment.
  public var environment: Environment
  /// What the last page returned; empty: from the oldest that is kept.
  public var changeToken: [UInt8]
  /// Most notifications in the page; 0: `Limits.pageItemsMax`.
  public var limit: Int
  /// Leave out what other devices marked read.
  public var omitsReadMarks = false
  /// Count the badge on the last page.
  public var wantsBadge = false
  /// Each notification gets its JSON, for which the badge is counted at those that increment it.
  public var wantsUserInfo = false

  /// A request for all notifications after a token.
  public init(
    caller: Caller,
    container: String,
    environment: Environment,
    changeToken: [UInt8] = [],
    limit: Int = 0
  ) {
    self.caller = caller
    self.container = container
    self.environment = environment
    self.changeToken = changeToken
    self.limit = limit
  }

  var inbox: Inbox {
    Inbox(user: caller.user, container: container, environment: environment)
  }
}

/// A page of a user's notifications.
public struct NotificationPage: Sendable {
  /// One notification.
  public struct Item: Sendable {
    /// Its name.
    public let id: NotificationID
    /// The user's subscription that fired.
    public let subscriptionID: String
    /// The encoded notification, without its name and subscription.
    public let body: [UInt8]
    /// The badge when it was stored; `nil`: it was not asked for, is not incremented, or not known.
    public internal(set) var badge: Int?
  }

  /// In the order in which they were stored, which within a channel is that of their numbers.
  public internal(set) var items: [Item] = []
  /// What other devices marked read, oldest first; comes after the items.
  public internal(set) var readMarks: [NotificationID] = []
  /// For the next page.
  public internal(set) var changeToken: [UInt8] = []
  /// There is more at once.
  public internal(set) var moreComing = false
  /// The next page begins with more of the call that the last item is of.
  public internal(set) var isSplit = false
  /// The badge, on the last page, if it was asked for.
  public internal(set) var badge: Int?

  /// Up to which number the device had each channel with this page.
  public var reached: [Int64: Int64] {
    Dictionary(items.lazy.map { ($0.id.channel, $0.id.sequence) }) { max($0, $1) }
  }
}
