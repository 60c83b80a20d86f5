internal import Synchronization
public import TidingsSQL
internal import TidingsThreads

/// Moves the log into the database file on a thread of its own, so that commits do not wait for it,
/// and keeps the log within its bound.
///
/// A log that was moved whole is then used again from its beginning: overwriting a file is faster than
/// growing one. That needs a moment without snapshots, which overlapping readers may never leave; so
/// above a bound new snapshots wait. The last frames are then moved by the writer between two
/// transactions of its own, because it adds new ones as long as it runs.
public final class Checkpointer: Sendable {
  /// What became of one attempt to move the log, for the server's log and its counters.
  public enum Outcome: Sendable {
    /// It was moved as far as snapshots allow.
    case moved
    /// It failed, and is tried again.
    case failed(SQLError)
  }

  private struct State {
    var schedule: CheckpointSchedule
    var frames = 0
    var isAsked = false
    var isStopping = false
    /// No snapshot is open, and nearly all of the log is moved: the writer's turn.
    var isRestartDue = false
    /// The writer was within a long transaction when it was its turn.
    var isPostponed = false
    /// The writer waits for `progress`.
    var isWriterWaiting = false
    var failureCount: UInt64 = 0
    var jobs: [Job] = []
  }

  /// Runs on the thread, between checkpoints; `nil`: the thread is ending.
  private typealias Job = @Sendable (SQLiteConnection?) -> Void

  /// A failed attempt is repeated after this, and one that snapshots kept from its end.
  private static let pause = Duration.seconds(1)
  /// Snapshots that are open longer while the log has to be restarted are ended.
  public static let snapshotPatience = Duration.seconds(5)
  /// How long new snapshots wait for those that are open, and how long they do not before the next attempt.
  private static let (gateClosed, gateOpen) = (
    Duration.milliseconds(50), Duration.milliseconds(200)
  )
  /// How long the writer may take to move the last frames.
  public static let writerPatience = Duration.seconds(5)
  /// How long snapshots may take to end when they have to.
  private static let endingPatience = Duration.seconds(5)

  /// Readers of the database file enter it for each snapshot.
  public let gate: SnapshotGate
  let path: String
  private let thresholds: LogThresholds
  private let snapshotPatience: Duration
  private let writerPatience: Duration
  private let report: @Sendable (Outcome) -> Void
  private let state: Mutex<State>
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()
  private let wakeWriter: @Sendable () -> Void
  /// Signalled after each step, for a writer that waits.
  private let progress = Semaphore()
  /// Signalled when the writer has had its turn.
  private let writerDone = Semaphore()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - thresholds: From which lengths on something is done.
  ///   - gate: Where readers enter.
  ///   - snapshotPatience: How long open snapshots may go on while the log has to be restarted.
  ///   - writerPatience: How long the writer may take to move the last frames.
  ///   - wakeWriter: Called on the thread when the writer is to call `restartLog(on:)` soon, or `postponeRestart()`.
  ///   - report: Called on the thread after each attempt.
  public init(
    path: String,
    thresholds: LogThresholds,
    gate: SnapshotGate = SnapshotGate(),
    snapshotPatience: Duration = snapshotPatience,
    writerPatience: Duration = writerPatience,
    wakeWriter: @escaping @Sendable () -> Void = {},
    report: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    self.path = path
    self.thresholds = thresholds
    self.gate = gate
    self.snapshotPatience = snapshotPatience
    self.writerPatience = writerPatience
    self.wakeWriter = wakeWriter
    self.report = report
    state = Mutex(State(schedule: CheckpointSchedule(thresholds)))
    startThread { [self] in
      run()
      stopped.signal()
    }
  }

  /// Reports the length of the log after a commit; returns immediately.
  public func logGrew(to frames: Int) {
    let isDue = state.withLock { state in
      state.frames = frames
      guard state.isPostponed || state.schedule.isDue(at: frames), !state.isAsked else {
        return false
      }
      (state.isAsked, state.isPostponed) = (true, false)
      return true
    }
    if isDue { wakeUp.signal() }
  }

  /// Moves the log soon, however short it is: a database file becomes smaller only then.
  public func moveSoon() { ask() }

  /// The log is so long that nothing may be written before it was restarted.
  public var isLogFull: Bool { state.withLock(\.frames) >= thresholds.writesWait }

  /// How many attempts failed.
  public var failureCount: UInt64 { state.withLock(\.failureCount) }

  /// Whether the writer is to call `restartLog(on:)` after its transaction.
  public var isRestartDue: Bool { state.withLock(\.isRestartDue) }

  /// Moves the last frames of the log, so that the next transaction restarts it.
  ///
  /// - Parameter writer: The writer's connection, between two transactions.
  public func restartLog(on writer: SQLiteConnection) {
    guard isRestartDue else { return }
    let isMoved: Bool
    do {
      let (frames, moved) = try writer.checkpoint()
      isMoved = frames == moved
    } catch {
      failed(error)
      isMoved = false
    }
    state.withLock { state in
      state.isRestartDue = false
      if isMoved { state.frames = 0 }
    }
    writerDone.signal()
  }

  /// The writer's transaction takes long: new snapshots do not wait for its end, and the log is restarted later.
  ///
  /// It cannot grow without end meanwhile: before a write finds it full, the writer waits for its restart.
  public func postponeRestart() {
    let isDue = state.withLock { state in
      guard state.isRestartDue else { return false }
      (state.isRestartDue, state.isPostponed) = (false, true)
      return true
    }
    if isDue { writerDone.signal() }
  }

  /// Waits until the log may be written again.
  ///
  /// - Parameters:
  ///   - writer: The writer's connection, between two transactions.
  ///   - duration: How long to wait.
  /// - Returns: `false` when the time was not enough.
  public func waitForRestart(of writer: SQLiteConnection, atMost duration: Duration) -> Bool {
    let deadline = ContinuousClock.now.advanced(by: duration)
    state.withLock { $0.isWriterWaiting = true }
    defer { state.withLock { $0.isWriterWaiting = false } }
    while isLogFull {
      ask()
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero, progress.wait(for: rest) else { return false }
      restartLog(on: writer)
    }
    return true
  }

  /// Ends the thread, and returns when it has ended.
  public func stop() {
    state.withLock { $0.isStopping = true }
    gate.open()
    wakeUp.signal()
    // The writer, who waits for the end, moves nothing any more.
    writerDone.signal()
    stopped.wait()
  }

  private func ask() {
    let isFirst = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    if isFirst { wakeUp.signal() }
  }

  // MARK: The thread

  private func run() {
    var connection: SQLiteConnection?
    var isRepeating = false
    while true {
      if isRepeating { _ = wakeUp.wait(for: Self.pause) } else { wakeUp.wait() }
      let (jobs, isAsked, isStopping) = state.withLock { state in
        defer { (state.jobs, state.isAsked) = ([], false) }
        return (state.jobs, state.isAsked, state.isStopping)
      }
      if isStopping {
        for job in jobs { job(nil) }
        return
      }
      if connection == nil { connection = open() }
      if isAsked || isRepeating { isRepeating = !moveLog(connection) }
      for job in jobs { job(connection) }
    }
  }

  private func open() -> SQLiteConnection? {
    do {
      return try SQLiteConnection(path: path)
    } catch {
      failed(error)
      return nil
    }
  }

  /// - Returns: Whether nothing is left to be done.
  private func moveLog(_ connection: SQLiteConnection?) -> Bool {
    defer { noteProgress() }
    guard let connection else { return false }
    do {
      let (frames, _) = try connection.checkpoint()
      report(.moved)
      guard frames >= thresholds.snapshotsWait else { return true }
      return try restartLog(with: connection)
    } catch {
      failed(error)
      return false
    }
  }

  private func failed(_ error: SQLError) {
    state.withLock { $0.failureCount += 1 }
    report(.failed(error))
  }

  /// Lets the writer restart a log that is too long, in a moment without snapshots.
  private func restartLog(with connection: SQLiteConnection) throws(SQLError) -> Bool {
    defer { gate.open() }
    guard drainSnapshots() else { return false }
    // The writer is to find little left.
    _ = try connection.checkpoint()
    state.withLock { $0.isRestartDue = true }
    noteProgress()
    wakeWriter()
    let isDone = writerDone.wait(for: writerPatience)
    return state.withLock { state in
      state.isRestartDue = false
      return isDone && state.frames < thresholds.snapshotsWait
    }
  }

  /// Closes the gate when no snapshot is open; those that are open for long are ended after a while, or when the log
  /// is full.
  ///
  /// For a snapshot that takes long, others do not wait: the gate is closed for moments.
  private func drainSnapshots() -> Bool {
    let patience = ContinuousClock.now.advanced(by: snapshotPatience)
    while ContinuousClock.now < patience, !isLogFull {
      if closeGate() { return true }
      gate.open()
      _ = gate.drain(until: min(ContinuousClock.now.advanced(by: Self.gateOpen), patience))
    }
    if closeGate() { return true }
    gate.endSnapshots()
    return gate.drain(until: ContinuousClock.now.advanced(by: Self.endingPatience))
  }

  /// - Returns: Whether the snapshots that were open ended within a moment.
  private func closeGate() -> Bool {
    gate.close()
    return gate.drain(until: ContinuousClock.now.advanced(by: Self.gateClosed))
  }

  private func noteProgress() {
    if state.withLock(\.isWriterWaiting) { progress.signal() }
  }

  // MARK: Other work of the thread

  /// Moves the whole log into the database file and does something before it is written again.
  ///
  /// Blocks; not for the thread that commits.
  ///
  /// - Parameter body: Gets a connection that is the thread's own.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` throws; `SQLError` when the log cannot be moved.
  func withMovedLog<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteConnection) throws(SQLError) -> Value
  ) throws(SQLError) -> Value {
    let done = Semaphore()
    let result = Mutex<Result<Value, SQLError>?>(nil)
    let isTaken = state.withLock { state in
      guard !state.isStopping else { return false }
      state.jobs.append { [self] connection in
        let outcome: Result<Value, SQLError>
        do throws(SQLError) {
          guard let connection else { throw Self.cannotMove }
          try moveWholeLog(connection)
          outcome = .success(try body(connection))
        } catch {
          outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
        done.signal()
      }
      return true
    }
    guard isTaken else { throw Self.cannotMove }
    wakeUp.signal()
    done.wait()
    guard let outcome = result.withLock(\.self) else { throw Self.cannotMove }
    return try outcome.get()
  }

  private static let cannotMove = SQLError(.busy, "the log cannot be moved now: try again later")

  /// All that was committed before is in the database file afterwards.
  private func moveWholeLog(_ connection: SQLiteConnection) throws(SQLError) {
    var (frames, moved) = try connection.checkpoint()
    guard moved < frames else { return }
    // Snapshots of before are still open.
    let goal = frames
    defer { gate.open() }
    guard drainSnapshots() else { throw Self.cannotMove }
    (frames, moved) = try connection.checkpoint()
    guard moved >= min(goal, frames) else { throw Self.cannotMove }
  }
}
