public import TidingsKeys
public import TidingsModel

/// A user whom an administrator created, and what admits the user.
public struct Account: Hashable, Sendable {
  /// The user's record name.
  public var name: String
  /// What others see.
  public var displayName: String
  /// When the user was created.
  public var created: Timestamp
  /// The user's calls are refused since; `nil`: they are not.
  public var restricted: Timestamp?
  /// The user's own quota; `nil`: the server's.
  public var quota: Quota?
  /// The user's roles, sorted.
  public var roles: [String] = []
  /// The keys in the order of their admission; of the revoked ones the newest.
  public var keys: [AccountKey] = []
}

/// A key that was admitted.
public struct AccountKey: Hashable, Sendable {
  /// What connections carry instead; never assigned twice.
  public var number: Int64
  /// The key.
  public var publicKey: PublicKey
  /// What it is for.
  public var label: String
  /// When it was admitted.
  public var admitted: Timestamp
  /// Refused from then on; `nil`: never.
  public var expires: Timestamp?
  /// Refused since; `nil`: it is not.
  public var revoked: Timestamp?
}

/// A key to be admitted.
public struct KeyRequest: Hashable, Sendable {
  /// The key.
  public var publicKey: PublicKey
  /// What it is for; empty: as before.
  public var label: String
  /// Refused from then on; `nil`: never.
  public var expires: Timestamp?

  /// A key to be admitted.
  public init(_ publicKey: PublicKey, label: String = "", expires: Timestamp? = nil) {
    self.publicKey = publicKey
    self.label = label
    self.expires = expires
  }
}

/// A user to be created.
public struct AccountRequest: Hashable, Sendable {
  /// The name.
  public var name: String
  /// What others see.
  public var displayName: String
  /// The roles.
  public var roles: [String]
  /// The first key; `nil`: the user cannot call yet.
  public var key: KeyRequest?
  /// The user's own quota; `nil`: the server's.
  public var quota: Quota?

  /// A user to be created.
  public init(
    _ name: String,
    displayName: String = "",
    roles: [String] = [],
    key: KeyRequest? = nil,
    quota: Quota? = nil
  ) {
    self.name = name
    self.displayName = displayName
    self.roles = roles
    self.key = key
    self.quota = quota
  }
}

/// What is to change about a user; what is `nil` stays.
public struct AccountChange: Hashable, Sendable {
  /// What becomes of the quota.
  public enum QuotaChange: Hashable, Sendable {
    /// The user gets one.
    case set(Quota)
    /// The server's again.
    case remove
  }

  /// What others see.
  public var displayName: String?
  /// Whether the user's calls are refused.
  public var isRestricted: Bool?
  /// The user's own quota.
  public var quota: QuotaChange?

  /// A change.
  public init(displayName: String? = nil, isRestricted: Bool? = nil, quota: QuotaChange? = nil) {
    self.displayName = displayName
    self.isRestricted = isRestricted
    self.quota = quota
  }
}
