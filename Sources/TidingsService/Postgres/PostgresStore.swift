#if PostgreSQL
internal import TidingsEngine
internal import TidingsPostgres
internal import TidingsSQL

/// A store in a database of a PostgreSQL server.
///
/// The server makes commits durable, moves its log, reuses space and is backed up by itself.
final class PostgresStore: Store {
  private let connection: PostgresConnection
  private let address: PostgresAddress
  /// The database may be an older one than the files of assets beside it.
  let sweepsAfter: SteadyTime

  var writer: any SQLConnection { connection }
  var readers: any StoreReaders { PostgresReaders(address: address) }
  let isRemote = true
  let isFull = false
  let status = StoreStatus()
  let walked: WalkedDatabase? = nil

  init(_ connection: PostgresConnection, at address: PostgresAddress, for server: StoreUser) {
    (self.connection, self.address) = (connection, address)
    let retention = Int64(server.limits.assetRetentionHours) * 3_600_000
    sweepsAfter = SteadyTime(milliseconds: server.now.milliseconds + retention)
  }

  func begin() {}
  func didCommit() {}
  func betweenTransactions(hasWritten: Bool) {}

  func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void) {
    connection.commitBeside(done)
  }

  func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  ) {
    connection.readBeside(statements, done)
  }

  func awaitThread() { connection.claim() }
  func releaseSpace() -> Duration? { nil }
  func stop() {}
}

/// Reading connections to a PostgreSQL server.
struct PostgresReaders: StoreReaders {
  let address: PostgresAddress

  let mustEndSnapshots = false

  func connect(cacheBytes: Int) -> any SQLConnection {
    PostgresConnection(address, profile: .reader)
  }

  func snapshotBegins() {}
  func snapshotEnded() {}

  func sizes() throws -> StoreSizes {
    let select = try connect(cacheBytes: 0)
      .prepare("SELECT pg_database_size(current_database())")
    defer { select.reset() }
    return StoreSizes(databaseBytes: try select.step() ? UInt64(clamping: select.int64(0)) : 0)
  }
}
#endif
