#if PostgreSQL
internal import CPostgres
public import TidingsSQL

/// A connection to a PostgreSQL server.
///
/// Connects when it is first needed, and again after it was lost. Within a transaction, writes are
/// queued; a read, the end of the transaction and that of a savepoint wait for everything before them.
/// Each wait ends with a synchronization, after which the server watches how long the client is idle.
///
/// A statement that fails leaves a transaction in which only a rollback is possible.
///
/// A commit can be left to a thread of the connection. What the owner writes meanwhile, in the next transaction, is
/// deferred: the thread sends it with the next commit, or the owner when the thread is done. So the next
/// transaction is decided while the one before is made durable. It fails if the one before does.
///
/// A connection with a session lock notes its commits in the database (`CommitNotes`). So a commit whose answer
/// was lost is decided when the connection was made again, and what a program remembers of the database stays
/// valid if nobody else has written meanwhile.
public final class PostgresConnection: SQLConnection {
  private let profile: PostgresProfile
  private let sessions: Sessions
  private var pipeline = Pipeline<PostgresStatement>()
  private var queuedBytes = 0
  private var preparedTexts = PreparedTexts()
  /// The statement that notes a commit.
  private static let noteNumber = 0
  /// Prepared statements of the server that nobody uses any more.
  private var unused: [Int] = []
  /// The same, while the thread may have the connection.
  private var unusedMeanwhile: [Int] = []
  private var encoded: [UInt8] = []
  /// Works for which a thread has the connection.
  var loans = Loans()
  /// What the owner did while the thread had the connection.
  var deferred: [Deferred] = []
  /// Why a commit beside failed: until the next rollback, nothing that was deferred behind it is done.
  var precedingFailure: SQLError?
  /// The open transaction may have written.
  private var hasWritten = false
  /// The owner has begun a transaction, which may be deferred.
  private var isTransactionOpen = false
  /// Rows that are still to be inserted.
  private(set) lazy var queue = InsertionQueue { [unowned self] in isTransactionOpen }
  /// Changes when all statements that are under way end.
  private(set) var generation = 0

  /// A connection that is made with its first use.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - profile: How to use it.
  public init(_ address: PostgresAddress, profile: PostgresProfile = .writer) {
    self.profile = profile
    sessions = Sessions(address, profile)
  }

  /// Ends the statement that runs, from any thread.
  public var interruption: any SQLInterruption { sessions.interruption }

  /// How it stands with the session lock, as far as is known; from any thread.
  public var standing: LockStanding { sessions.standing }

  /// The number of the last commit in the term; 0: there was none.
  public var lastCommit: Int64 { sessions.notes.last }

  /// The number of the term in which the connection has the session lock; `nil`: it has had none yet.
  public var term: Int64? { sessions.notes.term }

  /// How long until a lost connection is tried again; `nil`: with the next statement.
  public var retryAfter: Duration? { sessions.retryAfter }

  /// Connects, if there is no connection.
  ///
  /// - Returns: The version of the server, as 150004 for 15.4.
  /// - Throws: `disconnected`, `denied`.
  @discardableResult
  public func connect() throws(SQLError) -> Int {
    try claimInOrder()
    return try connected().serverVersion
  }

  /// Keeps a statement, which the server compiles when it is first used.
  public func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    PostgresStatement(sql, on: self)
  }

  /// Keeps a statement that meets no queued row of an insertion.
  public func prepare(
    _ sql: String,
    besides insertion: SQLInsertion
  ) throws(SQLError) -> any SQLStatement {
    PostgresStatement(sql, on: self, besides: insertion)
  }

  /// Rows of the open transaction that are still to be inserted.
  public var insertions: InsertionQueue? { queue }

  /// Keeps a statement whose rows are read a page at a time.
  public func prepare(_ sql: String, inPagesBy key: PageKey) throws(SQLError) -> any SQLStatement {
    PostgresStatement(sql + " LIMIT \(profile.pageRows)", on: self, pages: (key, profile.pageRows))
  }

  /// Runs statements that return no rows and are used once, as one batch.
  ///
  /// Outside of a transaction, all of them take effect or none does.
  public func execute(_ sql: String) throws(SQLError) {
    let statements = Dialect.statements(sql).map(\.sql)
    try queue.settle(beforeAll: sql)
    try claimInOrder(for: statements.first.flatMap { TransactionControl($0) })
    var isWaitDue = false
    for statement in statements {
      if let control = TransactionControl(statement) {
        owner(does: control)
        try run(control, statement)
      } else {
        try pipeline.check(nil)
        let link = try connected()
        try queue(.statement(nil)) { () throws(SQLError) in try link.send(statement) }
        isWaitDue = true
      }
    }
    if isWaitDue { try settle() }
  }

  /// Sends the reads of statements whose values are bound, and waits once for all of them.
  public func readAhead(_ statements: [any SQLStatement]) throws(SQLError) {
    try claimInOrder()
    for case let statement as PostgresStatement in statements { try statement.sendAhead() }
    try settle()
  }

  /// The owner's thread begins or ends a transaction.
  func owner(does control: TransactionControl) {
    switch control {
    case .begin: isTransactionOpen = true
    case .commit, .rollback: isTransactionOpen = false
    case .savepoint, .release, .rollbackToSavepoint: break
    }
  }

  /// Waits until the thread does not have the connection any more.
  public func claim() {
    loans.wait()
    if !unusedMeanwhile.isEmpty {
      unused += unusedMeanwhile
      unusedMeanwhile = []
    }
  }

  /// Ends all statements that are under way, and rolls back the open transaction, if there is one.
  public func abandon() {
    claim()
    queue.discard()
    (deferred, precedingFailure, isTransactionOpen) = ([], nil, false)
    generation += 1
    try? rollback()
  }

  // MARK: For statements

  /// The number of what the server will have prepared for a statement, until the statement drops it.
  func makeNumber(_ sql: String, _ signature: [SQLType?]) -> Int {
    preparedTexts.use(sql, signature)
  }

  /// A statement does not need what the server has prepared for it.
  func drop(_ number: Int) {
    guard preparedTexts.drop(number) else { return }
    if loans.areOpen { unusedMeanwhile.append(number) } else { unused.append(number) }
  }

  /// Hands a statement to libpq, and the server has it prepared before.
  ///
  /// `reader` gets its rows; those of a statement that `writes` are few.
  func send(
    _ sql: String,
    _ number: Int,
    _ parameters: Parameters,
    writes: Bool,
    reader: PostgresStatement?
  ) throws(SQLError) {
    try pipeline.check(nil)
    let link = try connected()
    if reader == nil || writes { hasWritten = true }
    if !link.prepared.contains(number) {
      let types = parameters.signature.map { $0?.oid ?? 0 }
      try queue(.prepare(number)) { () throws(SQLError) in
        try link.sendPrepare(number, sql, types)
      }
    }
    let ranges = parameters.encoded(into: &encoded)
    queuedBytes += encoded.count
    try queue(.statement(reader, number: number)) { () throws(SQLError) in
      try link.sendStatement(number, ranges, in: encoded)
    }
    let isFull =
      pipeline.count >= profile.queuedCommandsMax || queuedBytes >= profile.queuedBytesMax
    if pipeline.transaction == .none || isFull { try settle() }
  }

  /// Begins or ends a transaction or a savepoint.
  func run(_ control: TransactionControl, _ sql: String) throws(SQLError) {
    switch control {
    case .rollback: return try rollback()
    // What failed since the savepoint is rolled back with it, and the server skips no further.
    case .rollbackToSavepoint: try? settle()
    case .begin:
      try dropUnused()
      hasWritten = false
    case .commit where hasWritten && profile.sessionLock != nil: return try commitWithNote(sql)
    case .commit, .savepoint, .release: break
    }
    try pipeline.check(control)
    let link = try connected()
    try queue(.control(control)) { () throws(SQLError) in
      try link.send(control == .begin ? profile.begin : sql)
    }
    switch control {
    case .begin: try discardOldPlans(link)
    case .savepoint: break
    case .commit, .rollback, .release, .rollbackToSavepoint: try settle()
    }
  }

  private func discardOldPlans(_ link: Link) throws(SQLError) {
    guard sessions.beginsWithOldPlans() else { return }
    try queue(.statement(nil)) { () throws(SQLError) in try link.send("DISCARD PLANS") }
  }

  /// Waits for the answers to everything that was sent.
  ///
  /// - Throws: The first failure.
  func settle() throws(SQLError) {
    queuedBytes = 0
    do throws(SQLError) {
      if pipeline.needsSynchronization, let link = sessions.link {
        try link.sendSynchronization()
        pipeline.sent(.synchronization)
      }
      var bytes = 0
      while let link = sessions.link, try !takeAnswers(link) {
        bytes += try link.exchange()
        guard bytes <= profile.answerBytesMax else { throw tooLarge }
      }
    } catch {
      lose(error)
    }
    try pipeline.finishBatch()
  }

  // MARK: Commits

  /// Commits with its number, by which the outcome is decided if its answer is lost.
  private func commitWithNote(_ sql: String) throws(SQLError) {
    try pipeline.check(.commit)
    var parameters = Parameters([1, 2])
    parameters.bind(sessions.notes.term ?? CommitNotes.firstTerm, at: 1)
    parameters.bind(sessions.notes.next, at: 2)
    try send(Self.note, Self.noteNumber, parameters, writes: true, reader: nil)
    do throws(SQLError) {
      let link = try connected()
      try queue(.control(.commit)) { () throws(SQLError) in try link.send(sql) }
      try settle()
    } catch {
      guard error.kind == .uncertain || error.kind == .disconnected else { throw error }
      lose(error)
      pipeline.rolledBackWithConnection()
      return try sessions.decide(after: error)
    }
    sessions.committed()
  }

  /// Leaves the number of a commit.
  private static let note =
    "INSERT INTO commits (term, number) VALUES ($1, $2) ON CONFLICT (term) DO UPDATE SET number = excluded.number"

  // MARK: Commands

  private var tooLarge: SQLError {
    SQLError(
      .statement,
      "a statement returns more than \(profile.answerBytesMax) bytes: read it in pages"
    )
  }

  /// Hands a command to libpq.
  private func queue(
    _ command: Pipeline<PostgresStatement>.Command,
    _ send: () throws(SQLError) -> Void
  ) throws(SQLError) {
    do throws(SQLError) {
      try send()
    } catch {
      lose(error)
      try pipeline.finishBatch()
      throw error
    }
    pipeline.sent(command)
    if !profile.isPipelined { try settle() }
  }

  func rollback() throws(SQLError) {
    try? settle()
    guard pipeline.transaction != .none else { return }
    if let link = sessions.link {
      try? queue(.control(.rollback)) { () throws(SQLError) in try link.send("ROLLBACK") }
      do throws(SQLError) {
        try settle()
      } catch {
        lose(error)
      }
    }
    // The server rolls back what its connection leaves.
    if sessions.link == nil { pipeline.rolledBackWithConnection() }
  }

  private func dropUnused() throws(SQLError) {
    guard !unused.isEmpty else { return }
    // Not those of a connection that has ended, and not those whose preparation failed.
    let link = try connected()
    let numbers = unused.filter(link.prepared.contains)
    unused = []
    for number in numbers {
      try queue(.deallocate(number)) { () throws(SQLError) in try link.sendDeallocate(number) }
    }
    try settle()
  }

  // MARK: The connection

  /// The session for the next command.
  private func connected() throws(SQLError) -> Link {
    // What is left of a transaction fails, also in a new session.
    if sessions.link == nil, case .failed(let error) = pipeline.transaction { throw error }
    return try sessions.current(isIdle: pipeline.count == 0 && pipeline.transaction == .none)
  }

  private func lose(_ error: SQLError) {
    _ = pipeline.receive(.disconnected(error))
    sessions.lose()
    unused = []
  }

  // MARK: Answers

  /// Takes what has arrived.
  ///
  /// - Returns: Whether that is all.
  private func takeAnswers(_ link: Link) throws(SQLError) -> Bool {
    var isRepeated = false
    while pipeline.count > 0 {
      switch link.nextAnswer() {
      case .waiting: return false
      case .result(let rows):
        isRepeated = false
        try perform(pipeline.receive(try event(rows)), rows, link)
      case .next:
        guard !isRepeated else { throw SQLError(.disconnected, "libpq has no answer to a command") }
        isRepeated = true
      case .ended: throw link.lost
      }
    }
    return true
  }

  private func event(_ rows: Rows) throws(SQLError) -> Pipeline<PostgresStatement>.Event {
    switch rows.status {
    case PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: return .succeeded
    case PGRES_COMMAND_OK: return rows.tag == "ROLLBACK" ? .rolledBack : .succeeded
    case PGRES_PIPELINE_ABORTED: return .skipped
    case PGRES_FATAL_ERROR:
      var error = rows.error ?? SQLError(.statement, "an error without a message")
      if error.kind == .statement {
        error.statement = pipeline.answeredNumber.flatMap { preparedTexts.text(of: $0) }
      }
      return .failed(error)
    default: throw SQLError(.disconnected, "libpq has an answer of an unknown kind")
    }
  }

  private func perform(
    _ action: Pipeline<PostgresStatement>.Action,
    _ rows: Rows,
    _ link: Link
  ) throws(SQLError) {
    switch action {
    case .none: break
    case .deliver(let statement): statement.receive(rows)
    case .forgetPrepared(let number): link.prepared.remove(number)
    case .deallocateLater(let number): unused.append(number)
    }
  }
}
#endif
