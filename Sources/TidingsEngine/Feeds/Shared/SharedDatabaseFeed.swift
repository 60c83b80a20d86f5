internal import TidingsModel
internal import TidingsSQL

/// The zones in which something changed of what others share with a user, and those of which nothing is
/// shared any more.
///
/// A token has the head of each share that it covers. There is no order among the zones of several
/// owners: those come first of which the user accepted a share first.
final class SharedDatabaseFeed {
  private let catalog: Catalog
  private let shares: ShareReader
  private let identity: StoreIdentity
  private let limits: Limits

  init(catalog: Catalog, shares: ShareReader, identity: StoreIdentity, limits: Limits) {
    self.catalog = catalog
    self.shares = shares
    self.identity = identity
    self.limits = limits
  }

  /// Makes one page.
  ///
  /// - Parameters:
  ///   - id: The user's shared database.
  ///   - token: What the last page returned; empty: from the beginning.
  ///   - budget: What the call may return.
  /// - Returns: The page.
  /// - Throws: `ItemError`: `changeTokenExpired`, `invalidArguments`; `SQLError`.
  func page(
    _ id: DatabaseID,
    after token: [UInt8],
    budget: FeedBudget
  ) throws -> DatabasePage {
    let purpose = "database changes\0" + id.purpose
    var known = SharedHeads()
    if !token.isEmpty {
      let holder = "the shared database of this user"
      let numbers = try SealedToken.open(token, for: purpose, identity, holder: holder)
      guard let heads = SharedHeads(numbers) else { throw SealedToken.foreign(holder) }
      known = heads
    }
    let zones = try zones(of: id, known)
    var budget = budget
    var page = DatabasePage()
    for zone in zones where zone.hasChanges(to: known) {
      guard budget.take(bytes: zone.id.ownerName.utf8.count + zone.id.zoneName.utf8.count) else {
        page.moreComing = true
        break
      }
      if zone.heads.isEmpty {
        page.deletedZones.append(.init(zone: zone.id, reason: try reason(zone)))
      } else {
        page.changedZones.append(zone.id)
      }
      for share in zone.lost { known.heads[share] = nil }
      known.heads.merge(zone.heads) { $1 }
    }
    page.changeToken = SealedToken.seal(known.numbers, for: purpose, identity)
    return page
  }

  /// The zones that the user has, and those that the client knows and the user has no more.
  private func zones(of id: DatabaseID, _ known: SharedHeads) throws -> [SharedZone] {
    var zones = SharedZones()
    for accepted in try shares.accepted(of: id, catalog) {
      let share = accepted.share
      let head = try shares.head(of: share, catalog)
      if let old = known.heads[share.number], old > head {
        throw ItemError.tokenFromTheFuture("zone \(share.zoneOfOwner.shown)")
      }
      zones.add(share, head: head)
    }
    for number in known.heads.keys.sorted() where !zones.shares.contains(number) {
      guard let share = try shares.share(numbered: number) else {
        throw ItemError.tokenTooOld("the shared database", limits.tombstoneRetention)
      }
      zones.add(lost: share)
    }
    return zones.all
  }

  /// Why nothing of a zone is shared any more: who deleted the zone said why, all else looks the same.
  private func reason(_ zone: SharedZone) throws -> ZoneDeletionReason {
    let database = try catalog.database(numbered: zone.database)
    let id = ZoneID(zoneName: zone.id.zoneName)
    guard try catalog.zone(id, in: database) == nil else { return .deleted }
    return try catalog.deletionReason(id, in: database) ?? .deleted
  }
}

/// A zone of a shared database, with the shares that the user has accepted in it or has lost.
struct SharedZone: Hashable {
  /// The zone, with its owner.
  let id: ZoneID
  /// The number of its database.
  let database: Int64
  /// The heads of the shares that the user has, by number.
  var heads: [Int64: Int64] = [:]
  /// Shares that the user had.
  var lost: [Int64] = []

  /// Whether there are changes for a client.
  func hasChanges(to known: SharedHeads) -> Bool {
    !lost.isEmpty || heads.contains { known.heads[$0.key] != $0.value }
  }
}

/// The zones of shares, in the order of the first share of each.
struct SharedZones {
  private(set) var all: [SharedZone] = []
  private(set) var shares: Set<Int64> = []
  private var locations: [ZoneID: Int] = [:]

  /// Adds a share that the user has.
  mutating func add(_ share: StoredShare, head: Int64) {
    all[location(of: share)].heads[share.number] = head
    shares.insert(share.number)
  }

  /// Adds a share that the user had.
  mutating func add(lost share: StoredShare) {
    all[location(of: share)].lost.append(share.number)
    shares.insert(share.number)
  }

  private mutating func location(of share: StoredShare) -> Int {
    let id = share.zoneOfOwner
    if let known = locations[id] { return known }
    all.append(SharedZone(id: id, database: share.database))
    locations[id] = all.count - 1
    return all.count - 1
  }
}
