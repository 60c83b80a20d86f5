/// The rows of a connection's open transaction that are still to be inserted, many with one statement.
///
/// A driver asks it before each of its statements: one that mentions a table with queued rows, or that is no query
/// and no change of rows, writes them first. So no statement can read or change a table without the rows that
/// were inserted before it. A name in a statement's text counts as a mention wherever it is.
public final class InsertionQueue {
  /// Rows are queued, or could not be written: `settle` is to be called before the next statement.
  ///
  /// Unchecked, as what follows: one thread uses a connection at a time, and nothing here calls back.
  @exclusivity(unchecked) public private(set) var isActive = false
  /// The tables that have insertions; a statement's mentions are bits, by the index here.
  @exclusivity(unchecked) private var tables: [String] = []
  @exclusivity(unchecked) private var pending: [Pending] = []
  /// The tables of `pending`.
  @exclusivity(unchecked) private var pendingMask: UInt64 = 0
  /// Why rows of the transaction could not be written: nothing of it may be kept.
  @exclusivity(unchecked) private var failure: SQLError?
  private let isTransactionOpen: () -> Bool

  private struct Pending {
    // The connection has the queue, and the insertion's statements have the connection.
    unowned let insertion: SQLInsertion
    let id: ObjectIdentifier

    init(_ insertion: SQLInsertion) {
      self.insertion = insertion
      id = ObjectIdentifier(insertion)
    }
  }

  /// More tables than bits would let statements miss each other.
  private static let tablesMax = 63

  /// The queue of a connection.
  ///
  /// - Parameter isTransactionOpen: Whether the connection has an open transaction. Outside of one nothing is queued.
  public init(isTransactionOpen: @escaping () -> Bool) {
    self.isTransactionOpen = isTransactionOpen
  }

  // MARK: For drivers

  /// A statement is about to run: writes the queued rows of the tables that it mentions.
  ///
  /// - Parameters:
  ///   - mentions: What is known of the statement.
  ///   - sql: The text of the statement, which is read once.
  /// - Throws: `SQLError`, now and until the transaction is rolled back.
  public func settle(
    before mentions: inout TableMentions,
    _ sql: @autoclosure () -> String
  ) throws(SQLError) {
    if mentions.knownCount != tables.count { mentions.look(for: tables, in: sql()) }
    if mentions.isRollback { return discard() }
    if let failure { throw failure }
    if pendingMask & mentions.mask != 0 { try flush(where: mentions.mask) }
  }

  /// Statements are about to run that are used once: writes all queued rows.
  ///
  /// - Parameter sql: The text of the statements.
  /// - Throws: As `settle`.
  public func settle(beforeAll sql: String) throws(SQLError) {
    guard isActive else { return }
    if TableMentions.verb(of: sql) == "rollback" { discard() } else { try flush() }
  }

  /// Writes all queued rows.
  ///
  /// - Throws: `SQLError`, now and until the transaction is rolled back.
  public func flush() throws(SQLError) {
    if let failure { throw failure }
    if isActive { try flush(where: .max) }
  }

  /// The transaction is rolled back, and its rows with it.
  public func discard() {
    for next in pending { next.insertion.discard() }
    (failure, isActive, pendingMask) = (nil, false, 0)
    pending.removeAll(keepingCapacity: true)
  }

  private func flush(where mask: UInt64) throws(SQLError) {
    for next in pending where next.insertion.mask & mask != 0 { try flush(next.insertion) }
  }

  private func failed(_ error: SQLError) -> SQLError {
    discard()
    var error = error
    error.isDeferred = true
    (failure, isActive) = (error, true)
    return error
  }

  // MARK: For insertions

  /// The bit of a table.
  func mask(of table: String) -> UInt64 {
    let index = tables.firstIndex(of: table) ?? tables.count
    precondition(index < Self.tablesMax, "rows of too many tables are queued")
    if index == tables.count { tables.append(table) }
    return 1 << UInt64(index)
  }

  /// Whether rows can be queued now.
  ///
  /// - Throws: Why earlier ones were not written.
  func takesRows() throws(SQLError) -> Bool {
    if let failure { throw failure }
    return isTransactionOpen()
  }

  /// An insertion has its first row.
  func begins(_ insertion: SQLInsertion) {
    pending.append(Pending(insertion))
    pendingMask |= insertion.mask
    isActive = true
  }

  /// Writes the rows of an insertion.
  func flush(_ insertion: SQLInsertion) throws(SQLError) {
    // After some failures a database has rolled back already; the rows must not be written without the rest.
    guard isTransactionOpen() else {
      throw failed(SQLError(.interrupted, "the transaction was rolled back by the database"))
    }
    // The statements that write the rows find nothing to do here.
    isActive = false
    do throws(SQLError) {
      try insertion.write()
    } catch {
      throw failed(error)
    }
    ended(insertion)
  }

  private func ended(_ insertion: SQLInsertion) {
    pending.removeAll { $0.id == ObjectIdentifier(insertion) }
    pendingMask = pending.reduce(0) { $0 | $1.insertion.mask }
    isActive = !pending.isEmpty
  }

  /// An insertion is gone with its rows.
  ///
  /// - Parameter insertion: It cannot be used any more.
  func lost(_ insertion: ObjectIdentifier) {
    pending.removeAll { $0.id == insertion }
    _ = failed(SQLError(.statement, "rows were queued by an insertion that is gone"))
  }
}

/// The tables with queued rows that a statement mentions, looked up when the first row is queued after its compilation.
public struct TableMentions {
  /// Of `InsertionQueue.tables`, by their indexes.
  private(set) var mask: UInt64 = 0
  private(set) var isRollback = false
  /// So many tables were there when the text was read; -1: it was not yet.
  private(set) var knownCount = -1
  /// A table whose queued rows the statement cannot meet.
  private let exempt: String?

  /// Nothing is looked up yet.
  ///
  /// - Parameter insertion: The caller guarantees that the statement meets none of its queued rows.
  public init(besides insertion: SQLInsertion? = nil) { exempt = insertion?.table }

  mutating func look(for tables: [String], in sql: String) {
    let words = Self.words(of: sql)
    isRollback = words.first == "rollback"
    knownCount = tables.count
    guard let verb = words.first, Self.verbs.contains(verb) else {
      mask = .max
      return
    }
    mask = 0
    let mentioned = Set(words)
    for (index, table) in tables.enumerated() where table != exempt && mentioned.contains(table) {
      mask |= 1 << UInt64(index)
    }
  }

  /// The first words of statements that touch only what they mention.
  private static let verbs: Set<String> = [
    "select", "insert", "update", "delete", "replace", "with", "values",
  ]

  static func verb(of sql: String) -> String? { words(of: sql).first }

  /// All names and key words, in lower case, in quotes and comments too.
  private static func words(of sql: String) -> [String] {
    sql.lowercased().split { !($0 == "_" || $0.isLetter || $0.isNumber) }.map(String.init)
  }
}
