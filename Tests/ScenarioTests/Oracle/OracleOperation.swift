internal import TestSupport
internal import TidingsProto

/// One thing that a client does, or that happens to the server: a value, so that what led to a
/// difference can be done again, and shortened.
struct OracleOperation: Sendable {
  /// A call that changes records, with the key that makes it happen once.
  struct Change: Sendable {
    var caller: Oracle.Caller
    var database: Oracle.Database
    var request: TidingsV1.ModifyRecordsRequest
    var key: String
  }

  /// What happens to a call that changes records.
  enum Mishap: Sendable {
    case none
    /// It is sent again after its answer, perhaps to the next server.
    case repeated(afterRestart: Bool)
    /// The server is killed this long after it was sent.
    case killed(afterMicroseconds: Int)
  }

  /// A position in a feed, which a client stores under a name.
  struct ZoneRead: Sendable {
    var zone: String
    var slot: Int
    var keys: [String]?
    var types: Set<String>
    var limit: UInt32
  }

  enum Action: Sendable {
    case modify(Change, Mishap)
    /// Calls of different users, in their own databases, at one time.
    case burst([Change])
    case fetch([TidingsV1.RecordID], keys: [String]?)
    case saveZones([String])
    case deleteZones([String], TidingsV1.ZoneDeletionReason)
    case subscribe([OracleSubscription])
    case unsubscribe(String)
    case list
    case readNotifications(fromStart: Bool, pageLimit: UInt32)
    case markRead([String])
    case readZones([ZoneRead], limit: UInt32, pageCount: Int)
    case readDatabase(slot: Int, limit: UInt32, pageCount: Int)
    /// With a token of another zone.
    case readWithForeignToken(zone: String)
    case query(OracleQuery, slot: Int, keys: [String]?, limit: UInt32, pageCount: Int)
    case turnPages(slot: Int, keys: [String]?, limit: UInt32, pageCount: Int)
    /// By type and field, with a dot between: the indexes of the schema.
    case declare([String: [String]])
    case restart(killing: Bool)
    case compareEverything
  }

  var caller: Oracle.Caller
  var database: Oracle.Database
  var action: Action
}

extension OracleOperation: CustomStringConvertible {
  var description: String {
    let scope = database.owner == nil ? "public" : "private"
    return "\(caller.user)/\(caller.device) \(scope): \(action.brief)"
  }
}

extension OracleOperation.Action {
  fileprivate var brief: String {
    switch self {
    case .modify(let change, .none): change.request.brief
    case .modify(let change, .repeated): "twice \(change.request.brief)"
    case .modify(let change, .killed(let delay)): "killed after \(delay) µs \(change.request.brief)"
    case .burst(let changes):
      "at once"
        + changes.map { "\n  \($0.caller.user)/\($0.caller.device) \($0.request.brief)" }.joined()
    case .fetch(let ids, let keys): "fetch \(ids.map(\.brief)) \(keys ?? ["all keys"])"
    case .saveZones(let names): "save zones \(names)"
    case .deleteZones(let names, let reason): "delete zones \(names) \(reason)"
    case .subscribe(let all):
      "subscribe "
        + all.map {
          "\($0.id) \($0.kind == .query ? "" : "\($0.kind) ")\($0.recordType) where \($0.predicate.brief) on \($0.changes.rawValue) "
            + "\($0.isOnce ? "once " : "")\($0.zone ?? "all zones") \($0.keys)"
        }.joined(separator: ", ")
    case .unsubscribe(let id): "unsubscribe \(id)"
    case .list: "list zones and subscriptions"
    case .readNotifications(let fromStart, let limit):
      "read notifications\(fromStart ? " from the start" : ""), pages of \(limit)"
    case .markRead(let ids): "mark read \(ids)"
    case .readZones(let reads, let limit, let count):
      "read zones "
        + reads.map {
          "\($0.zone)#\($0.slot) \($0.keys ?? ["all keys"]) \($0.types.sorted()) limit \($0.limit)"
        }.joined(separator: ", ") + ", \(count) pages of \(limit)"
    case .readDatabase(let slot, let limit, let count):
      "read database #\(slot), \(count) pages of \(limit)"
    case .readWithForeignToken(let zone): "read zone \(zone) with a foreign token"
    case .query(let query, let slot, let keys, let limit, let count):
      "query #\(slot) \(query.recordType) where \(query.predicate.brief) in "
        + "\(query.zone ?? "all zones"), by "
        + "\(query.order.map { $0.fieldName + ($0.descending ? " descending" : "") })"
        + " \(keys ?? ["all keys"]), \(count) pages of \(limit)"
    case .turnPages(let slot, _, let limit, let count): "query #\(slot): \(count) pages of \(limit)"
    case .declare(let indexes):
      "declare "
        + indexes.sorted { $0.key < $1.key }.map { "\($0) \($1.joined(separator: " "))" }
        .joined(separator: ", ")
    case .restart(let killing): killing ? "kill -9 and restart" : "restart"
    case .compareEverything: "compare everything"
    }
  }
}
