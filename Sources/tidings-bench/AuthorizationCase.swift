import BenchCore
import TidingsEngine
import TidingsKeys
import TidingsModel
import TidingsRPC
import TidingsSQLite
import TidingsService
import TidingsZeroMQ

/// What authorization costs a call, in process: finding out who calls, and whether this user may read
/// one record.
struct AuthorizationCase {
  private static let batchesPerRound = 2_000
  /// One decision takes less than looking at the clock.
  private static let callsPerBatch = 100
  /// Users who call in turn.
  private static let userCount = 64
  private static let owner = Caller(user: "owner", device: "bench")

  private let engine: Engine
  private let gate: IdentityGate
  private let callers: [(key: Int64, caller: Caller)]

  static func run(_ bench: Bench) throws -> [Figure] {
    bench.say("authorization")
    let folder = try bench.makeFolder()
    defer { folder.remove() }
    let world = try AuthorizationCase(folder.path)
    return try [
      (name: "private", scope: DatabaseScope.private, target: 0.5 as Double?),
      ("public", .public, 0.5),
      ("shared", .shared, 0.5),
    ].map { row in
      let probe = try world.probe(row.scope)
      let rounds = try (0...bench.settings.rounds).map { _ in try world.round(probe) }.dropFirst()
      return Figure(
        name: "authorization.\(row.name)",
        measured: Measurement(medianOf: Array(rounds)),
        score: Score(rounds: rounds.map(\.p50), unit: "µs a call", .atMost, target: row.target)
      )
    }
  }

  private init(_ folder: String) throws {
    engine = try Engine(
      SQLiteConnection(path: folder + "/db"),
      clock: { .now }
    )
    gate = try IdentityGate(apart: engine, auditFolder: folder)
    try engine.begin()
    var callers: [(key: Int64, caller: Caller)] = []
    for number in 0..<Self.userCount {
      let account = try engine.createUser(
        AccountRequest("user-\(number)", key: KeyRequest(KeyPair().publicKey))
      )
      guard let key = account.keys.first else { throw BenchError("a user has no key") }
      callers.append((key.number, Caller(user: account.name, device: "bench")))
    }
    _ = try engine.commit()
    self.callers = callers
  }

  // MARK: Records

  private static func database(_ scope: DatabaseScope, of user: String) -> DatabaseID {
    DatabaseID(
      container: "bench",
      environment: .development,
      scope: scope,
      owner: user
    )
  }

  private func probe(_ scope: DatabaseScope) throws -> AccessProbe {
    try engine.begin()
    defer { _ = try? engine.commit() }
    let isPublic = scope == .public
    let owned = Self.database(isPublic ? .public : .private, of: isPublic ? "" : "owner")
    var zone = ZoneID.default
    if scope == .shared {
      zone = ZoneID(zoneName: "shared")
      _ = try engine.saveZone(zone, in: owned, caller: Self.owner)
    }
    let house = Record(recordID: RecordID(recordName: "house", zoneID: zone), recordType: "Houses")
    let saved = try save(house, in: owned)
    guard scope == .shared else { return try AccessProbe(engine, of: saved, in: owned) }
    var share = Record(
      recordID: RecordID(recordName: "share", zoneID: zone),
      recordType: Share.recordType
    )
    share.share = Share(rootRecordName: "house", publicPermission: .readOnly)
    let url = try save(share, in: owned).share?.url ?? ""
    for caller in callers { _ = try engine.acceptShare(url, for: caller.caller) }
    var theirs = saved
    theirs.recordID.zoneID.ownerName = "owner"
    return try AccessProbe(engine, of: theirs, in: Self.database(.shared, of: "user-0"))
  }

  private func save(_ record: Record, in database: DatabaseID) throws -> Record {
    let changes = RecordChanges(
      database: database,
      saves: [record],
      deletions: [],
      policy: .allKeys
    )
    let outcome = try engine.modifyRecords(changes, caller: Self.owner).outcomes.first
    guard case .saved(let saved)? = outcome else {
      throw BenchError("a record was not saved: \(outcome as Any)")
    }
    return saved
  }

  // MARK: Calls

  private func round(_ probe: AccessProbe) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(Self.batchesPerRound)
    // As calls are answered: in groups, each in a transaction.
    try engine.begin()
    defer { _ = try? engine.commit() }
    let watch = Stopwatch()
    for batch in 0..<Self.batchesPerRound {
      let started = Clock.now()
      for call in 0..<Self.callsPerBatch {
        let (key, caller) = callers[(batch &+ call) % callers.count]
        let admission = gate.admit(key: key, method: nil, claiming: .none)
        guard case .admitted = admission, try probe.mayRead(caller) else {
          throw BenchError("a call that is authorized was refused: \(admission)")
        }
      }
      latencies.append((Clock.now() - started) / UInt64(Self.callsPerBatch))
    }
    return watch.measurement(latencies, callsEach: Self.callsPerBatch)
  }
}
