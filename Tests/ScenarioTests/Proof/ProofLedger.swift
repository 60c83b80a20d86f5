internal import TestSupport
internal import TidingsProto

/// What the server acknowledged, in the order in which it happened in each database.
///
/// Every call that saves records saves the writer's mark in the default zone too, whose number there
/// shows the order of calls that ran at once. What else changes a database runs alone in it, between
/// the calls that were acknowledged before and those that begin after.
struct ProofLedger: Sendable {
  enum Deed: Sendable {
    case records(ProofCall)
    case zoneSaved(String)
    case zoneDeleted(String)
    case subscribed(String, ProofWatch, effective: TidingsV1.SubscriptionPosition)
    case unsubscribed(String)
  }

  struct Entry: Sendable {
    var caller: Oracle.Caller
    /// The default zone's number, with a number that shows apart what it does not.
    var clock: UInt64
    var turn: Int
    var deed: Deed
  }

  private(set) var entries: [Oracle.Database: [Entry]] = [:]
  /// How much happened.
  private(set) var count = 0

  mutating func add(_ call: ProofCall, in database: Oracle.Database) {
    append(call.caller, call.clock, 0, .records(call), in: database)
  }

  /// Adds what nothing else ran beside.
  mutating func add(_ deed: Deed, by caller: Oracle.Caller, in database: Oracle.Database) {
    let clock = entries[database, default: []].map(\.clock).max() ?? 0
    append(caller, clock, count + 1, deed, in: database)
  }

  private mutating func append(
    _ caller: Oracle.Caller,
    _ clock: UInt64,
    _ turn: Int,
    _ deed: Deed,
    in database: Oracle.Database
  ) {
    count += 1
    entries[database, default: []].append(
      Entry(caller: caller, clock: clock, turn: turn, deed: deed)
    )
  }

  /// What happened in a database, first things first.
  func history(of database: Oracle.Database) -> [Entry] {
    entries[database, default: []].sorted { ($0.clock, $0.turn) < ($1.clock, $1.turn) }
  }
}

/// A call that saved and deleted records, and what it did.
struct ProofCall: Sendable {
  struct Write: Sendable {
    var zone: String
    var name: String
    /// What was sent; `nil`: the record is gone.
    var sent: TidingsV1.Record?
  }

  var caller: Oracle.Caller
  var clock: UInt64
  /// What succeeded, in the server's order: saves, deletions, what deletions cascaded to.
  var writes: [Write]

  /// - Returns: `nil` when the order of what the call did cannot be reported.
  init?(
    _ request: TidingsV1.ModifyRecordsRequest,
    _ response: TidingsV1.ModifyRecordsResponse,
    by caller: Oracle.Caller
  ) {
    let sent = request.recordsToSave.map(Optional.some) + request.recordIDsToDelete.map { _ in nil }
    guard sent.count == response.results.count else { return nil }
    let clock = response.results.first?.record.flatMap { UInt64($0.changeTag, radix: 36) }
    guard clock != nil || response.results.allSatisfy({ $0.error != nil }) else { return nil }
    self.caller = caller
    self.clock = clock ?? 0
    writes = zip(sent, response.results).compactMap { sent, result in
      guard result.error == nil, let id = result.recordID else { return nil }
      return Write(zone: id.zone, name: id.recordName, sent: sent)
    }
    writes += response.cascadedDeletions.compactMap(\.recordID).map {
      Write(zone: $0.zone, name: $0.recordName, sent: nil)
    }
  }
}

extension TidingsV1.RecordID {
  /// The name of its zone, also of the default one.
  var zone: String {
    let name = zoneID?.zoneName ?? ""
    return name.isEmpty ? Oracle.defaultZone : name
  }
}
