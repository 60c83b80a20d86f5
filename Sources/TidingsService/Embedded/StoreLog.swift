internal import Synchronization
internal import TidingsLogging
internal import TidingsSQLite

/// The store's log as the core uses it: notified of each commit, restarted between transactions, and full
/// when nothing may be added to it.
///
/// Used on the thread of the connection that commits.
final class StoreLog {
  /// The longest that all callers wait for a log that is full.
  private static let waitMax = Duration.seconds(1)

  /// Moves the log on a thread of its own.
  let checkpointer: Checkpointer
  /// Nothing may be written before the log was restarted.
  @exclusivity(unchecked) private(set) var isFull = false
  private let connection: SQLiteConnection

  /// Bytes of the log after the last commit.
  var bytes: Int { connection.logFrames * LogThresholds.frameBytes }

  /// The log of an open database.
  ///
  /// - Parameters:
  ///   - connection: The connection that commits.
  ///   - path: The database file.
  ///   - bytesMax: From which length on new snapshots wait.
  ///   - logger: Failures to move the log are logged.
  ///   - wake: Called on another thread when `restart` is to be called soon.
  /// - Throws: `SQLError`.
  init(
    _ connection: SQLiteConnection,
    path: String,
    bytesMax: Int,
    logger: Logger,
    wake: @escaping @Sendable () -> Void
  ) throws {
    self.connection = connection
    let thresholds = LogThresholds(bytesMax: bytesMax)
    // Within its bound the file is used again as it is.
    try connection.keepLog(bytesMax: thresholds.writesWait * LogThresholds.frameBytes)
    checkpointer = Checkpointer(
      path: path,
      thresholds: thresholds,
      wakeWriter: wake,
      report: CheckpointReport(logger).note
    )
  }

  /// A transaction that wrote is committed; waits for a while if it has filled the log.
  func committed() {
    checkpointer.logGrew(to: connection.logFrames)
    isFull = checkpointer.isLogFull
    if isFull { isFull = !checkpointer.waitForRestart(of: connection, atMost: Self.waitMax) }
  }

  /// Restarts the log if the checkpointer waits for that; not within a transaction.
  func restart() {
    guard checkpointer.isRestartDue else { return }
    checkpointer.restartLog(on: connection)
    isFull = checkpointer.isLogFull
  }

  /// The transaction that is open takes long: readers do not wait for its end.
  func transactionGoesOn() { checkpointer.postponeRestart() }
}

/// Logs that the log cannot be moved: at once, and then now and then as long as that lasts.
private final class CheckpointReport: Sendable {
  private static let pause = Duration.seconds(60)

  private let logger: Logger
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  init(_ logger: Logger) { self.logger = logger }

  @Sendable func note(_ outcome: Checkpointer.Outcome) {
    guard case .failed(let error) = outcome else { return last.withLock { $0 = nil } }
    guard takeTurn() else { return }
    logger.log(
      .error,
      "the log cannot be moved into the database file; it is tried again each second",
      ["reason": "\(error)"]
    )
  }

  private func takeTurn() -> Bool {
    last.withLock { last in
      guard last.map({ $0.duration(to: .now) >= Self.pause }) ?? true else { return false }
      last = .now
      return true
    }
  }
}
