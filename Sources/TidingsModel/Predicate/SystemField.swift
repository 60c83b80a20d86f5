/// What the server knows of a record and predicates can name like a field.
///
/// No record has fields with these names: `Record.validate` refuses them.
package enum SystemField: String, CaseIterable {
  /// A string.
  case recordName
  /// A timestamp; absent from a record never saved.
  case creationDate
  /// A timestamp; absent from a record never saved.
  case modificationDate

  /// The value in a record.
  package func value(in record: Record) -> FieldValue? {
    switch self {
    case .recordName: .string(record.recordID.recordName)
    case .creationDate: record.created.map { .timestamp($0.timestamp) }
    case .modificationDate: record.modified.map { .timestamp($0.timestamp) }
    }
  }
}

extension Record {
  /// The value that a predicate sees under a name: of the field, or else of the system field.
  package func predicateValue(_ name: String) -> FieldValue? {
    if let value = fields[name] { return value }
    return SystemField(rawValue: name)?.value(in: self)
  }
}
