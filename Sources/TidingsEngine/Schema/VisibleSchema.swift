internal import TidingsModel

/// A schema as a user sees it: types that only others' private saves need are not there.
struct VisibleSchema {
  private let stored: StoredSchema
  /// `nil`: all types are seen.
  private let user: String?

  init(_ stored: StoredSchema, for user: String?) {
    self.stored = stored
    self.user = user
  }

  /// A record type; `nil`: to the user there is none of that name.
  func recordType(_ name: String) -> StoredSchema.RecordType? {
    guard let type = stored.types[name], isVisible(type) else { return nil }
    return type
  }

  /// The names of the types that the user sees, in no order.
  var recordTypes: some Sequence<String> {
    stored.types.lazy.filter { isVisible($0.value) }.map(\.key)
  }

  /// To the user there is no record type.
  var isEmpty: Bool { !stored.types.values.contains(where: isVisible) }

  private func isVisible(_ type: StoredSchema.RecordType) -> Bool {
    guard let user, !type.users.isEmpty else { return true }
    return type.users.contains(user)
  }
}
