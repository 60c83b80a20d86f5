/// A limit that an operator may set.
public struct AdjustableLimit: Sendable {
  /// What a limit counts.
  public enum Unit: String, Sendable {
    case bytes, calls, connections, containers, days, devices, fields, groups, hours, items, keys,
      members, microseconds, minutes
    case notifications, participants, pushes, records, roles, shares, subscriptions, types, uploads
    case users, versions, zones
  }

  /// As it is written on a command line, for example `items-per-call-max`.
  public let name: String
  /// What it counts.
  public let unit: Unit
  /// What it may be set to.
  public let range: ClosedRange<Int>
  /// What it bounds: goes on after the unit.
  public let summary: String
  /// The value in some limits.
  public let value: @Sendable (Limits) -> Int
  private let store: @Sendable (inout Limits, Int) -> Void

  private init<Number: BinaryInteger & SendableMetatype>(
    _ name: String,
    _ unit: Unit,
    _ range: ClosedRange<Int>,
    _ member: any WritableKeyPath<Limits, Number> & Sendable,
    _ summary: String
  ) {
    self.name = name
    self.unit = unit
    self.range = range
    self.summary = summary
    value = { Int($0[keyPath: member]) }
    store = { $0[keyPath: member] = Number($1) }
  }

  /// Sets the limit.
  ///
  /// - Parameters:
  ///   - limits: Where it is set.
  ///   - number: Within `range`.
  public func set(_ limits: inout Limits, to number: Int) {
    precondition(range.contains(number), "\(name) is \(number), outside \(range)")
    store(&limits, number)
  }

  /// All of them, in the order in which they are documented.
  public static let all: [Self] = [
    Self(
      "items-per-call-max",
      .items,
      1...10_000,
      \.itemsPerCallMax,
      "saves and deletions of one call together"
    ),
    Self(
      "record-bytes-max",
      .bytes,
      1_000...10_000_000,
      \.recordBytesMax,
      "one encoded record, without its assets"
    ),
    Self(
      "list-members-per-record-max",
      .members,
      1...1_000_000,
      \.listMembersPerRecordMax,
      "of a record's lists together"
    ),
    Self(
      "page-items-max",
      .items,
      1...10_000,
      \.pageItemsMax,
      "results of one page; also what a limit of 0 means"
    ),
    Self(
      "answer-bytes-max",
      .bytes,
      65_536...15_000_000,
      \.answerBytesMax,
      "records of one page of a feed or query"
    ),
    Self(
      "subscriptions-per-user-max",
      .subscriptions,
      0...1_000_000,
      \.subscriptionsPerUserMax,
      "of one user in one container; 0: no bound"
    ),
    Self(
      "call-cost-max",
      .microseconds,
      0...1_000_000,
      \.callCostMax,
      "that a call may take, about, in a transaction with others; what takes more pauses for their turns"
    ),
    Self(
      "events-per-call-max",
      .notifications,
      1...10_000_000,
      \.eventsPerCallMax,
      "that the changes of one call to several records store"
    ),
    Self(
      "replaced-bytes-per-call-max",
      .bytes,
      1_000_000...10_000_000_000,
      \.replacedBytesPerCallMax,
      "of stored records that one call replaces or deletes"
    ),
    Self(
      "subscription-bytes-per-user-max",
      .bytes,
      0...1_000_000_000,
      \.subscriptionBytesPerUserMax,
      "of the subscriptions of one user in one container; 0: no bound"
    ),
    Self(
      "records-per-user-max",
      .records,
      0...1_000_000_000_000,
      \.recordsPerUserMax,
      "in the private databases of one user, in all containers; 0: no bound"
    ),
    Self(
      "bytes-per-user-max",
      .bytes,
      0...1_000_000_000_000_000,
      \.bytesPerUserMax,
      "of all that is stored for one user, in all containers; 0: no bound"
    ),
    Self(
      "public-records-max",
      .records,
      0...1_000_000_000_000,
      \.publicRecordsMax,
      "in the public databases of one container; 0: no bound"
    ),
    Self(
      "public-bytes-max",
      .bytes,
      0...1_000_000_000_000_000,
      \.publicBytesMax,
      "of all that is stored in the public databases of one container; 0: no bound"
    ),
    Self(
      "containers-per-user-max",
      .containers,
      1...1_000_000,
      \.containersPerUserMax,
      "in which one user has databases"
    ),
    Self(
      "devices-per-user-max",
      .devices,
      1...1_000_000,
      \.devicesPerUserMax,
      "of one user whose names are known"
    ),
    Self(
      "calls-per-second-per-user-max",
      .calls,
      0...1_000_000,
      \.callsPerSecondPerUserMax,
      "of one user in a second, after a burst of as many; 0: no bound"
    ),
    Self(
      "connections-per-user-max",
      .connections,
      0...1_000_000,
      \.connectionsPerUserMax,
      "of one user that have made a call, until they end; 0: no bound"
    ),
    Self(
      "waiting-calls-per-user-max",
      .calls,
      1...10_000,
      \.waitingCallsPerUserMax,
      "of one user that wait for a change"
    ),
    Self(
      "idempotency-retention-hours",
      .hours,
      1...8_760,
      \.idempotencyRetentionHours,
      "for which the answer to a call with an idempotency key is kept"
    ),
    Self("zones-per-database-max", .zones, 1...1_000_000, \.zonesPerDatabaseMax, "of one database"),
    Self(
      "owning-references-max",
      .records,
      1...100_000,
      \.owningReferencesMax,
      "that refer to one with delete-self"
    ),
    Self(
      "binding-references-per-record-max",
      .items,
      1...100_000,
      \.bindingReferencesPerRecordMax,
      "that one record refers to with delete-self or validate"
    ),
    Self(
      "cascaded-deletions-max",
      .records,
      1...100_000,
      \.cascadedDeletionsMax,
      "to which the deletions of one call cascade"
    ),
    Self(
      "ancestors-max",
      .versions,
      0...100_000_000,
      \.ancestorsMax,
      "of superseded records that are kept for conflicts, in the whole store"
    ),
    Self(
      "ancestor-retention-hours",
      .hours,
      0...8_760,
      \.ancestorRetentionHours,
      "for which superseded versions are kept"
    ),
    Self(
      "ancestor-bytes-max",
      .bytes,
      0...1_000_000_000_000,
      \.ancestorBytesMax,
      "of superseded versions together"
    ),
    Self(
      "tombstone-retention-days",
      .days,
      0...3_650,
      \.tombstoneRetentionDays,
      "for which deleted records and zones stay in the feeds"
    ),
    Self(
      "cursor-retention-minutes",
      .minutes,
      1...1_440,
      \.cursorRetentionMinutes,
      "for which the cursor of a query is valid"
    ),
    Self(
      "query-rows-per-page-max",
      .records,
      100...100_000_000,
      \.queryRowsPerPageMax,
      "or index entries that one page of a query looks at"
    ),
    Self(
      "query-sorted-rows-max",
      .records,
      100...1_000_000_000,
      \.querySortedRowsMax,
      "that a query looks at which has to sort what it finds"
    ),
    Self(
      "participants-per-share-max",
      .participants,
      1...10_000,
      \.participantsPerShareMax,
      "of one share, with its owner"
    ),
    Self(
      "shared-records-max",
      .records,
      1...100_000,
      \.sharedRecordsMax,
      "that the share of a record holds, with its own"
    ),
    Self(
      "shared-records-per-call-max",
      .records,
      1...100_000,
      \.sharedRecordsPerCallMax,
      "that one call takes into shares or out of them, or looks at for that, besides its own"
    ),
    Self(
      "shares-per-zone-max",
      .shares,
      1...1_000_000,
      \.sharesPerZoneMax,
      "of one zone"
    ),
    Self(
      "accepted-shares-per-user-max",
      .shares,
      1...100_000,
      \.acceptedSharesPerUserMax,
      "that a user has accepted, in all containers"
    ),
    Self(
      "access-requests-per-share-max",
      .users,
      1...10_000,
      \.accessRequestsPerShareMax,
      "who wait for access to one share"
    ),
    Self(
      "access-requests-per-user-max",
      .shares,
      0...1_000_000,
      \.accessRequestsPerUserMax,
      "that one user asks for within access-request-retention-hours; 0: none"
    ),
    Self(
      "access-request-retention-hours",
      .hours,
      0...8_760,
      \.accessRequestRetentionHours,
      "for which asking for the same share again changes nothing"
    ),
    Self(
      "blocked-users-per-share-max",
      .users,
      0...10_000,
      \.blockedUsersPerShareMax,
      "who cannot ask for access to one share"
    ),
    Self(
      "client-change-token-bytes-max",
      .bytes,
      0...65_536,
      \.clientChangeTokenBytesMax,
      "of a client's own mark"
    ),
    Self("asset-bytes-max", .bytes, 0...1_000_000_000_000, \.assetBytesMax, "of one asset"),
    Self(
      "unfinished-uploads-per-user-max",
      .uploads,
      1...100_000,
      \.unfinishedUploadsPerUserMax,
      "of one user that are not complete"
    ),
    Self(
      "unfinished-upload-bytes-per-user-max",
      .bytes,
      0...1_000_000_000_000_000,
      \.unfinishedUploadBytesPerUserMax,
      "of one user's uploads that are not complete; one alone has room in any case"
    ),
    Self(
      "asset-retention-hours",
      .hours,
      0...8_760,
      \.assetRetentionHours,
      "for which an asset is kept that no record names"
    ),
    Self(
      "log-bytes-max",
      .bytes,
      1_000_000...1_000_000_000_000,
      \.logBytesMax,
      "of the store's log; queries then wait until it was restarted, from half as much more on saves too"
    ),
    Self(
      "schema-bytes-max",
      .bytes,
      1_000...10_000_000,
      \.schemaBytesMax,
      "of the text of a schema"
    ),
    Self("record-types-max", .types, 1...100_000, \.recordTypesMax, "of one container"),
    Self("fields-per-type-max", .fields, 1...100_000, \.fieldsPerTypeMax, "of one record type"),
    Self(
      "desired-keys-max",
      .fields,
      0...1_000,
      \.desiredKeysMax,
      "whose values a notification carries"
    ),
    Self(
      "notification-fields-bytes-max",
      .bytes,
      0...1_000_000,
      \.notificationFieldsBytesMax,
      "of field values that a notification carries"
    ),
    Self(
      "push-bytes-max",
      .bytes,
      256...1_000_000,
      \.pushBytesMax,
      "of one push before sealing; a larger notification is pruned"
    ),
    Self(
      "pushes-per-second-max",
      .pushes,
      1...1_000_000,
      \.pushesPerSecondMax,
      "of one channel; more are merged"
    ),
    Self(
      "notification-retention-days",
      .days,
      0...3_650,
      \.notificationRetentionDays,
      "for which notifications are kept"
    ),
    Self(
      "notifications-max",
      .notifications,
      1_000...1_000_000_000,
      \.notificationsMax,
      "that are kept, in all channels"
    ),
    Self(
      "work-groups-per-user-max",
      .groups,
      0...100_000,
      \.workGroupsPerUserMax,
      "of one user in one container that share the work on notifications"
    ),
    Self(
      "open-leases-max",
      .notifications,
      1...1_000_000,
      \.openLeasesMax,
      "that one group has leased at a time"
    ),
    Self("users-max", .users, 1...1_000_000, \.usersMax, "of the server"),
    Self(
      "keys-per-user-max",
      .keys,
      1...10_000,
      \.keysPerUserMax,
      "of one user, revoked ones aside"
    ),
    Self("guest-keys-max", .keys, 0...10_000, \.guestKeysMax, "of guests, revoked ones aside"),
    Self("keys-max", .keys, 1...10_000_000, \.keysMax, "of users and guests, without revoked ones"),
    Self("roles-per-user-max", .roles, 1...10_000, \.rolesPerUserMax, "of one user"),
  ]
}
