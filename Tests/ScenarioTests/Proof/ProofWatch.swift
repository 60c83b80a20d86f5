internal import RandomSupport
internal import TestSupport
internal import TidingsProto

/// What a subscription of the proof asks for; equal ones share a channel.
struct ProofWatch: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case query, zone, database }

  struct Changes: OptionSet, Hashable, Sendable {
    let rawValue: Int
    static let create = Self(rawValue: 1)
    static let update = Self(rawValue: 2)
    static let delete = Self(rawValue: 4)
    static let enter = Self(rawValue: 8)
    static let leave = Self(rawValue: 16)
  }

  var kind = Kind.query
  /// Zone and database: empty for all.
  var recordType = ""
  var predicate = OraclePredicate.all
  var changes: Changes = []
  var isOnce = false
  var zone: String?
  var keys: [String] = []

  /// As clients send it.
  func message(_ id: String) -> TidingsV1.Subscription {
    var message = TidingsV1.Subscription(subscriptionID: id, recordType: recordType)
    message.zoneID = zone.map { .init(zoneName: $0) }
    switch kind {
    case .zone: message.type = .recordZone
    case .database: message.type = .database
    case .query:
      message.type = .query
      message.predicate = predicate.message
      message.firesOnRecordCreation = changes.contains(.create)
      message.firesOnRecordUpdate = changes.contains(.update)
      message.firesOnRecordDeletion = changes.contains(.delete)
      message.firesOnRecordEnter = changes.contains(.enter)
      message.firesOnRecordLeave = changes.contains(.leave)
      message.firesOnce = isOnce
      message.notificationInfo = keys.isEmpty ? nil : .init(desiredKeys: keys)
    }
    return message
  }

  /// Why a change to a record of the right type and zone fires a query subscription, if it does.
  func reason(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?
  ) -> TidingsV1.QueryNotificationReason? {
    let matched = old.map(predicate.matches) ?? false
    let matches = new.map(predicate.matches) ?? false
    if old == nil, matches, changes.contains(.create) { return .recordCreated }
    if new == nil, matched, changes.contains(.delete) { return .recordDeleted }
    if matches, !matched, changes.contains(.enter) { return .recordEntered }
    if matched, !matches, changes.contains(.leave) { return .recordLeft }
    if old != nil, matches, changes.contains(.update) { return .recordUpdated }
    return nil
  }

  static func random(
    in database: Oracle.Database,
    using random: inout SplitMix64
  ) -> ProofWatch {
    var watch = ProofWatch()
    // The public database has the default zone only.
    let zones = database.owner == nil ? [Oracle.defaultZone] : ProofWriter.zones
    let kind = random.below(10)
    if kind >= 7 {
      watch.kind = kind == 7 ? .database : .zone
      watch.zone = watch.kind == .zone ? random.pick(zones) : nil
      watch.recordType = random.oneIn(3) ? random.pick(OracleFields.types) : ""
      return watch
    }
    watch.recordType = random.pick(OracleFields.types)
    watch.predicate = .watch(using: &random)
    watch.changes = Changes(rawValue: 1 + random.below(31))
    watch.isOnce = random.oneIn(6)
    watch.zone = random.oneIn(3) ? random.pick(zones) : nil
    watch.keys = random.pick([[], ["n"], ["city", "n"]])
    return watch
  }
}
