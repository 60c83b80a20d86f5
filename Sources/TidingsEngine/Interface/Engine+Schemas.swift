public import TidingsModel

extension Engine {
  /// Makes the development schema of a container equal to a text, or returns what would change.
  ///
  /// - Returns: The changes; none: it was so already.
  /// - Throws: `ItemError` `invalidArguments`, with line and column for a text that is no schema, or
  ///   `limitExceeded`; `SQLError`.
  public func applySchema(
    _ text: String,
    to container: String,
    isDryRun: Bool
  ) throws -> [SchemaChange] {
    try catalog.requireNoReset(of: container, .development)
    let changes = try schema.changes.apply(text, to: container, isDryRun: isDryRun)
    if !isDryRun { try follow(changes, of: container, .development) }
    return changes
  }

  /// Makes the production schema of a container equal to that of development, or returns what would change.
  ///
  /// - Returns: The changes; none: it was so already.
  /// - Throws: `ItemError` `invalidArguments` or `limitExceeded`; `SQLError`.
  public func deploySchema(of container: String, isDryRun: Bool) throws -> [SchemaChange] {
    try catalog.requireNoReset(of: container, .development)
    let changes = try schema.changes.deploy(container, isDryRun: isDryRun)
    if !isDryRun { try follow(changes, of: container, .production) }
    return changes
  }

  /// Subscriptions follow changes of grants.
  private func follow(
    _ changes: [SchemaChange],
    of container: String,
    _ environment: Environment
  ) throws {
    let areOfGrants = changes.contains { change in
      switch change {
      case .grant, .recordType: true
      case .role, .field: false
      }
    }
    guard areOfGrants else { return }
    try rotation.readers.grantsChanged(
      in: DatabaseID(
        container: container,
        environment: environment,
        scope: .public,
        owner: ""
      )
    )
  }
}
