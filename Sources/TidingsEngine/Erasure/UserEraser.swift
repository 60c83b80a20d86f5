internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Removes what is stored for a user, a few rows at a time.
///
/// A row says how far each erasure is, written with each piece: after a crash it resumes there. They run one
/// after the other. Until one is finished its user cannot call, so that nothing new appears.
final class UserEraser: MaintenanceTask, TransactionParticipant {
  /// Erasures that are not finished.
  static let runningMax = 1_000
  /// Rows that are looked at or removed in one statement.
  static let rowsPerPage = 200
  /// Records that are looked at together, of up to a megabyte each: PostgreSQL returns those of a page at once, at most 64 MiB.
  static let recordsPerPage = 64
  /// Shares that are ended together; each may have a hundred participants.
  static let sharesPerPage = 16
  private static let pause = Duration.seconds(3_600)
  /// Until another task has done what this one waits for.
  static let wait = Duration.milliseconds(20)

  /// What erasures work on.
  struct Tables {
    let catalog: Catalog
    let zones: ModifyZones
    let shares: ShareTable
    let subscriptions: ModifySubscriptions
    let subscriptionTable: SubscriptionTable
    let firings: ChannelFirings
    let eventBodies: EventBodies
    let records: ModifyRecords
    let indexes: IndexRegistry
    let indexEntries: IndexEntries
    let ancestors: AncestorLog
    let usage: UsageTable
    let quotas: QuotaTable
    let devices: DeviceNames
    let accounts: AccountDirectory
    let webTokens: WebTokenDirectory
    let deliveryTargets: TargetDirectory
    let publicAccesses: PublicAccesses
  }

  let tables: Tables
  let sql: LazyStatements
  let codec: BodyCodec
  private let table: UserErasureTable
  private let wakeUp: WakeUpFlag
  private let limits: Limits
  /// Those that are not finished, in the order in which they were wanted.
  private var running: [UserErasure] = []
  /// Their users.
  @exclusivity(unchecked) private(set) var users: Set<String> = []
  /// Those that were finished in the open transaction.
  private var finished: [UserErasure] = []
  private var looksForDatabases = true

  init(
    _ connection: any SQLConnection,
    secret: [UInt8],
    tables: Tables,
    codec: BodyCodec,
    wakeUp: WakeUpFlag,
    limits: Limits
  ) throws {
    self.tables = tables
    (self.codec, self.wakeUp, self.limits) = (codec, wakeUp, limits)
    sql = LazyStatements(connection)
    table = try UserErasureTable(connection, secret: secret)
    try reload()
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !finished.isEmpty else { return }
    transaction.finishedErasures = finished
    finished = []
  }

  func didRollback() { finished = [] }

  func reload() throws {
    running = try table.running()
    users = Set(running.map(\.user))
    looksForDatabases = true
  }

  // MARK: Erasures

  /// Other tasks have work now, or this one has.
  func wake() { wakeUp.raise() }

  /// The newest erasure of a user; `nil`: there is none.
  func erasure(of user: String) throws -> UserErasure? {
    var found = try table.erasure(of: user)
    found?.user = user
    return found
  }

  /// An erasure by its ID; `nil`: there is none.
  func erasure(_ id: [UInt8]) throws -> UserErasure? { try table.erasure(id) }

  /// Begins the erasure of a user; one that runs goes on as it is.
  func begin(
    _ user: String,
    by administrator: String,
    _ publicRecords: UserErasure.PublicRecords,
    at now: Timestamp
  ) throws -> UserErasure {
    if let known = running.first(where: { $0.user == user }) { return known }
    guard running.count < Self.runningMax else {
      throw ItemError(
        .limitExceeded,
        "\(running.count) users are being erased, the most at a time: wait until some are finished"
      )
    }
    try table.add(user, by: administrator, publicRecords, at: now)
    running = try table.running()
    users.insert(user)
    wakeUp.raise()
    guard let begun = running.last else { throw SQLError(.damaged, "an erasure is missing") }
    return begun
  }

  // MARK: Pieces

  func work(at moment: Moment) throws -> Duration {
    guard var erasure = running.first else { return try removeDatabases(at: moment.steady) }
    var budget = PieceBudget.betweenTurns()
    var pause = Duration.zero
    repeat {
      switch try piece(&erasure, at: moment, &budget) {
      case .again: break
      case .wait(let duration): pause = duration
      case .done:
        guard let next = erasure.step.next else {
          try finish(&erasure, at: moment)
          return .zero
        }
        (erasure.step, erasure.position) = (next, 0)
      }
      budget.take(1)
    } while pause == .zero && !budget.isSpent
    running[0] = erasure
    try table.save(erasure)
    return pause
  }

  /// What became of a piece.
  enum Outcome {
    /// There is more to do in this step.
    case again
    /// There is more to do, and something else has to be done before.
    case wait(Duration)
    /// The step is done.
    case done
  }

  private func piece(
    _ erasure: inout UserErasure,
    at moment: Moment,
    _ budget: inout PieceBudget
  ) throws -> Outcome {
    switch erasure.step {
    case .access: try waitForLastTopics(of: erasure)
    case .subscriptions: try endSubscriptions(&erasure)
    case .memberships: try leaveShare(&erasure, at: moment)
    case .zones: try deleteZone(&erasure, at: moment)
    case .records: try eraseRecords(&erasure, at: moment, &budget)
    case .contents: try eraseContents(&erasure, &budget)
    case .events: try eraseEvents(&erasure, &budget)
    case .channels: try removeChannels(&erasure, &budget)
    case .ancestors: try removeAncestors(&erasure, at: moment)
    case .assets: try removeAssets(&erasure)
    case .rows: try removeRows(&erasure)
    case .account: try removeAccount(&erasure)
    }
  }

  private func finish(_ erasure: inout UserErasure, at moment: Moment) throws {
    let now = moment.timeOfDay.millisecondsSince1970
    erasure.finished = moment.timeOfDay
    erasure.tombstonesUntil = Timestamp(
      millisecondsSince1970: now + limits.tombstoneRetention.milliseconds
    )
    erasure.notificationsUntil = Timestamp(
      millisecondsSince1970: now + Int64(limits.notificationRetentionDays) * 86_400_000
    )
    try table.finish(erasure)
    running.removeFirst()
    users.remove(erasure.user)
    finished.append(erasure)
    looksForDatabases = true
  }

  // MARK: Databases that wait for ended shares

  private static let databasePause = Duration.seconds(60)

  /// Removes databases that stayed because of ended shares that are forgotten by now.
  private func removeDatabases(at now: SteadyTime) throws -> Duration {
    guard looksForDatabases else { return Self.pause }
    var due: [Int64] = []
    let rows = try sql(
      """
      SELECT e.database_id FROM erased_databases e WHERE NOT EXISTS (
        SELECT 1 FROM shares s WHERE s.database_id = e.database_id
          AND (s.ended >= ?1 OR s.id < (SELECT max(id) FROM shares))
      ) LIMIT 20
      """,
      .number(now.milliseconds - limits.tombstoneRetention.milliseconds)
    )
    try rows.forEachRow { due.append(rows.int64(0)) }
    for number in due { try removeDatabase(number) }
    looksForDatabases = try sql.number("SELECT 1 FROM erased_databases LIMIT 1") != nil
    return looksForDatabases ? Self.databasePause : Self.pause
  }

  /// Removes the row of a database, unless a new user of the name has it.
  func removeDatabase(_ number: Int64) throws {
    try sql.run("DELETE FROM erased_databases WHERE database_id = ?1", .number(number))
    let isUsed = try sql.number(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM zones WHERE database_id = ?1)
        OR EXISTS (SELECT 1 FROM zone_removals WHERE database_id = ?1)
        OR EXISTS (SELECT 1 FROM deleted_zones WHERE database_id = ?1)
        OR EXISTS (SELECT 1 FROM channels WHERE database_id = ?1)
        OR EXISTS (SELECT 1 FROM assets WHERE database_id = ?1)
      """,
      .number(number)
    )
    guard isUsed == nil else { return }
    // The newest share stays for its number.
    try sql.run(
      "UPDATE shares SET zone_name = '' WHERE database_id = ?1 AND ended IS NOT NULL",
      .number(number)
    )
    try sql.run("DELETE FROM databases WHERE id = ?1", .number(number))
    tables.catalog.forget(databaseNumbered: number)
  }
}
