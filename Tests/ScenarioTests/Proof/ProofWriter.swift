internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsProto

/// Saves and deletes records, call after call.
struct ProofWriter {
  static let zones = [Oracle.defaultZone, "attic", "cellar"]
  private static let names = (0..<8).map { "r\($0)" }

  let caller: Oracle.Caller
  let number: Int
  var random: SplitMix64
  private var callCount: Int64 = 0

  init(_ caller: Oracle.Caller, number: Int, _ random: SplitMix64) {
    (self.caller, self.number, self.random) = (caller, number, random)
  }

  mutating func run(_ count: Int, in world: ProofWorld) async throws {
    let client = try await world.client(caller)
    for _ in 0..<count {
      callCount += 1
      let database = Oracle.Database(owner: random.oneIn(3) ? nil : caller.user)
      try await world.modify(
        request(in: database),
        key: "writer-\(number)-\(callCount)",
        in: database,
        by: caller,
        with: client
      )
    }
    await client.close()
  }

  private mutating func request(in database: Oracle.Database) -> TidingsV1.ModifyRecordsRequest {
    let mark = TidingsV1.Record(
      "Mark",
      "mark-\(number)",
      ["n": .init(.int64Value(callCount))]
    )
    var request = TidingsV1.ModifyRecordsRequest(
      recordsToSave: [mark],
      savePolicy: .allKeys
    )
    // One zone often, so that references meet.
    let zones =
      database.owner == nil
      ? [Oracle.defaultZone] : random.oneIn(2) ? Self.zones : [random.pick(Self.zones)]
    var used: Set<TidingsV1.RecordID> = []
    for _ in 0..<random.pick([0, 1, 1, 1, 2, 3, 8]) {
      let zone = random.pick(zones)
      let id = TidingsV1.RecordID(random.pick(Self.names), zone: zone)
      guard used.insert(id).inserted else { continue }
      if random.oneIn(4) {
        request.recordIDsToDelete.append(id)
      } else {
        request.recordsToSave.append(record(id))
      }
    }
    // What fails must not take the mark along, unless nothing else is written then.
    let isOneZone = Set(used.map(\.zone)).count == 1
    request.atomic = isOneZone ? random.pick([nil, true, false]) : false
    return request
  }

  private mutating func record(_ id: TidingsV1.RecordID) -> TidingsV1.Record {
    // A name always has the same type.
    let isCar = id.recordName.utf8.last.map { $0 % 2 == 0 } ?? false
    var record = TidingsV1.Record(recordID: id, recordType: isCar ? "Cars" : "Houses")
    // Another one each time: without it some saves change nothing.
    if !random.oneIn(3) {
      record.fields["x"] = .init(.int64Value(callCount * 100 + Int64(number)))
    }
    for field in ["n", "city", "tags"] where random.oneIn(2) {
      record.fields[field] =
        random.oneIn(6) ? .null : OracleFields.value(of: field, using: &random)
    }
    if random.oneIn(5) {
      let target = TidingsV1.RecordID(random.pick(Self.names), zone: id.zone)
      record.fields["owner"] = .init(
        .referenceValue(.init(recordID: target, action: .deleteSelf))
      )
    }
    return record
  }
}
