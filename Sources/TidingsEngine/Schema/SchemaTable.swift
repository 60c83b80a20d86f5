internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// The schemas of containers: what saves are held against, and what development learns from them.
final class SchemaTable: TransactionParticipant {
  /// A schema in memory.
  final class Entry {
    let container: String
    let environment: Environment
    fileprivate(set) var stored: StoredSchema { didSet { plainFields = nil } }
    /// The fields that were looked up last.
    private var plainFields: PlainFields?
    /// At most what its text has, in bytes.
    fileprivate(set) var textBytesMax: Int
    /// It changed in this transaction.
    fileprivate var isChanged = false
    /// Changes with every change of a grant or type, as long as this is in memory.
    private(set) var grantsVersion = 0
    /// The types that not every user may read.
    private(set) var closedTypes: Set<String>

    init(_ container: String, _ environment: Environment, _ stored: StoredSchema) {
      self.container = container
      self.environment = environment
      self.stored = stored
      textBytesMax = stored.schema.textBytesMax
      closedTypes = stored.closedTypes
    }

    /// The fields of a type that most saves use.
    func plainFields(of recordType: String) -> PlainFields {
      if let plainFields, plainFields.recordType == recordType { return plainFields }
      let fields = PlainFields(of: recordType, stored.types[recordType])
      plainFields = fields
      return fields
    }

    /// Whether every user may read all records of a type in the public database.
    func isOpen(_ recordType: String) -> Bool {
      closedTypes.isEmpty || !closedTypes.contains(recordType)
    }

    /// Whether every user may read all records of all types there.
    var hasOnlyOpenTypes: Bool { closedTypes.isEmpty }

    fileprivate func grantsChanged(on recordType: String) {
      grantsVersion += 1
      if TypeRights.isOpen(stored.types[recordType]?.grants, of: recordType) {
        closedTypes.remove(recordType)
      } else {
        closedTypes.insert(recordType)
      }
    }
  }

  private struct Key: Hashable {
    let container: String
    let environment: Environment
  }

  private var known: [Key: Entry] = [:]
  /// The memory that the known schemas take, without those that changed in this transaction.
  private var knownBytes = 0
  /// With more, none of them is kept from one transaction to the next.
  private let knownBytesMax: Int
  /// The one that was used last: most calls are of one container.
  private var last: Entry?
  private var changed: [Entry] = []
  private let rows: SchemaRows
  private let writer: SchemaWriter
  private let indexes: IndexRegistry
  let limits: Limits

  init(_ connection: any SQLConnection, indexes: IndexRegistry, limits: Limits) throws {
    self.indexes = indexes
    rows = try SchemaRows(connection)
    writer = try SchemaWriter(connection)
    self.limits = limits
    knownBytesMax = SchemaReader.bytesMax(limits)
  }

  /// The schema of a container in an environment; an empty one if the store has none.
  func entry(_ container: String, _ environment: Environment) throws -> Entry {
    if let last, last.environment == environment, last.container == container { return last }
    let key = Key(container: container, environment: environment)
    if let entry = known[key] {
      last = entry
      return entry
    }
    let stored = try rows.schema(of: container, environment) ?? StoredSchema()
    let entry = Entry(container, environment, stored)
    knownBytes += stored.memoryBytes
    known[key] = entry
    last = entry
    return entry
  }

  func reload() {
    (known, knownBytes) = ([:], 0)
    last = nil
    changed = []
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    if changed.isEmpty, knownBytes <= knownBytesMax { return }
    for entry in changed {
      try writer.moveVersion(of: entry)
      entry.isChanged = false
      knownBytes += entry.stored.memoryBytes
    }
    changed.removeAll(keepingCapacity: true)
    if knownBytes > knownBytesMax { reload() }
  }

  private func touch(_ entry: Entry) {
    guard !entry.isChanged else { return }
    entry.isChanged = true
    knownBytes -= entry.stored.memoryBytes
    changed.append(entry)
  }

  // MARK: Changes

  /// Learns what a save brought, which was written.
  func learn(
    _ discovery: SchemaDiscovery,
    of recordType: String,
    in database: DatabaseID,
    by user: String? = nil
  ) throws {
    guard !discovery.isEmpty else { return }
    let entry = try entry(database.container, database.environment)
    if discovery.showsType, let user {
      try show(recordType, of: entry, to: database.scope == .public ? nil : user)
    }
    if entry.stored.types[recordType] == nil {
      try write(.recordType(recordType, isAdded: true), to: entry)
      if let user, database.scope != .public, recordType != UserRecord.recordType {
        try show(recordType, of: entry, to: user)
      }
      for (role, rights) in Schema.defaultGrants(of: recordType) {
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
      let learned = Schema.Field(holding: kind, indexes: field?.field.indexes ?? [])
      if kind != .unknownList, field?.field != learned {
        field = StoredSchema.Field(field: learned, hasValues: true)
        touch(entry)
      }
      field?.hasValues = true
      guard let field else { continue }
      try writer.write(field, name, of: recordType, to: entry)
      entry.stored.types[recordType]?.fields[name] = field
      if isNew { entry.textBytesMax += Schema.textBytesMax(ofName: name) }
    }
  }

  /// A learned type is seen by one more user; `nil`: by everybody.
  func show(_ recordType: String, of entry: Entry, to user: String?) throws(SQLError) {
    touch(entry)
    guard let user else {
      entry.stored.types[recordType]?.users = []
      return try writer.removeUsers(of: recordType, from: entry)
    }
    let isNew = entry.stored.types[recordType]?.users.insert(user).inserted ?? false
    if isNew { try writer.write(user: user, of: recordType, to: entry) }
  }

  /// All types are declared: everybody sees them.
  func showAll(of entry: Entry) throws(SQLError) {
    for (name, type) in entry.stored.types where !type.users.isEmpty {
      try show(name, of: entry, to: nil)
    }
  }

  /// Makes a change of a schema.
  func write(_ change: SchemaChange, to entry: Entry) throws {
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
      try writer.removeUsers(of: name, from: entry)
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
    switch change {
    case .recordType(let type, _), .grant(_, let type, _, _): entry.grantsChanged(on: type)
    case .role, .field: break
    }
    switch change.kind {
    case .added: entry.textBytesMax += Schema.textBytesMax(ofName: change.name)
    case .removed: entry.textBytesMax -= Schema.textBytesMax(ofName: change.name)
    case .changed: break
    }
    try declareIndexes(change, of: entry)
  }

  private func declareIndexes(_ change: SchemaChange, of entry: Entry) throws {
    guard case .field(let name, let type, let before, let after) = change else { return }
    for kind in [IndexKind.ordered, .words] {
      let shallBe = after?.indexes.declares(kind) ?? false
      guard shallBe != before?.indexes.declares(kind) ?? false else { continue }
      let perform = shallBe ? indexes.declare : indexes.drop
      try perform(entry.container, entry.environment, type, name, kind)
    }
  }

  /// The container exists in an environment from now on, also without types.
  func declare(_ entry: Entry) throws(SQLError) {
    if try rows.version(of: entry.container, entry.environment) == nil { touch(entry) }
  }
}

extension Schema.Indexes {
  fileprivate func declares(_ kind: IndexKind) -> Bool {
    switch kind {
    case .ordered: isOrdered
    case .words: contains(.searchable)
    }
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
