internal import TidingsMemory
internal import TidingsModel

/// The schema of a container in one environment, as the store has it.
struct StoredSchema {
  /// A field, and whether a value was ever saved into it.
  struct Field {
    var field: Schema.Field
    var hasValues: Bool
  }

  /// A record type, and whether a record of it was ever saved.
  struct RecordType {
    var fields: [String: Field] = [:]
    var grants: [String: Schema.Rights] = [:]
    var hasRecords: Bool
    /// The users whose private saves need the type, which others do not see; empty: everybody sees it.
    var users: Set<String> = []
  }

  /// Changes with every change; 0 for a schema that is not in the store.
  var version: Int64 = 0
  var types: [String: RecordType] = [:]
  var roles: Set<String> = []

  /// The types of which not every user may read all records in the public database.
  var closedTypes: Set<String> {
    Set(types.lazy.filter { !TypeRights.isOpen($0.value.grants, of: $0.key) }.map(\.key))
  }

  /// The memory that the schema takes, about, in bytes.
  var memoryBytes: Int {
    var count = roles.count
    var nameBytes = roles.reduce(0) { $0 + $1.utf8.count }
    for (name, type) in types {
      count += 1 + type.fields.count + type.grants.count + type.users.count
      nameBytes += name.utf8.count
      nameBytes += type.fields.keys.reduce(0) { $0 + $1.utf8.count }
      nameBytes += type.grants.keys.reduce(0) { $0 + $1.utf8.count }
      nameBytes += type.users.reduce(0) { $0 + $1.utf8.count }
    }
    return MemoryShares.schemaCost(count: count, nameBytes: nameBytes)
  }

  /// The schema itself.
  var schema: Schema {
    Schema(
      recordTypes: types.mapValues {
        Schema.RecordType(fields: $0.fields.mapValues(\.field), grants: $0.grants)
      },
      roles: roles
    )
  }
}

/// What a save brings that its schema does not have yet.
struct SchemaDiscovery {
  /// The fields that a save uses for the first time, with the kinds of their values.
  var fields: [(name: String, kind: FieldValue.Kind)] = []
  /// It is the first record of its type.
  var isFirstRecord = false
  /// The type becomes visible: to the user who saves, or with a save to the public database to all.
  var showsType = false

  var isEmpty: Bool { fields.isEmpty && !isFirstRecord && !showsType }
}

extension Schema {
  /// At most what the text of this schema has, in bytes.
  var textBytesMax: Int {
    recordTypes.reduce(roles.reduce(0) { $0 + Self.textBytesMax(ofName: $1) }) { total, type in
      type.value.fields.keys.reduce(
        total + Self.textBytesMax(ofName: type.key)
          + type.value.grants.keys.reduce(0) { $0 + Self.textBytesMax(ofName: $1) }
      ) { $0 + Self.textBytesMax(ofName: $1) }
    }
  }

  /// At most what a line of the text has: indentation, a column for the name, a type, indexes.
  static func textBytesMax(ofName name: String) -> Int { name.utf8.count + 120 }
}
