internal import TestSupport
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

/// An engine on a store of its own, a reader beside it, and a clock that tests move.
final class EngineHarness {
  static let ada = Caller(user: "ada", device: "laptop")
  static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  let limits: Limits
  /// Milliseconds since 1970.
  var time: Int64 = 1_700_000_000_000
  private(set) var engine: Engine
  private(set) var reader: EngineReader
  private let path: String
  private let codec = HandleCodec()

  init(limits: Limits = Limits()) throws {
    self.limits = limits
    path = try TemporaryFolder().file("db")
    let (codec, clock) = (codec, Clock())
    self.clock = clock
    engine = try Self.open(path, codec, limits, clock)
    reader = try Self.openReader(path, codec, limits)
  }

  private final class Clock { var time = Timestamp(millisecondsSince1970: 0) }
  private let clock: Clock

  private static func open(
    _ path: String,
    _ codec: HandleCodec,
    _ limits: Limits,
    _ clock: Clock
  ) throws -> Engine {
    try Engine(SQLiteConnection(path: path), codec: codec, limits: limits) {
      ClockReading(undisturbed: clock.time)
    }
  }

  private static func openReader(
    _ path: String,
    _ codec: HandleCodec,
    _ limits: Limits
  ) throws -> EngineReader {
    try EngineReader(
      SQLiteConnection(path: path, readsOnly: true),
      codec: codec,
      limits: limits
    )
  }

  /// Another engine on the same store, as after a restart of the server.
  func restart() throws {
    engine = try Self.open(path, codec, limits, clock)
    reader = try Self.openReader(path, codec, limits)
  }

  /// Runs SQL beside the engine.
  func execute(_ sql: String) throws { try SQLiteConnection(path: path).execute(sql) }

  /// What the last transaction came to.
  private(set) var committed: CommittedTransaction?

  /// Runs a transaction.
  @discardableResult
  func write<R>(_ body: (Engine) throws -> R) throws -> R {
    clock.time = Timestamp(millisecondsSince1970: time)
    try engine.begin()
    let result = try body(engine)
    committed = try engine.commit()
    return result
  }

  /// Runs a transaction and takes it back.
  func takeBack(_ body: (Engine) throws -> Void) throws {
    clock.time = Timestamp(millisecondsSince1970: time)
    try engine.begin()
    try body(engine)
    engine.rollback()
  }

  /// Saves and deletes records in one call, without comparing tags; none may fail.
  func modify(
    _ zone: ZoneID,
    saves: [Record] = [],
    deletions: [String] = [],
    in database: DatabaseID = EngineHarness.database
  ) throws {
    let outcomes = try write { engine in
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
    try write { _ = try $0.saveZone(zone, in: Self.database, caller: Self.ada) }
  }

  func deleteZone(_ zone: ZoneID, because reason: ZoneDeletionReason = .deleted) throws {
    try write {
      try $0.deleteZone(zone, in: Self.database, because: reason, caller: Self.ada)
    }
  }

  /// Moves the clock, and does all maintenance tasks that are due.
  func pass(_ duration: Duration) throws {
    time += duration.milliseconds
    while try write({ try $0.doMaintenance() }) == .zero {}
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

extension EngineHarness {
  /// Reads pages of several zones, as one call.
  func pages(
    _ requests: [ZoneFeedRequest],
    limit: Int = 0,
    caller: Caller = EngineHarness.ada,
    in database: DatabaseID = EngineHarness.database
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
    in database: DatabaseID = EngineHarness.database
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

/// Keeps records in memory; their bytes are 8 for the place, and as many more as they have bytes.
final class HandleCodec: BodyCodec {
  private var records: [Record] = []

  func encode(_ record: Record) -> [UInt8] {
    records.append(record)
    var location = UInt64(records.count - 1).littleEndian
    var padding = 0
    if case .bytes(let bytes)? = record.fields["padding"] { padding = bytes.count }
    return withUnsafeBytes(of: &location, Array.init) + [UInt8](repeating: 0, count: padding)
  }

  func decodeRecord(_ bytes: UnsafeRawBufferPointer) throws -> Record {
    records[Int(UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))]
  }

  func encode(_ subscription: Subscription) -> [UInt8] { [] }
  func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> Subscription {
    Subscription(
      subscriptionID: "",
      recordType: "Any",
      predicate: .true,
      options: [.recordCreation]
    )
  }
  func encode(_ source: EventSource) -> [UInt8] { [] }
  func encode(_ event: Event) -> [UInt8] { [] }
}
