import BenchCore
import Glibc
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Measures what operations cost one server.
///
/// Each cost is the least of a few rounds: what the machine or the server's maintenance add is not the operation's.
struct GrowthProbe {
  private static let rounds = 5
  private static let inFlight = 64
  /// One user has all that is measured.
  private static let limits = [
    "zones-per-database-max=1000000", "connections-per-user-max=0", "records-per-user-max=0",
    "bytes-per-user-max=0", "subscription-bytes-per-user-max=0",
  ]

  let bench: Bench
  let server: ServerProcess
  let client: RawClient

  init(_ bench: Bench) throws {
    self.bench = bench
    server = try bench.startServer(limits: Self.limits)
    client = try RawClient(bench.context, endpoint: server.endpoint, metadata: Calls.metadata)
  }

  private init(_ bench: Bench, _ server: ServerProcess) throws {
    (self.bench, self.server) = (bench, server)
    client = try RawClient(bench.context, endpoint: server.endpoint, metadata: Calls.metadata)
  }

  /// Calls made from templates: processor time with many in flight, latency with one.
  ///
  /// - Parameters:
  ///   - size: That of the axis.
  ///   - calls: The calls.
  ///   - first: The number that they start at.
  ///   - connections: How many take turns.
  ///   - count: Calls of a round.
  /// - Returns: What a call costs.
  /// - Throws: `BenchError`.
  func load(
    _ size: Int,
    _ calls: CallSequence,
    first: Int = 0,
    connections: Int = 1,
    count: Int = 2_000
  ) throws -> GrowthPoint {
    let many = try LoadGenerator(
      bench.context,
      server.address,
      connections: connections,
      calls.starting(at: first)
    )
    let single = try LoadGenerator(
      bench.context,
      server.address,
      calls.starting(at: first + Self.rounds * count)
    )
    return try least(size) {
      let loaded = try many.run(calls: count, inFlight: Self.inFlight)
      let alone = try single.run(calls: max(count / 10, 1), inFlight: 1)
      return (loaded.processor?.server ?? 0, alone.p50)
    }
  }

  /// Operations one after the other.
  func each(_ size: Int, count: Int = 100, _ operation: () throws -> Void) throws -> GrowthPoint {
    try least(size) {
      var latencies: [UInt64] = []
      let watch = Stopwatch(server.address.clock)
      for _ in 0..<count {
        try Interruption.check()
        let started = Clock.now()
        try operation()
        latencies.append(Clock.now() - started)
      }
      let measured = watch.measurement(latencies)
      return (measured.processor?.server ?? 0, measured.p50)
    }
  }

  private func least(
    _ size: Int,
    _ round: () throws -> (processor: Double, p50: Double)
  ) throws -> GrowthPoint {
    let rounds = try (0..<Self.rounds).map { _ in try round() }
    return GrowthPoint(
      size: size,
      processor: rounds.map(\.processor).min() ?? 0,
      p50: rounds.map(\.p50).min() ?? 0
    )
  }

  /// Restarts the server: processor time and latency until it is ready.
  ///
  /// - Returns: The cost, and the probe of the new server process.
  func start(_ size: Int) throws -> (cost: GrowthPoint, next: GrowthProbe) {
    var (processor, latencies) = (Double.infinity, [UInt64]())
    for _ in 0..<2 {
      server.stopProcess()
      let started = Clock.now()
      try server.startProcess()
      latencies.append(Clock.now() - started)
      processor = min(processor, Double(server.address.clock.now()) / 1e3)
    }
    let cost = GrowthPoint(
      size: size,
      processor: processor,
      p50: Double(latencies.min() ?? 0) / 1e3
    )
    return (cost, try GrowthProbe(bench, server))
  }

  /// Fails when an item of a call failed.
  static func check(_ failures: [TidingsV1.ItemError?]) throws {
    for case let error? in failures { throw BenchError("filling the server: \(error.message)") }
  }
}

/// Curves by their operations, as their points are measured.
struct GrowthCurves {
  private(set) var curves: [GrowthCurve] = []
  private let axis: GrowthAxis

  init(_ axis: GrowthAxis) { self.axis = axis }

  mutating func add(_ operation: String, handlesAll: Bool = false, _ point: GrowthPoint) {
    if let index = curves.firstIndex(where: { $0.operation == operation }) {
      curves[index].points.append(point)
    } else {
      curves.append(
        GrowthCurve(operation: operation, axis: axis, handlesAll: handlesAll, points: [point])
      )
    }
  }
}
