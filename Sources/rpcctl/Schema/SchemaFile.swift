internal import TidingsModel

/// A file in the schema language, read here.
enum SchemaFile {
  /// Counts what a schema has.
  ///
  /// - Parameters:
  ///   - text: In the schema language.
  ///   - name: How messages call the file.
  /// - Returns: The counts.
  /// - Throws: `LocalFailure` with line, column and what is wrong there.
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
