internal import TidingsEngine
internal import TidingsLogging
internal import TidingsSQL

/// A database that was opened and checked; it becomes a server's store when an engine has made its tables.
protocol OpenDatabase {
  /// The connection that writes.
  var connection: any SQLConnection { get }
  /// Another one, which reads what the next calls need while the first one commits; `nil`: nothing is read ahead.
  var readingAhead: (any SQLConnection)? { get }
  /// The contents of assets, if they are in the database.
  var assetContents: (any AssetContents)? { get }

  /// The audit log, once the tables are there.
  var auditStorage: any AuditStorage { get }

  /// The store, once the tables are there.
  ///
  /// - Throws: `SQLError`, `FileError`, `StartError`.
  func makeStore(for server: StoreUser) throws -> any Store
}

/// What a store needs of the server that uses it.
struct StoreUser {
  /// How large a log may become, and how long assets are kept.
  let limits: Limits
  /// The steady time of the store.
  let now: SteadyTime
  /// What the store cannot do is logged.
  let logger: Logger
  /// Called on any thread when `betweenTransactions` is to be called soon, or `transactionGoesOn`.
  let wake: @Sendable () -> Void
}
