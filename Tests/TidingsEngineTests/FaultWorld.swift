internal import TestSupport
internal import TidingsKeys
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

/// A store in which everything is used, an engine and a reader on it whose steps can be made to fail.
final class FaultWorld {
  static let ada = Caller(user: "ada", device: "laptop")
  static let phone = Caller(user: "ada", device: "phone")
  static let ben = Caller(user: "ben", device: "phone")
  static let home = database(.private, "ada")
  static let common = database(.public, "")
  static let sharedByAda = database(.shared, "ben")
  static let notes = ZoneID(zoneName: "notes")
  static let whole = ZoneID(zoneName: "whole")
  static let keys = (0..<4).compactMap { PublicKey([UInt8](repeating: UInt8($0 + 1), count: 32)) }
  static let asset = Asset(checksum: [UInt8](repeating: 7, count: 32), size: 10)
  static let otherAsset = Asset(checksum: [UInt8](repeating: 8, count: 32), size: 20)
  static let group = WorkGroup(container: "c", environment: .development, name: "workers")

  private static func database(_ scope: DatabaseScope, _ owner: String) -> DatabaseID {
    DatabaseID(container: "c", environment: .development, scope: scope, owner: owner)
  }

  let connection: FailingConnection
  let readerConnection: FailingConnection
  let engine: Engine
  let reader: EngineReader
  private(set) var urls: [String] = []
  private let path: String
  private let folder: TemporaryFolder
  private final class Clock { var time: Int64 = 1_700_000_000_000 }
  private let clock = Clock()

  init(limits: Limits = Limits()) throws {
    folder = try TemporaryFolder()
    path = folder.file("db")
    connection = FailingConnection(try SQLiteConnection(path: path))
    try connection.execute("PRAGMA synchronous = OFF")
    engine = try Self.open(connection, clock, limits)
    readerConnection = FailingConnection(try SQLiteConnection(path: path, readsOnly: true))
    reader = try EngineReader(readerConnection, limits: Limits())
    try fill()
  }

  private static func open(
    _ connection: any SQLConnection,
    _ clock: Clock,
    _ limits: Limits = Limits()
  ) throws -> Engine {
    try Engine(connection, limits: limits) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: clock.time))
    }
  }

  /// Another engine on the same store.
  func freshEngine() throws -> Engine { try Self.open(SQLiteConnection(path: path), clock) }

  /// A copy of the store, `db` in a folder of its own.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    try SQLiteConnection(path: path).execute("VACUUM INTO '\(copy.file("db"))'")
    return copy
  }

  func commit<R>(_ body: (Engine) throws -> R) throws -> R {
    try engine.begin()
    let result = try body(engine)
    _ = try engine.commit()
    clock.time += 1_000
    return result
  }

  static func record(
    _ name: String,
    _ zone: ZoneID = notes,
    _ fields: RecordFields = ["n": .int64(1), "text": .string("text")],
    parent: String? = nil
  ) -> Record {
    var record = Record(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: "Note",
      fields: fields
    )
    record.parent = parent.map { Reference(recordID: RecordID(recordName: $0, zoneID: zone)) }
    return record
  }

  static func share(_ name: String, _ zone: ZoneID, of root: String) -> Record {
    var record = Record(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: Share.recordType
    )
    record.share = Share(
      rootRecordName: root,
      participants: [.init(user: "ben", permission: .readWrite)]
    )
    return record
  }

  static func subscription(_ name: String, zone: ZoneID? = nil) -> Subscription {
    var info = NotificationInfo()
    info.shouldBadge = true
    return Subscription(
      subscriptionID: name,
      recordType: "Note",
      predicate: .true,
      zoneID: zone,
      options: [.recordCreation, .recordUpdate, .recordDeletion],
      notificationInfo: info
    )
  }

  private func fill() throws {
    _ = try commit { engine in
      try engine.createAdministrator("root", key: KeyRequest(Self.keys[0]))
      _ = try engine.createUser(AccountRequest("ada", key: KeyRequest(Self.keys[1])))
      _ = try engine.createUser(AccountRequest("ben", roles: ["editor"]))
    }
    _ = try commit {
      try $0.applySchema(
        """
        DEFINE SCHEMA RECORD TYPE Note (
          n INT64 QUERYABLE SORTABLE, text STRING QUERYABLE, photo ASSET, other REFERENCE,
          GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
        """,
        to: "c",
        isDryRun: false
      )
    }
    try doMaintenance()
    try commit { engine in
      _ = try engine.saveZone(Self.notes, in: Self.home, caller: Self.ada)
      _ = try engine.saveZone(Self.whole, in: Self.home, caller: Self.ada)
      for (name, zone) in [("all", nil), ("zone", Self.notes)] {
        _ = try engine.saveSubscription(
          Self.subscription(name, zone: zone),
          of: "ada",
          in: Self.home
        )
      }
      _ = try engine.saveSubscription(Self.subscription("theirs"), of: "ben", in: Self.common)
      try engine.addAsset(Self.asset, in: Self.home, by: "ada")
    }
    try save([Self.record("trip")] + (0..<12).map { Self.record("n\($0)", parent: "trip") })
    try save([
      Self.record("a", Self.notes, ["photo": .asset(Self.asset), "n": .int64(2)]),
      Self.record(
        "b",
        Self.notes,
        [
          "other": .reference(
            .init(recordID: .init(recordName: "a", zoneID: Self.notes), action: .deleteSelf)
          )
        ]
      ), Self.record("w", Self.whole),
    ])
    try save((0..<6).map { Self.record("n\($0)", Self.notes, ["n": .int64(5)], parent: "trip") })
    try save([
      Self.share("s", Self.notes, of: "trip"), Self.share(Share.zoneWideName, Self.whole, of: ""),
    ])
    try accept()
    try commit { engine in
      _ = try engine.modifyRecords(
        RecordChanges(
          database: Self.common,
          saves: (0..<4).map { Self.record("p\($0)", .default) },
          deletions: [],
          policy: .allKeys
        ),
        caller: Self.ben
      )
    }
    try save([], delete: ["n11"])
    try commit { engine in
      _ = try engine.markRead(["1-1"], for: Self.phone, container: "c", environment: .development)
      _ = try engine.leaseNotifications(
        of: Self.group,
        for: Self.phone,
        limit: 3,
        timeout: .standard,
        startsAtEnd: false
      )
    }
  }

  private func accept() throws {
    try commit { engine in
      let shares = try engine.shares(of: Self.ada, after: 0)
      urls = shares.compactMap(\.record.share?.url)
      for url in urls { _ = try engine.acceptShare(url, for: Self.ben) }
    }
  }

  func save(_ records: [Record], delete names: [String] = []) throws {
    let outcomes = try commit {
      try $0.modifyRecords(
        RecordChanges(
          database: Self.home,
          saves: records,
          deletions: names.map { RecordID(recordName: $0, zoneID: Self.notes) },
          policy: .allKeys,
          isAtomic: false
        ),
        caller: Self.ada
      ).outcomes
    }
    for case .failed(let id, let error, _) in outcomes {
      throw WaitingFailure(description: "\(id.recordName): \(error)")
    }
  }

  func doMaintenance() throws {
    try blockUntil("the engine's own work to be done", pausing: .zero) {
      try commit { try $0.doMaintenance() } != .zero
    }
  }
}

extension Engine {
  /// The first shares of a user in the container `c`.
  func shares(of user: Caller, after number: Int64) throws -> [ShareInfo] {
    var shares: [ShareInfo] = []
    _ = try self.shares(
      of: user,
      container: "c",
      environment: .development,
      after: number,
      limit: 9
    ) { share in
      shares.append(share)
      return true
    }
    return shares
  }
}
