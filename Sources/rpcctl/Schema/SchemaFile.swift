internal import TidingsModel

/// A schema file that is parsed locally.
enum SchemaFile {
  /// Counts the types, fields and roles of a schema.
  ///
  /// - Parameters:
  ///   - text: The schema, in the schema language.
  ///   - name: The file's name in messages.
  /// - Returns: The counts.
  /// - Throws: `LocalFailure` with line, column and error.
  static func counts(_ text: String, name: String) throws(LocalFailure) -> SchemaCounts {
    do {
      let schema = try Schema(text: text)
      let fields = schema.recordTypes.values.map(\.fields)
      return SchemaCounts(
        recordTypes: schema.recordTypes.count,
        fields: fields.reduce(0) { $0 + $1.count },
        indexedFields: fields.reduce(0) { $0 + $1.values.count { !$0.indexes.isEmpty } },
        roles: schema.roles.count
      )
    } catch {
      throw LocalFailure("\(name), \(error)")
    }
  }
}
