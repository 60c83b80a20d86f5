internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto

extension TidingsV1.UserLookup {
  /// The look-up; errors name its position in the call.
  func model(at index: Int) throws(ItemError) -> UserLookup {
    switch key {
    case .userRecordName(let name): return .userRecordName(name)
    case .emailAddress(let text): return .emailAddress(text)
    case .phoneNumber(let text): return .phoneNumber(text)
    case nil:
      throw ItemError(
        .invalidArguments,
        "lookups[\(index)] has no key: set user_record_name, email_address or phone_number"
      )
    }
  }
}

extension TidingsV1.User {
  init(_ user: VisibleUser) {
    self.init(
      userRecordName: user.name,
      displayName: user.displayName,
      discoverable: user.isDiscoverable
    )
  }
}

extension TidingsV1.DirectoryEntry {
  init(_ entry: DirectoryEntry) {
    self.init(
      displayName: entry.displayName,
      emailAddress: entry.emailAddress ?? "",
      phoneNumber: entry.phoneNumber ?? ""
    )
  }
}

extension DirectoryEntry {
  init(_ message: TidingsV1.DirectoryEntry) {
    func text(_ text: String) -> String? { text.isEmpty ? nil : text }
    self.init(
      displayName: message.displayName,
      emailAddress: text(message.emailAddress),
      phoneNumber: text(message.phoneNumber)
    )
  }
}
