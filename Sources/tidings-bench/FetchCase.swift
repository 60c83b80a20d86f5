import BenchCore

/// FetchRecords of one record among many, against the floor service's get.
enum FetchCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    let (server, floor) = (try bench.startServer(), try FloorProcess(bench))
    defer {
      server.stop()
      floor.stop()
    }
    let pair = try pair(bench, server, floor)
    return try Comparison(bench, "fetch", [pair]).figures(
      pair.name,
      .init(ratio: [.single: 1.35, .many: 0.6], processor: [.many: 5])
    )
  }

  /// Both sides with their records.
  static func pair(
    _ bench: Bench,
    _ server: ServerProcess,
    _ floor: FloorProcess
  ) throws -> Comparison.Pair {
    let count = Calls.recordCount
    try server.fill(bench.context, count: count)
    try floor.fill(bench.context, count: count)
    return Comparison.Pair(
      name: "fetch",
      baseline: .init(server: floor.address, calls: FloorMessage.calls(.get, .existing(count))),
      measured: .init(
        server: server.address,
        calls: CallSequence(Calls.fetch(), .existing(count), check: .oneRecord)
      )
    )
  }
}
