internal import EngineTestSupport
internal import TestSupport
internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// The zones of one user, and their feeds.
final class ZoneStore: EngineHarness {
  static let ada = Caller(user: "ada", device: "laptop")
  static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  /// Saves and deletes records in one call, without comparing tags; none may fail.
  func modify(
    _ zone: ZoneID,
    saves: [Record] = [],
    deletions: [String] = [],
    in database: DatabaseID = ZoneStore.database
  ) throws {
    let outcomes = try commit { engine in
      try engine.modifyRecords(
        RecordChanges(
          database: database,
          saves: saves,
          deletions: deletions.map { RecordID(recordName: $0, zoneID: zone) },
          policy: .allKeys
        ),
        caller: Self.ada
      )
    }
    for case .failed(let id, let error, _) in outcomes.outcomes {
      throw WaitingFailure(description: "\(id.recordName): \(error)")
    }
  }

  func saveZone(_ zone: ZoneID) throws {
    try commit { _ = try $0.saveZone(zone, in: Self.database, caller: Self.ada) }
  }

  func deleteZone(_ zone: ZoneID, because reason: ZoneDeletionReason = .deleted) throws {
    try commit {
      try $0.deleteZone(zone, in: Self.database, because: reason, caller: Self.ada)
    }
  }

}

/// A page of a zone's changes, with its records.
struct ReadZonePage {
  var saved: [Record] = []
  var deleted: [(name: String, type: String)] = []
  var token: [UInt8] = []
  var moreComing = false
  var mark: [UInt8] = []

  var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
  var names: [String] { saved.map(\.recordID.recordName) }
}

extension ZoneStore {
  /// Reads pages of several zones, as one call.
  func pages(
    _ requests: [ZoneFeedRequest],
    limit: Int = 0,
    caller: Caller = ZoneStore.ada,
    in database: DatabaseID = ZoneStore.database
  ) throws -> [ReadZonePage] {
    var budget = FeedBudget(limit: limit, limits)
    return try reader.withSnapshot {
      try requests.map { request in
        var page = ReadZonePage()
        let end = try reader.zoneChanges(
          request,
          in: database,
          caller: caller,
          budget: &budget
        ) { change in
          switch change {
          case .saved(let body): page.saved.append(try codec.decodeRecord(body))
          case .deleted(let name, let type): page.deleted.append((name, type))
          }
        }
        page.token = end.changeToken
        page.moreComing = end.moreComing
        page.mark = end.clientChangeTokenData
        return page
      }
    }
  }

  func page(
    _ zone: ZoneID,
    after token: [UInt8] = [],
    limit: Int = 0,
    types: Set<String> = []
  ) throws -> ReadZonePage {
    try pages([ZoneFeedRequest(zone: zone, changeToken: token, recordTypes: types)], limit: limit)[
      0
    ]
  }

  func databasePage(
    after token: [UInt8] = [],
    limit: Int = 0,
    in database: DatabaseID = ZoneStore.database
  ) throws -> DatabasePage {
    try reader.withSnapshot {
      try reader.databaseChanges(in: database, after: token, limit: limit)
    }
  }
}

extension Record {
  /// A record with a number in it.
  init(_ type: String, _ name: String, _ zone: ZoneID, version: Int64 = 0) {
    self.init(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: type,
      fields: ["version": .int64(version), "other": .string(name)]
    )
  }

  var version: Int64? {
    if case .int64(let version)? = fields["version"] { version } else { nil }
  }
}

extension Moment {
  /// A moment of clocks that nobody sets.
  init(undisturbed milliseconds: Int64) {
    self.init(
      timeOfDay: Timestamp(millisecondsSince1970: milliseconds),
      steady: SteadyTime(milliseconds: milliseconds)
    )
  }
}
