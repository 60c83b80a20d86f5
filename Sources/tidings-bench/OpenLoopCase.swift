import BenchCore
import TidingsProto
import TidingsSeal

/// Latency under a steady load: calls that come at their time, for fetch, save and push.
enum OpenLoopCase {
  /// The cases that have one.
  static let caseNames = ["fetch", "save", "push"]
  private static let maximumRounds = 3
  /// After the records with which the maximum is measured.
  private static let firstNumber = 1_000_000_000

  static func run(_ bench: Bench, _ name: String, _ rate: OpenLoopRate) throws -> [Figure] {
    let (server, floor) = (try bench.startServer(), try FloorProcess(bench))
    defer {
      server.stop()
      floor.stop()
    }
    let pair =
      switch name {
      case "fetch": try FetchCase.pair(bench, server, floor)
      case "save": try SaveCase.pair(bench, .new, server, floor)
      default: try SaveCase.pair(bench, .fired, server, floor)
      }
    let rate = try rate.callsPerSecond { try maximum(bench, pair.measured) }
    let seconds = bench.settings.seconds
    bench.say("\(name).open: \(Int(rate)) calls a second for \(seconds) s, the floor service")
    var (subscriber, floorSubscriber): (PushSubscriber?, PushSubscriber?)
    if name == "push" {
      let channel = try PushCase.subscribe(bench, server)
      let content = PushSubscriber.Content.notification(SealingKey(channel.key))
      subscriber = try .init(bench.context, server.address, topic: channel.topic, content)
      floorSubscriber = try .init(bench.context, floor.address, topic: [], .floorMessage)
    }
    func run(_ side: Comparison.Side, _ subscriber: PushSubscriber?) throws -> OpenLoop.Outcome {
      let calls = side.calls.starting(at: firstNumber)
      return try OpenLoop(bench.context, side.server, calls, subscriber)
        .run(rate: rate, seconds: seconds)
    }
    let baseline = try run(pair.baseline, floorSubscriber)
    bench.say("\(name).open: the same, rpcd")
    let measured = try run(pair.measured, subscriber)
    for (server, outcome) in [("rpcd", measured), ("the floor service", baseline)] {
      bench.note(
        "\(name).open, \(server): p99 \(Int(outcome.measurement.p99)) µs, max "
          + "\(Int(outcome.measurement.max)) µs at \(Int(rate)) calls a second; 99 % of them left at most "
          + "\(Int(outcome.latenessP99)) µs after their time, which latencies include."
      )
    }
    return figures("\(name).open", measured.measurement, baseline.measurement)
  }

  /// What a closed loop reaches, in calls per second.
  private static func maximum(_ bench: Bench, _ side: Comparison.Side) throws -> Double {
    let generator = try LoadGenerator(bench.context, side.server, side.calls)
    let inFlight = Load.many.inFlight
    _ = try generator.run(calls: bench.settings.warmup, inFlight: inFlight)
    let rounds = try (0..<maximumRounds).map { _ in
      try generator.run(calls: bench.settings.calls(inFlight: inFlight), inFlight: inFlight)
    }
    return Measurement(medianOf: rounds).perSecond
  }

  private static func figures(
    _ name: String,
    _ measured: Measurement,
    _ baseline: Measurement
  ) -> [Figure] {
    [
      Figure(
        name: name,
        connections: 1,
        measured: measured,
        baseline: baseline,
        score: Score(rounds: [measured.p99 / measured.p50], unit: "p99/p50", .atMost, target: 5)
      ),
      Figure(
        name: "\(name).p999",
        score: Score(rounds: [measured.p999 / 1000], unit: "ms", .atMost)
      ),
      Figure(
        name: "\(name).max",
        score: Score(rounds: [measured.max / 1000], unit: "ms", .atMost, target: 25)
      ),
    ]
  }
}
