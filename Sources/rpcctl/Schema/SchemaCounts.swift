internal import TidingsJSON

/// How much a schema has.
struct SchemaCounts: Hashable {
  var recordTypes: Int
  var fields: Int
  var indexedFields: Int
  var roles: Int

  /// For people.
  var text: String {
    "record types: \(recordTypes), fields: \(fields), indexed: \(indexedFields), roles: \(roles)"
  }

  /// For programs.
  var json: JSONValue {
    .object([
      "recordTypes": .integer(recordTypes), "fields": .integer(fields),
      "indexedFields": .integer(indexedFields), "roles": .integer(roles),
    ])
  }
}
