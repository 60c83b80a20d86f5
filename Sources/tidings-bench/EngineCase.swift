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
    _ = try world.round(.update, count: Calls.recordCount, group: 1_024)
    return try Saves.allCases.flatMap { saves in
      try groupSizes.map { group in
        let name = "engine.\(saves.rawValue).group\(group)"
        bench.say(name)
        let count = group == 1 ? bench.settings.calls : bench.settings.calls * 10
        let rounds = try (0...bench.settings.rounds).map { _ in
          try world.round(saves, count: count, group: group)
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

  private mutating func round(_ saves: Saves, count: Int, group: Int) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count / group + 1)
    let watch = Stopwatch()
    for _ in 0..<max(count / group, 1) {
      let started = Clock.now()
      try engine.begin()
      for _ in 0..<group { try save(saves) }
      _ = try engine.commit()
      latencies.append((Clock.now() - started) / UInt64(group))
    }
    return watch.measurement(latencies, callsEach: group)
  }

  private mutating func save(_ saves: Saves) throws {
    let updates = saves == .update
    serial += 1
    // Multiplied with a prime, numbers come in no order.
    let number =
      updates ? serial &* 7_919 % Calls.recordCount : serial &* 2_654_435_761 % 4_294_967_296
    let record = Record(
      recordID: RecordID(recordName: "house-" + Calls.digits(number)),
      recordType: saves.recordType,
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
