internal import TidingsModel
internal import TidingsSQL

/// Reads schemas from the store.
final class SchemaRows {
  /// What `field_types.flags` has besides the numbers of `Schema.Indexes`.
  enum Flag {
    static let encrypted: Int64 = 8
    static let hasValues: Int64 = 16
    static let indexes: Int64 = 7
  }

  private let selectVersion: any SQLStatement
  private let selectTypes: any SQLStatement
  private let selectFields: any SQLStatement
  private let selectGrants: any SQLStatement
  private let selectRoles: any SQLStatement
  private let selectUsers: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    func select(_ columns: String, from table: String) throws -> any SQLStatement {
      try connection.prepare(
        "SELECT \(columns) FROM \(table) WHERE container = ?1 AND environment = ?2"
      )
    }
    selectVersion = try select("version", from: "schemas")
    selectTypes = try select("record_type, used", from: "record_types")
    selectFields = try select("record_type, field, kind, flags", from: "field_types")
    selectGrants = try select("record_type, role, rights", from: "schema_grants")
    selectRoles = try select("role", from: "schema_roles")
    selectUsers = try select("record_type, user", from: "type_users")
  }

  /// The version of a container's schema; `nil`: it has none.
  func version(of container: String, _ environment: Environment) throws(SQLError) -> Int64? {
    bind(container, environment, to: selectVersion)
    defer { selectVersion.reset() }
    return try selectVersion.step() ? selectVersion.int64(0) : nil
  }

  /// The schema of a container; `nil`: it has none.
  ///
  /// - Throws: `SQLError`, also when the store holds what no schema has.
  func schema(of container: String, _ environment: Environment) throws -> StoredSchema? {
    guard let version = try version(of: container, environment) else { return nil }
    var schema = StoredSchema(version: version)
    try forEachRow(selectTypes, container, environment) { row in
      schema.types[row.string(0)] = StoredSchema.RecordType(hasRecords: row.int64(1) != 0)
    }
    try forEachRow(selectFields, container, environment) { row in
      let name = row.string(1)
      guard let type = Schema.FieldType(text: row.string(2)) else {
        throw SQLError(.damaged, "the field \(name) has the type \(row.string(2))")
      }
      let flags = row.int64(3)
      schema.types[row.string(0)]?.fields[name] = StoredSchema.Field(
        field: Schema.Field(
          type,
          isEncrypted: flags & Flag.encrypted != 0,
          indexes: Schema.Indexes(rawValue: Int(flags & Flag.indexes))
        ),
        hasValues: flags & Flag.hasValues != 0
      )
    }
    try forEachRow(selectGrants, container, environment) { row in
      schema.types[row.string(0)]?.grants[row.string(1)] = Schema.Rights(
        rawValue: Int(row.int64(2))
      )
    }
    try forEachRow(selectUsers, container, environment) { row in
      schema.types[row.string(0)]?.users.insert(row.string(1))
    }
    try forEachRow(selectRoles, container, environment) { row in
      schema.roles.insert(row.string(0))
    }
    return schema
  }

  private func forEachRow(
    _ statement: any SQLStatement,
    _ container: String,
    _ environment: Environment,
    _ body: (any SQLStatement) throws -> Void
  ) throws {
    bind(container, environment, to: statement)
    try statement.forEachRow { try body(statement) }
  }

  private func bind(
    _ container: String,
    _ environment: Environment,
    to statement: any SQLStatement
  ) {
    statement.bind(container, at: 1)
    statement.bind(Int64(environment.rawValue), at: 2)
  }
}

extension StoredSchema.Field {
  /// The number in `field_types.flags`.
  var flags: Int64 {
    Int64(field.indexes.rawValue) | (field.isEncrypted ? SchemaRows.Flag.encrypted : 0)
      | (hasValues ? SchemaRows.Flag.hasValues : 0)
  }
}
