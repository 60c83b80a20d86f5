internal import TidingsModel
internal import TidingsSQL

/// Writes the rows of schemas.
final class SchemaWriter {
  private let upsertVersion: any SQLStatement
  private let upsertType: any SQLStatement
  private let upsertField: any SQLStatement
  private let upsertGrant: any SQLStatement
  private let insertRole: any SQLStatement
  private let deleteType: any SQLStatement
  private let deleteField: any SQLStatement
  private let deleteGrant: any SQLStatement
  private let deleteRole: any SQLStatement
  private let insertUser: any SQLStatement
  private let deleteUsers: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    upsertVersion = try connection.prepare(
      """
      INSERT INTO schemas (container, environment, version) VALUES (?1, ?2, 1)
      ON CONFLICT (container, environment) DO UPDATE SET version = schemas.version + 1
      """
    )
    upsertType = try connection.prepare(
      """
      INSERT INTO record_types (container, environment, record_type, used) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (container, environment, record_type) DO UPDATE SET used = excluded.used
      """
    )
    upsertField = try connection.prepare(
      """
      INSERT INTO field_types (container, environment, record_type, field, kind, flags)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (container, environment, record_type, field)
        DO UPDATE SET kind = excluded.kind, flags = excluded.flags
      """
    )
    upsertGrant = try connection.prepare(
      """
      INSERT INTO schema_grants (container, environment, record_type, role, rights)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (container, environment, record_type, role) DO UPDATE SET rights = excluded.rights
      """
    )
    insertRole = try connection.prepare(
      "INSERT INTO schema_roles (container, environment, role) VALUES (?1, ?2, ?3)"
    )
    func delete(_ table: String, _ columns: String...) throws -> any SQLStatement {
      let keys = ["container", "environment"] + columns
      let conditions = keys.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
      return try connection.prepare("DELETE FROM \(table) WHERE \(conditions)")
    }
    deleteType = try delete("record_types", "record_type")
    deleteField = try delete("field_types", "record_type", "field")
    deleteGrant = try delete("schema_grants", "record_type", "role")
    deleteRole = try delete("schema_roles", "role")
    deleteUsers = try delete("type_users", "record_type")
    insertUser = try connection.prepare(
      """
      INSERT INTO type_users (container, environment, record_type, user)
      VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING
      """
    )
  }

  /// The schema is another one, and in the store from now on.
  func moveVersion(of entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, to: upsertVersion)
    try upsertVersion.run()
  }

  func write(_ type: String, hasRecords: Bool, to entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, type, to: upsertType)
    upsertType.bind(hasRecords ? 1 : 0 as Int64, at: 4)
    try upsertType.run()
  }

  /// Removes a type; its fields and grants are the caller's to remove.
  func remove(_ type: String, from entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, type, to: deleteType)
    try deleteType.run()
  }

  func write(
    _ field: StoredSchema.Field,
    _ name: String,
    of type: String,
    to entry: SchemaTable.Entry
  ) throws(SQLError) {
    bind(entry, type, name, to: upsertField)
    upsertField.bind(field.field.type.text, at: 5)
    upsertField.bind(field.flags, at: 6)
    try upsertField.run()
  }

  func remove(_ field: String, of type: String, from entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, type, field, to: deleteField)
    try deleteField.run()
  }

  /// Writes the rights of a role; none: removes them.
  func write(
    _ rights: Schema.Rights,
    to role: String,
    on type: String,
    of entry: SchemaTable.Entry
  ) throws(SQLError) {
    let statement = rights.isEmpty ? deleteGrant : upsertGrant
    bind(entry, type, role, to: statement)
    if !rights.isEmpty { statement.bind(Int64(rights.rawValue), at: 5) }
    try statement.run()
  }

  /// A user whose saves need a type that others do not see.
  func write(user: String, of type: String, to entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, type, user, to: insertUser)
    try insertUser.run()
  }

  /// Everybody sees a type.
  func removeUsers(of type: String, from entry: SchemaTable.Entry) throws(SQLError) {
    bind(entry, type, to: deleteUsers)
    try deleteUsers.run()
  }

  func write(role: String, isAdded: Bool, to entry: SchemaTable.Entry) throws(SQLError) {
    let statement = isAdded ? insertRole : deleteRole
    bind(entry, role, to: statement)
    try statement.run()
  }

  private func bind(
    _ entry: SchemaTable.Entry,
    _ names: String...,
    to statement: any SQLStatement
  ) {
    statement.bind(entry.container, at: 1)
    statement.bind(Int64(entry.environment.rawValue), at: 2)
    for (index, name) in names.enumerated() { statement.bind(name, at: 3 + index) }
  }
}
