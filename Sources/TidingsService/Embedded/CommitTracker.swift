internal import TidingsEngine
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsModel
internal import TidingsSQLite

/// Notes in the state file how far the commits of this run reach.
///
/// Used on the thread of the connection that commits.
final class CommitTracker {
  // Released in this order: SQLite may lose its locks when the file of its database is closed, and the
  // folder's lock goes last.
  private let connection: SQLiteConnection
  private var database: File?
  private var log: File?
  private var file: StoreStateFile?
  private let folder: DataFolder

  private let logger: Logger
  private let previous: StoreState?
  private var state: StoreState
  /// The first bytes of the log, as they were last seen.
  private var header: [UInt8] = []
  private var hasFailed = false

  /// Files of assets without rows are left alone until then.
  var sweepsAfter: SteadyTime { state.sweepsAfter }

  /// Looks how the last run ended; writes nothing yet.
  ///
  /// - Parameters:
  ///   - folder: The folder, whose database was opened.
  ///   - connection: The connection that commits.
  ///   - limits: How long files of assets are kept.
  ///   - now: The steady time of the store.
  ///   - logger: Logs problems with the state file.
  /// - Throws: `FileError`, `SQLError`.
  init(
    _ folder: DataFolder,
    _ connection: SQLiteConnection,
    limits: Limits,
    now: SteadyTime,
    logger: Logger
  ) throws {
    self.folder = folder
    self.connection = connection
    self.logger = logger
    previous = try StoreStateFile.read(folder.statePath)
    state = StoreState(incarnation: [], run: previous?.run ?? 0)
    let now = now.milliseconds
    let retention = Int64(limits.assetRetentionHours) * 3_600_000
    // A store that never ran has no files from before.
    let wasClean = try previous?.isStopped ?? (StoreLabel(connection)?.run ?? 0 == 0)
    let noted = previous?.sweepsAfter.milliseconds ?? 0
    // A noted time is never further away than the retention, whatever the clock said.
    state.sweepsAfter = SteadyTime(
      milliseconds: wasClean ? min(noted, now + retention) : now + retention
    )
  }

  /// A run begins: notes it in the database and beside it, durably.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func begin() throws {
    guard let label = try StoreLabel(connection) else { return }
    if previous == nil, label.run > 0 {
      logger.log(
        .warning,
        "the store's state file is missing or damaged: the database is taken as it is",
        ["file": folder.statePath]
      )
    }
    state.incarnation = label.incarnation
    state.run = max(label.run, state.run) &+ 1
    try StoreLabel.write(run: state.run, connection)
    log = try File(path: folder.logPath, .read)
    database = try File(path: folder.databasePath, .read)
    file = try StoreStateFile(folder.statePath)
    try note()
    try file?.synchronize()
    try Folder.synchronize(folder.path)
  }

  /// A commit is durable: notes it, before it is acknowledged.
  ///
  /// A note that cannot be written leaves the file behind the log, which is no harm.
  func committed() {
    do {
      try note()
      hasFailed = false
    } catch {
      if !hasFailed {
        logger.log(.warning, "the store's state was not noted", ["reason": "\(error)"])
      }
      hasFailed = true
    }
  }

  /// The run ends, and nothing is committed after it.
  func stop() {
    guard file != nil else { return }
    do {
      try StoreLabel.write(run: state.run &+ 1, connection)
      // SQLite moves and removes the log when the last connection goes: by then this must be known.
      state.run &+= 1
      state.isStopped = true
      try note()
      try file?.synchronize()
    } catch {
      logger.log(.warning, "the end of the run was not noted", ["reason": "\(error)"])
    }
  }

  private func note() throws(FileError) {
    guard let log else { return }
    let bytes = try log.read(at: 0, count: LogHeader.byteCount)
    let isOther = bytes != header
    if isOther {
      state.position = LogHeader(bytes).map { LogPosition(log: $0.log, frames: 0) }
      state.firstPageVersion = try database.flatMap(StoreFiles.firstPageVersion) ?? 0
      header = bytes
    }
    let frames = UInt32(clamping: connection.logFrames)
    guard isOther || state.isStopped || state.position?.frames != frames else { return }
    state.position?.frames = frames
    state.lastCommit = .now
    try file?.write(state)
  }
}
