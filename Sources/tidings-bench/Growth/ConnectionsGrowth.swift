import BenchCore
import TidingsProto
import TidingsRPC

/// What operations cost with so many connections open, which take turns.
enum ConnectionsGrowth {
  static func run(_ bench: Bench, sizes: [Int]) throws -> [GrowthCurve] {
    var curves = GrowthCurves(.connections)
    let probe = try GrowthProbe(bench)
    defer { probe.server.stop() }
    try probe.server.fill(bench.context, count: Calls.recordCount)
    let fetches = CallSequence(
      Calls.fetch(),
      .existing(Calls.recordCount),
      check: .oneRecord
    )
    let update = Calls.record(
      CallTemplate.namePlaceholder,
      serial: CallTemplate.serialPlaceholder
    )
    let saves = CallSequence(
      Calls.save([update], updates: true),
      .existing(Calls.recordCount),
      check: .oneRecord
    )
    for size in sizes {
      bench.say("growth: \(size) connections")
      // They stay open while others come and go.
      let open = try LoadGenerator(
        bench.context,
        probe.server.address,
        connections: size,
        fetches
      )
      _ = try open.run(calls: max(2 * size, 100), inFlight: 64)
      curves.add("fetch", try probe.load(size, fetches, connections: size, count: 4_000))
      curves.add("save", try probe.load(size, saves, connections: size, count: 4_000))
      curves.add(
        "connect, fetch and close",
        try probe.each(size, count: 50) {
          let caller = try RawCaller(bench.context, probe.server.address, fetches)
          _ = try caller.send()
          _ = try caller.receive(waits: true)
        }
      )
      withExtendedLifetime(open) {}
    }
    return curves.curves
  }
}
