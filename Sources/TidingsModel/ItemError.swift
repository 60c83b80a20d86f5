/// Why one item failed: a stable code, a message for people, and what may help.
///
/// The codes are CloudKit's, with their numbers; `proto/tidings/v1/error.proto` is their table.
public struct ItemError: Error, Sendable {
  /// A reason, equal on the wire and in Swift; an unknown number is still a value.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number, that of `CKError.Code`.
    public let rawValue: Int32

    /// A code from its number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A defect of the server.
    public static let internalError = Self(rawValue: 1)
    /// Some items of the call failed.
    public static let partialFailure = Self(rawValue: 2)
    /// Too many calls: repeat later.
    public static let requestRateLimited = Self(rawValue: 7)
    /// The name of the container is not valid.
    public static let badContainer = Self(rawValue: 5)
    /// The server cannot answer now.
    public static let serviceUnavailable = Self(rawValue: 6)
    /// The call names no user.
    public static let notAuthenticated = Self(rawValue: 9)
    /// The user may not do this.
    public static let permissionFailure = Self(rawValue: 10)
    /// The item does not exist.
    public static let unknownItem = Self(rawValue: 11)
    /// The request is wrong: change it.
    public static let invalidArguments = Self(rawValue: 12)
    /// The stored change tag differs from the one sent: fetch, merge, save again.
    public static let serverRecordChanged = Self(rawValue: 14)
    /// The request is understood and refused.
    public static let serverRejectedRequest = Self(rawValue: 15)
    /// The change token is too old or from another store: start again without one.
    public static let changeTokenExpired = Self(rawValue: 21)
    /// Another item of the same atomic batch failed.
    public static let batchRequestFailed = Self(rawValue: 22)
    /// The zone is contended: repeat later.
    public static let zoneBusy = Self(rawValue: 23)
    /// This database or zone does not have the operation.
    public static let badDatabase = Self(rawValue: 24)
    /// The quota is used up.
    public static let quotaExceeded = Self(rawValue: 25)
    /// The zone does not exist: create it, then retry.
    public static let zoneNotFound = Self(rawValue: 26)
    /// Too many or too large items: split the batch.
    public static let limitExceeded = Self(rawValue: 27)
    /// The zone is gone because the user removed the data of the application.
    public static let userDeletedZone = Self(rawValue: 28)
    /// A share has too many participants.
    public static let tooManyParticipants = Self(rawValue: 29)
    /// The record, an ancestor or a descendant is already shared.
    public static let alreadyShared = Self(rawValue: 30)
    /// The target of a reference is missing, or still referred to.
    public static let referenceViolation = Self(rawValue: 31)
    /// An administrator restricted the account.
    public static let managedAccountRestricted = Self(rawValue: 32)
    /// The asset is not there: upload it first.
    public static let assetNotAvailable = Self(rawValue: 35)
    /// The participant was already invited.
    public static let participantAlreadyInvited = Self(rawValue: 37)
  }

  /// The reason.
  public var code: Code
  /// What failed, where, and what to do.
  ///
  /// Safe to show anyone.
  public var message: String
  /// How long to wait before repeating; `nil` when repeating alone does not help.
  public var retryAfter: Duration?
  /// With `serverRejectedRequest` for a subscription: the equivalent one that exists.
  public var existingSubscriptionID: String?
  /// The error that led to this one, if any: for logs of this process, never sent to a peer.
  public var cause: (any Error)?

  /// An error with a reason and a message.
  public init(
    _ code: Code,
    _ message: String,
    retryAfter: Duration? = nil,
    existingSubscriptionID: String? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.existingSubscriptionID = existingSubscriptionID
    self.cause = cause
  }
}

extension ItemError: Hashable {
  /// Whether a peer sees the same: causes are not compared.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.message == b.message && a.retryAfter == b.retryAfter
      && a.existingSubscriptionID == b.existingSubscriptionID
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(retryAfter)
    hasher.combine(existingSubscriptionID)
  }
}

extension ItemError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The message; safe to show anyone.
  public var description: String { message }

  /// The message and the causes: may name files and statements.
  public var debugDescription: String {
    guard let cause else { return description }
    return "\(description), caused by \(type(of: cause)): \(String(reflecting: cause))"
  }
}
