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
    /// `nil`: the record is deleted.
    var record: TidingsV1.Record?
  }

  struct Zone: Sendable {
    var head: UInt64 = 0
    var rows: [String: Row] = [:]
    /// All states of each record, by change tag.
    var versions: [String: [String: TidingsV1.Record]] = [:]
  }

  struct Definition: Hashable, Sendable {
    var database: Database
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

  struct Event: Sendable {
    var channel: Int
    var sequence: UInt64
    var caller: Caller
    var notification: TidingsV1.Notification
  }

  static let defaultZone = "_defaultZone"

  var zones: [Database: [String: Zone]] = [:]
  /// The highest number that any deleted zone of a database had.
  var zoneFloors: [Database: UInt64] = [:]
  var fieldTypes: [String: [String: Int]] = [:]
  /// A channel's number is its place here, counted from 1.
  var channels: [Channel] = []
  var memberships: [Membership] = []
  var events: [Event] = []
  var marks: Set<String> = []

  public init() {}

  /// A place in the history: all that has happened so far.
  public var moment: Int { events.count }

  func zoneName(_ id: TidingsV1.ZoneID?) -> String {
    guard let name = id?.zoneName, !name.isEmpty else { return Self.defaultZone }
    return name
  }

  func recordID(_ name: String, _ zone: String) -> TidingsV1.RecordID {
    .init(recordName: name, zoneID: zone == Self.defaultZone ? nil : .init(zoneName: zone))
  }

  /// The zone, if it exists; the default one always does.
  func zone(_ name: String, in database: Database) -> Zone? {
    zones[database]?[name] ?? (name == Self.defaultZone ? Zone() : nil)
  }
}

extension TidingsV1.ItemError {
  init(_ code: TidingsV1.ErrorCode) { self.init(code: code) }
}
