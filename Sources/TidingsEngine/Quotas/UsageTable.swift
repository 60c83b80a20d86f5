internal import TidingsModel
internal import TidingsSQL

/// What an owner's databases take in a container, as of the open transaction.
final class UsageEntry {
  let owner: String
  let container: String
  fileprivate(set) var usage: Usage
  fileprivate var isDirty = false

  fileprivate init(owner: String, container: String, _ usage: Usage) {
    self.owner = owner
    self.container = container
    self.usage = usage
  }
}

/// Counts what users and containers take, as records come, change and go.
///
/// The loop that owns the engine is the only writer, so the counts are kept here and written once per
/// transaction. Each zone has a count of its own, so that a deleted one need not be counted.
final class UsageTable: RecordFollower {
  private struct Key: Hashable {
    let owner: String
    let container: String
  }

  private var entries: [Key: UsageEntry] = [:]
  private var dirty: [UsageEntry] = []
  private let select: any SQLStatement
  private let selectContainers: any SQLStatement
  private let upsert: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      "SELECT records, bytes FROM usage WHERE owner = ?1 AND container = ?2"
    )
    // Databases without records have subscriptions too.
    selectContainers = try connection.prepare(
      """
      SELECT container FROM usage WHERE owner = ?1 UNION SELECT d.container
      FROM subscriptions s JOIN databases d ON d.id = s.database_id WHERE s.owner = ?1
      ORDER BY 1
      """
    )
    upsert = try connection.prepare(
      """
      INSERT INTO usage (owner, container, records, bytes) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (owner, container) DO UPDATE SET
        records = excluded.records, bytes = excluded.bytes
      """
    )
  }

  /// What the databases of an owner take in a database's container.
  func usage(of database: DatabaseEntry) throws(SQLError) -> Usage {
    try entry(for: database).usage
  }

  /// What the databases of an owner take in a container.
  func usage(of owner: String, in container: String) throws(SQLError) -> Usage {
    try entry(owner, container).usage
  }

  /// The containers in which an owner has anything, sorted.
  func containers(of owner: String) throws -> [String] {
    var containers: [String] = []
    selectContainers.bind(owner, at: 1)
    try selectContainers.forEachRow { containers.append(selectContainers.string(0)) }
    return containers
  }

  // MARK: RecordFollower

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, at time: SteadyTime) throws {
    let change = write.usageChange
    guard change != Usage() else { return }
    precondition(write.zone.isDirty, "a zone's usage is written with its head")
    write.zone.usage += change
    add(change, to: try entry(for: database))
  }

  func followDeletion(of zone: ZoneEntry, in database: DatabaseEntry, at time: SteadyTime) throws {
    let usage = zone.usage
    guard usage != Usage() else { return }
    add(Usage(records: -usage.records, bytes: -usage.bytes), to: try entry(for: database))
  }

  // MARK: Transactions

  /// Writes what changed in this transaction.
  func write() throws(SQLError) {
    for entry in dirty {
      upsert.bind(entry.owner, at: 1)
      upsert.bind(entry.container, at: 2)
      upsert.bind(entry.usage.records, at: 3)
      upsert.bind(entry.usage.bytes, at: 4)
      try upsert.run()
      entry.isDirty = false
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// Forgets what a transaction that was rolled back may have changed.
  ///
  /// The catalog has to forget at the same time: its databases remember the entries.
  func forget() {
    entries = [:]
    dirty = []
  }

  private func add(_ change: Usage, to entry: UsageEntry) {
    entry.usage += change
    guard !entry.isDirty else { return }
    entry.isDirty = true
    dirty.append(entry)
  }

  private func entry(for database: DatabaseEntry) throws(SQLError) -> UsageEntry {
    if let known = database.usage { return known }
    let entry = try entry(database.id.owner, database.id.container)
    database.usage = entry
    return entry
  }

  private func entry(_ owner: String, _ container: String) throws(SQLError) -> UsageEntry {
    let key = Key(owner: owner, container: container)
    if let known = entries[key] { return known }
    select.bind(owner, at: 1)
    select.bind(container, at: 2)
    defer { select.reset() }
    let usage =
      try select.step()
      ? Usage(records: select.int64(0), bytes: select.int64(1)) : Usage()
    let entry = UsageEntry(owner: owner, container: container, usage)
    entries[key] = entry
    return entry
  }
}
