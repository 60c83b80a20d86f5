internal import TidingsModel

extension EngineReader {
  /// Which records of a database a caller may read; `nil`: all.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  func publicReading(of user: String, in database: DatabaseID) throws -> PublicReading? {
    guard database.scope == .public else { return nil }
    return PublicReading(
      user: user,
      container: database.container,
      try schemas.schema(of: database.container, database.environment),
      roles
    )
  }
}
