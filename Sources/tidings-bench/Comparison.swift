import BenchCore
import TidingsKeys

/// Measures a server and what it is compared with in turns, at several loads.
///
/// The machine's speed changes from second to second, so both sides run in every round, one right
/// after the other, and their ratio is taken within the round.
final class Comparison {
  /// Connections and calls in flight.
  struct Load: Hashable {
    let connections: Int
    let inFlight: Int

    var suffix: String { ".c\(connections).n\(inFlight)" }
  }

  /// One side of the comparison.
  struct Side {
    let endpoint: String
    let check: ReplyCheck
    /// For CURVE.
    var keys: ClientKeys?
  }

  /// The rounds of both sides at one load.
  struct Rounds {
    var measured: [Measurement] = []
    var baseline: [Measurement] = []
  }

  private(set) var rounds: [Load: Rounds] = [:]
  let loads: [Load]

  init(
    _ bench: Bench,
    _ name: String,
    baseline: Side,
    measured: Side,
    _ template: CallTemplate,
    numbers: NumberSequence = .fresh
  ) throws {
    let settings = bench.settings
    loads = settings.connections.flatMap { connections in
      settings.inFlight.map { Load(connections: connections, inFlight: $0) }
    }
    var (names, baselineNames) = (NumberShare(numbers), NumberShare(numbers))
    let generators = try settings.connections.map { connections in
      (
        try names.makeGenerator(bench.context, measured, connections, template),
        try baselineNames.makeGenerator(bench.context, baseline, connections, template)
      )
    }
    for (measured, baseline) in generators {
      let inFlight = settings.inFlight.max() ?? 1
      _ = try baseline.run(calls: settings.warmup, inFlight: inFlight)
      _ = try measured.run(calls: settings.warmup, inFlight: inFlight)
    }
    for round in 1...settings.rounds {
      bench.say("\(name): round \(round) of \(settings.rounds)")
      for load in loads {
        guard let index = settings.connections.firstIndex(of: load.connections) else { continue }
        let calls = settings.calls(inFlight: load.inFlight)
        let (measured, baseline) = generators[index]
        rounds[load, default: Rounds()].baseline.append(
          try baseline.run(calls: calls, inFlight: load.inFlight)
        )
        rounds[load, default: Rounds()].measured.append(
          try measured.run(calls: calls, inFlight: load.inFlight)
        )
      }
    }
  }

  /// A figure for each load: with one call in flight the latency is compared, with more the rate.
  ///
  /// The targets are those for 1 and for 64 calls in flight.
  func figures(_ name: String, latencyTarget: Double?, rateTarget: Double?) -> [Figure] {
    loads.compactMap { load in
      guard let rounds = rounds[load] else { return nil }
      let (measured, baseline) = (rounds.measured, rounds.baseline)
      return Figure(
        name: name + load.suffix,
        connections: load.connections,
        inFlight: load.inFlight,
        measured: Measurement(medianOf: measured),
        baseline: Measurement(medianOf: baseline),
        score: load.inFlight == 1
          ? .latency(measured, against: baseline, target: latencyTarget)
          : .rate(
            measured,
            against: baseline,
            target: load.inFlight == 64 ? rateTarget : nil
          )
      )
    }
  }
}

/// Gives each generator of a server numbers that the others do not use.
private struct NumberShare {
  private static let numbersPerGenerator = 1_000_000_000
  private let numbers: NumberSequence
  private var generators = 0

  init(_ numbers: NumberSequence) { self.numbers = numbers }

  mutating func makeGenerator(
    _ context: RawContext,
    _ side: Comparison.Side,
    _ connections: Int,
    _ template: CallTemplate
  ) throws -> LoadGenerator {
    defer { generators += 1 }
    return try LoadGenerator(
      context,
      endpoint: side.endpoint,
      connections: connections,
      keys: side.keys,
      template,
      numbers: numbers.starting(at: generators * Self.numbersPerGenerator),
      check: side.check
    )
  }
}
