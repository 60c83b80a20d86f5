public import TidingsSQL

/// Counts and sizes of a store, as of one moment.
public struct StoreStatistics: Hashable, Sendable {
  /// Records, without tombstones.
  public var records: UInt64 = 0
  /// Tombstones.
  public var tombstones: UInt64 = 0
  /// Zones.
  public var zones: UInt64 = 0
  /// Subscriptions.
  public var subscriptions: UInt64 = 0
  /// Channels.
  public var channels: UInt64 = 0
  /// Stored events.
  public var events: UInt64 = 0
  /// Assets, each content counted once.
  public var assets: UInt64 = 0
  /// Bytes of these.
  public var assetBytes: UInt64 = 0
  /// Users.
  public var users: UInt64 = 0
  /// Containers that have a database.
  public var containers: UInt64 = 0
  /// The newest migration of the schema.
  public var schema: Int64 = 0

  /// Counts.
  ///
  /// - Parameters:
  ///   - connection: A store that an engine has opened.
  ///   - check: Called between the counts, of which each may take long; what it throws ends it.
  /// - Throws: `SQLError`, what `check` throws.
  public init(_ connection: any SQLConnection, checking check: () throws -> Void = {}) throws {
    func count(_ sql: String) throws -> UInt64 {
      try check()
      let statement = try connection.prepare("SELECT coalesce((\(sql)), 0)")
      defer { statement.reset() }
      return try statement.step() ? UInt64(clamping: statement.int64(0)) : 0
    }
    records = try count("SELECT sum(records) FROM usage")
    tombstones = try count("SELECT count(*) FROM records WHERE deleted IS NOT NULL")
    zones = try count("SELECT count(*) FROM zones")
    subscriptions = try count("SELECT count(*) FROM subscriptions WHERE ended IS NULL")
    channels = try count("SELECT count(*) FROM channels")
    events = try count("SELECT count(*) FROM events")
    users = try count("SELECT count(*) FROM accounts")
    containers = try count("SELECT count(DISTINCT container) FROM databases")
    schema = Int64(clamping: try count("SELECT max(number) FROM migrations"))
    try check()
    (assets, assetBytes) = try AssetInventory(connection).totals()
  }
}

extension EngineReader {
  /// Counts what the store has.
  public func statistics() throws -> StoreStatistics {
    try StoreStatistics(connection, checking: checkNow)
  }
}
