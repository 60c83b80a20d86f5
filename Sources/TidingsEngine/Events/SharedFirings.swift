internal import TidingsModel
internal import TidingsSQL

/// Whose shared databases a call changed: at its end their subscriptions fire, and after the commit
/// those are woken who wait for a change.
///
/// Rights are looked up at the end of the call: a user who was removed by it is notified of that, and of nothing more.
final class SharedFirings: TransactionParticipant {
  /// A zone of a user's shared database in which something changed.
  struct Firing {
    /// The user's shared database.
    let database: DatabaseEntry
    /// The zone, with its owner.
    let zone: ZoneID
    /// Of the records that changed, came or left.
    var recordTypes: Set<String> = []
    /// The user may now read what is shared in it, or no longer.
    var isMembership = false
  }

  private let catalog: Catalog
  private let channels: WatchedChannels
  private let pace: Pace
  private let selectDatabases: any SQLStatement
  /// Shares of which something changed in the transaction.
  private var movedShares: Set<Int64> = []
  /// The shared databases of users who accepted or lost a share in the transaction.
  private var changedDatabases: Set<DatabaseID> = []

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    channels: WatchedChannels,
    pace: Pace
  ) throws {
    (self.catalog, self.channels, self.pace) = (catalog, channels, pace)
    // Whoever never saved a subscription there has no database.
    selectDatabases = try connection.prepare(
      """
      SELECT d.owner, p.role FROM share_participants AS p JOIN databases AS d
        ON d.owner = p.user AND d.scope = 3 AND d.container = ?2 AND d.environment = ?3
      WHERE p.share_id = ?1 AND p.status = 2 AND p.permission >= 2
      """
    )
  }

  func begin(at moment: Moment) {
    movedShares.removeAll(keepingCapacity: true)
    changedDatabases.removeAll(keepingCapacity: true)
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    transaction.shares = movedShares
    transaction.sharedDatabases = changedDatabases
  }

  /// What fires at the end of a call, each database and zone once.
  ///
  /// - Throws: `SQLError`.
  func firings(of changes: SharedChanges) throws -> [Firing] {
    guard !changes.isEmpty else { return [] }
    movedShares.formUnion(changes.moved.lazy.map(\.share))
    var firings = Firings()
    for membership in changes.memberships {
      pace.step()
      let id = membership.zone.database.id.shared(with: membership.user)
      changedDatabases.insert(id)
      guard channels.watchesAnyZone, let database = try catalog.database(id) else { continue }
      firings.add(database, membership.zone) { $0.isMembership = true }
    }
    guard channels.watchesAnyZone else { return firings.all }
    for moved in changes.moved where !moved.recordTypes.isEmpty || !moved.managedTypes.isEmpty {
      for (user, isAdministrator) in try users(of: moved.share, in: moved.zone) {
        pace.step()
        let types =
          isAdministrator ? moved.recordTypes.union(moved.managedTypes) : moved.recordTypes
        let id = moved.zone.database.id.shared(with: user)
        guard !types.isEmpty, let database = try catalog.database(id) else { continue }
        firings.add(database, moved.zone) { $0.recordTypes.formUnion(types) }
      }
    }
    return firings.all
  }

  /// About how many channels fire, in the shared databases of those who may read shares, when something of these changes.
  ///
  /// - Parameters:
  ///   - shares: The shares, of one zone.
  ///   - zone: The zone.
  ///   - seenByAll: It is seen by others than administrators.
  /// - Returns: The number.
  /// - Throws: `SQLError`.
  func channelCount(
    of shares: some Sequence<Int64>,
    in zone: ZoneEntry,
    seenByAll: Bool = true
  ) throws -> Int {
    guard channels.watchesAnyZone else { return 0 }
    var seen: Set<String> = []
    var count = 0
    for share in shares {
      for (user, isAdministrator) in try users(of: share, in: zone)
      where (seenByAll || isAdministrator) && seen.insert(user).inserted {
        try pace.decisionStep()
        count += try channelCount(besides: zone, of: user)
      }
    }
    return count
  }

  /// How many channels watch a user's shared database beside the database of a zone.
  func channelCount(besides zone: ZoneEntry, of user: String) throws -> Int {
    let id = zone.database.id.shared(with: user)
    return try catalog.database(id).map(channels.zoneChannelCount) ?? 0
  }

  /// Those who may read a share and may have subscriptions.
  private func users(
    of share: Int64,
    in zone: ZoneEntry
  ) throws -> [(user: String, isAdministrator: Bool)] {
    let database = zone.database.id
    var users: [(user: String, isAdministrator: Bool)] = []
    selectDatabases.bind(share, at: 1)
    selectDatabases.bind(database.container, at: 2)
    selectDatabases.bind(Int64(database.environment.rawValue), at: 3)
    let administrator = Int64(Share.Role.administrator.rawValue)
    try selectDatabases.forEachRow {
      users.append((selectDatabases.string(0), selectDatabases.int64(1) == administrator))
    }
    return users
  }

  /// Firings in the order of the first changes, each database and zone once: those of a zone that is
  /// deleted may have very many users.
  private struct Firings {
    private struct Key: Hashable {
      let database: Int64
      let zone: ZoneID
    }

    private(set) var all: [Firing] = []
    private var indices: [Key: Int] = [:]

    mutating func add(
      _ database: DatabaseEntry,
      _ zone: ZoneEntry,
      _ change: (inout Firing) -> Void
    ) {
      let id = ZoneID(zoneName: zone.id.zoneName, ownerName: zone.database.id.owner)
      let index = indices[Key(database: database.number, zone: id)] ?? all.count
      if index == all.count {
        all.append(Firing(database: database, zone: id))
        indices[Key(database: database.number, zone: id)] = index
      }
      change(&all[index])
    }
  }
}

extension DatabaseID {
  /// The shared database of a user beside this one.
  func shared(with user: String) -> DatabaseID {
    DatabaseID(container: container, environment: environment, scope: .shared, owner: user)
  }
}
