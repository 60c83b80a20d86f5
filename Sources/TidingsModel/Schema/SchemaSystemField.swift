/// The fields that every record has, under their names in the schema language.
///
/// A type names one to declare an index on it.
public enum SchemaSystemField: String, CaseIterable, Sendable {
  case createTime = "___createTime"
  case createdBy = "___createdBy"
  case etag = "___etag"
  case modTime = "___modTime"
  case modifiedBy = "___modifiedBy"
  case recordID = "___recordID"

  /// What it holds.
  public var kind: FieldValue.Kind {
    switch self {
    case .createTime, .modTime: .timestamp
    case .createdBy, .modifiedBy, .recordID: .reference
    case .etag: .string
    }
  }

  /// Its name in predicates; `nil`: predicates cannot name it.
  public var predicateName: String? {
    switch self {
    case .createTime: SystemField.creationDate.rawValue
    case .modTime: SystemField.modificationDate.rawValue
    case .recordID: SystemField.recordName.rawValue
    case .createdBy, .etag, .modifiedBy: nil
    }
  }

  /// The system field that predicates know under a name.
  public init?(predicateName: String) {
    guard let field = Self.allCases.first(where: { $0.predicateName == predicateName }) else {
      return nil
    }
    self = field
  }
}
