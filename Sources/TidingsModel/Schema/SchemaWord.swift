/// A word of the schema language; read in any case, printed in capitals.
enum SchemaWord: String {
  case define = "DEFINE"
  case schema = "SCHEMA"
  case create = "CREATE"
  case role = "ROLE"
  case record = "RECORD"
  case type = "TYPE"
  case grant = "GRANT"
  case to = "TO"
  case read = "READ"
  case write = "WRITE"
  case encrypted = "ENCRYPTED"
  case list = "LIST"
  case number = "NUMBER"
  case preferred = "PREFERRED"
  case `as` = "AS"
  case queryable = "QUERYABLE"
  case sortable = "SORTABLE"
  case searchable = "SEARCHABLE"

  /// As a name it stands in quotes.
  var isReserved: Bool {
    switch self {
    case .grant, .preferred, .queryable, .sortable, .searchable: true
    default: false
    }
  }

  /// In the order in which they are printed.
  static let indexes: [(word: Self, index: Schema.Indexes)] = [
    (.queryable, .queryable), (.sortable, .sortable), (.searchable, .searchable),
  ]

  /// In the order in which they are printed.
  static let rights: [(word: Self, right: Schema.Rights)] = [
    (.read, .read), (.create, .create), (.write, .write),
  ]
}
