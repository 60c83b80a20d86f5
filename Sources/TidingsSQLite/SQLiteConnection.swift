internal import CSQLite
public import TidingsSQL

/// A connection to an SQLite file in WAL mode with `synchronous=FULL`: a commit is on disk.
///
/// Used by one thread at a time; closed when the last reference goes.
public final class SQLiteConnection: SQLConnection {
  /// How big the database's own memory of pages may grow.
  public static let cacheBytesMax = 64 << 20

  let handle: OpaquePointer
  private let frames = UnsafeMutablePointer<CInt>.allocate(capacity: 1)

  /// The length of the log after the last commit, in frames of one page.
  public var logFrames: Int { Int(frames.pointee) }

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
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened, code == SQLITE_OK else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLError(.storage, "cannot open \(path): \(message)")
    }
    handle = opened
    frames.initialize(to: 0)
    setMovesLogOnClose(false)
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5000)
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
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
    sqlite3_close_v2(handle)
    frames.deallocate()
  }

  /// Compiles a statement for repeated use.
  public func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &statement,
      nil
    )
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return SQLiteStatement(statement, of: self)
  }

  /// Runs statements that return no rows and are used once.
  public func execute(_ sql: String) throws(SQLError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Moves what was committed from the log into the database file, as far as readers allow.
  ///
  /// - Returns: Frames in the log, and how many of them are moved. When all are, the next commit
  ///   begins the log anew, in the same file.
  public func checkpoint() throws(SQLError) -> (logFrames: Int, movedFrames: Int) {
    var (log, moved): (CInt, CInt) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &moved)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code) }
    return (Int(log), Int(moved))
  }

  /// Whether closing the last connection moves the log into the database file.
  ///
  /// Off until it is known that the database can be used: one that is refused stays as it is.
  public func setMovesLogOnClose(_ moves: Bool) { tidings_sqlite_keep_log(handle, moves ? 0 : 1) }

  func error(_ code: CInt) -> SQLError {
    let message = String(cString: sqlite3_errmsg(handle))
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return SQLError(.damaged, message)
    case SQLITE_BUSY, SQLITE_LOCKED: return SQLError(.busy, message)
    case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      return SQLError(.statement, message)
    default: return SQLError(.storage, message)
    }
  }
}
