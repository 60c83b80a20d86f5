internal import TidingsMemory
public import TidingsModel
internal import TidingsSQL

/// Schemas as of a reader's snapshot; read again only when they have changed.
final class SchemaReader {
  private struct Key: Hashable {
    let container: String
    let environment: Environment
  }

  /// What the schemas may take that the loop keeps, and those of each thread that reads.
  static func bytesMax(_ limits: Limits) -> Int { limits.memory[.schemas] / 5 }

  private var known: [Key: StoredSchema] = [:]
  private var knownBytes = 0
  private let knownBytesMax: Int
  private let rows: SchemaRows
  fileprivate let selectIndexes: any SQLStatement
  fileprivate let selectHidden: any SQLStatement

  /// - Parameters:
  ///   - connection: The store.
  ///   - bytesMax: What the schemas may take that are kept.
  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection, bytesMax: Int) throws {
    knownBytesMax = bytesMax
    rows = try SchemaRows(connection)
    selectHidden = try connection.prepare(
      """
      SELECT DISTINCT record_type FROM type_users AS t
      WHERE container = ?1 AND environment = ?2 AND NOT EXISTS (
        SELECT 1 FROM type_users AS u WHERE u.container = ?1 AND u.environment = ?2
          AND u.record_type = t.record_type AND u.user = ?3
      )
      """
    )
    selectIndexes = try connection.prepare(
      """
      SELECT record_type, field, kind, state FROM field_indexes
      WHERE container = ?1 AND environment = ?2 AND state < 3
      ORDER BY record_type, field, kind
      """
    )
  }

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
    let bytes = schema.memoryBytes
    // One that changed counts again, and all are forgotten sooner.
    if knownBytes + bytes > knownBytesMax { (known, knownBytes) = ([:], 0) }
    known[key] = schema
    knownBytes += bytes
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

extension SchemaReader {
  /// The schema of a container, with its indexes.
  ///
  /// - Throws: As `schema`.
  func info(of container: String, _ environment: Environment) throws -> SchemaInfo {
    let stored = try schema(of: container, environment)
    var info = SchemaInfo(schema: stored.schema, indexes: [], version: stored.version)
    selectIndexes.bind(container, at: 1)
    selectIndexes.bind(Int64(environment.rawValue), at: 2)
    try selectIndexes.forEachRow {
      info.indexes.append(
        SchemaInfo.Index(
          recordType: selectIndexes.string(0),
          fieldName: selectIndexes.string(1),
          isOrdered: selectIndexes.int64(2) == IndexKind.ordered.rawValue,
          isReady: selectIndexes.int64(3) == IndexState.ready.rawValue
        )
      )
    }
    return info
  }
}

extension SchemaReader {
  /// The types that only others' private saves need.
  func hiddenTypes(
    of container: String,
    _ environment: Environment,
    from user: String
  ) throws -> Set<String> {
    var types: Set<String> = []
    selectHidden.bind(container, at: 1)
    selectHidden.bind(Int64(environment.rawValue), at: 2)
    selectHidden.bind(user, at: 3)
    try selectHidden.forEachRow { types.insert(selectHidden.string(0)) }
    return types
  }
}

/// The schema of a container as it is now.
public struct SchemaInfo: Hashable, Sendable {
  /// One index.
  public struct Index: Hashable, Sendable {
    /// The record type.
    public var recordType: String
    /// The field, under its name in the schema language.
    public var fieldName: String
    /// It finds values and orders by them; else it finds words.
    public var isOrdered: Bool
    /// Queries use it; else records are being added.
    public var isReady: Bool
  }

  /// The schema itself.
  public var schema: Schema
  /// Its indexes, sorted by type and field.
  public var indexes: [Index]
  /// Changes with every change; 0 for a container that has no schema.
  public var version: Int64

  /// Takes types out.
  mutating func hide(_ types: Set<String>) {
    guard !types.isEmpty else { return }
    schema.recordTypes = schema.recordTypes.filter { !types.contains($0.key) }
    indexes.removeAll { types.contains($0.recordType) }
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
