internal import TidingsModel
internal import TidingsSQL

/// Applies schemas to development, and deploys them to production.
final class ModifySchema {
  private let schemas: SchemaTable
  private let scan: RecordTypeScan
  private let limits: Limits

  init(_ connection: any SQLConnection, schemas: SchemaTable, limits: Limits) throws {
    self.schemas = schemas
    self.limits = limits
    scan = try RecordTypeScan(connection)
  }

  /// Brings development to what a text says.
  ///
  /// - Parameters:
  ///   - text: In the schema language.
  ///   - container: The container.
  ///   - isDryRun: Changes nothing.
  /// - Returns: The changes; none: it was so already.
  /// - Throws: `invalidArguments`, `limitExceeded`, before anything is changed; `SQLError`.
  func apply(_ text: String, to container: String, isDryRun: Bool) throws -> [SchemaChange] {
    let entry = try schemas.entry(container, .development)
    let current = entry.stored.schema
    let wanted = try parse(text).keepingUserRecords(of: current).settlingNumbers(as: current)
    try checkSize(of: wanted)
    let changes = current.changes(to: wanted)
    try check(changes, of: entry)
    if !isDryRun {
      try write(changes, to: entry)
      try schemas.showAll(of: entry)
    }
    return changes
  }

  /// Brings production to development's schema.
  ///
  /// - Parameters:
  ///   - container: The container, which exists in production from now on.
  ///   - isDryRun: Changes nothing.
  /// - Returns: The changes; none: it was so already.
  /// - Throws: `invalidArguments`, `limitExceeded`, before anything is changed; `SQLError`.
  func deploy(_ container: String, isDryRun: Bool) throws -> [SchemaChange] {
    let development = try schemas.entry(container, .development).stored.schema
    let entry = try schemas.entry(container, .production)
    let current = entry.stored.schema
    let wanted = try current.deploying(development)
    // What production kept and development no longer has may be too much with what is new.
    try checkSize(of: wanted)
    let changes = current.changes(to: wanted)
    if !isDryRun {
      try schemas.declare(entry)
      try write(changes, to: entry)
    }
    return changes
  }

  /// Brings development to production's schema, when nothing is stored there any more.
  ///
  /// - Returns: The changes; none: it was so already.
  /// - Throws: `SQLError`.
  func reset(_ container: String, isDryRun: Bool) throws -> [SchemaChange] {
    let entry = try schemas.entry(container, .development)
    let production = try schemas.entry(container, .production).stored.schema
    let changes = entry.stored.schema.changes(to: production)
    if !isDryRun {
      try write(changes, to: entry)
      try schemas.showAll(of: entry)
    }
    return changes
  }

  private func parse(_ text: String) throws(ItemError) -> Schema {
    guard text.utf8.count <= limits.schemaBytesMax else {
      throw ItemError(
        .limitExceeded,
        "the schema has \(text.utf8.count) bytes and may have \(limits.schemaBytesMax)"
      )
    }
    do {
      return try Schema(text: text)
    } catch {
      throw ItemError(.invalidArguments, "the text is no schema: \(error)", cause: error)
    }
  }

  private func checkSize(of schema: Schema) throws(ItemError) {
    let names = schema.recordTypes.keys.sorted()
    if names.count > limits.recordTypesMax {
      throw .tooManyTypes(names[limits.recordTypesMax], max: limits.recordTypesMax)
    }
    for name in names {
      let fields = schema.recordTypes[name]?.fields.keys.sorted() ?? []
      if fields.count > limits.fieldsPerTypeMax {
        let field = fields[limits.fieldsPerTypeMax]
        throw .tooManyFields(field, of: name, max: limits.fieldsPerTypeMax)
      }
    }
    guard schema.textBytesMax <= limits.schemaBytesMax else {
      throw .schemaTooLarge("this", max: limits.schemaBytesMax)
    }
  }

  private func check(_ changes: [SchemaChange], of entry: SchemaTable.Entry) throws {
    guard changes.contains(where: \.mayLoseData) else { return }
    let production = try schemas.entry(entry.container, .production).stored.schema
    var found: (names: Set<String>, isComplete: Bool)?
    for change in changes {
      let problem = try change.problem(production: production) { type, field in
        guard entry.stored.mayBeUsed(type, field) else { return .none }
        let records = try found ?? scan.types(in: entry.container, entry.environment)
        found = records
        if records.names.contains(type) { return .some }
        return records.isComplete ? .none : .unknown(lookedThrough: Int(RecordTypeScan.rowsMax))
      }
      if let problem { throw ItemError(.invalidArguments, problem) }
    }
  }

  private func write(_ changes: [SchemaChange], to entry: SchemaTable.Entry) throws {
    for change in changes { try schemas.write(change, to: entry) }
  }
}

extension StoredSchema {
  /// Records of a type, or values of a field, were saved at some time.
  fileprivate func mayBeUsed(_ type: String, _ field: String?) -> Bool {
    guard let type = types[type] else { return false }
    guard let field else { return type.hasRecords }
    return type.fields[field]?.hasValues ?? false
  }
}
