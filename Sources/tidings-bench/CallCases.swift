import BenchCore
import TidingsProto

/// The cases that compare one kind of call with its baseline.
enum CallCases {
  /// Records that exist before fetches and updates.
  static let recordCount = 10_000

  /// HealthService/Check against a ROUTER that sends the same frames back.
  static func echo(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let bare = try bench.startBare("bare-echo")
    defer { bare.stop() }
    let comparison = try Comparison(
      bench,
      "echo",
      baseline: .init(endpoint: try bare.endpoint("rpc"), check: .baseline),
      measured: .init(endpoint: server.endpoint, check: .serving),
      Calls.check()
    )
    return comparison.figures("echo", latencyTarget: 1.25, rateTarget: 0.4)
  }

  /// FetchRecords of one record among many against a ROUTER that sends the same frames back.
  static func fetch(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    try server.fill(bench.context, count: recordCount)
    let bare = try bench.startBare("bare-echo")
    defer { bare.stop() }
    let comparison = try Comparison(
      bench,
      "fetch",
      baseline: .init(endpoint: try bare.endpoint("rpc"), check: .baseline),
      measured: .init(endpoint: server.endpoint, check: .oneRecord),
      Calls.fetch(),
      numbers: .existing(recordCount)
    )
    return comparison.figures("fetch", latencyTarget: 1.35, rateTarget: 0.2)
  }

  /// ModifyRecords with one record against a ROUTER that stores the same bytes.
  static func save(_ bench: Bench) throws -> [Figure] {
    try save(bench, "save.new", updates: false) + save(bench, "save.update", updates: true)
  }

  private static func save(_ bench: Bench, _ name: String, updates: Bool) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    if updates { try server.fill(bench.context, count: recordCount) }
    let folder = try bench.makeFolder()
    defer { folder.remove() }
    let template = Calls.save(updates: updates)
    guard let keyOffset = template.nameOffsets.first else {
      throw BenchError("the request has no record name")
    }
    let bare = try bench.startBare("bare-put", folder.path, "\(keyOffset)")
    defer { bare.stop() }
    let comparison = try Comparison(
      bench,
      name,
      baseline: .init(endpoint: try bare.endpoint("rpc"), check: .baseline),
      measured: .init(endpoint: server.endpoint, check: .oneRecord),
      template,
      numbers: updates ? .existing(recordCount) : .fresh
    )
    return comparison.figures(name, latencyTarget: nil, rateTarget: 0.25)
      + groupFigures(comparison, name)
  }

  /// What calls gain when their commits are shared: the rate with 64 in flight over that with one.
  private static func groupFigures(_ comparison: Comparison, _ name: String) -> [Figure] {
    comparison.loads.filter { $0.inFlight == 64 }.compactMap { load in
      let single = Comparison.Load(connections: load.connections, inFlight: 1)
      guard let many = comparison.rounds[load], let one = comparison.rounds[single] else {
        return nil
      }
      return Figure(
        name: "\(name).group.c\(load.connections)",
        connections: load.connections,
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
    }
  }
}
