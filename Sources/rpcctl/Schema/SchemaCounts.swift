internal import TidingsJSON

/// The number of types, fields and roles of a schema.
struct SchemaCounts: Hashable {
  var recordTypes: Int
  var fields: Int
  var indexedFields: Int
  var roles: Int

  /// The counts as text.
  var text: String {
    "record types: \(recordTypes), fields: \(fields), indexed: \(indexedFields), roles: \(roles)"
  }

  /// The counts as JSON.
  var json: JSONValue {
    .object([
      "recordTypes": .integer(recordTypes), "fields": .integer(fields),
      "indexedFields": .integer(indexedFields), "roles": .integer(roles),
    ])
  }
}
