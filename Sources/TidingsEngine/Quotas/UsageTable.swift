internal import TidingsModel
internal import TidingsSQL

/// Counts what users and containers take, as records and all else that is stored come, change and go.
///
/// The loop that owns the engine is the only writer, so the counts are kept here and written once per
/// transaction. Each zone has a count of its own, so that a deleted one need not be counted.
final class UsageTable: RecordFollower, TransactionParticipant {
  private struct Key: Hashable {
    let owner: String
    let container: String
  }

  /// Unchecked, like the other two: what looks into them or changes them calls nothing beyond meanwhile.
  @exclusivity(unchecked) private var entries: [Key: UsageEntry] = [:]
  @exclusivity(unchecked) private var accounts: [String: UsageAccount] = [:]
  @exclusivity(unchecked) private var dirty: [UsageEntry] = []
  private let remembered: RememberedCount
  private let select: any SQLStatement
  private let selectTotal: any SQLStatement
  private let selectContainers: any SQLStatement
  private let upsert: any SQLStatement

  init(_ connection: any SQLConnection, remembered: RememberedCount) throws {
    self.remembered = remembered
    select = try connection.prepare(
      "SELECT records, bytes FROM usage WHERE owner = ?1 AND container = ?2"
    )
    selectTotal = try connection.prepare(
      "SELECT coalesce(sum(records), 0), coalesce(sum(bytes), 0) FROM usage WHERE owner = ?1"
    )
    selectContainers = try connection.prepare("SELECT container FROM usage WHERE owner = ?1")
    upsert = try connection.prepare(
      """
      INSERT INTO usage (owner, container, records, bytes) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (owner, container) DO UPDATE SET
        records = excluded.records, bytes = excluded.bytes
      """
    )
  }

  /// What is held against the quota of a database's owner.
  func account(of database: DatabaseEntry) throws(SQLError) -> Usage {
    try entry(for: database).account.usage
  }

  /// What is held against the quota of a user.
  func account(of user: String) throws(SQLError) -> Usage {
    try entry(user, "").account.usage
  }

  /// What the databases of an owner take in a container.
  func usage(of owner: String, in container: String) throws(SQLError) -> Usage {
    try entry(owner, container).usage
  }

  /// The containers in which an owner has anything, sorted.
  func containers(of owner: String) throws -> [String] {
    var containers = Set(dirty.lazy.filter { $0.owner == owner }.map(\.container))
    selectContainers.bind(owner, at: 1)
    try selectContainers.forEachRow { containers.insert(selectContainers.string(0)) }
    return containers.sorted()
  }

  /// Something else than a record came or went, which the owner of a database pays for.
  func add(_ bytes: Int64, to database: DatabaseEntry) throws(SQLError) {
    guard bytes != 0 else { return }
    add(Usage(bytes: bytes), to: try entry(for: database))
  }

  /// Something else than a record came or went, which a user pays for.
  ///
  /// - Parameters:
  ///   - bytes: How much it takes; negative: it went.
  ///   - owner: The user; empty: the public databases of the container.
  ///   - container: The container; empty: it belongs to none.
  /// - Throws: `SQLError`.
  func add(_ bytes: Int64, to owner: String, in container: String = "") throws(SQLError) {
    guard bytes != 0 else { return }
    add(Usage(bytes: bytes), to: try entry(owner, container))
  }

  // MARK: RecordFollower

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws {
    let change = write.recordChange
    let tombstones = write.tombstoneBytes
    guard change != Usage() || tombstones != 0 else { return }
    precondition(write.zone.isDirty, "a zone's usage is written with its head")
    write.zone.usage += change
    add(change + Usage(bytes: tombstones), to: try entry(for: database))
  }

  func followDeletion(of zone: ZoneEntry, in database: DatabaseEntry, by call: CallContext) throws {
    let usage = zone.usage
    guard usage != Usage() else { return }
    add(Usage(records: -usage.records, bytes: -usage.bytes), to: try entry(for: database))
  }

  /// Forgets a user whose rows are about to be removed.
  ///
  /// The catalog has to forget the user's databases at the same time: they remember the entries.
  func remove(_ owner: String) {
    dirty.removeAll { $0.owner == owner }
    for key in entries.keys where key.owner == owner { entries[key] = nil }
    accounts[owner] = nil
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    for entry in dirty {
      upsert.bind(entry.owner, at: 1)
      upsert.bind(entry.container, at: 2)
      upsert.bind(entry.usage.records, at: 3)
      upsert.bind(entry.usage.bytes, at: 4)
      try upsert.run()
      entry.wasWritten()
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// As the catalog does, whose databases remember the entries.
  func forgetEntries() { reload() }

  /// The catalog has to forget at the same time: its databases remember the entries.
  func reload() {
    entries = [:]
    accounts = [:]
    dirty = []
  }

  private func add(_ change: Usage, to entry: UsageEntry) {
    let wasDirty = entry.isDirty
    entry.add(change)
    if !wasDirty { dirty.append(entry) }
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
    let usage = try read(owner, container)
    let account = try account(of: owner, usage)
    let entry = UsageEntry(owner: owner, container: container, usage, account)
    entries[key] = entry
    remembered.add(entries: 1)
    return entry
  }

  private func read(_ owner: String, _ container: String) throws(SQLError) -> Usage {
    select.bind(owner, at: 1)
    select.bind(container, at: 2)
    defer { select.reset() }
    return try select.step()
      ? Usage(records: select.int64(0), bytes: select.int64(1)) : Usage()
  }

  /// The account that an entry is part of, made with the owner's first entry: before anything changed.
  private func account(of owner: String, _ usage: Usage) throws(SQLError) -> UsageAccount {
    guard !owner.isEmpty else { return UsageAccount(usage) }
    if let known = accounts[owner] { return known }
    selectTotal.bind(owner, at: 1)
    defer { selectTotal.reset() }
    let total =
      try selectTotal.step()
      ? Usage(records: selectTotal.int64(0), bytes: selectTotal.int64(1)) : Usage()
    let account = UsageAccount(total)
    accounts[owner] = account
    return account
  }
}
