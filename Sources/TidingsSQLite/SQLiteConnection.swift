internal import CSQLite
internal import CStoreVFS
internal import Glibc
public import TidingsSQL
internal import TidingsThreads

/// A connection to an SQLite file in WAL mode with `synchronous=FULL`: a commit is on disk.
///
/// Its pages have checksums, which reads compare (`PageChecksum`). Used by one thread at a time;
/// closed when the last reference goes.
public final class SQLiteConnection: SQLConnection {
  /// How big the database's own memory of pages may grow.
  public static let cacheBytesMax = 64 << 20

  let handle: OpaquePointer
  /// A commit that another thread makes.
  ///
  /// Unchecked: only the thread that uses the connection reaches it.
  @exclusivity(unchecked) private var committing: Committing?
  private let frames = UnsafeMutablePointer<CInt>.allocate(capacity: 1)
  private let running: SQLiteInterruption
  /// Rows that are still to be inserted.
  let queue: InsertionQueue

  /// Rows of the open transaction that are still to be inserted.
  public var insertions: InsertionQueue? { queue }

  /// Ends the statement that runs, from any thread.
  public var interruption: any SQLInterruption { running }

  /// The log's file is cut to this size when it was restarted, unless `keepLog` says otherwise: 64 MiB.
  private static let keptLogBytes = 64 << 20

  /// The length of the log after the last commit, in frames of one page.
  public var logFrames: Int { Int(frames.pointee) }

  /// How big the database's own memory of pages may grow from now on.
  ///
  /// - Throws: `SQLError`.
  public func keepPages(bytesMax: Int) throws {
    try execute("PRAGMA cache_size = -\(bytesMax >> 10)")
  }

  /// Opens the file, creating it if needed.
  ///
  /// - Parameters:
  ///   - path: The file. Beside it SQLite keeps `-wal` and `-shm`.
  ///   - cacheBytes: How big the database's own memory of pages may grow.
  ///   - readsOnly: Refuse to change anything.
  /// - Throws: `damaged` when it is not a database; `storage` when it cannot be opened.
  public init(
    path: String,
    cacheBytes: Int = cacheBytesMax,
    readsOnly: Bool = false
  ) throws(SQLError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard tidings_vfs_register() == SQLITE_OK else {
      throw SQLError(.storage, "cannot open \(path): SQLite has no VFS")
    }
    let code = sqlite3_open_v2(path, &opened, flags, tidings_vfs_name)
    guard let opened, code == SQLITE_OK else {
      var error = opened.map { Self.refusal(code, of: $0) } ?? SQLError(.storage, "out of memory")
      error.message = "cannot open \(path): \(error.message)"
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    running = SQLiteInterruption(opened)
    queue = InsertionQueue { sqlite3_get_autocommit(opened) == 0 }
    frames.initialize(to: 0)
    setMovesLogOnClose(false)
    reservePageEnds()
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5000)
    // Of a new database, before its first page is written: pages that become free can be given back.
    if try number("PRAGMA page_count") == 0 { try execute("PRAGMA auto_vacuum = INCREMENTAL") }
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = \(Self.keptLogBytes);
      PRAGMA cache_size = -\(cacheBytes >> 10);
      PRAGMA temp_store = MEMORY;
      PRAGMA query_only = \(readsOnly ? 1 : 0);
      """
    )
    sqlite3_wal_hook(
      handle,
      { frames, _, _, count in
        frames?.assumingMemoryBound(to: CInt.self).pointee = count
        return SQLITE_OK
      },
      frames
    )
  }

  deinit {
    claim()
    running.connectionEnds()
    sqlite3_close_v2(handle)
    frames.deallocate()
  }

  /// Compiles a statement for repeated use.
  public func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    SQLiteStatement(try compiled(sql), of: self)
  }

  /// Compiles a statement that meets no queued row of an insertion.
  public func prepare(
    _ sql: String,
    besides insertion: SQLInsertion
  ) throws(SQLError) -> any SQLStatement {
    SQLiteStatement(try compiled(sql), of: self, besides: insertion)
  }

  private func compiled(_ sql: String) throws(SQLError) -> OpaquePointer {
    claim()
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle,
      Self.withoutUndo(sql),
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &statement,
      nil
    )
    guard code == SQLITE_OK, let statement else { throw error(code, in: sql) }
    return statement
  }

  /// SQLite keeps a copy of the pages that an insertion of several rows changes, to undo those before the one that
  /// fails; a transaction in which anything failed is rolled back anyway.
  private static func withoutUndo(_ sql: String) -> String {
    let insertion = "INSERT INTO "
    return sql.hasPrefix(insertion) ? "INSERT OR FAIL INTO " + sql.dropFirst(insertion.count) : sql
  }

  /// Runs statements that return no rows and are used once.
  public func execute(_ sql: String) throws(SQLError) {
    claim()
    try queue.settle(beforeAll: sql)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, in: sql) }
  }

  /// From now on, overwrites what is removed or replaced with zeros.
  public func overwriteRemovedContent() throws(SQLError) {
    try execute("PRAGMA secure_delete = ON")
  }

  /// Commits the open transaction on a thread of its own; who uses the connection meanwhile waits for the end.
  ///
  /// - Parameter done: Called on that thread before the end, with why the transaction was not committed.
  public func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    do throws(SQLError) {
      try queue.flush()
    } catch {
      return done(error)
    }
    let committing = Committing(handle)
    self.committing = committing
    startThread {
      // Safe: `claim` keeps the owner's thread away from the handle until the signal.
      let sql = "COMMIT"
      let code = sqlite3_exec(committing.handle, sql, nil, nil, nil)
      let failure = code == SQLITE_OK ? nil : Self.error(code, of: committing.handle, in: sql)
      // Reported first, so that waiters for the end see the result.
      done(failure)
      committing.end.signal()
    }
  }

  /// Waits until no other thread has the connection.
  public func claim() {
    guard let committing else { return }
    committing.end.wait()
    self.committing = nil
  }

  /// Unchecked: one thread has the handle at a time.
  private final class Committing: @unchecked Sendable {
    let handle: OpaquePointer
    let end = Semaphore()

    init(_ handle: OpaquePointer) { self.handle = handle }
  }

  /// The number that a query returns; 0 without a row.
  func number(_ sql: String) throws(SQLError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  /// A transaction is open.
  ///
  /// SQLite itself takes one back after some failures, reads included.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Resets all statements that are under way, and rolls back the open transaction, if there is one.
  public func abandon() {
    claim()
    queue.discard()
    var next = sqlite3_next_stmt(handle, nil)
    while let statement = next {
      if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
      next = sqlite3_next_stmt(handle, statement)
    }
    // The transaction is over even when the disk fails here.
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Moves what was committed from the log into the database file, as far as readers allow.
  ///
  /// - Returns: Frames in the log, and how many of them are moved. When all are, the next commit
  ///   restarts the log, in the same file.
  /// - Throws: `SQLError`; `busy` when another connection is moving it.
  public func checkpoint() throws(SQLError) -> (logFrames: Int, movedFrames: Int) {
    claim()
    var (log, moved): (CInt, CInt) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &moved)
    // When another connection moves it, neither number says anything.
    guard code == SQLITE_OK else { throw error(code) }
    return (Int(log), Int(moved))
  }

  /// Moves the whole log into the database file and syncs it, as after a crash: what an earlier
  /// process could not sync is written again.
  ///
  /// - Throws: `SQLError`; `busy` when another connection reads, or moves it.
  public func moveWholeLog() throws(SQLError) {
    let (frames, moved) = try checkpoint()
    guard moved == frames else { throw SQLError(.busy, "another program reads the database") }
  }

  /// Sets up to which size the log's file is kept when this connection restarts it.
  ///
  /// To cut a file takes its time, on the thread that commits: 50 ms for 192 MiB where the file system discards freed
  /// blocks at once (ext4 with `discard`, 2 cores, 2026-11-23).
  ///
  /// - Throws: `SQLError`.
  public func keepLog(bytesMax: Int) throws(SQLError) {
    try execute("PRAGMA journal_size_limit = \(bytesMax)")
  }

  /// Whether closing the last connection moves the log into the database file.
  ///
  /// Off until it is known that the database can be used: one that is refused stays as it is.
  public func setMovesLogOnClose(_ moves: Bool) { tidings_sqlite_keep_log(handle, moves ? 0 : 1) }

  /// Of a new database: room for a checksum at the end of each page.
  private func reservePageEnds() {
    var bytes = CInt(PageChecksum.bytes)
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }

  /// The file that SQLite reads and writes through.
  var file: UnsafeMutableRawPointer? {
    var file: UnsafeMutableRawPointer?
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file)
    return file
  }

  /// The failure of a call of SQLite.
  ///
  /// - Parameters:
  ///   - code: What it returned.
  ///   - sql: The statement that it was about, which is named where that is wrong.
  /// - Returns: The failure, in SQLite's words.
  func error(_ code: CInt, in sql: @autoclosure () -> String? = nil) -> SQLError {
    Self.error(code, of: handle, in: sql())
  }

  private static func error(
    _ code: CInt,
    of handle: OpaquePointer,
    in sql: @autoclosure () -> String?
  ) -> SQLError {
    let message = String(cString: sqlite3_errmsg(handle))
    switch code {
    case tidings_sqlite_ioerr_data, tidings_sqlite_ioerr_corruptfs:
      return SQLError(.damaged, message + " (a page has another checksum)")
    case SQLITE_NOMEM, tidings_sqlite_ioerr_nomem: return SQLError(.uncertain, message)
    case tidings_sqlite_ioerr_fsync, tidings_sqlite_ioerr_dir_fsync, tidings_sqlite_ioerr_shmsize,
      tidings_sqlite_ioerr_shmmap:
      return refusal(code, of: handle, .uncertain)
    default: break
    }
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return SQLError(.damaged, message)
    case SQLITE_BUSY, SQLITE_LOCKED: return SQLError(.busy, message)
    case SQLITE_INTERRUPT: return SQLError(.interrupted, message)
    case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      var error = SQLError(.statement, message, state: "\(code)")
      error.statement = sql()
      return error
    default: return refusal(code, of: handle)
    }
  }

  /// The failure of a call on a file, with what the system said.
  private static func refusal(
    _ code: CInt,
    of handle: OpaquePointer,
    _ kind: SQLError.Kind = .storage
  ) -> SQLError {
    var error = SQLError(kind, String(cString: sqlite3_errmsg(handle)))
    error.isFull = code & 0xff == SQLITE_FULL
    guard [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) else { return error }
    let reason = tidings_vfs_refusal()
    guard reason != 0 else { return error }
    error.systemCode = reason
    // SQLite has a code for a full disk only where it writes.
    if reason == ENOSPC || reason == EDQUOT { error.isFull = true }
    error.message += ": \(String(cString: strerror(reason)))"
    return error
  }
}
