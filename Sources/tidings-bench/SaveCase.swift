import BenchCore

/// ModifyRecords with one record against the floor service's save.
enum SaveCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    let variants = bench.settings.saves
    let servers = try variants.map { _ in (try bench.startServer(), try FloorProcess(bench)) }
    defer {
      for (server, floor) in servers {
        server.stop()
        floor.stop()
      }
    }
    let comparison = try Comparison(
      bench,
      "save",
      try zip(variants, servers).map { variant, servers in
        try pair(bench, variant, servers.0, servers.1)
      }
    )
    return variants.flatMap { comparison.figures($0.name, targets($0)) }
      + [SaveVariant.new, .update].flatMap { groupFigures(comparison, $0.name) }
      + comparison.additionFigures(
        SaveVariant.fired.name,
        over: SaveVariant.new.name,
        count: bench.settings.fired,
        of: "a subscription fired",
        target: 4
      )
      + comparison.additionFigures(
        SaveVariant.indexed.name,
        over: SaveVariant.new.name,
        count: bench.settings.indexes,
        of: "an index entry",
        target: 3
      )
  }

  /// Both sides, ready for the calls.
  static func pair(
    _ bench: Bench,
    _ variant: SaveVariant,
    _ server: ServerProcess,
    _ floor: FloorProcess
  ) throws -> Comparison.Pair {
    try variant.prepare(bench, server)
    return Comparison.Pair(
      name: variant.name,
      baseline: .init(server: floor.address, calls: variant.floorCalls),
      measured: .init(server: server.address, calls: variant.calls),
      recordCount: variant.recordCount
    )
  }

  private static func targets(_ variant: SaveVariant) -> Comparison.Targets {
    switch variant {
    case .new, .update, .field, .fieldUpdate:
      .init(
        ratio: [.single: 1.25, .many: 0.5, .spread: 0.6],
        processor: [.many: 12, .most: 9]
      )
    case .fired, .indexed: .init()
    }
  }

  /// What calls gain when their commits are shared: the rate with 64 in flight over that with one.
  private static func groupFigures(_ comparison: Comparison, _ name: String) -> [Figure] {
    guard let many = comparison.rounds(name, .many), let one = comparison.rounds(name, .single)
    else { return [] }
    return [
      Figure(
        name: "\(name).group.c1",
        connections: 1,
        inFlight: 64,
        measured: Measurement(medianOf: many.measured),
        baseline: Measurement(medianOf: one.measured),
        score: Score(
          rounds: zip(many.measured, one.measured).map { $0.perSecond / $1.perSecond },
          unit: "× rate at 1 in flight",
          .atLeast,
          target: 10
        )
      )
    ]
  }
}
