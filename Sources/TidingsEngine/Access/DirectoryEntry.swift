internal import TidingsModel

/// What a user publishes in the directory of a container.
public struct DirectoryEntry: Hashable, Sendable {
  /// What others see; empty: the display name of the account.
  public var displayName: String
  /// An e-mail address by which others find the user; `nil`: none.
  public var emailAddress: String?
  /// A phone number by which others find the user; `nil`: none.
  public var phoneNumber: String?

  /// What a user publishes.
  public init(displayName: String = "", emailAddress: String? = nil, phoneNumber: String? = nil) {
    self.displayName = displayName
    self.emailAddress = emailAddress
    self.phoneNumber = phoneNumber
  }

  /// The same with address and number as they are stored.
  ///
  /// - Throws: `ItemError` `invalidArguments` for a text that is not valid.
  func normalized() throws(ItemError) -> DirectoryEntry {
    try AccountGrammar.check(text: displayName, what: "display name")
    var entry = self
    if let text = emailAddress { entry.emailAddress = try DirectoryGrammar.emailAddress(text) }
    if let text = phoneNumber { entry.phoneNumber = try DirectoryGrammar.phoneNumber(text) }
    return entry
  }
}

/// By what a user is looked up.
public enum UserLookup: Hashable, Sendable {
  /// The name of the user's record.
  case userRecordName(String)
  /// An address that the user published.
  case emailAddress(String)
  /// A number that the user published.
  case phoneNumber(String)
}

/// A user, as another one sees them.
public struct VisibleUser: Hashable, Sendable {
  /// The user's record name.
  public var name: String
  /// Empty: there is none, or the other may not see it.
  public var displayName: String
  /// Whether the user is in the directory.
  public var isDiscoverable: Bool
}

/// What addresses and numbers may be, and how they are compared.
enum DirectoryGrammar {
  /// Longest address, in bytes.
  static let emailBytesMax = 254
  /// Digits of a number.
  static let phoneDigits = 7...15

  /// An address as it is stored: in lower case.
  static func emailAddress(_ text: String) throws(ItemError) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard text.utf8.count <= emailBytesMax, parts.count == 2, !parts.contains(where: \.isEmpty),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      throw ItemError(
        .invalidArguments,
        "the e-mail address \(Identifier.shown(text)) is not valid: use at most \(emailBytesMax) printable ASCII "
          + "characters without spaces, with one '@' between name and domain"
      )
    }
    return text.lowercased()
  }

  /// A number as it is stored: a plus sign and digits.
  static func phoneNumber(_ text: String) throws(ItemError) -> String {
    let characters = text.filter { !" -.()".contains($0) }
    let digits = characters.utf8.dropFirst()
    guard characters.utf8.first == UInt8(ascii: "+"), phoneDigits.contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw ItemError(
        .invalidArguments,
        "the phone number \(Identifier.shown(text)) is not valid: write '+', the country code and the number, "
          + "\(phoneDigits.lowerBound) to \(phoneDigits.upperBound) digits"
      )
    }
    return characters
  }
}
