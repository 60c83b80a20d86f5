public import TidingsModel

/// Where to continue in a zone's changes, and what to return.
public struct ZoneFeedRequest: Sendable {
  /// The zone.
  public var zone: ZoneID
  /// What the last page returned; empty: from the beginning.
  public var changeToken: [UInt8]
  /// Which fields; `nil`: all.
  public var desiredKeys: Set<String>?
  /// Only records of these types; empty: all.
  public var recordTypes: Set<String>
  /// Most records of this zone; 0: as many as the answer holds.
  public var limit: Int
  /// Which changes, and in which order.
  public var order: Order

  /// An order of changes.
  public enum Order: Sendable {
    /// Oldest change first.
    case oldestFirst
    /// Newest change first; the token continues with older ones.
    case newestFirst
    /// No changes: only the token of the zone as it is now.
    case none
  }

  /// A request.
  public init(
    zone: ZoneID,
    changeToken: [UInt8] = [],
    desiredKeys: Set<String>? = nil,
    recordTypes: Set<String> = [],
    limit: Int = 0,
    order: Order = .oldestFirst
  ) {
    self.zone = zone
    self.changeToken = changeToken
    self.desiredKeys = desiredKeys
    self.recordTypes = recordTypes
    self.limit = limit
    self.order = order
  }
}

/// One record that changed, lent while the page is made.
public enum ZoneChange {
  /// It is there: encoded, with the fields asked for.
  case saved(UnsafeRawBufferPointer)
  /// It is gone.
  case deleted(recordName: String, recordType: String)
}

/// The end of a page of a zone's changes.
public struct ZonePage: Sendable {
  /// For the next page.
  public let changeToken: [UInt8]
  /// There is more at once.
  public let moreComing: Bool
  /// How many records the page has.
  public let changeCount: Int
  /// The calling device's newest mark that the pages so far cover; empty: none.
  public let clientChangeTokenData: [UInt8]
}

/// A page of the zones that changed in a database.
public struct DatabasePage: Sendable {
  /// A zone that is no longer there.
  public struct DeletedZone: Hashable, Sendable {
    /// Which one.
    public let zone: ZoneID
    /// Why.
    public let reason: ZoneDeletionReason
  }

  /// Zones that were created, altered, or in which a record changed; oldest change first.
  public internal(set) var changedZones: [ZoneID] = []
  /// Zones that were deleted, oldest first.
  public internal(set) var deletedZones: [DeletedZone] = []
  /// For the next page.
  public internal(set) var changeToken: [UInt8] = []
  /// There is more at once.
  public internal(set) var moreComing = false
}

/// What a caller without changes waits for: any change of these zones after a number.
public struct FeedWatch: Hashable, Sendable {
  /// The database.
  public let database: DatabaseID
  /// The zones; empty: any.
  public let zones: [ZoneID]
  /// The database's number as of the snapshot without changes; 0: it does not exist yet.
  public let head: Int64
  /// In a shared database the shares that the user has accepted in these zones, as of the snapshot.
  let sharedHeads: SharedHeads

  /// A watch from its parts.
  public init(database: DatabaseID, zones: [ZoneID], head: Int64) {
    self.init(database: database, zones: zones, head: head, shares: SharedHeads())
  }

  init(database: DatabaseID, zones: [ZoneID], head: Int64, shares: SharedHeads) {
    self.database = database
    self.zones = zones
    self.head = head
    sharedHeads = shares
  }

  /// The zones of the database itself whose changes matter; empty: any, or in a shared database that
  /// the user accepts or loses a share.
  public var ownZones: [ZoneID] { database.scope == .shared ? [] : zones }

  /// How many zones and shares it names.
  public var partCount: Int { zones.count + sharedHeads.heads.count }
  /// What it takes in memory to wait for it, about.
  public var bytes: Int { partCount * 192 }

  /// The numbers of the shares whose changes matter, in a shared database.
  public var shares: [Int64] { sharedHeads.heads.keys.sorted() }
}
