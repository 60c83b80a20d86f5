internal import TidingsModel
internal import TidingsSQL

extension SchemaTable {
  /// The fields of a type that most saves use.
  func plainFields(of recordType: String, in database: DatabaseID) throws -> PlainFields {
    try entry(database.container, database.environment).plainFields(of: recordType)
  }

  /// Holds a save's fields against the schema.
  ///
  /// - Parameters:
  ///   - fields: The fields to be stored.
  ///   - recordType: The record's type.
  ///   - database: The database; schemas belong to its container and environment.
  ///   - planned: By record type, the fields that earlier saves of the same call use first.
  ///   - user: Who saves, if not everybody sees all types.
  ///   - teaches: Whether the save may bring new types and fields; asked only if it would.
  /// - Returns: What is to be learned when the save is written.
  /// - Throws: `ItemError` `invalidArguments` for what the schema does not allow, `limitExceeded` for
  ///   a schema that would grow too large; `SQLError`.
  func check(
    _ fields: RecordFields,
    of recordType: String,
    in database: DatabaseID,
    planned: [String: [String: FieldValue.Kind]],
    by user: String? = nil,
    teaches: () throws -> Bool = { true }
  ) throws -> SchemaDiscovery {
    let entry = try entry(database.container, database.environment)
    let plain = entry.plainFields(of: recordType)
    if plain.isKnownToAll, plain.cover(fields) { return SchemaDiscovery() }
    let type = entry.stored.types[recordType]
    // Every container has the type of users' records.
    let isNewType = type == nil && recordType != UserRecord.recordType
    if isNewType {
      guard database.environment != .production else { throw ItemError.unknownType(recordType) }
      guard try teaches() else {
        throw ItemError.untaughtType(recordType, in: database.container)
      }
    }
    var discovery = SchemaDiscovery(isFirstRecord: type?.hasRecords != true)
    if let user, let users = type?.users, !users.isEmpty {
      discovery.showsType = database.scope == .public || !users.contains(user)
    }
    for field in fields.sorted {
      guard let kind = field.value?.kind else { continue }
      let declared = type?.fields[field.name]
      if let declared, declared.hasValues, declared.field.type == .values(kind),
        !declared.field.isEncrypted
      {
        continue
      }
      // Everybody could read the public database's keys: there is nobody to hide from.
      if kind.isEncrypted, database.scope == .public {
        throw ItemError.encryptedInPublic(field.name, of: recordType)
      }
      let planned = planned[recordType]?[field.name]
      if declared == nil, planned == nil, !isNewType, entry.environment != .production,
        try !teaches()
      {
        throw ItemError.untaughtField(field.name, of: recordType, in: database.container)
      }
      if try isDiscovery(field.name, kind, declared, planned, recordType, entry) {
        discovery.fields.append((field.name, kind))
      }
    }
    if !discovery.fields.isEmpty || discovery.isFirstRecord {
      try checkSize(of: entry, recordType, discovery, planned)
    }
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
    if declared?.field.isEncrypted == true || kind.isEncrypted {
      try checkEncryption(name, kind, declared, recordType)
    }
    // An empty list of no type fits everywhere, and gives no type.
    if kind == .unknownList { return declared.map { !$0.hasValues } ?? false }
    let fixed = try declared.map {
      try self.kind(for: kind, of: name, $0, recordType, planned, entry)
    }
    if let expected = fixed ?? planned, expected != kind {
      throw ItemError.wrongType(kind, of: name, in: recordType, expected: expected)
    }
    guard let declared else { return true }
    return !declared.hasValues
  }

  /// Refuses a plain value of an encrypted field, and the reverse.
  private func checkEncryption(
    _ name: String,
    _ kind: FieldValue.Kind,
    _ declared: StoredSchema.Field?,
    _ recordType: String
  ) throws(ItemError) {
    guard let field = declared?.field else { return }
    guard field.isEncrypted else { throw ItemError.notEncrypted(name, of: recordType, kind) }
    if case .values(let list) = field.type, list.isList {
      throw ItemError.encryptedList(name, of: recordType)
    }
    guard kind.isEncrypted else { throw ItemError.plainInEncrypted(name, of: recordType, field) }
  }

  /// The kind that a declared field has for a value of a kind.
  ///
  /// A number takes the preferred kind, else that of an earlier save of the call, else that of the
  /// other environment, else the value's.
  private func kind(
    for kind: FieldValue.Kind,
    of name: String,
    _ declared: StoredSchema.Field,
    _ recordType: String,
    _ planned: FieldValue.Kind?,
    _ entry: Entry
  ) throws -> FieldValue.Kind {
    switch declared.field.type {
    case .values(let kind): return declared.field.isEncrypted ? kind.encrypted ?? kind : kind
    case .number(let preferred?): return preferred.kind
    case .number(preferred: nil):
      if let planned { return planned }
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
    Schema.defaultGrants(of: name).keys.reduce(Schema.textBytesMax(ofName: name)) {
      $0 + Schema.textBytesMax(ofName: $1)
    }
  }
}
