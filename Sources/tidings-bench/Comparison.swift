import BenchCore
import TidingsKeys

/// Measures servers and what they are compared with in turns, at several loads.
///
/// The machine's speed changes from second to second, so all sides run in every round, a server right
/// after its baseline, and their ratio is taken within the round.
final class Comparison {
  /// One side of a comparison.
  struct Side {
    let server: ServerAddress
    let calls: CallSequence
    /// For CURVE.
    var keys: ClientKeys?
  }

  /// A server and its baseline.
  struct Pair {
    let name: String
    let baseline: Side
    let measured: Side
    /// Records that the calls are about, which the first calls make; 0: always new ones.
    var recordCount = 0
  }

  /// The rounds of both sides at one load.
  struct Rounds {
    var measured: [Measurement] = []
    var baseline: [Measurement] = []
  }

  private let bench: Bench
  private let pairs: [Pair]
  private var rounds: [String: [Load: Rounds]] = [:]
  var loads: [Load] { bench.settings.loads }

  init(_ bench: Bench, _ title: String, _ pairs: [Pair]) throws {
    self.bench = bench
    self.pairs = pairs
    let generators = try pairs.map { try self.generators(of: $0) }
    for round in 1...bench.settings.rounds {
      bench.say("\(title): round \(round) of \(bench.settings.rounds)")
      for load in loads {
        let calls = bench.settings.calls(inFlight: load.inFlight)
        for (pair, generators) in zip(pairs, generators) {
          guard let (baseline, measured) = generators[load.connections] else { continue }
          rounds[pair.name, default: [:]][load, default: Rounds()].baseline.append(
            try baseline.run(calls: calls, inFlight: load.inFlight)
          )
          rounds[pair.name, default: [:]][load, default: Rounds()].measured.append(
            try measured.run(calls: calls, inFlight: load.inFlight)
          )
        }
      }
    }
  }

  /// What was measured of a pair at a load.
  func rounds(_ name: String, _ load: Load) -> Rounds? { rounds[name]?[load] }

  private typealias Generators = (baseline: LoadGenerator, measured: LoadGenerator)

  /// The generators of a pair by their connections, warmed up.
  private func generators(of pair: Pair) throws -> [Int: Generators] {
    // Each has numbers that the others do not use.
    let numbersPerGenerator = 1_000_000_000
    var generators: [Int: Generators] = [:]
    for (index, connections) in Set(loads.map(\.connections)).sorted().enumerated() {
      func warmedUp(_ side: Side) throws -> LoadGenerator {
        let generator = try LoadGenerator(
          bench.context,
          side.server,
          connections: connections,
          keys: side.keys,
          side.calls.starting(at: index * numbersPerGenerator)
        )
        let inFlight = loads.map(\.inFlight).max() ?? 1
        let calls = max(bench.settings.warmup, pair.recordCount)
        _ = try generator.run(calls: calls, inFlight: inFlight)
        return generator
      }
      generators[connections] = (try warmedUp(pair.baseline), try warmedUp(pair.measured))
    }
    return generators
  }
}
