internal import TidingsModel
internal import TidingsSQL

/// Brings development environments back to what production has, a few rows at a time: ends all
/// subscriptions, empties the directory, deletes all zones, and makes the schema production's at last.
///
/// A row says that a reset runs, and what is still there is what is left to do: after a crash it begins
/// again and finds less. Until it is done nobody writes there, so that nothing new is lost.
final class DevelopmentReset: MaintenanceTask, TransactionParticipant {
  /// Rows that are looked at in a piece.
  private static let rowsPerPiece: Int64 = 200
  /// Subscriptions that are ended in a piece.
  private static let endedPerPiece = 20
  /// Shares that are ended in a piece; each may have a hundred participants.
  private static let sharesPerPiece = 16
  private static let pause = Duration.seconds(3_600)
  /// Databases that a call counts.
  private static let countMax: Int64 = 10_000

  private struct Position {
    var subscription: Int64 = 0
    var hasEndedSubscriptions = false
    var database: Int64 = 0
  }

  private let catalog: Catalog
  private let zones: ModifyZones
  private let shares: ShareTable
  private let subscriptions: ModifySubscriptions
  private let firings: ChannelFirings
  private let wakeUp: WakeUpFlag
  private let schemas: ModifySchema
  private let readerChannels: ReaderChannels
  private let directory: DirectoryTable
  private let selectResets: any SQLStatement
  private let insert: any SQLStatement
  private let delete: any SQLStatement
  private let selectSubscriptions: any SQLStatement
  private let selectDatabases: any SQLStatement
  private let selectZone: any SQLStatement
  private let countDatabases: any SQLStatement
  /// By container, who began it.
  private var running: [String: String] = [:]
  private var positions: [String: Position] = [:]

  /// The resets of a store.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - catalog: Refuses calls meanwhile.
  ///   - zones: Deletes zones.
  ///   - shares: Ends their shares before.
  ///   - subscriptions: Ends subscriptions.
  ///   - firings: Fires deletions.
  ///   - schemas: Makes schemas production's.
  ///   - readerChannels: Follows grants.
  ///   - directory: Forgets who published themselves.
  ///   - wakeUp: Wakes this.
  /// - Throws: `SQLError`.
  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    zones: ModifyZones,
    shares: ShareTable,
    subscriptions: ModifySubscriptions,
    firings: ChannelFirings,
    schemas: ModifySchema,
    readerChannels: ReaderChannels,
    directory: DirectoryTable,
    wakeUp: WakeUpFlag
  ) throws {
    (self.catalog, self.zones, self.shares) = (catalog, zones, shares)
    self.subscriptions = subscriptions
    (self.firings, self.wakeUp) = (firings, wakeUp)
    (self.schemas, self.readerChannels) = (schemas, readerChannels)
    self.directory = directory
    let development = Environment.development.rawValue
    selectResets = try connection.prepare("SELECT container, user FROM environment_resets")
    insert = try connection.prepare(
      """
      INSERT INTO environment_resets (container, user, begun) VALUES (?1, ?2, ?3)
      ON CONFLICT (container) DO NOTHING
      """
    )
    delete = try connection.prepare("DELETE FROM environment_resets WHERE container = ?1")
    selectSubscriptions = try connection.prepare(
      """
      SELECT id, owner, database_id, subscription_id,
        container = ?2 AND environment = \(development) AND ended IS NULL
      FROM subscriptions WHERE id > ?1 ORDER BY id LIMIT ?3
      """
    )
    selectDatabases = try connection.prepare(
      """
      SELECT d.id, d.container = ?2 AND d.environment = \(development)
        AND EXISTS (SELECT 1 FROM zones z WHERE z.database_id = d.id)
      FROM databases d WHERE d.id > ?1 ORDER BY d.id LIMIT ?3
      """
    )
    selectZone = try connection.prepare(
      "SELECT name FROM zones WHERE database_id = ?1 ORDER BY name LIMIT 1"
    )
    countDatabases = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM databases d WHERE d.container = ?1 AND d.environment = \(development)
          AND EXISTS (SELECT 1 FROM zones z WHERE z.database_id = d.id) LIMIT ?2
      ) AS found
      """
    )
    try reload()
  }

  func didRollback() { positions = [:] }

  func reload() throws {
    running = [:]
    try selectResets.forEachRow { running[selectResets.string(0)] = selectResets.string(1) }
    catalog.containersBeingReset = Set(running.keys)
  }

  /// Whether the reset of a container runs.
  func isRunning(_ container: String) -> Bool { running[container] != nil }

  /// How many databases of a container's development have something to remove.
  func databaseCount(of container: String) throws(SQLError) -> Int {
    countDatabases.bind(container, at: 1)
    countDatabases.bind(Self.countMax, at: 2)
    defer { countDatabases.reset() }
    return try countDatabases.step() ? Int(countDatabases.int64(0)) : 0
  }

  /// Begins a reset, or lets one that runs go on.
  func begin(_ container: String, by user: String, at moment: Moment) throws(SQLError) {
    insert.bind(container, at: 1)
    insert.bind(user, at: 2)
    insert.bind(moment.steady.milliseconds, at: 3)
    try insert.run()
    running[container] = running[container] ?? user
    catalog.containersBeingReset.insert(container)
    wakeUp.raise()
  }

  // MARK: Pieces

  func work(at moment: Moment) throws -> Duration {
    guard let (container, user) = running.min(by: { $0.key < $1.key }) else { return Self.pause }
    var position = positions[container] ?? Position()
    defer { positions[container] = position }
    if !position.hasEndedSubscriptions {
      try endSubscriptions(of: container, &position)
      return .zero
    }
    let count = try directory.removeSome(
      from: container,
      .development,
      limit: Self.rowsPerPiece
    )
    if count > 0 { return .zero }
    do {
      let caller = Caller(user: user, device: "")
      if try !removeZone(of: container, by: caller, at: moment, &position) { return .zero }
    } catch let error as ItemError where error.code == .zoneBusy {
      return error.retryAfter ?? .seconds(1)
    }
    _ = try schemas.reset(container, isDryRun: false)
    try readerChannels.grantsChanged(
      in: DatabaseID(container: container, environment: .development, scope: .public, owner: "")
    )
    delete.bind(container, at: 1)
    try delete.run()
    running[container] = nil
    // The next reset begins at the beginning.
    position = Position()
    catalog.containersBeingReset.remove(container)
    return .zero
  }

  private func endSubscriptions(of container: String, _ position: inout Position) throws {
    var found: [(owner: String, database: Int64, name: String)] = []
    var rows: Int64 = 0
    var isFull = false
    selectSubscriptions.bind(position.subscription, at: 1)
    selectSubscriptions.bind(container, at: 2)
    selectSubscriptions.bind(Self.rowsPerPiece, at: 3)
    let row = selectSubscriptions
    try row.forEachRow {
      rows += 1
      guard !isFull else { return }
      position.subscription = row.int64(0)
      guard row.int64(4) != 0 else { return }
      found.append((row.string(1), row.int64(2), row.string(3)))
      isFull = found.count == Self.endedPerPiece
    }
    for subscription in found {
      try subscriptions.remove(
        subscription.name,
        of: subscription.owner,
        from: catalog.database(numbered: subscription.database)
      )
    }
    position.hasEndedSubscriptions = !isFull && rows < Self.rowsPerPiece
  }

  /// Ends shares of the next zone, and deletes it when it has none.
  ///
  /// - Returns: Whether there is none left.
  private func removeZone(
    of container: String,
    by caller: Caller,
    at moment: Moment,
    _ position: inout Position
  ) throws -> Bool {
    var rows: Int64 = 0
    var found: Int64?
    selectDatabases.bind(position.database, at: 1)
    selectDatabases.bind(container, at: 2)
    selectDatabases.bind(Self.rowsPerPiece, at: 3)
    let row = selectDatabases
    try row.forEachRow {
      rows += 1
      guard found == nil else { return }
      if row.int64(1) != 0 { found = row.int64(0) } else { position.database = row.int64(0) }
    }
    guard let found else { return rows < Self.rowsPerPiece }
    let database = try catalog.database(numbered: found)
    guard let zone = try zone(in: database) else { return false }
    try firings.asOneCall(by: caller, at: moment) { call in
      guard try shares.endSome(Self.sharesPerPiece, in: zone, by: call) == 0 else { return }
      try zones.remove(zone, from: database, because: .deleted, by: call)
    }
    return false
  }

  private func zone(in database: DatabaseEntry) throws -> ZoneEntry? {
    selectZone.bind(database.number, at: 1)
    defer { selectZone.reset() }
    guard try selectZone.step() else { return nil }
    return try catalog.zone(ZoneID(zoneName: selectZone.string(0)), in: database)
  }
}
