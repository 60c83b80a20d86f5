#if PostgreSQL
internal import CPostgres
internal import Synchronization
public import TidingsSQL
internal import TidingsThreads

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
  private let address: PostgresAddress
  private let profile: PostgresProfile
  private let running = PostgresInterruption()
  private var link: Link?
  private var schedule = ReconnectSchedule()
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
  private var notes = CommitNotes()
  /// Sessions that may still have the lock, though their connections were lost: also those that were lost while they took
  /// it.
  private var formerSessions: [CInt] = []
  /// How many are known: what one of them was sent may arrive long after it was lost.
  private static let formerSessionsMax = 16
  /// How it stands with the session lock.
  private let lockStanding = Mutex(LockStanding.held)
  private var planAge = PlanAge()
  private var thread: ConnectionThread?
  /// Signaled for each work that the thread is done with.
  private let threadEnds = Semaphore()
  /// Works that the thread may not be done with.
  private var lentCount = 0
  /// What the owner did while the thread had the connection.
  private var deferred: [Deferred] = []
  /// Why a commit beside failed: until the next rollback, nothing that was deferred behind it is done.
  private var precedingFailure: SQLError?
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
    self.address = address
    self.profile = profile
  }

  /// Ends the statement that runs, from any thread.
  public var interruption: any SQLInterruption { running }

  /// How it stands with the session lock, as far as is known; from any thread.
  public var standing: LockStanding { lockStanding.withLock { $0 } }

  /// The number of the last commit in the term; 0: there was none.
  public var lastCommit: Int64 { notes.last }

  /// The number of the term in which the connection has the session lock; `nil`: it has had none yet.
  public var term: Int64? { notes.term }

  /// How long until a lost connection is tried again; `nil`: with the next statement.
  public var retryAfter: Duration? { link == nil ? schedule.wait(at: .now) : nil }

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

  // MARK: Beside the owner's thread

  /// Reads ahead in a transaction of its own, on a thread of the connection; who uses the connection meanwhile waits
  /// for the end.
  ///
  /// - Parameters:
  ///   - statements: As for `readAhead`.
  ///   - done: Called on that thread before the end, with what failed.
  public func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  ) {
    claim()
    let statements = statements.compactMap { $0 as? PostgresStatement }
    beside(done) { connection throws(SQLError) in
      do throws(SQLError) {
        try connection.run(.begin, "BEGIN")
        for statement in statements { try statement.sendAhead() }
        try connection.run(.commit, "COMMIT")
      } catch {
        try? connection.rollback()
        throw error
      }
    }
  }

  /// Commits the open transaction on a thread of the connection, when it is done with the one before.
  ///
  /// What the owner writes meanwhile is deferred; who reads waits for the end.
  ///
  /// - Parameter done: Called on that thread before the end, with why the transaction was not committed.
  public func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    do throws(SQLError) {
      try queue.flush()
    } catch {
      return done(error)
    }
    isTransactionOpen = false
    let commands = deferred
    deferred = []
    beside(done) { connection throws(SQLError) in
      do throws(SQLError) {
        try connection.perform(commands)
        try connection.run(.commit, "COMMIT")
      } catch {
        if connection.precedingFailure == nil { connection.precedingFailure = error }
        throw error
      }
    }
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
    while lentCount > 0 {
      threadEnds.wait()
      lentCount -= 1
    }
    if !unusedMeanwhile.isEmpty {
      unused += unusedMeanwhile
      unusedMeanwhile = []
    }
  }

  /// Waits until the thread does not have the connection any more, and does what was deferred, unless it is to be
  /// rolled back.
  ///
  /// - Throws: What fails of it, also a commit before it.
  func claimInOrder(for control: TransactionControl? = nil) throws(SQLError) {
    guard lentCount > 0 || !deferred.isEmpty || precedingFailure != nil else { return }
    claim()
    if control == .rollback { (deferred, precedingFailure) = ([], nil) }
    let commands = deferred
    deferred = []
    try perform(commands)
  }

  /// Does what was deferred, on the thread that has the connection.
  private func perform(_ commands: [Deferred]) throws(SQLError) {
    if let precedingFailure { throw .following(precedingFailure) }
    for command in commands {
      switch command {
      case .begin: try run(.begin, "BEGIN")
      case .write(let sql, let number, let parameters):
        try send(sql, number, parameters, writes: true, reader: nil)
      }
    }
  }

  /// Defers the beginning of a transaction, or a write, behind what the thread does.
  ///
  /// - Returns: `false`: there is nothing behind which it would be.
  func defers(_ command: @autoclosure () -> Deferred) -> Bool {
    guard lentCount > 0 || !deferred.isEmpty else { return false }
    if deferred.isEmpty {
      while lentCount > 0, threadEnds.wait(for: .zero) { lentCount -= 1 }
      guard lentCount > 0 else { return false }
    }
    deferred.append(command())
    return true
  }

  /// What is done behind the work of the thread.
  enum Deferred {
    case begin
    case write(String, Int, Parameters)
  }

  private func beside(
    _ done: @escaping @Sendable (SQLError?) -> Void,
    _ work: @escaping (PostgresConnection) throws(SQLError) -> Void
  ) {
    let lent = Lent(connection: self, work: work)
    let thread = self.thread ?? ConnectionThread()
    self.thread = thread
    lentCount += 1
    thread.add { [threadEnds] in
      var failure: SQLError?
      do throws(SQLError) {
        try lent.work(lent.connection)
      } catch {
        failure = error
      }
      // Reported first, so that waiters for the end see the result.
      done(failure)
      threadEnds.signal()
    }
  }

  /// Unchecked: `claim` keeps the owner's thread away until the signals; what the owner touches meanwhile, the thread
  /// does not.
  private struct Lent: @unchecked Sendable {
    let connection: PostgresConnection
    let work: (PostgresConnection) throws(SQLError) -> Void
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
    if lentCount > 0 { unusedMeanwhile.append(number) } else { unused.append(number) }
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
    try queue(.statement(reader)) { () throws(SQLError) in
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
    guard planAge.isOver(at: .now, isAlwaysOver: profile.plansEachTransaction) else { return }
    try queue(.statement(nil)) { () throws(SQLError) in try link.send("DISCARD PLANS") }
  }

  /// Waits for the answers to everything that was sent.
  ///
  /// - Throws: The first failure.
  func settle() throws(SQLError) {
    queuedBytes = 0
    do throws(SQLError) {
      if pipeline.needsSynchronization, let link {
        try link.sendSynchronization()
        pipeline.sent(.synchronization)
      }
      var bytes = 0
      while let link, try !takeAnswers(link) {
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
    parameters.bind(notes.term ?? CommitNotes.firstTerm, at: 1)
    parameters.bind(notes.next, at: 2)
    try send(Self.note, Self.noteNumber, parameters, writes: true, reader: nil)
    do throws(SQLError) {
      let link = try connected()
      try queue(.control(.commit)) { () throws(SQLError) in try link.send(sql) }
      try settle()
    } catch {
      guard error.kind == .uncertain || error.kind == .disconnected else { throw error }
      return try decide(after: error)
    }
    notes.committed()
  }

  /// Finds out what became of a commit whose answer was lost.
  ///
  /// The session that made it has ended: this connection has its lock again, or another one has.
  ///
  /// - Throws: `disconnected` when nothing was kept; `uncertain` when it cannot be found out.
  private func decide(after error: SQLError) throws(SQLError) {
    lose(error)
    pipeline.rolledBackWithConnection()
    let found = try found(within: profile.decisionPatience, after: error)
    switch notes.outcome(finding: found) {
    case .committed: return
    case .absent:
      throw SQLError(.disconnected, "the connection was lost before the commit: \(error)")
    case .unknown:
      throw SQLError(
        .uncertain,
        "the connection was lost during the commit, and the database has lost commits since: \(error)"
      )
    }
  }

  /// What the last commits left.
  private func found(
    within patience: Duration,
    after lost: SQLError
  ) throws(SQLError) -> CommitNotes.Found {
    let end = ContinuousClock.now.advanced(by: patience)
    while true {
      do throws(SQLError) {
        return try lookForCommits()
      } catch {
        guard ContinuousClock.now < end, error.kind != .denied else {
          throw SQLError(
            .uncertain,
            "the connection was lost during the commit (\(lost)), and its outcome was not found out within "
              + "\(patience): \(error)"
          )
        }
        Link.pause(schedule.wait(at: .now) ?? ReconnectSchedule.firstPause)
      }
    }
  }

  private func lookForCommits() throws(SQLError) -> CommitNotes.Found {
    let nothing = CommitNotes.Found(newestTerm: 0, number: nil)
    do throws(SQLError) {
      let link = try connect(at: .now)
      let found = try look(link) ?? nothing
      // What others did meanwhile is noticed by the connection of the next transaction.
      if notes.isCurrent(found) { try begin(link) } else { lose(link.lost) }
      return found
    } catch {
      guard error.kind == .busy else {
        // Its session may have the lock, and is to be ended by the next one.
        if link != nil { lose(error) }
        throw error
      }
      return try look(Link(address, profile.withoutLock)) ?? nothing
    }
  }

  /// Looks at the table; if it has the commit in question, a synchronous standby has it too.
  private func look(_ link: Link) throws(SQLError) -> CommitNotes.Found? {
    let found = try link.noted(notes.term)
    if found?.number == notes.next { try link.waitForStandby() }
    return found
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

  private func rollback() throws(SQLError) {
    try? settle()
    guard pipeline.transaction != .none else { return }
    if let link {
      try? queue(.control(.rollback)) { () throws(SQLError) in try link.send("ROLLBACK") }
      do throws(SQLError) {
        try settle()
      } catch {
        lose(error)
      }
    }
    // The server rolls back what its connection leaves.
    if link == nil { pipeline.rolledBackWithConnection() }
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

  private func connected() throws(SQLError) -> Link {
    if let link {
      guard pipeline.count == 0, pipeline.transaction == .none else { return link }
      if link.isAlive() { return link }
      lose(link.lost)
    }
    // What is left of a transaction fails, also on a new connection.
    if case .failed(let error) = pipeline.transaction { throw error }
    // One that ended while it was idle is replaced without anybody noticing, unless another had its lock.
    let link = try connect(at: .now)
    guard profile.sessionLock != nil else { return try begin(link) }
    do throws(SQLError) {
      return try continueTerm(link)
    } catch {
      // Also a lock that is of no use.
      if self.link != nil, !link.isPipelined { lose(error) }
      throw error
    }
  }

  /// Goes on with a connection that has the lock: in its term, or in a new one if others had the lock meanwhile.
  private func continueTerm(_ link: Link) throws(SQLError) -> Link {
    guard let found = try link.noted(notes.term) else {
      // The tables are made in the first transaction.
      notes.began(CommitNotes.firstTerm)
      return try begin(link)
    }
    let continuity = notes.connected(finding: found)
    if continuity == .rewound { lockStanding.withLock { $0 = .rewound } }
    guard standing != .rewound else {
      throw SQLError(
        .storage,
        "the database \(address) has lost commits that it had acknowledged: it was restored, or a standby that was behind "
          + "was promoted"
      )
    }
    if notes.term == nil || continuity == .broken {
      notes.began(try link.beginTerm())
    }
    _ = try begin(link)
    guard continuity == .kept else {
      throw SQLError(
        .disconnected,
        "the connection to \(address) was lost, and another program may have written meanwhile"
      )
    }
    return link
  }

  @discardableResult
  private func begin(_ link: Link) throws(SQLError) -> Link {
    if !link.isPipelined { try link.beginPipeline() }
    return link
  }

  private func connect(at now: ContinuousClock.Instant) throws(SQLError) -> Link {
    if let wait = schedule.wait(at: now) {
      throw SQLError(
        .disconnected,
        "not connected to \(address): the next attempt is in \(wait / .milliseconds(1)) ms"
      )
    }
    do throws(SQLError) {
      let former = Set(formerSessions)
      let link = try Link(address, profile, replacing: former) { session in
        formerSessions = formerSessions.suffix(Self.formerSessionsMax - 1) + [session]
      }
      schedule.succeeded()
      planAge.sessionBegan()
      running.follow(link)
      self.link = link
      lockStanding.withLock { if $0 == .lost { $0 = .held } }
      return link
    } catch {
      if error.kind == .busy, notes.term != nil {
        lockStanding.withLock { if $0 == .held { $0 = .lost } }
      }
      schedule.failed(at: now, share: .random(in: 0...1))
      throw error
    }
  }

  private func lose(_ error: SQLError) {
    _ = pipeline.receive(.disconnected(error))
    link = nil
    running.follow(nil)
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
      return .failed(rows.error ?? SQLError(.statement, "an error without a message"))
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
