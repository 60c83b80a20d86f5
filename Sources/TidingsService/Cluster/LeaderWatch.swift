#if PostgreSQL
internal import Synchronization
internal import TidingsEngine
internal import TidingsLogging
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsThreads

/// Looks in the database, on a thread of its own, who leads and whether that node is alive, and takes the database if it
/// is not.
final class LeaderWatch: Sendable {
  /// What it reports, on its thread.
  struct Reports: Sendable {
    /// Calls go to this leader.
    let follows: @Sendable (LeaderRow) -> Void
    /// The database that somebody leads does not have this commit; `nil`: it has all.
    let hasLost: @Sendable (CommitMark?) -> Void
    /// This node has the database.
    let leads: @Sendable (TakenDatabase) -> Void
  }

  private struct State {
    var isLinked = false
    var mustReadKeys = false
    /// The last attempt to read them failed.
    var cannotReadKeys = false
    /// Who waits for keys to be read.
    var isAwaited = false
    /// When they were asked for last by who waits.
    var awaited = ContinuousClock.Instant?.none
    var isStopping = false
  }

  private static let interval = Duration.milliseconds(250)
  /// While the leader cannot be reached.
  private static let shortInterval = Duration.milliseconds(50)
  private static let keysInterval = Duration.milliseconds(50)
  private static let keysPatience = Duration.milliseconds(200)
  /// After the database could not be taken.
  private static let pauseAfterFailure = Duration.seconds(2)

  private let settings: ServerSettings
  /// Of this node.
  private let name: String
  private let address: PostgresAddress
  private let keys: LeaderKeys
  private let admittedKeys: AdmittedKeys
  private let logger: Logger
  private let reports: Reports
  /// A commit that the database must have.
  private let newest: CommitMark?
  /// This node does not lead before.
  private let earliest: ContinuousClock.Instant
  private let state = Mutex(State())
  private let wakeUp = Semaphore()
  private let keysRead = Semaphore()
  private let ended = Semaphore()

  init(
    _ address: PostgresAddress,
    _ settings: ServerSettings,
    _ name: String,
    _ keys: LeaderKeys,
    _ admittedKeys: AdmittedKeys,
    _ logger: Logger,
    newest: CommitMark?,
    canLeadAfter pause: Duration,
    _ reports: Reports
  ) {
    (self.address, self.settings, self.name, self.keys) = (address, settings, name, keys)
    (self.admittedKeys, self.logger, self.reports) = (admittedKeys, logger, reports)
    self.newest = newest
    earliest = .now.advanced(by: pause)
  }

  /// Starts the thread.
  func start() { startThread { [self] in run() } }

  /// The connection to the leader was made or has ended.
  func linkChanged(_ isLinked: Bool) {
    state.withLock { $0.isLinked = isLinked }
    if !isLinked { wakeUp.signal() }
  }

  /// The keys that may connect have changed.
  func keysChanged() {
    state.withLock { $0.mustReadKeys = true }
    wakeUp.signal()
  }

  /// Reads the keys that may connect, because somebody has one that is not known; seldom, so that strangers cannot keep the
  /// database busy.
  ///
  /// Called on the thread that admits connections, for which a short wait is better than to refuse a key that was admitted
  /// a moment ago.
  func readKeysNow() {
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      let isDue = state.awaited.map { $0.advanced(by: Self.keysInterval) <= now } ?? true
      guard isDue || state.mustReadKeys, !state.cannotReadKeys else { return false }
      (state.awaited, state.mustReadKeys, state.isAwaited) = (now, true, true)
      return true
    }
    guard isDue else { return }
    // Of one that came too late.
    while keysRead.wait(for: .zero) {}
    wakeUp.signal()
    _ = keysRead.wait(for: Self.keysPatience)
  }

  /// Ends the thread, and waits for its end.
  func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    ended.wait()
    ended.signal()
  }

  private var isStopping: Bool { state.withLock { $0.isStopping } }

  private func run() {
    defer { ended.signal() }
    let connection = PostgresConnection(address, profile: .reader)
    var observation = LeaderObservation(at: .now, newest: newest, formatMax: Migration.format)
    while !isStopping {
      var pause = state.withLock { $0.isLinked } ? Self.interval : Self.shortInterval
      do {
        try readKeys(connection)
        let row = try LeaderRow.read(connection)
        let isLinked = state.withLock { $0.isLinked }
        for action in observation.observe(row, isLinked: isLinked, at: .now) {
          switch action {
          case .refuse(let format): reportRefusal(format)
          case .follow(let leader): reports.follows(leader)
          case .verify(let commit):
            let isKept = try commit.isKept(in: connection)
            observation.verified(isKept: isKept)
            reports.hasLost(isKept ? nil : commit)
          case .lead(let endsLeader):
            if endsLeader { try endLeader(connection) }
            // A session of its own for each attempt would be expensive.
            guard try !PostgresDatabase.hasLeader(connection) else { continue }
            if let database = try take(after: observation.newest) {
              return reports.leads(TakenDatabase(database))
            }
          }
        }
      } catch {
        logger.log(.warning, "the database was not reached, or not taken", ["reason": "\(error)"])
        pause = Self.pauseAfterFailure
      }
      _ = wakeUp.wait(for: pause)
    }
  }

  /// Takes the database, if no other node has it.
  private func take(after commit: CommitMark?) throws -> PostgresDatabase? {
    // A newer version may have led, and ended, since the row was read: it is read again.
    guard !isStopping, earliest <= .now,
      case .taken(let database) = try PostgresDatabase.take(
        address,
        assetsPath: settings.assetsPath,
        for: name,
        keys: keys
      )
    else { return nil }
    if let commit, try !commit.isKept(in: database.connection) {
      logger.log(
        .error,
        "THE DATABASE HAS LOST COMMITS that it had acknowledged: the store has a new incarnation, change tokens expire, and "
          + "devices register again",
        ["incarnation": try commit.renewIdentity(database.connection)]
      )
    }
    return database
  }

  private func reportRefusal(_ format: Int64) {
    logger.log(
      .error,
      "THIS NODE CANNOT LEAD: the database was brought to a newer data format; calls are forwarded as long as a node of a "
        + "newer version leads: upgrade this one",
      ["databaseFormat": "\(format)", "knownFormat": "\(Migration.format)"]
    )
  }

  private func endLeader(_ connection: PostgresConnection) throws {
    logger.log(.warning, "the leader leaves no sign of life in the database: its session is ended")
    try PostgresDatabase.endLeader(connection)
  }

  private func readKeys(_ connection: PostgresConnection) throws {
    guard state.withLock({ $0.mustReadKeys }) else { return }
    state.withLock { $0.mustReadKeys = false }
    do {
      try admittedKeys.load(from: connection)
    } catch {
      // Nobody waits for that: the next attempt comes after a pause.
      state.withLock { ($0.mustReadKeys, $0.cannotReadKeys) = (true, true) }
      throw error
    }
    let isAwaited = state.withLock { state in
      defer { state.isAwaited = false }
      state.cannotReadKeys = false
      return state.isAwaited
    }
    if isAwaited { keysRead.signal() }
  }
}
#endif
