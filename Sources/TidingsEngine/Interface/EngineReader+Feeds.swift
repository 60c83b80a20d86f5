public import TidingsModel

extension EngineReader {
  /// Passes a page of a zone's changes.
  ///
  /// - Parameters:
  ///   - request: The zone, in a shared database with its owner, where to continue, and what to return.
  ///   - database: The zone's database, or the caller's shared one.
  ///   - caller: Who asks.
  ///   - budget: What the call may still return, over all its zones.
  ///   - visit: Takes each change, oldest first.
  /// - Returns: The end of the page.
  /// - Throws: `ItemError` for this zone, before `visit` is called; `SQLError`; what `visit` throws.
  public func zoneChanges(
    _ request: ZoneFeedRequest,
    in database: DatabaseID,
    caller: Caller,
    budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> ZonePage {
    guard database.scope != .shared else {
      // It looks at all that the caller has accepted.
      try checkNow()
      return try sharedZones().page(request, in: database, caller: caller, budget: &budget, visit)
    }
    return try zoneFeed.page(
      request,
      in: database,
      catalog.database(database),
      caller: caller,
      reading: try publicReading(of: caller.user, in: database),
      budget: &budget,
      visit
    )
  }

  /// Returns a page of the zones that changed in a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - token: What the last page returned; empty: from the beginning.
  ///   - limit: Most zones; 0: `Limits.pageItemsMax`.
  /// - Returns: The page.
  /// - Throws: `ItemError`: `changeTokenExpired`, `invalidArguments`; `SQLError`.
  public func databaseChanges(
    in database: DatabaseID,
    after token: [UInt8],
    limit: Int
  ) throws -> DatabasePage {
    let budget = FeedBudget(limit: limit, limits)
    guard database.scope != .shared else {
      return try SharedDatabaseFeed(
        catalog: catalog,
        shares: shares,
        identity: identity,
        limits: limits
      ).page(database, after: token, budget: budget)
    }
    return try databaseFeed.page(
      database,
      catalog.database(database),
      after: token,
      budget: budget
    )
  }

  /// What a caller waits for if this snapshot has no changes.
  ///
  /// - Parameters:
  ///   - zones: Which changes matter; empty: those of any zone.
  ///   - database: The database.
  /// - Returns: The zones, and the database's number as of the snapshot; of a shared one the heads of
  ///   the shares.
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  public func watch(_ zones: [ZoneID], in database: DatabaseID) throws -> FeedWatch {
    guard database.scope != .shared else {
      let heads = try shares.heads(of: database, in: zones, catalog)
      return FeedWatch(database: database, zones: zones, head: 0, shares: heads)
    }
    return FeedWatch(
      database: database,
      zones: zones,
      head: try catalog.database(database)?.head ?? 0
    )
  }
}
