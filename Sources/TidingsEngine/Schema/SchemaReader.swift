internal import TidingsModel
internal import TidingsSQL

/// Schemas as of a reader's snapshot; read again only when they have changed.
final class SchemaReader {
  private struct Key: Hashable {
    let container: String
    let environment: Environment
  }

  /// Most schemas that are kept.
  private static let schemasMax = 64

  private var known: [Key: StoredSchema] = [:]
  private let rows: SchemaRows

  init(_ connection: any SQLConnection) throws { rows = try SchemaRows(connection) }

  /// The schema of a container.
  ///
  /// - Throws: `badContainer` for one that nobody deployed to production; `SQLError`.
  func schema(of container: String, _ environment: Environment) throws -> StoredSchema {
    let key = Key(container: container, environment: environment)
    guard let version = try rows.version(of: container, environment) else {
      guard environment == .development else { throw ItemError.notDeployed(container) }
      return StoredSchema()
    }
    if let schema = known[key], schema.version == version { return schema }
    let schema = try rows.schema(of: container, environment) ?? StoredSchema()
    if known.count >= Self.schemasMax { known = [:] }
    known[key] = schema
    return schema
  }

  /// A record type of the container of a database; `nil`: the container does not have it.
  ///
  /// - Throws: `badContainer`; `SQLError`.
  func recordType(
    _ name: String,
    in database: DatabaseID
  ) throws -> StoredSchema.RecordType? {
    try schema(of: database.container, database.environment).types[name]
  }
}

extension ItemError {
  /// The container is not there in production.
  static func notDeployed(_ container: String) -> ItemError {
    ItemError(
      .badContainer,
      "container '\(container)' does not exist in production: deploy its schema from development "
        + "first (rpcctl --container \(container) schema deploy)"
    )
  }
}
