internal import TidingsModel
internal import TidingsSQL

/// The types that fields have taken: fixed by the first save, per container and environment.
final class FieldTypes {
  private struct TypeKey: Hashable {
    let container: String
    let environment: Environment
    let recordType: String
  }

  private var known: [TypeKey: [String: FieldValue.Kind]] = [:]
  private let select: any SQLStatement
  private let insert: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      """
      SELECT field, kind FROM field_types
      WHERE container = ?1 AND environment = ?2 AND record_type = ?3
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO field_types (container, environment, record_type, field, kind)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """
    )
  }

  /// Fields that a save uses for the first time.
  typealias Discovery = [(field: String, kind: FieldValue.Kind)]

  /// Compares a save's fields with the types they have.
  ///
  /// - Parameters:
  ///   - fields: The fields to be stored.
  ///   - recordType: The record's type.
  ///   - database: The database; types belong to its container and environment.
  ///   - planned: The types that earlier saves of the same call give to fields without one.
  /// - Returns: The fields that have no type yet.
  /// - Throws: `ItemError` `invalidArguments` for a field of another type.
  func check(
    _ fields: RecordFields,
    of recordType: String,
    in database: DatabaseID,
    planned: [String: FieldValue.Kind]
  ) throws -> Discovery {
    let types = try types(of: key(recordType, database))
    var discovered: Discovery = []
    for field in fields.sorted {
      guard let kind = field.value?.kind, kind != .unknownList else { continue }
      let fixed = types[field.name]
      if fixed == nil { discovered.append((field.name, kind)) }
      guard let type = fixed ?? planned[field.name] else { continue }
      guard type == kind else {
        throw ItemError(
          .invalidArguments,
          "field '\(field.name)' of record type '\(recordType)' is \(type.rawValue) and cannot "
            + "hold \(kind.rawValue): send \(type.rawValue), or use another field"
        )
      }
    }
    return discovered
  }

  /// Fixes the types of fields used for the first time.
  func learn(
    _ discovery: Discovery,
    of recordType: String,
    in database: DatabaseID
  )
    throws(SQLError)
  {
    guard !discovery.isEmpty else { return }
    let key = key(recordType, database)
    for (field, kind) in discovery where known[key]?[field] == nil {
      insert.bind(database.container, at: 1)
      insert.bind(Int64(database.environment.rawValue), at: 2)
      insert.bind(recordType, at: 3)
      insert.bind(field, at: 4)
      insert.bind(kind.rawValue, at: 5)
      try insert.run()
      known[key, default: [:]][field] = kind
    }
  }

  /// Forgets what a transaction that was rolled back may have changed.
  func forget() { known = [:] }

  private func key(_ recordType: String, _ database: DatabaseID) -> TypeKey {
    TypeKey(
      container: database.container,
      environment: database.environment,
      recordType: recordType
    )
  }

  private func types(of key: TypeKey) throws -> [String: FieldValue.Kind] {
    if let types = known[key] { return types }
    var types: [String: FieldValue.Kind] = [:]
    select.bind(key.container, at: 1)
    select.bind(Int64(key.environment.rawValue), at: 2)
    select.bind(key.recordType, at: 3)
    try select.forEachRow {
      types[select.string(0)] = FieldValue.Kind(rawValue: select.string(1))
    }
    known[key] = types
    return types
  }
}
