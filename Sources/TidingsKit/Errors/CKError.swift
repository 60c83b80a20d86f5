public import Foundation

// The names of constants are CloudKit's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of `CKError`.
public let CKErrorDomain = "CKErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: the errors of the items that failed, by record, zone or subscription id.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: the record as it was when the client read it.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: the record as the server has it.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: the record as the client wanted it.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: seconds to wait before trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// In `userInfo`: the user reset encrypted data.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedDataKey"

/// Why something failed.
public struct CKError: CustomNSError, LocalizedError, CustomStringConvertible, Sendable, Hashable {
  /// The reasons, with CloudKit's numbers.
  public enum Code: Int, Sendable, CaseIterable {
    /// A defect of the server: report it.
    case internalError = 1
    /// Some items failed: see `partialErrorsByItemID`.
    case partialFailure = 2
    /// There is no network.
    case networkUnavailable = 3
    /// The server could not be reached.
    case networkFailure = 4
    /// The container does not exist, or its name is not valid.
    case badContainer = 5
    /// Try again later.
    case serviceUnavailable = 6
    /// Too many calls: try again later.
    case requestRateLimited = 7
    /// The key is not admitted to the container.
    case missingEntitlement = 8
    /// There is no user.
    case notAuthenticated = 9
    /// The user may not do this.
    case permissionFailure = 10
    /// There is no such item.
    case unknownItem = 11
    /// The request is wrong: change it.
    case invalidArguments = 12
    /// Not used.
    case resultsTruncated = 13
    /// Somebody else saved the record meanwhile: merge into `serverRecord` and save that.
    case serverRecordChanged = 14
    /// Refused.
    case serverRejectedRequest = 15
    /// The asset's file is not there.
    case assetFileNotFound = 16
    /// The asset's file changed while it was uploaded.
    case assetFileModified = 17
    /// This version is too old.
    case incompatibleVersion = 18
    /// A value that must be unique is taken.
    case constraintViolation = 19
    /// It was cancelled.
    case operationCancelled = 20
    /// The change token is too old: drop what was cached, and begin without one.
    case changeTokenExpired = 21
    /// Another item of the same atomic batch failed.
    case batchRequestFailed = 22
    /// The zone is busy: try again later.
    case zoneBusy = 23
    /// This database or zone cannot do that.
    case badDatabase = 24
    /// The quota is used up.
    case quotaExceeded = 25
    /// The zone does not exist.
    case zoneNotFound = 26
    /// Too many or too large items.
    case limitExceeded = 27
    /// The user deleted the zone.
    case userDeletedZone = 28
    /// A share has too many participants.
    case tooManyParticipants = 29
    /// The record is shared already.
    case alreadyShared = 30
    /// The target of a reference is missing, or still referred to.
    case referenceViolation = 31
    /// An administrator restricted the account.
    case managedAccountRestricted = 32
    /// The participant has to be verified.
    case participantMayNeedVerification = 33
    /// The answer was lost: the outcome is not known.
    case serverResponseLost = 34
    /// The asset cannot be had now.
    case assetNotAvailable = 35
    /// The account cannot be used now.
    case accountTemporarilyUnavailable = 36
    /// The participant was already invited.
    case participantAlreadyInvited = 37
  }

  /// The reason.
  public let code: Code
  /// What failed, where, and what to do.
  let message: String
  /// Seconds to wait before trying again, if that helps.
  public let retryAfterSeconds: Double?
  /// With `partialFailure`: the errors by record, zone or subscription id.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    // An item may appear twice in the request.
    partialErrors.isEmpty
      ? nil
      : Dictionary(
        partialErrors.map { ($0.id.hashable, $0.error) },
        uniquingKeysWith: { first, _ in first }
      )
  }
  /// With `serverRecordChanged`: the record as the server has it.
  public let serverRecord: CKRecord?
  /// With `serverRecordChanged`: the record as the client wanted it.
  public let clientRecord: CKRecord?
  /// With `serverRecordChanged`: the record as it was when the client read it, if still known.
  public let ancestorRecord: CKRecord?
  let partialErrors: [PartialError]
  /// What the maker of the error put into `userInfo` besides.
  let more: MoreUserInfo

  /// The id of an item that failed.
  enum ItemID: Hashable, Sendable {
    case record(CKRecord.ID)
    case zone(CKRecordZone.ID)
    case name(String)
    case notification(CKNotification.ID)
    case url(URL)
    case lookUp(CKUserIdentity.LookupInfo)

    var hashable: AnyHashable {
      switch self {
      case .record(let id): AnyHashable(id)
      case .zone(let id): AnyHashable(id)
      case .name(let name): AnyHashable(name)
      case .notification(let id): AnyHashable(id)
      case .url(let url): AnyHashable(url)
      case .lookUp(let info): AnyHashable(info)
      }
    }
  }

  /// The failure of one item.
  struct PartialError: Hashable, Sendable {
    let id: ItemID
    let error: CKError
  }

  init(
    _ code: Code,
    _ message: String,
    retryAfterSeconds: Double? = nil,
    partialErrors: [PartialError] = [],
    serverRecord: CKRecord? = nil,
    clientRecord: CKRecord? = nil,
    ancestorRecord: CKRecord? = nil,
    more: MoreUserInfo = MoreUserInfo([:])
  ) {
    self.code = code
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
    self.partialErrors = partialErrors
    self.serverRecord = serverRecord
    self.clientRecord = clientRecord
    self.ancestorRecord = ancestorRecord
    self.more = more
  }

  /// `CKErrorDomain`.
  public static var errorDomain: String { CKErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// What failed, where, and what to do.
  public var errorDescription: String? {
    // As Foundation words an error of which only the number is known.
    message.isEmpty
      ? NSError(domain: CKErrorDomain, code: errorCode).localizedDescription : message
  }
  /// The code, what failed, and the items that did.
  public var description: String {
    let items = partialErrors.prefix(5).map { "\n  \($0.id.hashable): \($0.error)" }.joined()
    return "CKError \(code.rawValue) \(code)\(message.isEmpty ? "" : ": " + message)\(items)"
  }
  /// What failed, where, and what to do.
  public var localizedDescription: String { errorDescription ?? "" }
  /// All of it, by the keys of CloudKit.
  public var userInfo: [String: Any] { errorUserInfo }
  /// All of it, by the keys of CloudKit.
  public var errorUserInfo: [String: Any] {
    var info = more.values
    info[NSLocalizedDescriptionKey] = message.ifAny
    info[CKErrorRetryAfterKey] = retryAfterSeconds.map { NSNumber(value: $0) }
    info[CKPartialErrorsByItemIDKey] = partialErrorsByItemID
    info[CKRecordChangedErrorServerRecordKey] = serverRecord
    info[CKRecordChangedErrorClientRecordKey] = clientRecord
    info[CKRecordChangedErrorAncestorRecordKey] = ancestorRecord
    return info
  }
}

extension CKError {
  /// The code `internalError`.
  public static var internalError: Code { .internalError }
  /// The code `partialFailure`.
  public static var partialFailure: Code { .partialFailure }
  /// The code `networkUnavailable`.
  public static var networkUnavailable: Code { .networkUnavailable }
  /// The code `networkFailure`.
  public static var networkFailure: Code { .networkFailure }
  /// The code `badContainer`.
  public static var badContainer: Code { .badContainer }
  /// The code `serviceUnavailable`.
  public static var serviceUnavailable: Code { .serviceUnavailable }
  /// The code `requestRateLimited`.
  public static var requestRateLimited: Code { .requestRateLimited }
  /// The code `missingEntitlement`.
  public static var missingEntitlement: Code { .missingEntitlement }
  /// The code `notAuthenticated`.
  public static var notAuthenticated: Code { .notAuthenticated }
  /// The code `permissionFailure`.
  public static var permissionFailure: Code { .permissionFailure }
  /// The code `unknownItem`.
  public static var unknownItem: Code { .unknownItem }
  /// The code `invalidArguments`.
  public static var invalidArguments: Code { .invalidArguments }
  /// The code `resultsTruncated`.
  public static var resultsTruncated: Code { .resultsTruncated }
  /// The code `serverRecordChanged`.
  public static var serverRecordChanged: Code { .serverRecordChanged }
  /// The code `serverRejectedRequest`.
  public static var serverRejectedRequest: Code { .serverRejectedRequest }
  /// The code `assetFileNotFound`.
  public static var assetFileNotFound: Code { .assetFileNotFound }
  /// The code `assetFileModified`.
  public static var assetFileModified: Code { .assetFileModified }
  /// The code `incompatibleVersion`.
  public static var incompatibleVersion: Code { .incompatibleVersion }
  /// The code `constraintViolation`.
  public static var constraintViolation: Code { .constraintViolation }
  /// The code `operationCancelled`.
  public static var operationCancelled: Code { .operationCancelled }
  /// The code `changeTokenExpired`.
  public static var changeTokenExpired: Code { .changeTokenExpired }
  /// The code `batchRequestFailed`.
  public static var batchRequestFailed: Code { .batchRequestFailed }
  /// The code `zoneBusy`.
  public static var zoneBusy: Code { .zoneBusy }
  /// The code `badDatabase`.
  public static var badDatabase: Code { .badDatabase }
  /// The code `quotaExceeded`.
  public static var quotaExceeded: Code { .quotaExceeded }
  /// The code `zoneNotFound`.
  public static var zoneNotFound: Code { .zoneNotFound }
  /// The code `limitExceeded`.
  public static var limitExceeded: Code { .limitExceeded }
  /// The code `userDeletedZone`.
  public static var userDeletedZone: Code { .userDeletedZone }
  /// The code `tooManyParticipants`.
  public static var tooManyParticipants: Code { .tooManyParticipants }
  /// The code `alreadyShared`.
  public static var alreadyShared: Code { .alreadyShared }
  /// The code `referenceViolation`.
  public static var referenceViolation: Code { .referenceViolation }
  /// The code `managedAccountRestricted`.
  public static var managedAccountRestricted: Code { .managedAccountRestricted }
  /// The code `participantMayNeedVerification`.
  public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
  /// The code `serverResponseLost`.
  public static var serverResponseLost: Code { .serverResponseLost }
  /// The code `assetNotAvailable`.
  public static var assetNotAvailable: Code { .assetNotAvailable }
  /// The code `accountTemporarilyUnavailable`.
  public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
  /// The code `participantAlreadyInvited`.
  public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}

extension CKError.Code {
  /// For `catch CKError.zoneNotFound`: whether an error has this code.
  public static func ~= (code: CKError.Code, error: any Error) -> Bool {
    (error as? CKError)?.code == code
  }
}

/// The reasons, as older code names them.
public typealias CKErrorCode = CKError.Code
