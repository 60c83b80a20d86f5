import BenchCore
import FoundationEssentials
import Glibc
import TidingsEngine
import TidingsModel
import TidingsSQLite

/// Opening a store with many subscriptions, each with a channel of its own, in process.
enum StartCase {
  private static let subscriptionsPerUser = 100
  private static let subscriptionsPerCommit = 10_000
  private static let database = DatabaseID(
    container: "bench",
    environment: .development,
    scope: .public,
    owner: ""
  )

  /// What a process found out about one size.
  struct Outcome: Codable {
    var openNanoseconds: [UInt64] = []
    var rollbackNanoseconds: [UInt64] = []
    var residentBytes = 0
  }

  static func run(_ bench: Bench) throws -> [Figure] {
    try bench.settings.subscriptions.flatMap { count in
      bench.say("start: \(count) subscriptions")
      let folder = try bench.makeFolder()
      defer { folder.remove() }
      // A process of its own makes the store, so that memory is what opening takes.
      let made = try ChildProcess.output(of: [
        bench.settings.program, "make-channels", folder.path + "/db", "\(count)",
      ])
      let output = try ChildProcess.output(of: [
        bench.settings.program, "open-channels", folder.path + "/db", "\(count)",
        "\(bench.settings.rounds)",
      ])
      let outcome = try JSONDecoder().decode(Outcome.self, from: Data(output.utf8))
      return figures(outcome, made: Double(made.filter { $0 != "\n" }) ?? 0, count: count)
    }
  }

  private static func figures(_ outcome: Outcome, made: Double, count: Int) -> [Figure] {
    let isLarge = count == 1_000_000
    return [
      Figure(
        name: "start.n\(count).open",
        score: Score(
          rounds: outcome.openNanoseconds.map { Double($0) / 1e9 },
          unit: "s to open",
          .atMost,
          target: isLarge ? 1.5 : nil
        )
      ),
      Figure(
        name: "start.n\(count).memory",
        score: Score(
          rounds: [Double(outcome.residentBytes) / Double(count)],
          unit: "bytes a subscription",
          .atMost,
          target: isLarge ? 1024 : nil
        )
      ),
      Figure(
        name: "start.n\(count).rollback",
        score: Score(
          rounds: outcome.rollbackNanoseconds.map { Double($0) / 1e3 },
          unit: "µs to take a save back",
          .atMost
        )
      ),
      Figure(
        name: "start.n\(count).subscribe",
        score: Score(rounds: [made / 1e3 / Double(count)], unit: "µs a subscription saved", .atMost)
      ),
    ]
  }

  /// Makes a store, and prints how many nanoseconds that took; a verb of this program that help does
  /// not show.
  static func make(path: String, count: Int) throws {
    let connection = try SQLiteConnection(path: path)
    // As a server that is stopped leaves it.
    connection.setMovesLogOnClose(true)
    let engine = try open(connection)
    let started = Clock.now()
    for first in stride(from: 0, to: count, by: subscriptionsPerCommit) {
      try engine.begin()
      for number in first..<min(first + subscriptionsPerCommit, count) {
        _ = try engine.saveSubscription(
          subscription(number),
          of: "user-\(number / subscriptionsPerUser)",
          in: database
        )
      }
      _ = try engine.commit()
    }
    print(Clock.now() - started)
  }

  /// Opens a store several times; a verb of this program that help does not show.
  static func measure(path: String, count: Int, rounds: Int) throws {
    var outcome = Outcome()
    for round in 0..<rounds {
      let residentBefore = try SystemFile.residentBytes()
      let started = Clock.now()
      let engine = try open(SQLiteConnection(path: path))
      outcome.openNanoseconds.append(Clock.now() - started)
      if round == 0 {
        outcome.residentBytes = max(try SystemFile.residentBytes() - residentBefore, 0)
      }
      guard engine.channelCount == count else {
        throw BenchError("\(engine.channelCount) channels are watched, not \(count)")
      }
      outcome.rollbackNanoseconds.append(try takeBack(engine))
    }
    print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
  }

  private static func takeBack(_ engine: Engine) throws -> UInt64 {
    try engine.begin()
    _ = try engine.saveSubscription(subscription(-1), of: "late", in: database)
    let started = Clock.now()
    engine.rollback()
    try engine.begin()
    let elapsed = Clock.now() - started
    _ = try engine.commit()
    return elapsed
  }

  private static func open(_ connection: SQLiteConnection) throws -> Engine {
    try Engine(connection) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: 1_700_000_000_000))
    }
  }

  private static func subscription(_ number: Int) throws -> Subscription {
    Subscription(
      subscriptionID: "houses-\(number)",
      recordType: Calls.recordType,
      predicate: try Predicate(
        text: "city == %@ AND price < %@",
        arguments: [.string("city-\(number)"), .int64(500_000)]
      ),
      options: [.recordCreation, .recordUpdate]
    )
  }
}
