#if PostgreSQL
internal import TidingsEngine
internal import TidingsPostgres
internal import TidingsSQL

/// A store in a database of a PostgreSQL server.
///
/// The server makes commits durable, moves its log, reuses space and is backed up by itself.
final class PostgresStore: Store {
  private let connection: PostgresConnection
  private let reading: PostgresConnection
  private let address: PostgresAddress
  private let assetsPath: String?
  /// The database may be an older one than the files of assets beside it.
  private let sweepsAfter: SteadyTime

  var writer: any SQLConnection { connection }
  var readers: any StoreReaders { PostgresReaders(address: address) }
  let isRemote = true
  let isFull = false
  let status = StoreStatus()
  let walked: WalkedDatabase? = nil

  var term: Int64? { connection.term }
  /// What other nodes must find in the database.
  private var lastCommit: CommitMark? {
    connection.claim()
    return connection.term.map { CommitMark(term: $0, number: connection.lastCommit) }
  }
  /// Of a node that leads.
  private var pulse: LeaderPulse?

  func beat() {
    // The tables were made with the first start.
    if pulse == nil, let term { pulse = LeaderPulse(address, term: term) }
    pulse?.beat()
  }

  var leadershipEnd: RoleEnd? {
    switch connection.standing {
    case .held: pulse?.isOutdated == true ? .anotherLeads(after: lastCommit) : nil
    case .lost: .anotherLeads(after: lastCommit)
    case .rewound: .databaseLost(lastCommit)
    }
  }

  init(
    _ connection: PostgresConnection,
    readingAhead reading: PostgresConnection,
    at address: PostgresAddress,
    assetsPath: String?,
    pulse: LeaderPulse?,
    for server: StoreUser
  ) {
    (self.connection, self.reading, self.address) = (connection, reading, address)
    self.assetsPath = assetsPath
    self.pulse = pulse
    let retention = Int64(server.limits.assetRetentionHours) * 3_600_000
    sweepsAfter = SteadyTime(milliseconds: server.now.milliseconds + retention)
  }

  func openAssets(for user: AssetStorageUser) throws -> any AssetStorage {
    let placement: AssetPlacement = assetsPath == nil ? .database : .files
    try placement.establish(in: connection)
    guard let assetsPath else {
      return DatabaseAssets(
        connections: { [address] in PostgresConnection(address) },
        readers: readers,
        for: user
      )
    }
    return try AssetFiles(
      in: AssetFolder(path: assetsPath),
      connections: readers,
      sweepsAfter: sweepsAfter,
      for: user
    )
  }

  func begin() {}
  func didCommit() {}
  func betweenTransactions(hasWritten: Bool) {}
  func transactionGoesOn() {}

  func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    connection.commitBeside(done)
  }

  func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  ) {
    reading.readBeside(statements, done)
  }

  func awaitThreads() {
    connection.claim()
    reading.claim()
  }
  func releaseSpace() -> Duration? { nil }
  func stop() { pulse = nil }
}

/// Reading connections to a PostgreSQL server.
struct PostgresReaders: StoreReaders {
  let address: PostgresAddress

  let mustEndSnapshots = false

  func connect(cacheBytes: Int) -> any SQLConnection {
    PostgresConnection(address, profile: .reader)
  }

  func snapshotBegins() {}
  func snapshotBeginsAtOnce() -> Bool { true }
  func snapshotEnded() {}

  func sizes() throws -> StoreSizes {
    let select = try connect(cacheBytes: 0)
      .prepare("SELECT pg_database_size(current_database())")
    defer { select.reset() }
    return StoreSizes(databaseBytes: try select.step() ? UInt64(clamping: select.int64(0)) : 0)
  }
}
#endif
