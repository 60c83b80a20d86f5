public import TidingsModel

/// What the engine refuses to exceed.
///
/// The server advertises these.
public struct Limits: Hashable, Sendable {
  /// Most items in one call, saves and deletions together.
  public var itemsPerCallMax = 400
  /// Largest encoded record, in bytes, without assets.
  public var recordBytesMax = 1_000_000
  /// Most members of a record's lists, together: an empty location takes few bytes when encoded and
  /// many when not.
  public var listMembersPerRecordMax = 100_000
  /// Most results in one page; also what a limit of 0 means.
  public var pageItemsMax = 400
  /// Most subscriptions of one user in one container.
  ///
  /// 0: no bound.
  public var subscriptionsPerUserMax = 10_000
  /// Comparisons with subscriptions that no field leads to, of all records of a call; one record may have more.
  public var comparisonsPerCallMax = 200_000
  /// What a call may take that shares its transaction with others, in about so many microseconds of processor
  /// time; what takes more has the store for itself, and pauses for the turns of others.
  public var callCostMax = 3_000
  /// Events that the changes of a call to several records store, about; a single change may store more.
  public var eventsPerCallMax = 20_000
  /// Bytes of stored records that a call replaces or deletes, about; a single record may have more.
  public var replacedBytesPerCallMax = 33_554_432
  /// Bytes of one user's subscriptions in one container, as they are stored; 0: no bound.
  ///
  /// In memory they take some ten times as much.
  public var subscriptionBytesPerUserMax = 4_194_304
  /// Most containers in which a user has databases.
  public var containersPerUserMax = 100
  /// Most names of a user's devices.
  public var devicesPerUserMax = 1_000
  /// Most records in all private databases of a user; 0: no bound.
  public var recordsPerUserMax: Int64 = 10_000_000
  /// Most bytes of all that is stored for a user, in all containers; 0: no bound.
  public var bytesPerUserMax: Int64 = 10_000_000_000
  /// Most records in the public databases of a container; 0: no bound.
  public var publicRecordsMax: Int64 = 100_000_000
  /// Most bytes of all that is stored in the public databases of a container; 0: no bound.
  public var publicBytesMax: Int64 = 100_000_000_000
  /// Most calls of a user in a second, over all connections, after a burst of as many; 0: no bound.
  public var callsPerSecondPerUserMax = 0
  /// Most connections of a user that call, at a time; 0: no bound.
  public var connectionsPerUserMax = 1_000
  /// How long an idempotency key is remembered, in hours.
  public var idempotencyRetentionHours = 24
  /// A page of a feed, and the server's records in an answer to a save, end at this many bytes: what
  /// is large in sum must still fit into a frame.
  public var answerBytesMax = 4 << 20
  /// Most rows that one page of a feed looks at, so that a page of skipped rows ends too.
  public var rowsPerPageMax = 4_000
  /// Most records that one call to a change feed looks at: a filter may skip many.
  public var feedRowsPerCallMax = 20_000
  /// Most calls that wait for a change.
  public var waitingCallsMax = 10_000
  /// Most of them of one user.
  public var waitingCallsPerUserMax = 2_500
  /// Most bytes of requests and answers that these calls hold.
  public var waitingBytesMax = 64 << 20
  /// The longest that a call waits for a change.
  public var changeWaitMax = Duration.seconds(60)

  /// Most zones of one database.
  public var zonesPerDatabaseMax = 10_000
  /// Most rows of deleted zones that the calls of one transaction remove, and events that they store for
  /// them; the rest goes in pieces after it.
  public var zoneRowsPerTransactionMax = 300
  /// Most deleted zones of one name and database whose rows are still being removed.
  public var zoneRemovalsPerNameMax = 8
  /// Most records that refer to one with delete-self.
  public var owningReferencesMax = 750
  /// Most records to which one deletion cascades.
  public var cascadedDeletionsMax = 10_000
  /// Superseded versions of records that are kept for the ancestors of conflicts, in all zones.
  public var ancestorsMax: Int64 = 200_000
  /// How long they are kept, in hours.
  public var ancestorRetentionHours = 24
  /// Bytes that they may have together.
  public var ancestorBytesMax: Int64 = 1 << 30
  /// Superseded versions that the conflicts of one call look through: what is further back is not
  /// found, however often a record was saved.
  public var ancestorStepsPerCallMax = 2_000
  /// Most references of one record that bind: delete-self and validate.
  public var bindingReferencesPerRecordMax = 1_000
  /// Most entries of indexes that the saves of one call change, about; a single save may change more.
  public var indexEntriesPerCallMax = 100_000
  /// What may be set while the server runs; shared by copies until one of them sets it.
  public private(set) var retention = SharedRetention()
  /// How long the cursor of a query is valid, in minutes.
  public var cursorRetentionMinutes = 10
  /// Most rows that one page of a query looks at: then it is short.
  public var queryRowsPerPageMax = 200_000
  /// Most rows that a query looks at which has to sort what it finds: no page can come sooner.
  public var querySortedRowsMax = 2_000_000
  /// Most participants of a share, with its owner.
  public var participantsPerShareMax = 100
  /// Most records that a share of a record holds, with its descendants and the share's own record.
  public var sharedRecordsMax = 10_000
  /// Most records that one call takes into shares or out of them, or examines to find what is shared,
  /// besides its own.
  public var sharedRecordsPerCallMax = 10_000
  /// Most bytes of records that it reads for that.
  public var sharingBytesPerCallMax = 64 << 20
  /// Most shares of one zone.
  public var sharesPerZoneMax = 10_000
  /// Most shares that a user has accepted, of all containers.
  public var acceptedSharesPerUserMax = 1_000
  /// Most users who wait for an answer to their request for access to a share.
  public var accessRequestsPerShareMax = 100
  /// Most shares that a user asks for in the time that a request is remembered.
  public var accessRequestsPerUserMax = 50
  /// How long a request for access is remembered: so long asking again changes nothing, in hours.
  public var accessRequestRetentionHours = 24
  /// Most users who cannot ask for access to a share.
  public var blockedUsersPerShareMax = 1_000
  /// Largest client change token data, in bytes.
  public var clientChangeTokenBytesMax = 1024
  /// Largest asset, in bytes.
  public var assetBytesMax: UInt64 = 50_000_000
  /// Largest chunk of an asset, in bytes.
  public var assetChunkBytesMax = 1 << 20
  /// Most uploads of one user that are not complete.
  public var unfinishedUploadsPerUserMax = 100
  /// Most bytes that these take on the disk; one alone has room in any case.
  public var unfinishedUploadBytesPerUserMax: UInt64 = 1_000_000_000
  /// How long an asset is kept that no record names, in hours.
  public var assetRetentionHours = 24
  /// The length of the store's log, in bytes, from which on it is restarted before new snapshots are
  /// taken; from half as much more on nothing is written.
  public var logBytesMax = 256 << 20
  /// Largest schema, in bytes of text.
  public var schemaBytesMax = 1 << 20
  /// Most record types of one container.
  public var recordTypesMax = 1_000
  /// Most fields of one record type.
  public var fieldsPerTypeMax = 1_000
  /// Most fields whose values a notification carries.
  public var desiredKeysMax = 32
  /// Bytes of field values that a notification carries.
  public var notificationFieldsBytesMax = 65_536
  /// Largest push in bytes, before sealing; a larger notification is pruned.
  public var pushBytesMax = 4_096
  /// Pushes of one channel in a second; more are merged, after a burst of a quarter of that.
  public var pushesPerSecondMax = 2_000
  /// Most users.
  public var usersMax = 100_000
  /// Most keys of one user that are not revoked.
  public var keysPerUserMax = 100
  /// Most keys of guests that are not revoked.
  public var guestKeysMax = 1_000
  /// Most keys that are not revoked, of everybody.
  public var keysMax = 500_000
  /// Most roles of one user.
  public var rolesPerUserMax = 100
  /// Most groups of one user in one container that share the work on notifications.
  public var workGroupsPerUserMax = 100
  /// Most leases of one group that are open at a time.
  public var openLeasesMax = 10_000

  /// The defaults.
  public init() {}

  /// How long a deleted record or zone stays in the change feeds.
  public var tombstoneRetention: Duration {
    get { retention.current.tombstones }
    set { set(\.tombstones, newValue) }
  }

  /// How long notifications are kept, in days.
  public var notificationRetentionDays: Int {
    get { retention.current.notificationDays }
    set { set(\.notificationDays, newValue) }
  }

  /// Notifications that are kept, in all channels; older ones go first.
  public var notificationsMax: Int64 {
    get { retention.current.notificationsMax }
    set { set(\.notificationsMax, newValue) }
  }

  /// Has a retention of its own.
  mutating func restore(_ retention: Retention) { self.retention = SharedRetention(retention) }

  private mutating func set<Value>(_ member: WritableKeyPath<Retention, Value>, _ value: Value) {
    var changed = retention.current
    changed[keyPath: member] = value
    retention = SharedRetention(changed)
  }

  /// How long a deleted record or zone stays in the change feeds, in whole days.
  public var tombstoneRetentionDays: Int {
    get { Int(tombstoneRetention.components.seconds / 86_400) }
    set { tombstoneRetention = .seconds(newValue * 86_400) }
  }

  /// Refuses a call with more items than are allowed.
  public func check(itemCount count: Int) throws(ItemError) {
    guard count <= itemsPerCallMax else {
      throw ItemError(
        .limitExceeded,
        "the call has \(count) items and may have \(itemsPerCallMax): split it in half"
      )
    }
  }
}
