internal import TidingsCodec
public import TidingsModel
public import TidingsSQL

/// What is read beside the loop: queries and feeds, on a connection of its own.
///
/// Used by one thread at a time. What it reads is the store as of the snapshot's begin: everything
/// that was acknowledged before is in it.
public final class EngineReader {
  let connection: any SQLConnection
  let catalog: Catalog
  let identity: StoreIdentity
  let schemas: SchemaReader
  let roles: RoleReader
  let ancestors: AncestorLog
  let codec = BodyCodec()
  let zoneFeed: ZoneFeed
  let databaseFeed: DatabaseFeed
  let shares: ShareReader
  /// What calls may not exceed.
  public let limits: Limits
  private var subscriptionExplainer: SubscriptionExplainer?

  private let interruption = Interruption()
  private var lookup: RecordLookup?
  private var queryEngine: QueryEngine?
  private var sharedZoneFeed: SharedZoneFeed?
  private var feed: NotificationFeed?
  private var healthReader: SubscriptionHealthReader?
  private var visibility: NotificationVisibility?
  private let beginStatement: any SQLStatement
  private let endStatement: any SQLStatement

  /// A reader of a store that an engine has opened.
  ///
  /// - Throws: `SQLError`.
  public init(
    _ connection: any SQLConnection,
    limits: Limits
  ) throws {
    self.connection = connection
    self.limits = limits
    catalog = try Catalog(connection)
    identity = try StoreIdentity(connection)
    zoneFeed = try ZoneFeed(
      connection,
      catalog: catalog,
      codec: codec,
      identity: identity,
      limits: limits
    )
    databaseFeed = try DatabaseFeed(connection, identity: identity, limits: limits)
    shares = try ShareReader(connection)
    schemas = try SchemaReader(connection, bytesMax: SchemaReader.bytesMax(limits))
    roles = try RoleReader(connection)
    ancestors = try AncestorLog(connection, limits: limits)
    beginStatement = try connection.prepare("BEGIN")
    endStatement = try connection.prepare("COMMIT")
  }

  /// Finds records by their names; its statements are compiled for the first one.
  func recordLookup() throws -> RecordLookup {
    if let lookup { return lookup }
    let made = RecordLookup(
      catalog: catalog,
      records: try RecordTable(connection),
      shares: shares,
      codec: codec
    )
    lookup = made
    return made
  }

  /// Answers queries; its statements are compiled for the first one.
  func queries() throws -> QueryEngine {
    if let queryEngine { return queryEngine }
    let made = try QueryEngine(
      connection,
      catalog: catalog,
      shares: shares,
      identity: identity,
      ancestors: ancestors,
      codec: codec,
      limits: limits,
      interruption: interruption
    )
    queryEngine = made
    return made
  }

  /// The changes of zones of others; its statements are compiled for the first page.
  func sharedZones() throws -> SharedZoneFeed {
    if let sharedZoneFeed { return sharedZoneFeed }
    let made = try SharedZoneFeed(
      connection,
      catalog: catalog,
      shares: shares,
      zoneFeed: zoneFeed,
      codec: codec,
      identity: identity,
      limits: limits
    )
    sharedZoneFeed = made
    return made
  }

  /// Reads notifications; its statements are compiled for the first page.
  func notificationFeed() throws -> NotificationFeed {
    if let feed { return feed }
    let made = try NotificationFeed(
      connection,
      identity: identity,
      codec: codec,
      limits: limits,
      visibility: try notificationVisibility(),
      interruption: interruption
    )
    feed = made
    return made
  }

  private func notificationVisibility() throws -> NotificationVisibility {
    if let visibility { return visibility }
    let made = try NotificationVisibility(connection, codec: codec, memory: limits.memory) {
      [schemas, roles] user, recordType, database in
      let schema = try schemas.schema(of: database.container, database.environment)
      return try PublicReading(user: user, container: database.container, schema, roles)
        .readable(recordType)
    }
    visibility = made
    return made
  }

  /// Returns the health of subscriptions; its statements are compiled for the first one.
  func subscriptionHealth() throws -> SubscriptionHealthReader {
    if let healthReader { return healthReader }
    let made = try SubscriptionHealthReader(
      connection,
      visibility: try notificationVisibility(),
      codec: codec,
      interruption: interruption
    )
    healthReader = made
    return made
  }

  /// The schema of a container, as a user sees it.
  ///
  /// Types that only others' private saves taught are not shown, but to developers.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - user: The user; `nil`: all of it is shown.
  /// - Returns: The schema.
  /// - Throws: `ItemError` `badContainer` for one that nobody deployed to production; `SQLError`.
  public func schema(
    of container: String,
    _ environment: Environment,
    for user: String? = nil
  ) throws -> SchemaInfo {
    var info = try schemas.info(of: container, environment)
    guard let user, try !roles.isDeveloper(user, of: container) else { return info }
    info.hide(try schemas.hiddenTypes(of: container, environment, from: user))
    return info
  }

  /// Reads within one snapshot of the store.
  ///
  /// - Parameters:
  ///   - check: Called now and then while a query works; what it throws ends the query.
  ///   - body: Reads.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` and `check` throw; `SQLError`.
  public func withSnapshot<Result>(
    checking check: (() throws -> Void)? = nil,
    _ body: () throws -> Result
  ) throws -> Result {
    interruption.check = check
    defer { interruption.check = nil }
    // The loop may have changed what was looked up before.
    catalog.forget()
    roles.forget()
    do {
      try beginStatement.run()
      let result = try body()
      try endStatement.run()
      return result
    } catch {
      // What is left in the middle of its rows would hold the snapshot, and the log with it.
      connection.abandon()
      throw error
    }
  }

  /// Explains subscriptions; its statements are compiled for the first call.
  func explainer() throws -> SubscriptionExplainer {
    if let subscriptionExplainer { return subscriptionExplainer }
    let made = try SubscriptionExplainer(
      connection,
      catalog: catalog,
      shares: shares,
      codec: codec,
      limits: limits
    )
    subscriptionExplainer = made
    return made
  }

  /// Work that may take long goes on by a step; ends it when nobody waits for it any more.
  func step() throws { try interruption.step() }

  /// A step that takes long by itself follows; ends the work when nobody waits for it any more.
  func checkNow() throws { try interruption.check?() }
}
