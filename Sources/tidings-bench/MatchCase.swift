import BenchCore
import FoundationEssentials
import TidingsMatcher
import TidingsModel

/// Finding the channels that a change fires, in process.
///
/// Each size runs in a process of its own, so that its memory is its own.
enum MatchCase {
  /// Subscriptions that an event fires.
  static let hits = 10
  private static let eventsPerRound = 20_000
  private static let time = Timestamp(millisecondsSince1970: 0)

  /// What a process found out about one size.
  struct Outcome: Codable {
    var loadNanoseconds: UInt64
    var residentBytes: Int
    var rounds: [Measurement]
  }

  static func run(_ bench: Bench) throws -> [Figure] {
    try bench.settings.subscriptions.flatMap { count in
      bench.say("match: \(count) subscriptions")
      let output = try ChildProcess.output(of: [
        bench.settings.program, "match-index", "\(count)", "\(bench.settings.rounds)",
      ])
      let outcome = try JSONDecoder().decode(Outcome.self, from: Data(output.utf8))
      return figures(outcome, count: count)
    }
  }

  private static func figures(_ outcome: Outcome, count: Int) -> [Figure] {
    let isLarge = count == 1_000_000
    let bytes = Double(outcome.residentBytes) / Double(count)
    let load = Double(outcome.loadNanoseconds) / Double(count) / 1000
    return [
      Figure(
        name: "match.n\(count).event",
        measured: Measurement(medianOf: outcome.rounds),
        score: Score(
          rounds: outcome.rounds.map(\.p50),
          unit: "µs an event",
          .atMost,
          target: isLarge ? 5 : nil
        )
      ),
      Figure(
        name: "match.n\(count).memory",
        score: Score(
          rounds: [bytes],
          unit: "bytes a subscription",
          .atMost,
          target: isLarge ? 1024 : nil
        )
      ),
      Figure(
        name: "match.n\(count).load",
        score: Score(rounds: [load], unit: "µs a subscription loaded", .atMost)
      ),
    ]
  }

  /// Measures one size; a verb of this program that help does not show.
  static func measure(count: Int, rounds: Int) throws {
    let index = ChannelIndex()
    let residentBefore = try SystemFile.residentBytes()
    let values = max(count / hits, 1)
    var loadNanoseconds: UInt64 = 0
    for channel in 0..<count {
      let watched = try watchedChannel(channel, city: city(channel % values))
      let started = Clock.now()
      index.insert(watched)
      loadNanoseconds += Clock.now() - started
    }
    let residentBytes = max(try SystemFile.residentBytes() - residentBefore, 0)
    let records = (0..<eventsPerRound).map { record($0, city: city($0 &* 1_000_003 % values)) }
    let measured = try (0...rounds).map { _ in try match(records, in: index) }
    let outcome = Outcome(
      loadNanoseconds: loadNanoseconds,
      residentBytes: residentBytes,
      rounds: Array(measured.dropFirst())
    )
    print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
  }

  private static func match(_ records: [Record], in index: ChannelIndex) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(records.count)
    var firings: [Firing] = []
    let watch = Stopwatch()
    for record in records {
      firings.removeAll(keepingCapacity: true)
      let started = Clock.now()
      index.match(database: 1, zone: 1, old: nil, new: record, at: time, into: &firings)
      latencies.append(Clock.now() - started)
      guard firings.count == min(hits, index.count) else {
        throw BenchError("an event fired \(firings.count) subscriptions")
      }
    }
    return watch.measurement(latencies)
  }

  private static func city(_ number: Int) -> String { "city-\(number)" }

  private static func watchedChannel(_ number: Int, city: String) throws -> WatchedChannel {
    WatchedChannel(
      channel: Int64(number + 1),
      database: 1,
      recordType: Calls.recordType,
      predicate: try Predicate(text: "city == %@", arguments: [.string(city)]),
      options: [.recordCreation, .recordUpdate]
    )
  }

  private static func record(_ number: Int, city: String) -> Record {
    Record(
      recordID: RecordID(recordName: "house-\(number)"),
      recordType: Calls.recordType,
      fields: [
        "address": .string("17 Marrow Lane, Hillsborough"), "city": .string(city),
        "price": .int64(315_000), "bedrooms": .int64(4), "area": .double(182.5),
        "listing": .string("listing-\(number)"), "about": .string("As good as new."),
      ]
    )
  }
}
