/// What the server knows of a record and predicates, sort orders and indexes name like a field.
///
/// No record has fields with these names: `Record.validate` refuses them.
public enum SystemField: String, CaseIterable, Sendable {
  /// A string.
  case recordName
  /// A reference to the record itself, with its zone; in the schema the same as `recordName`.
  case recordID
  /// A timestamp; absent from a record never saved.
  case creationDate
  /// A timestamp; absent from a record never saved.
  case modificationDate
  /// A reference to the user in the default zone; absent from a record never saved.
  case creatorUserRecordID
  /// A reference to the user in the default zone; absent from a record never saved.
  case lastModifiedUserRecordID
  /// A string; absent from a record never saved.
  case recordChangeTag
  /// A reference; absent from a record without a parent.
  case parent

  /// The field of a name: the canonical one, or that of the schema.
  public init?(name: String) {
    if let field = Self(canonicalName: name) {
      self = field
      return
    }
    guard name.utf8.first == UInt8(ascii: "_"),
      let field = Self.allCases.last(where: { $0.schemaName == name })
    else { return nil }
    self = field
  }

  /// The name in records, predicates and messages.
  public var name: String { rawValue }

  /// The name in schemas: `___createTime`.
  public var schemaName: String {
    switch self {
    case .recordName, .recordID: "___recordID"
    case .creationDate: "___createTime"
    case .modificationDate: "___modTime"
    case .creatorUserRecordID: "___createdBy"
    case .lastModifiedUserRecordID: "___modifiedBy"
    case .recordChangeTag: "___etag"
    case .parent: "___parent"
    }
  }

  /// The type of the values.
  public var kind: FieldValue.Kind {
    switch self {
    case .recordName, .recordChangeTag: .string
    case .creationDate, .modificationDate: .timestamp
    case .recordID, .creatorUserRecordID, .lastModifiedUserRecordID, .parent: .reference
    }
  }

  /// The value in a record.
  public func value(in record: Record) -> FieldValue? {
    switch self {
    case .recordName: .string(record.recordID.recordName)
    case .recordID: .reference(Reference(recordID: record.recordID))
    case .creationDate: record.created.map { .timestamp($0.timestamp) }
    case .modificationDate: record.modified.map { .timestamp($0.timestamp) }
    case .creatorUserRecordID: record.created.map { Self.reference(toUser: $0.caller.user) }
    case .lastModifiedUserRecordID: record.modified.map { Self.reference(toUser: $0.caller.user) }
    case .recordChangeTag: record.changeTag.isEmpty ? nil : .string(record.changeTag)
    case .parent: record.parent.map { .reference($0) }
    }
  }

  /// Why no field of a record may have a name, in words; `nil`: it may.
  static func problem(inUserFieldName name: String) -> String? {
    guard Self(canonicalName: name) != nil || otherReservedNames.contains(name) else { return nil }
    return "the field name '\(name)' is kept for the server's own field; choose another"
  }

  /// The reserved names that are no system fields of predicates.
  static let otherReservedNames: Set<String> = [
    "recordType", "share", Predicate.Comparison.fullTextField,
  ]

  static func reference(toUser user: String) -> FieldValue {
    .reference(Reference(recordID: RecordID(recordName: user)))
  }

  /// Asked for every field that a record does not have: the length distinguishes the names.
  fileprivate init?(canonicalName name: String) {
    let field: Self
    switch name.utf8.count {
    case 6: field = .parent
    case 8: field = .recordID
    case 10: field = .recordName
    case 12: field = .creationDate
    case 15: field = .recordChangeTag
    case 16: field = .modificationDate
    case 19: field = .creatorUserRecordID
    case 24: field = .lastModifiedUserRecordID
    default: return nil
    }
    guard field.rawValue == name else { return nil }
    self = field
  }
}

extension Record {
  /// The value that a predicate sees under a canonical name: of the field, or else of the system
  /// field.
  public func predicateValue(_ name: String) -> FieldValue? {
    if let value = fields[name] { return value }
    return SystemField(canonicalName: name)?.value(in: self)
  }
}
