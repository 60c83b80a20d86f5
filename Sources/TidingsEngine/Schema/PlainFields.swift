internal import TidingsModel

/// The fields of a record type of which values were saved and that are not encrypted: what a save puts into them needs
/// no more than the right kind.
struct PlainFields {
  let recordType: String
  /// There is such a type.
  private let isKnown: Bool
  /// Every user sees the type, and it has records.
  let isKnownToAll: Bool
  /// In the order of their names.
  private let sorted: [(name: String, kind: FieldValue.Kind)]

  /// The fields of a type; `nil`: there is none.
  init(of recordType: String, _ type: StoredSchema.RecordType?) {
    self.recordType = recordType
    isKnown = type != nil
    isKnownToAll = type.map { $0.hasRecords && $0.users.isEmpty } ?? false
    sorted = (type?.fields ?? [:]).compactMap { name, field in
      guard field.hasValues, !field.field.isEncrypted, case .values(let kind) = field.field.type
      else { return nil }
      return (name, kind)
    }.sorted { $0.name < $1.name }
  }

  /// Whether the type is known and these are fields of it, with values of their kinds.
  ///
  /// Both are sorted, so that one walk compares them.
  func cover(_ fields: RecordFields) -> Bool {
    guard isKnown else { return false }
    var index = 0
    for field in fields.sorted {
      guard let kind = field.value?.kind else { return false }
      while index < sorted.count, sorted[index].name != field.name { index += 1 }
      guard index < sorted.count, sorted[index].kind == kind else { return false }
      index += 1
    }
    return true
  }
}
