internal import TidingsEngine
internal import TidingsLogging
internal import TidingsSQLite

/// The store of a folder that no server uses, opened by a command that changes it.
///
/// The engine may have SQLite's locks as long as it lives, and it goes before the folder.
struct StoppedStore {
  let engine: Engine
  private let tracker: CommitTracker
  private let folder: DataFolder

  /// Opens the engine, which brings the schema up to date, as the next start would.
  ///
  /// - Throws: `MigrationError`, `SQLError`, `FileError`.
  init(_ connection: SQLiteConnection, in folder: DataFolder) throws {
    let steadyClock = SteadyClock()
    self.folder = folder
    engine = try Engine(
      connection,
      steadyClock: steadyClock,
      clock: { .now }
    )
    tracker = try CommitTracker(
      folder,
      connection,
      limits: engine.limits,
      now: steadyClock.now,
      logger: Logger()
    )
  }

  /// Notes beside the store what was committed, as a run that ended cleanly, or that did not: then
  /// the next start leaves files of assets alone, as after a crash.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func noteRun(isClean: Bool) throws {
    try tracker.begin()
    if isClean { tracker.stop() }
  }
}
