public import TidingsModel

extension EngineReader {
  /// Passes a page of a zone's changes.
  ///
  /// - Parameters:
  ///   - request: The zone, where to continue, and what to return.
  ///   - database: The zone's database.
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
    try zoneFeed.page(
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
    try databaseFeed.page(
      database,
      catalog.database(database),
      after: token,
      budget: FeedBudget(limit: limit, limits)
    )
  }

  /// What a caller waits for whom this snapshot told nothing.
  ///
  /// - Parameters:
  ///   - zones: Which changes matter; empty: those of any zone.
  ///   - database: The database.
  /// - Returns: The zones, and the database's number as of the snapshot.
  /// - Throws: `SQLError`.
  public func watch(_ zones: [ZoneID], in database: DatabaseID) throws -> FeedWatch {
    FeedWatch(
      database: database,
      zones: zones,
      head: try catalog.database(database)?.head ?? 0
    )
  }
}
