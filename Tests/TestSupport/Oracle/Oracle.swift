public import TidingsProto

/// What the server does, said as plainly as possible: everything in memory, nothing fast.
///
/// Takes the contract's requests and gives the contract's answers, `normalized()`: without times, texts
/// of errors and canonical predicates.
public struct Oracle: Sendable {
  /// A database: the public one has no owner.
  public struct Database: Hashable, Sendable {
    public var owner: String?

    public init(owner: String?) { self.owner = owner }

    public var id: TidingsV1.DatabaseID {
      .init(
        container: "default",
        environment: .development,
        scope: owner == nil ? .public : .private
      )
    }
  }

  public struct Caller: Hashable, Sendable {
    public var user: String
    public var device: String

    public init(_ user: String, _ device: String) { (self.user, self.device) = (user, device) }
  }

  struct Row: Sendable {
    var sequence: UInt64
    var position: Int
    var type: String
    /// `nil`: the record is deleted.
    var record: TidingsV1.Record?
  }

  /// What a device sent with its last save in a zone.
  struct Mark: Sendable {
    var sequence: UInt64
    var data: [UInt8]
  }

  struct Zone: Sendable {
    var head: UInt64 = 0
    /// The database's moment of the last change.
    var changed = 0
    /// Another one after each deletion of the zone.
    var life = 0
    var rows: [String: Row] = [:]
    /// All versions of each record, by change tag.
    var versions: [String: [String: TidingsV1.Record]] = [:]
    var marks: [Caller: Mark] = [:]
  }

  /// A zone that is no longer there.
  struct Grave: Sendable {
    var changed: Int
    var reason: TidingsV1.ZoneDeletionReason
  }

  struct Definition: Hashable, Sendable {
    var database: Database
    var kind: TidingsV1.SubscriptionType
    var recordType: String
    var zone: String?
    var predicate: OraclePredicate
    var changes: TidingsV1.Subscription.Changes
    var isOnce: Bool
    var info: TidingsV1.NotificationInfo?
  }

  struct Channel: Sendable {
    var definition: Definition
    var head: UInt64 = 0
    /// The server forgot it, and numbered the same definition again.
    var isForgotten = false
  }

  /// Events of the channel after `since`, up to `ended`, are the user's.
  struct Membership: Sendable {
    var user: String
    var database: Database
    var subscriptionID: String
    var channel: Int
    var since: UInt64
    var ended: UInt64?
  }

  /// What the call at hand changed of a zone.
  struct ZoneChange: Sendable {
    var database: Database
    var zone: String
    var types: Set<String> = []
    var isCreated = false
    var isDeleted = false
  }

  struct Event: Sendable {
    var channel: Int
    var sequence: UInt64
    var caller: Caller
    var notification: TidingsV1.Notification
  }

  public static let defaultZone = "_defaultZone"

  var zones: [Database: [String: Zone]] = [:]
  var graves: [Database: [String: Grave]] = [:]
  /// Counts the changes of a database's zones.
  var clocks: [Database: Int] = [:]
  var lives = 0
  /// The highest number that any deleted zone of a database had.
  var zoneFloors: [Database: UInt64] = [:]
  var fieldTypes: [String: [String: Int]] = [:]
  /// A channel's number is its place here, counted from 1.
  var channels: [Channel] = []
  var memberships: [Membership] = []
  var events: [Event] = []
  var zoneChanges: [ZoneChange] = []
  var marks: Set<String> = []
  /// The same in the order in which they were made.
  var markLog: [(caller: Caller, id: String)] = []

  public init() {}

  /// A place in the history: all that has happened so far.
  public var moment: Int { events.count }

  /// The same for read marks.
  public var markMoment: Int { markLog.count }

  /// The name of a zone, also of one that is not named.
  public func zoneName(_ id: TidingsV1.ZoneID?) -> String {
    guard let name = id?.zoneName, !name.isEmpty else { return Self.defaultZone }
    return name
  }

  /// The ID as the server writes it.
  public static func recordID(_ name: String, _ zone: String) -> TidingsV1.RecordID {
    .init(recordName: name, zoneID: zone == defaultZone ? nil : .init(zoneName: zone))
  }

  /// The zone, if it exists; the default one always does.
  func zone(_ name: String, in database: Database) -> Zone? {
    zones[database]?[name] ?? (name == Self.defaultZone ? Zone() : nil)
  }
}

extension Oracle {
  /// Takes the next moment of a database, for the change of a zone.
  mutating func advance(_ database: Database) -> Int {
    clocks[database, default: 0] += 1
    return clocks[database] ?? 0
  }

  /// The live records of a zone, by name.
  func records(of zone: String, in database: Database) -> [String: TidingsV1.Record] {
    (self.zone(zone, in: database)?.rows ?? [:]).compactMapValues(\.record)
  }

  /// Whether the zone that a query looks at does not exist.
  public func isMissing(_ query: OracleQuery) -> Bool {
    query.zone.map { zone($0, in: query.database) == nil } ?? false
  }

  /// The code for what is in a zone that does not exist.
  func absence(of zone: String, in database: Database) -> TidingsV1.ErrorCode {
    graves[database]?[zone]?.reason == .purged ? .userDeletedZone : .zoneNotFound
  }

  /// Whether a save teaches the server no type of a field.
  public func knowsFields(of record: TidingsV1.Record) -> Bool {
    record.fields.allSatisfy { field, value in
      value.kind == nil || fieldTypes[record.recordType]?[field] != nil
    }
  }

  /// The live records of a database, or of one of its zones.
  public func records(
    in database: Database,
    zone: String? = nil
  )
    -> [TidingsV1.RecordID: TidingsV1.Record]
  {
    var found: [TidingsV1.RecordID: TidingsV1.Record] = [:]
    for name in zones[database, default: [:]].keys where zone ?? name == name {
      for (record, value) in records(of: name, in: database) {
        found[Self.recordID(record, name)] = value
      }
    }
    return found
  }
}

extension TidingsV1.ItemError {
  init(_ code: TidingsV1.ErrorCode) { self.init(code: code) }
}
