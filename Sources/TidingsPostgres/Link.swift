#if PostgreSQL
internal import CPostgres
internal import TidingsSQL

internal import Glibc

/// One connection of libpq, non-blocking and in pipeline mode; it does what it is asked, and decides nothing.
final class Link {
  /// What libpq has for the first command that is not answered.
  enum Answer {
    /// Nothing yet.
    case waiting
    /// The commands of one answer are complete; the next one may be there.
    case next
    case result(Rows)
    /// The connection has ended.
    case ended
  }

  private let handle: OpaquePointer
  /// The statements that the server has prepared, or will have when it executes what was sent.
  var prepared: Set<Int> = []

  /// Connects, and waits for that, and for the lock.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - profile: How to use it.
  ///   - former: Earlier sessions, whose connections were lost: the one that still has the lock is ended.
  ///   - begins: Called with the number of the session, before it takes the lock.
  /// - Throws: `disconnected` with libpq's reason; `denied` without a password that is needed; `busy` with who has the
  ///   lock.
  init(
    _ address: PostgresAddress,
    _ profile: PostgresProfile,
    replacing former: Set<CInt> = [],
    _ begins: (CInt) -> Void = { _ in }
  ) throws(SQLError) {
    let (keywords, values) = (address.parameters.map(\.0), address.parameters.map(\.1))
    let opened = CStrings.with(keywords) { keywords in
      CStrings.with(values) { values in PQconnectdbParams(keywords, values, 1) }
    }
    guard let opened else { throw SQLError(.storage, "libpq: out of memory") }
    handle = opened
    guard PQstatus(handle) == CONNECTION_OK else {
      let isDenied = PQconnectionNeedsPassword(handle) == 1
      throw SQLError(isDenied ? .denied : .disconnected, message)
    }
    tidings_postgres_ignore_notices(handle)
    let settings = Rows(PQexec(handle, profile.settings))
    if let error = settings.error { throw error }
    begins(session)
    if let lock = profile.sessionLock { try take(lock, profile.lockPatience, from: former) }
    // The session before gives up one lock after the other.
    if let mark = profile.sessionMark { try take(mark, Self.formerPatience, from: former) }
  }

  /// Commands are sent without waiting for their answers.
  private(set) var isPipelined = false

  /// From now on commands are sent without waiting for their answers.
  func beginPipeline() throws(SQLError) {
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost }
    isPipelined = true
  }

  deinit { PQfinish(handle) }

  /// The server's number for the session.
  var session: CInt { PQbackendPID(handle) }

  /// Takes an advisory lock for as long as the connection lives.
  ///
  /// - Throws: `busy` with who has the lock when patience ends; `disconnected` if that is the session before.
  private func take(
    _ lock: Int64,
    _ patience: Duration,
    from former: Set<CInt>
  ) throws(SQLError) {
    let end = ContinuousClock.now.advanced(by: patience)
    let formersEnd = max(end, .now.advanced(by: Self.formerPatience))
    while try !hasTaken(lock) {
      let holder = try holderSession(of: lock)
      if let holder, !former.contains(holder) {
        guard ContinuousClock.now < end else {
          let name = self.holder(of: lock) ?? "another program"
          throw SQLError(.busy, "the database is in use by \(name)")
        }
      } else {
        // Nobody has it any more, or the session before, which is to end.
        if let holder { terminate(holder) }
        guard ContinuousClock.now < formersEnd else {
          throw SQLError(.disconnected, "the session before has not ended yet")
        }
      }
      Self.pause(Self.lockPause)
    }
  }

  private func hasTaken(_ lock: Int64) throws(SQLError) -> Bool {
    let rows = Rows(PQexec(handle, "SELECT pg_try_advisory_lock(\(lock))::text"))
    if let error = rows.error { throw error }
    return rows.value(0, 0).map { type, bytes in type.string(bytes) } == "true"
  }

  /// Ends a session of the same role.
  func terminate(_ session: CInt) {
    _ = Rows(PQexec(handle, "SELECT pg_terminate_backend(\(session))"))
  }

  /// Looks at the table `commits`.
  ///
  /// - Parameter term: The term whose last commit is looked up; `nil`: none's.
  /// - Returns: What it holds; `nil`: there is no such table.
  /// - Throws: Why it was not found out, which says nothing about the last commit.
  func noted(_ term: Int64?) throws(SQLError) -> CommitNotes.Found? {
    let rows = Rows(
      PQexec(
        handle,
        """
        SELECT coalesce(max(term), 0)::text,
          (SELECT number::text FROM commits WHERE term = \(term.map(String.init) ?? "NULL"))
        FROM commits
        """
      )
    )
    if let error = rows.error {
      guard error.state == Self.noTable else { throw error }
      return nil
    }
    return CommitNotes.Found(newestTerm: rows.number(0) ?? 0, number: rows.number(1))
  }

  /// Waits until a synchronous standby, if there is one, has everything that was committed before.
  ///
  /// A commit whose session was ended while it waited for the standby is in the database, and the standby may not have it. A
  /// later one waits for both.
  func waitForStandby() throws(SQLError) {
    let rows = Rows(PQexec(handle, "SELECT pg_logical_emit_message(true, 'tidings', '')::text"))
    if let error = rows.error { throw error }
  }

  /// Begins a new term, before the connection is in pipeline mode.
  ///
  /// - Returns: Its number.
  /// - Throws: Why it did not begin.
  func beginTerm() throws(SQLError) -> Int64 {
    let rows = Rows(
      PQexec(
        handle,
        """
        WITH ended AS (
          DELETE FROM commits WHERE term < (SELECT max(term) FROM commits) - \(Self.termsKept)
        )
        INSERT INTO commits (term, number) SELECT coalesce(max(term), 0) + 1, 0 FROM commits
        RETURNING term::text
        """
      )
    )
    if let error = rows.error { throw error }
    guard let term = rows.number(0) else { throw SQLError(.statement, "a term has no number") }
    return term
  }

  private static let noTable = "42P01"
  private static let lockPause = Duration.milliseconds(20)
  /// How long the session before may take to end.
  private static let formerPatience = Duration.seconds(3)
  /// Terms whose last commit is kept, for those who led in them and have not found out yet that they do not lead.
  private static let termsKept = 1_000

  private func holderSession(of lock: Int64) throws(SQLError) -> CInt? {
    let rows = Rows(
      PQexec(
        handle,
        """
        SELECT l.pid::text FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.granted
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.classid::bigint << 32 | l.objid::bigint = \(lock) LIMIT 1
        """
      )
    )
    if let error = rows.error { throw error }
    return rows.number(0).map { CInt($0) }
  }

  private func holder(of lock: Int64) -> String? {
    let rows = Rows(
      PQexec(
        handle,
        """
        SELECT a.application_name || ', ' || coalesce(host(a.client_addr), 'the same host')
          || ', connected since ' || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.classid::bigint << 32 | l.objid::bigint = \(lock) LIMIT 1
        """
      )
    )
    return rows.value(0, 0).map { type, bytes in type.string(bytes) }
  }

  /// What cancels the statement that runs, from any thread.
  func makeCancel() -> OpaquePointer? { PQgetCancel(handle) }

  /// The version of the server, as 150004 for 15.4.
  var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// Why the connection has ended.
  var lost: SQLError { SQLError(.disconnected, message) }

  private var message: String {
    let text = String(cString: PQerrorMessage(handle))
    let lines = text.split(separator: "\n").map { $0.trimmingPrefix { $0 == "\t" || $0 == " " } }
    return lines.isEmpty ? "the connection to the database was lost" : lines.joined(separator: "; ")
  }

  // MARK: Sending: handed to libpq, which sends what its buffer does not hold

  func sendPrepare(_ number: Int, _ sql: String, _ types: [UInt32]) throws(SQLError) {
    let code = PQsendPrepare(handle, Self.name(number), sql, CInt(types.count), types)
    guard code == 1 else { throw lost }
    prepared.insert(number)
  }

  /// Executes a prepared statement with values in the binary format.
  func sendStatement(
    _ number: Int,
    _ values: [Range<Int>?],
    in bytes: [UInt8]
  ) throws(SQLError) {
    let lengths = values.map { CInt($0?.count ?? 0) }
    let formats = [CInt](repeating: 1, count: values.count)
    let code = bytes.withUnsafeBytes { bytes in
      let pointers = values.map { value in
        value.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound) }?
          .assumingMemoryBound(to: CChar.self)
      }
      return PQsendQueryPrepared(
        handle,
        Self.name(number),
        CInt(values.count),
        pointers,
        lengths,
        formats,
        1
      )
    }
    guard code == 1 else { throw lost }
  }

  /// Executes a statement without parameters once.
  func send(_ sql: String) throws(SQLError) {
    guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost }
  }

  func sendDeallocate(_ number: Int) throws(SQLError) {
    prepared.remove(number)
    try send("DEALLOCATE \(Self.name(number))")
  }

  func sendSynchronization() throws(SQLError) {
    guard PQpipelineSync(handle) == 1 else { throw lost }
  }

  private static func name(_ number: Int) -> String { "s\(number)" }

  // MARK: Receiving

  /// What libpq has read of the answers; does not wait.
  func nextAnswer() -> Answer {
    if PQisBusy(handle) == 1 { return PQstatus(handle) == CONNECTION_OK ? .waiting : .ended }
    if let result = PQgetResult(handle) { return .result(Rows(result)) }
    return PQstatus(handle) == CONNECTION_OK ? .next : .ended
  }

  /// Sends what is in libpq's buffer, and reads what has arrived; waits for one of both if it has to.
  ///
  /// - Returns: How many bytes had arrived, at least.
  func exchange() throws(SQLError) -> Int {
    let unsent = PQflush(handle)
    guard unsent >= 0 else { throw lost }
    var descriptor = pollfd(
      fd: PQsocket(handle),
      events: Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0),
      revents: 0
    )
    while poll(&descriptor, 1, -1) < 0, errno == EINTR {}
    let bytes = Int(tidings_postgres_waiting_bytes(PQsocket(handle)))
    guard PQconsumeInput(handle) == 1 else { throw lost }
    return bytes
  }

  /// Lets time pass before something is tried again.
  static func pause(_ duration: Duration) {
    _ = poll(nil, 0, CInt(clamping: Int64(duration / .milliseconds(1))))
  }

  /// Whether the connection still exists, as far as this side can know; does not wait.
  func isAlive() -> Bool {
    var bytes = 0
    repeat {
      bytes = Int(tidings_postgres_waiting_bytes(PQsocket(handle)))
      // The end is only read after the server's last message, which says why.
      guard PQconsumeInput(handle) == 1 else { return false }
    } while bytes > 0
    return PQstatus(handle) == CONNECTION_OK
  }
}
#endif
