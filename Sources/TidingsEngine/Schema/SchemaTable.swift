internal import TidingsModel
internal import TidingsSQL

/// The schemas of containers: what saves are held against, and what development learns from them.
final class SchemaTable {
  /// A schema in memory.
  final class Entry {
    let container: String
    let environment: Environment
    fileprivate(set) var stored: StoredSchema
    /// At most what its text has, in bytes.
    fileprivate(set) var textBytesMax: Int
    fileprivate var hasUnwrittenVersion = false

    init(_ container: String, _ environment: Environment, _ stored: StoredSchema) {
      self.container = container
      self.environment = environment
      self.stored = stored
      textBytesMax = stored.schema.textBytesMax
    }
  }

  private struct Key: Hashable {
    let container: String
    let environment: Environment
  }

  /// Most schemas that are kept from one transaction to the next.
  private static let schemasMax = 256

  private var known: [Key: Entry] = [:]
  /// The one that was used last: most calls are of one container.
  private var last: Entry?
  private var changed: [Entry] = []
  private let rows: SchemaRows
  private let writer: SchemaWriter
  private let limits: Limits

  init(_ connection: any SQLConnection, limits: Limits) throws {
    rows = try SchemaRows(connection)
    writer = try SchemaWriter(connection)
    self.limits = limits
  }

  /// The schema of a container in an environment; an empty one if the store has none.
  func entry(_ container: String, _ environment: Environment) throws -> Entry {
    if let last, last.environment == environment, last.container == container { return last }
    let key = Key(container: container, environment: environment)
    let entry =
      try known[key]
      ?? Entry(container, environment, rows.schema(of: container, environment) ?? StoredSchema())
    known[key] = entry
    last = entry
    return entry
  }

  /// Forgets what a transaction that was rolled back may have changed.
  func forget() {
    known = [:]
    last = nil
    changed = []
  }

  /// Writes the versions of the schemas that changed in this transaction.
  func writeVersions() throws(SQLError) {
    if changed.isEmpty, known.count <= Self.schemasMax { return }
    for entry in changed {
      try writer.write(version: entry.stored.version, of: entry)
      entry.hasUnwrittenVersion = false
    }
    changed.removeAll(keepingCapacity: true)
    if known.count > Self.schemasMax { forget() }
  }

  /// The schema is another one now, also when only the state of an index is.
  func touch(_ container: String, _ environment: Environment) throws {
    touch(try entry(container, environment))
  }

  private func touch(_ entry: Entry) {
    guard !entry.hasUnwrittenVersion else { return }
    entry.stored.version += 1
    entry.hasUnwrittenVersion = true
    changed.append(entry)
  }

  // MARK: Saves

  /// Holds a save's fields against the schema.
  ///
  /// - Parameters:
  ///   - fields: The fields to be stored.
  ///   - recordType: The record's type.
  ///   - database: The database; schemas belong to its container and environment.
  ///   - planned: By record type, the fields that earlier saves of the same call use first.
  /// - Returns: What is to be learned when the save is written.
  /// - Throws: `ItemError` `invalidArguments` for what the schema does not allow, `limitExceeded` for
  ///   a schema that would grow too large; `SQLError`.
  func check(
    _ fields: RecordFields,
    of recordType: String,
    in database: DatabaseID,
    planned: [String: [String: FieldValue.Kind]]
  ) throws -> SchemaDiscovery {
    let entry = try entry(database.container, database.environment)
    let type = entry.stored.types[recordType]
    if type == nil, database.environment == .production {
      throw ItemError.unknownType(recordType)
    }
    var discovery = SchemaDiscovery(isFirstRecord: type?.hasRecords != true)
    for field in fields.sorted {
      guard let kind = field.value?.kind else { continue }
      let declared = type?.fields[field.name]
      if let declared, declared.hasValues, declared.field.type == .values(kind) { continue }
      let planned = planned[recordType]?[field.name]
      if try isDiscovery(field.name, kind, declared, planned, recordType, entry) {
        discovery.fields.append((field.name, kind))
      }
    }
    if !discovery.isEmpty { try checkSize(of: entry, recordType, discovery, planned) }
    return discovery
  }

  /// Whether a field of a save is to be learned; throws when it cannot be.
  private func isDiscovery(
    _ name: String,
    _ kind: FieldValue.Kind,
    _ declared: StoredSchema.Field?,
    _ planned: FieldValue.Kind?,
    _ recordType: String,
    _ entry: Entry
  ) throws -> Bool {
    if declared == nil, entry.environment == .production {
      throw ItemError.unknownField(name, of: recordType)
    }
    if declared?.field.isEncrypted == true { throw ItemError.encrypted(name, of: recordType) }
    // An empty list of no type fits everywhere, and gives no type.
    if kind == .unknownList { return declared.map { !$0.hasValues } ?? false }
    let fixed = try declared.map { try self.kind(for: kind, of: name, $0, recordType, entry) }
    if let expected = fixed ?? planned, expected != kind {
      throw ItemError.wrongType(kind, of: name, in: recordType, expected: expected)
    }
    guard let declared else { return true }
    return !declared.hasValues
  }

  /// The kind that a declared field has for a value of a kind.
  ///
  /// A number takes the preferred kind, else that of the other environment, else the value's.
  private func kind(
    for kind: FieldValue.Kind,
    of name: String,
    _ declared: StoredSchema.Field,
    _ recordType: String,
    _ entry: Entry
  ) throws -> FieldValue.Kind {
    switch declared.field.type {
    case .values(let kind): return kind
    case .number(let preferred?): return preferred.kind
    case .number(preferred: nil):
      let environment: Environment = entry.environment == .production ? .development : .production
      let other = try self.entry(entry.container, environment).stored.types[recordType]?
        .fields[name]?.field.type
      if case .values(let kind)? = other, kind == .int64 || kind == .double { return kind }
      return kind == .double ? .double : .int64
    }
  }

  private func checkSize(
    of entry: Entry,
    _ recordType: String,
    _ discovery: SchemaDiscovery,
    _ planned: [String: [String: FieldValue.Kind]]
  ) throws(ItemError) {
    let types = entry.stored.types
    let newTypes = Set(planned.keys).union([recordType]).filter { types[$0] == nil }
    if types[recordType] == nil, types.count + newTypes.count > limits.recordTypesMax {
      throw ItemError.tooManyTypes(recordType, max: limits.recordTypesMax)
    }
    let known = types[recordType]?.fields ?? [:]
    var newFields = Set(planned[recordType, default: [:]].keys.filter { known[$0] == nil })
    for field in discovery.fields where known[field.name] == nil {
      newFields.insert(field.name)
      if known.count + newFields.count > limits.fieldsPerTypeMax {
        throw ItemError.tooManyFields(field.name, of: recordType, max: limits.fieldsPerTypeMax)
      }
    }
    guard !newFields.isEmpty || types[recordType] == nil else { return }
    var bytes = entry.textBytesMax
    for name in newTypes { bytes += Self.textBytesMax(ofNewType: name) }
    for name in newFields { bytes += Schema.textBytesMax(ofName: name) }
    for (type, fields) in planned where type != recordType {
      for name in fields.keys where types[type]?.fields[name] == nil {
        bytes += Schema.textBytesMax(ofName: name)
      }
    }
    if bytes > limits.schemaBytesMax {
      throw ItemError.schemaTooLarge("record type '\(recordType)'", max: limits.schemaBytesMax)
    }
  }

  private static func textBytesMax(ofNewType name: String) -> Int {
    Schema.defaultGrants.keys.reduce(Schema.textBytesMax(ofName: name)) {
      $0 + Schema.textBytesMax(ofName: $1)
    }
  }

  /// Learns what a save brought, which was written.
  func learn(
    _ discovery: SchemaDiscovery,
    of recordType: String,
    in database: DatabaseID
  ) throws {
    guard !discovery.isEmpty else { return }
    let entry = try entry(database.container, database.environment)
    if entry.stored.types[recordType] == nil {
      try write(.recordType(recordType, isAdded: true), to: entry)
      for (role, rights) in Schema.defaultGrants {
        try write(.grant(to: role, on: recordType, before: [], after: rights), to: entry)
      }
    }
    if entry.stored.types[recordType]?.hasRecords == false {
      entry.stored.types[recordType]?.hasRecords = true
      try writer.write(recordType, hasRecords: true, to: entry)
    }
    for (name, kind) in discovery.fields {
      var field = entry.stored.types[recordType]?.fields[name]
      guard field?.hasValues != true else { continue }
      let isNew = field == nil
      if kind != .unknownList, field?.field.type != .values(kind) {
        field = StoredSchema.Field(
          field: Schema.Field(.values(kind), indexes: field?.field.indexes ?? []),
          hasValues: true
        )
        touch(entry)
      }
      field?.hasValues = true
      guard let field else { continue }
      try writer.write(field, name, of: recordType, to: entry)
      entry.stored.types[recordType]?.fields[name] = field
      if isNew { entry.textBytesMax += Schema.textBytesMax(ofName: name) }
    }
  }

  // MARK: Changes

  /// Makes a change of a schema.
  func write(_ change: SchemaChange, to entry: Entry) throws(SQLError) {
    touch(entry)
    switch change {
    case .role(let name, let isAdded):
      try writer.write(role: name, isAdded: isAdded, to: entry)
      if isAdded { entry.stored.roles.insert(name) } else { entry.stored.roles.remove(name) }
    case .recordType(let name, true):
      try writer.write(name, hasRecords: false, to: entry)
      entry.stored.types[name] = StoredSchema.RecordType(hasRecords: false)
    case .recordType(let name, false):
      try writer.remove(name, from: entry)
      entry.stored.types[name] = nil
    case .field(let name, let type, _, nil):
      try writer.remove(name, of: type, from: entry)
      entry.stored.types[type]?.fields[name] = nil
    case .field(let name, let type, _, let after?):
      let before = entry.stored.types[type]?.fields[name]
      // No record has values of a type that was replaced.
      let hasValues = before?.hasValues == true && !change.mayLoseData
      let field = StoredSchema.Field(field: after, hasValues: hasValues)
      try writer.write(field, name, of: type, to: entry)
      entry.stored.types[type]?.fields[name] = field
    case .grant(let role, let type, _, let rights):
      try writer.write(rights, to: role, on: type, of: entry)
      entry.stored.types[type]?.grants[role] = rights.isEmpty ? nil : rights
    }
    switch change.kind {
    case .added: entry.textBytesMax += Schema.textBytesMax(ofName: change.name)
    case .removed: entry.textBytesMax -= Schema.textBytesMax(ofName: change.name)
    case .changed: break
    }
  }

  /// The container exists in an environment from now on, also without types.
  func declare(_ entry: Entry) {
    if entry.stored.version == 0 { touch(entry) }
  }
}

extension SchemaChange {
  /// The name that the text has in the line of this change.
  fileprivate var name: String {
    switch self {
    case .role(let name, _), .recordType(let name, _), .field(let name, _, _, _),
      .grant(let name, _, _, _):
      name
    }
  }
}
