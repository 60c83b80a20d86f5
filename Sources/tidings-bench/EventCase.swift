import BenchCore
import TidingsProto
import TidingsSeal

/// From a save to its server-sent event, against the same save to its push.
///
/// One thread saves at the server, and takes the event from a stream of the web gateway as it takes the push from a SUB socket.
enum EventCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let gateway = try ChildProcess([
      bench.settings.rpcgw, "--rpc", server.endpoint, "--listen", "127.0.0.1:0", "--log-level",
      "error",
    ])
    defer { gateway.stop() }
    let channel = try PushCase.subscribe(bench, server)
    let pushes = try PushProbe(
      bench.context,
      server.address,
      topic: channel.topic,
      .notification(SealingKey(channel.key)),
      CallSequence(Calls.save(type: Calls.watchedType), check: .oneRecord)
    )
    // Another user's: each of the two has only its own to take.
    let user = Calls.otherUser
    _ = try PushCase.subscribe(bench, server, as: user)
    let metadata = ["tidings-user": user, "tidings-device": "generator"]
    let calls = CallSequence(
      Calls.save(type: Calls.watchedType, as: metadata),
      .fresh.starting(at: 1_000_000_000),
      check: .oneRecord
    )
    let events = try EventProbe(
      RawCaller(bench.context, server.address, calls),
      server.address.clock,
      EventStream(gateway.ready.url ?? "", user: user)
    )
    return try measure(bench, pushes, events)
  }

  private static func measure(
    _ bench: Bench,
    _ pushes: PushProbe,
    _ events: EventProbe
  ) throws -> [Figure] {
    let (calls, warmup) = (bench.settings.calls, bench.settings.warmup)
    _ = try pushes.callsToMessages(count: warmup)
    _ = try events.callsToEvents(count: warmup)
    var (pushed, received): ([Measurement], [Measurement]) = ([], [])
    for round in 1...bench.settings.rounds {
      bench.say("events: round \(round) of \(bench.settings.rounds)")
      pushed.append(try pushes.callsToMessages(count: calls))
      received.append(try events.callsToEvents(count: calls))
    }
    let ratios = pushed.indices.map { received[$0].p50 / pushed[$0].p50 }
    return [
      Figure(
        name: "events",
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: received),
        baseline: Measurement(medianOf: pushed),
        score: Score(rounds: ratios, unit: "× push p50", .atMost, target: 1.5)
      )
    ]
  }
}
