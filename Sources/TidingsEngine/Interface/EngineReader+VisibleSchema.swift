internal import TidingsModel

extension EngineReader {
  /// The schema that a user sees in a database.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func visibleSchema(
    of user: String,
    in database: DatabaseID,
    hidesTypes: Bool
  ) throws -> VisibleSchema {
    let stored = try schemas.schema(of: database.container, database.environment)
    let isHiding = try hidesTypes && !roles.isDeveloper(user, of: database.container)
    return VisibleSchema(stored, for: isHiding ? user : nil)
  }
}
