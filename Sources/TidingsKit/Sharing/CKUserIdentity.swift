public import Foundation
internal import TidingsProto

/// A user, as others see them.
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The user's record.
  public let userRecordID: CKRecord.ID?
  /// By what the user was looked up.
  public let lookupInfo: LookupInfo?
  /// The name that others see, as `nickname`; `nil`: not known.
  public let nameComponents: PersonNameComponents?
  /// Whether there is such a user.
  public let hasiCloudAccount: Bool
  /// Kept for compatibility: there is no address book.
  public var contactIdentifiers: [String] { [] }

  init(name: String, displayName: String = "", lookupInfo: LookupInfo? = nil) {
    userRecordID = name.isEmpty ? nil : CKRecord.ID(recordName: name)
    self.lookupInfo = lookupInfo
    hasiCloudAccount = !name.isEmpty
    if displayName.isEmpty {
      nameComponents = nil
    } else {
      var components = PersonNameComponents()
      components.nickname = displayName
      nameComponents = components
    }
  }

  /// Identities are equal when the users are.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentity else { return false }
    return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
  }

  /// Of the user.
  public override var hash: Int { userRecordID?.hash ?? 0 }

  /// Itself: identities do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes who it is.
  public func encode(with coder: NSCoder) {
    coder.encode(userRecordID, forKey: "userRecordID")
    coder.encode(lookupInfo, forKey: "lookupInfo")
    coder.encode(nameComponents?.nickname.map { NSString(string: $0) }, forKey: "displayName")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    let id = coder.object(of: CKRecord.ID.self, forKey: "userRecordID")
    let displayName = coder.object(of: NSString.self, forKey: "displayName")
    self.init(
      name: id?.recordName ?? "",
      displayName: displayName.map { String(describing: $0) } ?? "",
      lookupInfo: coder.object(of: LookupInfo.self, forKey: "lookupInfo")
    )
  }
}
/// By what a user is looked up: users have names here, which may be addresses.
public final class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// An address, if it was made from one: found when it is the user's name.
  public let emailAddress: String?
  /// A number, if it was made from one: found when it is the user's name.
  public let phoneNumber: String?
  /// The user's record, if it was made from one.
  public let userRecordID: CKRecord.ID?

  private init(_ email: String?, _ phone: String?, _ id: CKRecord.ID?) {
    emailAddress = email
    phoneNumber = phone
    userRecordID = id
  }

  /// By an address.
  public convenience init(emailAddress: String) { self.init(emailAddress, nil, nil) }
  /// By a number.
  public convenience init(phoneNumber: String) { self.init(nil, phoneNumber, nil) }
  /// By the record's identity: its name is the user's.
  public convenience init(userRecordID: CKRecord.ID) { self.init(nil, nil, userRecordID) }

  /// By addresses.
  public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
    emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
  }
  /// By numbers.
  public class func lookupInfos(
    withPhoneNumbers phoneNumbers: [String]
  ) -> [CKUserIdentityLookupInfo] {
    phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
  }
  /// By records' identities.
  public class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
    recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
  }

  /// The name that is looked up.
  var name: String { userRecordID?.recordName ?? emailAddress ?? phoneNumber ?? "" }

  /// Equal when they look up the same, in the same way.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentityLookupInfo else { return false }
    return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  /// Of the name.
  public override var hash: Int { name.hashValue }

  /// Itself: it does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// It can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes what is looked up.
  public func encode(with coder: NSCoder) {
    coder.encode(emailAddress.map { NSString(string: $0) }, forKey: "emailAddress")
    coder.encode(phoneNumber.map { NSString(string: $0) }, forKey: "phoneNumber")
    coder.encode(userRecordID, forKey: "userRecordID")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    let email = coder.object(of: NSString.self, forKey: "emailAddress")
    let phone = coder.object(of: NSString.self, forKey: "phoneNumber")
    self.init(
      email.map { String(describing: $0) },
      phone.map { String(describing: $0) },
      coder.object(of: CKRecord.ID.self, forKey: "userRecordID")
    )
  }
}

extension CKUserIdentity {
  /// By what a user is looked up.
  public typealias LookupInfo = CKUserIdentityLookupInfo
}
