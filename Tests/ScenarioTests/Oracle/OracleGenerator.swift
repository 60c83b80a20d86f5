internal import RandomSupport
internal import TestSupport
internal import TidingsProto

/// Thinks up operations that are worth doing in the present state.
struct OracleGenerator {
  static let users = ["ada", "bob", "cyd"]
  static let callers = users.flatMap { user in
    ["laptop", "phone", ""].map { Oracle.Caller(user, $0) }
  }
  static let customZones = ["attic", "cellar"]
  static let recordNames = (0..<12).map { "r\($0)" }
  static let querySlots = 0..<4

  var random: SplitMix64
  private var keyCount = 0
  private var markCount = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next(_ oracle: Oracle) -> OracleOperation {
    let caller = random.pick(Self.callers)
    let database = Oracle.Database(owner: random.oneIn(4) ? nil : caller.user)
    return OracleOperation(
      caller: caller,
      database: database,
      action: action(of: caller, in: database, oracle)
    )
  }

  private mutating func action(
    of caller: Oracle.Caller,
    in database: Oracle.Database,
    _ oracle: Oracle
  )
    -> OracleOperation.Action
  {
    switch random.below(1000) {
    case 0..<400: return .modify(change(of: caller, in: database, oracle), mishap())
    case 400..<420: return .burst(burst(oracle))
    case 420..<490: return .subscribe((0...random.below(2)).map { _ in subscription() })
    case 490..<520: return .unsubscribe("s\(random.below(8))")
    case 520..<550:
      return .saveZones(zones())
    case 550..<565:
      let reasons: [TidingsV1.ZoneDeletionReason] = [.deleted, .purged, .encryptedDataReset]
      return .deleteZones(
        zones(),
        random.pick([.unspecified, .deleted] + reasons)
      )
    case 565..<620:
      return .fetch((0...random.below(5)).map { _ in recordID() }, keys: keys())
    case 620..<680:
      return .readNotifications(fromStart: random.oneIn(5), pageLimit: UInt32(random.below(8)))
    case 680..<700: return .markRead(notificationIDs(of: caller, oracle))
    case 700..<800: return readZones()
    case 800..<845:
      return .readDatabase(
        slot: random.below(2),
        limit: UInt32(random.below(4)),
        pageCount: random.pick([1, 100])
      )
    case 845..<850: return .readWithForeignToken(zone: random.pick(Self.customZones))
    case 850..<920:
      return .query(
        query(in: database),
        slot: random.pick(Array(Self.querySlots)),
        keys: keys(),
        limit: UInt32(random.below(6)),
        pageCount: random.pick([1, 2, 200])
      )
    case 920..<965:
      return .turnPages(
        slot: random.pick(Array(Self.querySlots)),
        keys: keys(),
        limit: UInt32(random.below(6)),
        pageCount: random.pick([1, 200])
      )
    case 965..<980: return .list
    case 980..<985: return .declare(indexes())
    case 985..<995: return .restart(killing: random.oneIn(2))
    default: return .compareEverything
    }
  }

  // MARK: Records

  mutating func recordID(
    in zones: [String] = ["", "", "", "attic", "cellar"]
  ) -> TidingsV1.RecordID {
    .init(random.pick(Self.recordNames), zone: random.pick(zones))
  }

  private mutating func keys() -> [String]? {
    random.pick([nil, nil, [], ["n", "tags", "none"], ["city", "owner"]])
  }

  private mutating func mishap() -> OracleOperation.Mishap {
    switch random.below(60) {
    case 0..<8: .repeated(afterRestart: false)
    case 8, 9: .repeated(afterRestart: true)
    case 10, 11: .killed(afterMicroseconds: random.below(4000))
    default: .none
    }
  }

  private mutating func key() -> String {
    keyCount += 1
    return "key-\(keyCount)"
  }

  private mutating func change(
    of caller: Oracle.Caller,
    in database: Oracle.Database,
    _ oracle: Oracle
  ) -> OracleOperation.Change {
    var request = TidingsV1.ModifyRecordsRequest(databaseID: database.id)
    request.savePolicy = random.pick([
      .unspecified, .ifServerRecordUnchanged, .changedKeys, .allKeys,
    ])
    request.atomic = random.pick([nil, true, false])
    request.dryRun = random.oneIn(12)
    // A mark needs a device.
    if !caller.device.isEmpty || random.oneIn(20), random.oneIn(3) {
      markCount += 1
      request.clientChangeTokenData = Array("mark-\(markCount)".utf8)
    }
    // Batches of one zone let references meet.
    let zones =
      random.oneIn(2) ? [random.pick(["", "attic", "cellar"])] : ["", "", "attic", "cellar"]
    var used: Set<TidingsV1.RecordID> = []
    for _ in 0...random.below(random.oneIn(3) ? 10 : 2) {
      let id = recordID(in: zones)
      guard used.insert(id).inserted || random.oneIn(100) else { continue }
      if random.oneIn(4) {
        request.recordIDsToDelete.append(id)
      } else {
        request.recordsToSave.append(record(id, in: database, oracle))
      }
    }
    return .init(caller: caller, database: database, request: request, key: key())
  }

  private mutating func burst(_ oracle: Oracle) -> [OracleOperation.Change] {
    Self.users.map { user in
      let caller = Oracle.Caller(user, random.pick(["laptop", "phone"]))
      return change(of: caller, in: .init(owner: user), oracle)
    }
  }

  private mutating func record(
    _ id: TidingsV1.RecordID,
    in database: Oracle.Database,
    _ oracle: Oracle
  )
    -> TidingsV1.Record
  {
    let stored = oracle.fetch([id], in: database)[0].record
    var record = TidingsV1.Record(recordID: id, recordType: random.pick(OracleFields.types))
    if let stored, !random.oneIn(20) { record.recordType = stored.recordType }
    record.changeTag = stored?.changeTag ?? ""
    if random.oneIn(6) {
      record.changeTag = random.pick(oracle.tags(of: id, in: database) + ["", "1", "zz"])
    }
    for _ in 0..<random.below(4) {
      let field = random.pick(OracleFields.names)
      if random.oneIn(6) {
        record.fields[field] = .null
      } else if random.oneIn(60) {
        record.fields[field] = OracleFields.value(of: "x", using: &random)
      } else if field == "owner" {
        record.fields[field] = .init(.referenceValue(reference(in: id.zoneID)))
      } else if field == "friends" {
        let values = (0..<random.below(3)).map { _ in reference(in: id.zoneID) }
        record.fields[field] = .init(.referenceListValue(.init(values: values)))
      } else {
        record.fields[field] = OracleFields.value(of: field, using: &random)
      }
    }
    if random.oneIn(12) { record.fields["owner"] = .null }
    if random.oneIn(7) {
      record.parent = reference(in: id.zoneID)
      if !random.oneIn(20) { record.parent?.action = .none }
      if random.oneIn(3) { record.parent = .init() }
    }
    return record
  }

  private mutating func reference(in zone: TidingsV1.ZoneID?) -> TidingsV1.Reference {
    var target = recordID(in: [zone?.zoneName ?? ""])
    if random.oneIn(20) { target = recordID() }
    return .init(
      recordID: target,
      action: random.pick([.none, .deleteSelf, .deleteSelf, .deleteSelf, .validate])
    )
  }

  // MARK: Feeds, queries, subscriptions

  private mutating func readZones() -> OracleOperation.Action {
    var reads: [OracleOperation.ZoneRead] = []
    for zone in ["_defaultZone", "attic", "cellar"] where random.oneIn(2) || reads.isEmpty {
      reads.append(
        .init(
          zone: zone,
          slot: random.below(2),
          keys: keys(),
          types: random.pick([[], [], ["Houses"], ["Cars", "None"]]),
          limit: UInt32(random.pick([0, 0, 1, 2, 5]))
        )
      )
    }
    return .readZones(
      reads,
      limit: UInt32(random.pick([0, 0, 1, 3, 7])),
      pageCount: random.pick([1, 2, 300, 300])
    )
  }

  private mutating func query(in database: Oracle.Database) -> OracleQuery {
    var query = OracleQuery(
      random.pick(OracleFields.types),
      in: database,
      .any(using: &random)
    )
    for _ in 0..<random.below(3) {
      query.order.append(
        .init(fieldName: random.pick(OracleFields.sortable), descending: random.oneIn(2))
      )
    }
    if random.oneIn(8) {
      query.order.append(
        .init(fieldName: "place", relativeLocation: OracleFields.location(using: &random))
      )
    }
    if random.oneIn(2) { query.zone = random.pick(Self.customZones + ["_defaultZone"]) }
    return query
  }

  private mutating func indexes() -> [String: [String]] {
    var indexes: [String: [String]] = [:]
    for type in OracleFields.types {
      for field in OracleFields.schemaTypes.keys.sorted() where random.oneIn(3) {
        indexes["\(type).\(field)"] = OracleFields.indexes(of: field).filter { _ in random.oneIn(2)
        }
      }
      for field in ["___recordID", "___createTime"] where random.oneIn(3) {
        indexes["\(type).\(field)"] = ["QUERYABLE"]
      }
    }
    return indexes
  }

  private mutating func subscription() -> OracleSubscription {
    var subscription = OracleSubscription(
      id: "s\(random.below(8))",
      recordType: random.pick(OracleFields.types),
      predicate: .watch(using: &random),
      changes: .init(rawValue: 1 + random.below(31))
    )
    subscription.zone = random.pick([nil, nil, nil, "attic", "cellar", "_defaultZone"])
    if random.oneIn(5) { subscription.collapseKey = random.pick(["city", "n", "always"]) }
    guard random.below(5) < 3 else { return watchingZones(subscription) }
    subscription.isOnce = random.oneIn(5)
    subscription.keys = random.pick([[], ["n"], ["city", "x", "tags"]])
    if random.oneIn(3) {
      subscription.args = random.pick([["n"], ["city", "price", "when"], ["none", "tags", "raw"]])
    }
    return subscription
  }

  /// A zone or database subscription in place of a query subscription.
  private mutating func watchingZones(_ query: OracleSubscription) -> OracleSubscription {
    var subscription = query
    (subscription.predicate, subscription.changes) = (.all, [])
    if random.oneIn(2) { subscription.recordType = "" }
    subscription.kind = random.pick([.recordZone, .database])
    subscription.zone =
      subscription.kind == .recordZone
      ? query.zone ?? random.pick(["attic", "cellar", "_defaultZone"]) : nil
    return subscription
  }

  private mutating func zones() -> [String] {
    let all = Self.customZones + ["_defaultZone"]
    return random.oneIn(3) ? all.filter { _ in random.oneIn(2) } : [random.pick(all)]
  }

  private mutating func notificationIDs(of caller: Oracle.Caller, _ oracle: Oracle) -> [String] {
    var ids = oracle.feed(of: caller).map(\.notificationID).filter { _ in random.oneIn(6) }
    ids += ["\(1 + random.below(30))-\(1 + random.below(30))"]
    return Array(ids.prefix(400))
  }
}
