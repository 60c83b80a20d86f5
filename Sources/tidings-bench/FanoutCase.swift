import BenchCore
import TidingsProto

/// From a save until the last of many subscribers of one channel has its push, against the save alone
/// and a bare PUB with as many SUB sockets.
enum FanoutCase {
  private static let subscriberCount = 128

  static func run(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let channel = try PushCase.subscribe(bench, server)
    let probe = try FanoutProbe(
      bench.context,
      server.address,
      topic: channel.topic,
      subscribers: subscriberCount,
      CallSequence(Calls.save(type: Calls.watchedType), check: .oneRecord)
    )
    let bare = try bench.startBare("bare-publisher", "\(probe.bodyBytes)")
    defer { bare.stop() }
    let bareProbe = try FanoutProbe(
      bench.context,
      try bare.address(),
      topic: PushProbe.bareTopic,
      subscribers: subscriberCount,
      CallSequence(Calls.check(), check: .baseline)
    )
    let saves = try LoadGenerator(
      bench.context,
      server.address,
      CallSequence(Calls.save(), .fresh.starting(at: 1_000_000_000), check: .oneRecord)
    )
    return try measure(bench, probe, bareProbe, saves)
  }

  private static func measure(
    _ bench: Bench,
    _ probe: FanoutProbe,
    _ bareProbe: FanoutProbe,
    _ saves: LoadGenerator
  ) throws -> [Figure] {
    let calls = max(bench.settings.calls / 4, 1)
    var (pushes, published, saved): ([Measurement], [Measurement], [Measurement]) = ([], [], [])
    _ = try saves.run(calls: bench.settings.warmup, inFlight: 1)
    for round in 1...bench.settings.rounds {
      bench.say("fanout: round \(round) of \(bench.settings.rounds)")
      saved.append(try saves.run(calls: calls, inFlight: 1))
      published.append(try bareProbe.publishedToReceived(count: calls))
      pushes.append(try probe.callsToMessages(count: calls))
    }
    let ratios = pushes.indices.map { round in
      (pushes[round].p50 - saved[round].p50) / published[round].p50
    }
    return [
      Figure(
        name: "fanout",
        connections: subscriberCount,
        inFlight: 1,
        measured: Measurement(medianOf: pushes),
        score: Score(
          rounds: ratios,
          unit: "× bare fan-out p50, after the save",
          .atMost,
          target: 1.3
        )
      ),
      information("fanout.save", connections: 1, saved),
      information("fanout.bare", connections: subscriberCount, published),
    ]
  }

  private static func information(
    _ name: String,
    connections: Int,
    _ rounds: [Measurement]
  ) -> Figure {
    Figure(
      name: name,
      connections: connections,
      inFlight: 1,
      measured: Measurement(medianOf: rounds)
    )
  }
}
