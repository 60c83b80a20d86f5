internal import TidingsModel

/// What an index finds.
enum IndexKind: Int64, Hashable, Sendable {
  /// Values, in their order: QUERYABLE and SORTABLE.
  case ordered = 1
  /// The words of texts: SEARCHABLE.
  case words = 2
}

/// Where an index stands.
enum IndexState: Int64, Hashable, Sendable {
  /// Records that were there before are being added.
  case building = 1
  /// Queries use it.
  case ready = 2
  /// Its entries are being removed; for everybody else it is gone.
  case beingRemoved = 3
  /// Nothing is left of it but its number, which is not given again.
  case removed = 4
}

/// An index, as the schema shows it.
struct IndexInfo: Hashable, Sendable {
  /// The record type.
  var recordType: String
  /// The field, or a system field under its name in the schema language, `___createTime` for example.
  var field: String
  var kind: IndexKind
  /// `building` or `ready`.
  var state: IndexState
}

/// An index of one field of a record type, in all databases of a container and environment.
final class DeclaredIndex {
  /// Never given to another index: the cursors of queries name it.
  let number: Int64
  let type: RecordTypeKey
  /// As in the schema language.
  let field: String
  let kind: IndexKind
  /// The name that predicates have for the field.
  let predicateName: String
  var state: IndexState
  /// While building: the records up to this zone and name are in it.
  var built: (zone: Int64, name: String)

  init(
    number: Int64,
    type: RecordTypeKey,
    field: String,
    kind: IndexKind,
    state: IndexState,
    built: (zone: Int64, name: String)
  ) {
    self.number = number
    self.type = type
    self.field = field
    self.kind = kind
    self.state = state
    self.built = built
    predicateName = IndexedField.predicateName(field)
  }

  /// Whether saves of this record keep the index up to date; if not, building will come to it.
  func covers(_ name: String, in zone: Int64) -> Bool {
    switch state {
    case .ready: true
    case .building: (zone, name) <= built
    case .beingRemoved, .removed: false
    }
  }
}

/// A record type of a container and environment.
struct RecordTypeKey: Hashable {
  let container: String
  let environment: Environment
  let recordType: String
}

/// The two names of a system field.
enum IndexedField {
  /// The name that predicates have for a field of the schema.
  static func predicateName(_ schemaName: String) -> String {
    // A record's ID is indexed by its name.
    if schemaName == SystemField.recordName.schemaName { return SystemField.recordName.name }
    return SystemField(name: schemaName)?.name ?? schemaName
  }

  /// The name that the schema has for a field in a predicate.
  static func schemaName(_ predicateName: String) -> String {
    SystemField(name: predicateName)?.schemaName ?? predicateName
  }
}
