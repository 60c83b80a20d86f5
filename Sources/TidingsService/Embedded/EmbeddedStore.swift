internal import TidingsEngine
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsMemory
internal import TidingsMetrics
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite

/// A store in a file of this machine.
final class EmbeddedStore: Store {
  // The tracker goes first: its files are closed before the connection is.
  private let tracker: CommitTracker
  private let log: StoreLog
  private let connection: SQLiteConnection
  private let path: String
  private let assets: AssetFolder
  private let space: StoreSpace

  var writer: any SQLConnection { connection }
  var readers: any StoreReaders { EmbeddedReaders(path: path, gate: log.checkpointer.gate) }
  var walked: WalkedDatabase? {
    WalkedDatabase(path: path, assets: assets, checkpointer: log.checkpointer)
  }
  let isRemote = false
  var isFull: Bool { log.isFull }
  var status: StoreStatus {
    StoreStatus(
      logBytes: log.bytes,
      freeBytes: space.freeBytes,
      checkpointsFailed: log.checkpointer.failureCount,
      damagedPages: PageChecksum.mismatchCount,
      syncs: HistogramSnapshot(SyncDurations.current)
    )
  }

  /// The store of an open database.
  ///
  /// - Parameters:
  ///   - connection: Open, with all migrations.
  ///   - folder: Where it is, locked.
  ///   - server: What uses it.
  /// - Throws: `SQLError`, `FileError`.
  init(_ connection: SQLiteConnection, in folder: DataFolder, for server: StoreUser) throws {
    self.connection = connection
    try connection.keepPages(bytesMax: server.limits.memory[.writerPages])
    path = folder.databasePath
    assets = try AssetFolder(path: folder.assetsPath)
    try connection.moveWholeLog()
    tracker = try CommitTracker(
      folder,
      connection,
      limits: server.limits,
      now: server.now,
      logger: server.logger
    )
    space = try StoreSpace(connection)
    log = try StoreLog(
      connection,
      path: path,
      bytesMax: server.limits.logBytesMax,
      logger: server.logger,
      wake: server.wake
    )
  }

  func openAssets(for user: AssetStorageUser) throws -> any AssetStorage {
    try AssetFiles(in: assets, connections: readers, sweepsAfter: tracker.sweepsAfter, for: user)
  }

  func begin() throws {
    try tracker.begin()
    // A start that fails before leaves the log that a crash left: the state file expects it.
    connection.setMovesLogOnClose(true)
  }

  func didCommit() { tracker.committed() }

  func betweenTransactions(hasWritten: Bool) {
    if hasWritten { log.committed() }
    if space.takeEnd() { log.checkpointer.moveSoon() }
    log.restart()
  }

  func transactionGoesOn() { log.transactionGoesOn() }

  func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    connection.commitBeside(done)
  }

  func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  ) {
    preconditionFailure("an embedded store reads with each step")
  }

  func awaitThreads() { connection.claim() }

  func releaseSpace() throws -> Duration? { try space.release() }

  func stop() {
    log.checkpointer.stop()
    tracker.stop()
  }
}

/// Reading connections to an embedded store.
struct EmbeddedReaders: StoreReaders {
  let path: String
  let gate: SnapshotGate

  var mustEndSnapshots: Bool { gate.mustEnd }

  func connect(cacheBytes: Int) throws -> any SQLConnection {
    try SQLiteConnection(path: path, cacheBytes: cacheBytes, readsOnly: true)
  }

  func snapshotBegins() { gate.enter() }
  func snapshotBeginsAtOnce() -> Bool { gate.enterIfOpen() }
  func snapshotEnded() { gate.leave() }

  func sizes() throws -> StoreSizes {
    StoreSizes(
      databaseBytes: try Folder.status(path)?.size ?? 0,
      logBytes: try Folder.status(path + "-wal")?.size ?? 0
    )
  }
}

extension HistogramSnapshot {
  /// Nanoseconds as seconds.
  fileprivate init(_ durations: SyncDurations) {
    self.init(
      bounds: durations.bounds.map { Double($0) * 1e-9 },
      counts: durations.counts,
      sum: Double(durations.sum) * 1e-9
    )
  }
}
