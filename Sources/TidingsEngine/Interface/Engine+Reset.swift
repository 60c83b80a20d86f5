public import TidingsModel

extension Engine {
  /// Brings the development environment of a container back to what production has.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - user: Who wants it.
  ///   - isDryRun: Changes nothing.
  /// - Returns: How the schema changes, how many databases have zones to remove, and whether the reset
  ///   goes on after this call.
  /// - Throws: `SQLError`.
  public func resetDevelopment(
    of container: String,
    by user: String,
    isDryRun: Bool
  ) throws -> (changes: [SchemaChange], databaseCount: Int, isRunning: Bool) {
    let changes = try schema.changes.reset(container, isDryRun: true)
    let count = try erasure.development.databaseCount(of: container)
    if !isDryRun { try erasure.development.begin(container, by: user, at: moment) }
    return (changes, count, erasure.development.isRunning(container))
  }
}
