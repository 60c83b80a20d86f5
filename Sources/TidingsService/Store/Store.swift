internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsSQL

/// A database as the service uses it: one connection that writes, others that read, and what surrounds commits.
///
/// Used on the loop's thread. What database it is, only those know who open it.
protocol Store: AnyObject {
  /// The connection that writes.
  var writer: any SQLConnection { get }
  /// Each read and each commit waits for a network: calls are gathered meanwhile, what they are going to read is
  /// read together, and groups that the network fails are run again.
  var isRemote: Bool { get }
  /// Where other threads read.
  var readers: any StoreReaders { get }
  /// Nothing may be written for now.
  var isFull: Bool { get }
  /// The number of the term in which this node leads; `nil`: nobody else can have the store.
  var term: Int64? { get }
  /// Why this node cannot go on leading; `nil`: it can, as far as is known.
  var leadershipEnd: RoleEnd? { get }
  /// Leaves a sign of life for other nodes, without waiting for it.
  func beat()
  /// How it fares.
  var status: StoreStatus { get }
  /// What a backup or check reads; `nil`: the database has tools of its own for both.
  var walked: WalkedDatabase? { get }

  /// Opens the content of the assets, before the server serves.
  ///
  /// - Throws: `StartError`, `SQLError`.
  func openAssets(for user: AssetStorageUser) throws -> any AssetStorage
  /// The server is about to serve.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func begin() throws
  /// A transaction that wrote is durable, and not yet acknowledged.
  func didCommit()
  /// No transaction is open, and all that was committed is acknowledged.
  ///
  /// - Parameter hasWritten: The last one wrote.
  func betweenTransactions(hasWritten: Bool)
  /// The store waits for a moment between two transactions, and the one that is open takes long.
  func transactionGoesOn()
  /// Commits the open transaction on a thread of its own; in a store that is remote, behind the commits that are
  /// under way there, and what is written meanwhile is part of the next transaction, which fails if this one does.
  ///
  /// - Parameter done: Called on that thread, with why the transaction was not committed.
  func commitBeside(_ done: @escaping @Sendable (SQLError?) -> Void)
  /// Reads ahead on a thread of its own, in a store that is remote.
  ///
  /// - Parameters:
  ///   - statements: As for `SQLConnection.readAhead`.
  ///   - done: Called on that thread, with what failed.
  func readBeside(
    _ statements: [any SQLStatement],
    _ done: @escaping @Sendable (SQLError?) -> Void
  )
  /// Waits for the end of what threads of its own do.
  func awaitThreads()
  /// Gives a piece of the space back that removed rows took, in the open transaction, if there is much of it.
  ///
  /// - Returns: When to come again, at the latest; `nil`: there will be nothing to do.
  /// - Throws: `SQLError`.
  func releaseSpace() throws -> Duration?
  /// The server has stopped, and nothing is committed any more.
  func stop()
}

extension Store {
  /// Nobody else can have it.
  var term: Int64? { nil }
  /// Nobody else can have it.
  var leadershipEnd: RoleEnd? { nil }
  /// Nobody looks.
  func beat() {}
}

/// Connections to a store that read, each on a thread of its own.
protocol StoreReaders: Sendable {
  /// A snapshot that is held keeps the store from tidying up: it must end soon.
  var mustEndSnapshots: Bool { get }

  /// Opens a connection.
  ///
  /// - Parameter cacheBytes: How much of the store it may keep in memory.
  /// - Returns: The connection, which only reads.
  /// - Throws: `SQLError`.
  func connect(cacheBytes: Int) throws -> any SQLConnection
  /// A snapshot is about to be taken; waits while the store tidies up.
  func snapshotBegins()
  /// The same for the loop, which must not wait: the store may be waiting for it.
  ///
  /// - Returns: `false`: the store tidies up, and no snapshot may be taken.
  func snapshotBeginsAtOnce() -> Bool
  /// The snapshot has ended.
  func snapshotEnded()
  /// How large the store is; may take long.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func sizes() throws -> StoreSizes
}

/// How large a store is.
struct StoreSizes {
  var databaseBytes: UInt64 = 0
  /// Of what was committed and is not yet moved to its place.
  var logBytes: UInt64 = 0
}

/// How a store fares.
struct StoreStatus {
  /// Bytes of what was committed and is not yet moved to its place.
  var logBytes = 0
  /// Bytes that removed rows took, and later ones will.
  var freeBytes = 0
  /// How often it could not be moved.
  var checkpointsFailed: UInt64 = 0
  /// Damaged pages that were met.
  var damagedPages: UInt64 = 0
  /// How long syncs took; `nil`: they are the database server's.
  var syncs: HistogramSnapshot?
}
