import BenchCore
import TidingsClient
import TidingsProto

/// The same calls through the Swift client, as information: what a program that awaits them sees.
enum ClientCase {
  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    try server.fill(bench.context, count: Calls.recordCount)
    let client = try await makeClient(server, device: "generator")
    var figures: [Figure] = []
    for inFlight in bench.settings.inFlight {
      figures.append(
        try await figure(bench, server, "echo", inFlight) { _ in
          let response = try await client.health.check(.init())
          if response.status != .serving { throw BenchError("the server is not serving") }
        }
      )
      figures.append(
        try await figure(bench, server, "fetch", inFlight) { number in
          let name = "house-" + Calls.digits(number % Calls.recordCount)
          let response = try await client.records.fetchRecords(
            .init(databaseID: Calls.database, recordIDs: [.init(recordName: name)])
          )
          try expectRecord(response.results.first)
        }
      )
      let first = 1_000_000_000 + inFlight * 1_000_000
      figures.append(
        try await figure(bench, server, "save", inFlight) { number in
          let digits = Calls.digits(first + number)
          let response = try await client.records.modifyRecords(
            Calls.saving([Calls.record(digits, serial: digits)], updates: false)
          )
          try expectRecord(response.results.first)
        }
      )
    }
    await client.close()
    return figures
  }

  static func makeClient(
    _ server: ServerProcess,
    as user: String = "bench",
    device: String
  ) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.endpoint)
    configuration.user = user
    configuration.device = device
    configuration.container = Calls.database.container
    return try await Client(configuration)
  }

  private static func figure(
    _ bench: Bench,
    _ server: ServerProcess,
    _ name: String,
    _ inFlight: Int,
    _ call: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Figure {
    let calls = bench.settings.calls(inFlight: inFlight)
    var rounds: [Measurement] = []
    for round in 0..<min(bench.settings.rounds, 3) {
      bench.say("client \(name), \(inFlight) in flight: round \(round + 1)")
      try Interruption.check()
      rounds.append(
        try await measure(
          server.address.clock,
          first: round * calls,
          calls: calls,
          inFlight: inFlight,
          call
        )
      )
    }
    return Figure(
      name: "client.\(name).n\(inFlight)",
      connections: 1,
      inFlight: inFlight,
      measured: Measurement(medianOf: rounds)
    )
  }

  private static func measure(
    _ clock: ProcessClock,
    first: Int,
    calls: Int,
    inFlight: Int,
    _ call: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Measurement {
    let watch = Stopwatch(clock)
    let latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for worker in 0..<inFlight {
        group.addTask {
          var latencies: [UInt64] = []
          for number in stride(from: worker, to: calls, by: inFlight) {
            let started = Clock.now()
            try await call(first + number)
            latencies.append(Clock.now() - started)
          }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return watch.measurement(latencies)
  }

  private static func expectRecord(_ result: TidingsV1.RecordResult?) throws {
    guard case .record? = result?.outcome else {
      throw BenchError("a call failed: \(result, default: "no result")")
    }
  }
}
