import BenchCore
import TidingsEngine
import TidingsModel
import TidingsSQLite

/// What a save costs the engine, in process: no socket, no thread, no protobuf request.
///
/// The records are those of `save`, and so are the transactions: durable, with so many saves in each.
struct EngineCase {
  private static let groupSizes = [1, 64, 1_024]
  private static let caller = Caller(user: "bench", device: "generator")
  private static let database = DatabaseID(
    container: "bench",
    environment: .development,
    scope: .private,
    owner: "bench"
  )
  private static let filler = String(repeating: "a", count: 128)

  private let engine: Engine
  private var serial = 0

  static func run(_ bench: Bench) throws -> [Figure] {
    let folder = try bench.makeFolder()
    defer { folder.remove() }
    var world = try EngineCase(folder.path)
    _ = try world.round(saves: Calls.recordCount, group: 1_024, updates: true)
    return try [false, true].flatMap { updates in
      try groupSizes.map { group in
        let name = "engine.\(updates ? "update" : "new").group\(group)"
        bench.say(name)
        let saves = group == 1 ? bench.settings.calls : bench.settings.calls * 10
        let rounds = try (0...bench.settings.rounds).map { _ in
          try world.round(saves: saves, group: group, updates: updates)
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

  private mutating func round(saves: Int, group: Int, updates: Bool) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(saves / group + 1)
    let watch = Stopwatch()
    for _ in 0..<max(saves / group, 1) {
      let started = Clock.now()
      try engine.begin()
      for _ in 0..<group { try save(updates: updates) }
      _ = try engine.commit()
      latencies.append((Clock.now() - started) / UInt64(group))
    }
    return watch.measurement(latencies, callsEach: group)
  }

  private mutating func save(updates: Bool) throws {
    serial += 1
    // Multiplied with a prime, numbers come in no order.
    let number =
      updates ? serial &* 7_919 % Calls.recordCount : serial &* 2_654_435_761 % 4_294_967_296
    let record = Record(
      recordID: RecordID(recordName: "house-" + Calls.digits(number)),
      recordType: Calls.recordType,
      fields: [
        "about": .string(Self.filler), "address": .string("17 Marrow Lane, Hillsborough"),
        "area": .double(182.5), "bedrooms": .int64(4), "built": .int64(1974),
        "city": .string("city-0001"), "listing": .string("listing-" + Calls.digits(serial)),
        "price": .int64(315_000),
      ]
    )
    let changes = RecordChanges(
      database: Self.database,
      saves: [record],
      deletions: [],
      policy: updates ? .changedKeys : .ifServerRecordUnchanged
    )
    guard case .saved? = try engine.modifyRecords(changes, caller: Self.caller).outcomes.first
    else {
      throw BenchError("a record was not saved")
    }
  }
}
