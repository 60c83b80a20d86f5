public import TidingsProto

extension Client {
  /// What changed in a zone: pages of records, from a token to the newest change, or without end.
  ///
  ///     for try await page in client.recordZoneChanges(in: "notes", after: cache.token) {
  ///       try cache.apply(page.changedRecords, page.deletedRecords, token: page.changeToken)
  ///     }
  ///
  /// - Parameters:
  ///   - zone: The zone's name; empty: the default zone.
  ///   - owner: Whose zone it is, if another user shares it; empty: the database's owner's.
  ///   - database: The database; `nil`: of the client's container the shared one with an owner, else
  ///     the private one.
  ///   - token: The last page's token; empty: from the beginning, which returns all records.
  ///   - desiredKeys: Which fields; `nil`: all.
  ///   - recordTypes: Only records of these types; empty: all.
  ///   - pageLimit: Most records in a page; 0: as many as the server allows.
  ///   - follow: Do not end: after the newest change, wait for the next one. A lost connection
  ///     or a restarted server is made up for by trying again.
  ///   - readsAhead: Ask for the next page when one has come, before it is consumed. This is faster; a page can
  ///     then be older than the moment at which the program asks for it: do not save to the zone meanwhile if that
  ///     matters.
  ///   - onConnection: Called when the server of a followed feed cannot be reached any more, and when it
  ///     can again; called by the task that iterates, and must not wait.
  /// - Returns: The pages; there is at least one, unless following finds nothing new.
  public func recordZoneChanges(
    in zone: String,
    ownedBy owner: String = "",
    of database: TidingsV1.DatabaseID? = nil,
    after token: [UInt8] = [],
    desiredKeys: [String]? = nil,
    recordTypes: [String] = [],
    pageLimit: Int = 0,
    follow: Bool = false,
    readsAhead: Bool = false,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil
  ) -> RecordZoneChanges {
    RecordZoneChanges(
      transport,
      pageLimits,
      database: database ?? (owner.isEmpty ? privateDatabase : sharedDatabase),
      TidingsV1.ZoneChangesOptions(
        zoneID: .init(zoneName: zone, ownerName: owner),
        changeToken: token,
        desiredKeys: desiredKeys.map { .init(keys: $0) },
        recordTypes: recordTypes,
        limit: UInt32(clamping: pageLimit)
      ),
      follow: follow,
      readsAhead: readsAhead,
      timeout: configuration.timeout,
      onConnection: onConnection
    )
  }

  /// Which zones of a database changed: pages of zones, from a token to the newest change, or without end.
  ///
  /// - Parameters:
  ///   - database: The database; `nil`: the private one of the client's container.
  ///   - token: The last page's token; empty: from the beginning, which returns all zones.
  ///   - pageLimit: Most zones in a page; 0: as many as the server allows.
  ///   - follow: Do not end: after the newest change, wait for the next one.
  ///   - onConnection: Called when the server of a followed feed cannot be reached any more, and when it
  ///     can again; called by the task that iterates, and must not wait.
  /// - Returns: The pages; there is at least one, unless following finds nothing new.
  public func databaseChanges(
    of database: TidingsV1.DatabaseID? = nil,
    after token: [UInt8] = [],
    pageLimit: Int = 0,
    follow: Bool = false,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil
  ) -> DatabaseChanges {
    DatabaseChanges(
      transport,
      pageLimits,
      database: database ?? privateDatabase,
      after: token,
      pageLimit: UInt32(clamping: pageLimit),
      follow: follow,
      timeout: configuration.timeout,
      onConnection: onConnection
    )
  }

  /// What others share with the user in the client's container, for the calls that name a database.
  public var sharedDatabase: TidingsV1.DatabaseID { database(.shared) }

  var privateDatabase: TidingsV1.DatabaseID { database(.private) }

  private func database(_ scope: TidingsV1.DatabaseScope) -> TidingsV1.DatabaseID {
    .init(
      container: configuration.container,
      environment: configuration.environment,
      scope: scope
    )
  }
}
