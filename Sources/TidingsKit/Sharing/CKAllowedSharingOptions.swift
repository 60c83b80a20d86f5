public import Foundation

/// Who may be invited to a share.
public struct CKSharingParticipantAccessOption: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Whoever has the URL.
  public static let anyoneWithLink = Self(rawValue: 1 << 0)
  /// Only users who are invited by name.
  public static let specifiedRecipientsOnly = Self(rawValue: 1 << 1)
  /// All of them.
  public static let any: Self = [.anyoneWithLink, .specifiedRecipientsOnly]
}

/// What those who are invited may do.
public struct CKSharingParticipantPermissionOption: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// They read.
  public static let readOnly = Self(rawValue: 1 << 0)
  /// They read and write.
  public static let readWrite = Self(rawValue: 1 << 1)
  /// All of them.
  public static let any: Self = [.readOnly, .readWrite]
}

/// What a program lets its users choose when they share: a value for the program's own interface, which the
/// system has for its sharing sheet.
open class CKAllowedSharingOptions: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Set before the options are used.

  /// What those who are invited may do.
  open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
  /// Who may be invited.
  open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption

  /// Everything is allowed.
  public class var standard: CKAllowedSharingOptions {
    CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .any,
      allowedParticipantAccessOptions: .any
    )
  }

  /// Options from their parts.
  public init(
    allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
    allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  ) {
    self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
    self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
    super.init()
  }

  /// Other options with the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
      allowedParticipantAccessOptions: allowedParticipantAccessOptions
    )
  }

  /// Options can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes both parts.
  open func encode(with coder: NSCoder) {
    coder.encode(Int64(allowedParticipantPermissionOptions.rawValue), forKey: "permission")
    coder.encode(Int64(allowedParticipantAccessOptions.rawValue), forKey: "access")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    func bits(_ key: String) -> UInt { UInt(clamping: coder.decodeInt64(forKey: key)) }
    allowedParticipantPermissionOptions = .init(rawValue: bits("permission"))
    allowedParticipantAccessOptions = .init(rawValue: bits("access"))
    super.init()
  }
}
