import BenchCore

/// HealthService/Check against a ROUTER that sends the same frames back.
enum EchoCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    let (server, bare) = (try bench.startServer(), try bench.startBare("bare-echo"))
    defer {
      server.stop()
      bare.stop()
    }
    let pair = Comparison.Pair(
      name: "echo",
      baseline: .init(
        server: try bare.address(),
        calls: CallSequence(Calls.check(), check: .baseline)
      ),
      measured: .init(
        server: server.address,
        calls: CallSequence(Calls.check(), check: .serving)
      )
    )
    return try Comparison(bench, "echo", [pair]).figures(
      pair.name,
      .init(ratio: [.single: 1.25, .many: 0.4])
    )
  }
}
