import BenchCore
import TidingsEngine
import TidingsModel
import TidingsSQLite

/// What a save costs the engine, in process: no socket, no thread, no protobuf request.
///
/// The records are those of `save`, and so are the transactions: durable, with so many saves in each; and calls of as
/// many records as a call may have, each in a transaction of its own.
struct EngineCase {
  /// How many records a transaction has.
  private struct Load {
    let name: String
    let calls: Int
    let recordsPerCall: Int

    static let all =
      [1, 64, 1_024].map { Self(name: "group\($0)", calls: $0, recordsPerCall: 1) }
      + [Self(name: "call400", calls: 1, recordsPerCall: 400)]

    var records: Int { calls * recordsPerCall }
  }

  private static let caller = Caller(user: "bench", device: "generator")
  private static let database = DatabaseID(
    container: "bench",
    environment: .development,
    scope: .private,
    owner: "bench"
  )
  /// What a round saves.
  private enum Saves: String, CaseIterable {
    case new
    case update
    /// New records, each of which fires a subscription.
    case fired

    var recordType: String { self == .fired ? Calls.watchedType : Calls.recordType }
  }

  private static let filler = String(repeating: "a", count: 128)

  private let engine: Engine
  private var serial = 0

  static func run(_ bench: Bench) throws -> [Figure] {
    let folder = try bench.makeFolder()
    defer { folder.remove() }
    var world = try EngineCase(folder.path)
    try world.subscribe()
    try world.fill()
    return try Saves.allCases.flatMap { saves in
      try Load.all.map { load in
        let name = "engine.\(saves.rawValue).\(load.name)"
        bench.say(name)
        let count = load.records == 1 ? bench.settings.calls : bench.settings.calls * 10
        let rounds = try (0...bench.settings.rounds).map { _ in
          try world.round(saves, count: count, load)
        }.dropFirst()
        return Figure(
          name: name,
          measured: Measurement(medianOf: Array(rounds)),
          score: Score(
            rounds: rounds.map { $0.processor?.client ?? 0 },
            unit: "µs of the processor a save",
            .atMost
          )
        )
      }
    }
  }

  private init(_ folder: String) throws {
    engine = try Engine(SQLiteConnection(path: folder + "/db"), clock: { .now })
  }

  private func subscribe() throws {
    var info = NotificationInfo()
    info.alertBody = "A house"
    info.desiredKeys = ["price"]
    try engine.begin()
    _ = try engine.saveSubscription(
      Subscription(
        subscriptionID: "houses",
        recordType: Saves.fired.recordType,
        predicate: try Predicate(text: "city == 'city-0001' AND price > 0"),
        options: [.recordCreation],
        notificationInfo: info
      ),
      of: Self.caller.user,
      in: Self.database
    )
    _ = try engine.commit()
  }

  /// Saves the records that updates change.
  private mutating func fill() throws {
    let load = Load(name: "fill", calls: 1, recordsPerCall: 400)
    // The names of updates repeat after so many.
    _ = try round(.update, count: Calls.recordCount, load)
  }

  private mutating func round(_ saves: Saves, count: Int, _ load: Load) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count / load.records + 1)
    let watch = Stopwatch()
    for _ in 0..<max(count / load.records, 1) {
      let started = Clock.now()
      try engine.begin()
      for _ in 0..<load.calls { try save(saves, count: load.recordsPerCall) }
      _ = try engine.commit()
      latencies.append((Clock.now() - started) / UInt64(load.records))
    }
    return watch.measurement(latencies, callsEach: load.records)
  }

  private mutating func save(_ saves: Saves, count: Int) throws {
    let changes = RecordChanges(
      database: Self.database,
      saves: (0..<count).map { _ in nextRecord(saves) },
      deletions: [],
      policy: saves == .update ? .changedKeys : .ifServerRecordUnchanged
    )
    for outcome in try engine.modifyRecords(changes, caller: Self.caller).outcomes {
      guard case .saved = outcome else { throw BenchError("a record was not saved: \(outcome)") }
    }
  }

  private mutating func nextRecord(_ saves: Saves) -> Record {
    serial += 1
    // Multiplied with a prime, numbers come in no order; those of new records come after those of updates.
    let number =
      saves == .update
      ? serial &* 7_919 % Calls.recordCount
      : Calls.recordCount + serial &* 2_654_435_761 % 4_294_967_296
    return Record(
      recordID: RecordID(recordName: "house-" + Calls.digits(number)),
      recordType: saves.recordType,
      fields: [
        "about": .string(Self.filler), "address": .string("17 Marrow Lane, Hillsborough"),
        "area": .double(182.5), "bedrooms": .int64(4), "built": .int64(1974),
        "city": .string("city-0001"), "listing": .string("listing-" + Calls.digits(serial)),
        "price": .int64(315_000),
      ]
    )
  }
}
