internal import TidingsCodec
internal import TidingsModel
internal import TidingsWire

/// The fields of a record type of which values were saved and that are not encrypted: what a save puts into them needs
/// no more than the right kind.
final class PlainFields {
  let recordType: String
  /// There is such a type.
  private let isKnown: Bool
  /// Every user sees the type, and it has records.
  let isKnownToAll: Bool
  /// In the order of their names.
  private let sorted: [(name: String, nameBytes: Int, kind: FieldValue.Kind)]
  /// All names, one after the other.
  private let names: [UInt8]

  /// The fields of a type; `nil`: there is none.
  init(of recordType: String, _ type: StoredSchema.RecordType?) {
    self.recordType = recordType
    isKnown = type != nil
    isKnownToAll = type.map { $0.hasRecords && $0.users.isEmpty } ?? false
    sorted = (type?.fields ?? [:]).compactMap { name, field in
      guard field.hasValues, !field.field.isEncrypted, case .values(let kind) = field.field.type
      else { return nil }
      return (name, name.utf8.count, kind)
    }.sorted { $0.name < $1.name }
    names = sorted.flatMap { $0.name.utf8 }
  }

  /// Whether the type is known and these are fields of it, with values of their kinds.
  ///
  /// Both are sorted, so that one walk compares them.
  func cover(_ fields: RecordFields) -> Bool {
    guard isKnown else { return false }
    if let packed = fields.packed { return packed.withBytes { cover(packed: $0) } }
    var index = 0
    for field in fields.sorted {
      guard let kind = field.value?.kind else { return false }
      while index < sorted.count, sorted[index].name != field.name { index += 1 }
      guard index < sorted.count, sorted[index].kind == kind else { return false }
      index += 1
    }
    return true
  }

  private func cover(packed bytes: UnsafeRawBufferPointer) -> Bool {
    names.withUnsafeBytes { names in
      guard let first = names.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      return sorted.withUnsafeBufferPointer { known in
        var (index, name) = (0, first)
        for field in PackedFieldSequence(bytes) {
          var isFound = false
          while !isFound, index < known.count {
            let end = name + known[index].nameBytes
            isFound = LentBytes(name..<end).isEqual(to: field.name)
            if isFound, known[index].kind != field.kind { return false }
            name = end
            index += 1
          }
          if !isFound { return false }
        }
        return true
      }
    }
  }
}
