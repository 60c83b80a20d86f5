import BenchCore
import TidingsClient
import TidingsProto

/// What a program that awaits calls of the Swift client gets, against the same calls through a raw DEALER.
struct ClientCase {
  private let bench: Bench
  private let server: ServerProcess
  private let client: Client

  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    try server.fill(bench.context, count: Calls.recordCount)
    let client = try await makeClient(server, device: "generator")
    let figures = try await ClientCase(bench: bench, server: server, client: client).figures()
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

  private func figures() async throws -> [Figure] {
    let client = client
    let existing = NumberSequence.existing(Calls.recordCount)
    let record = Calls.record(Calls.digits(0), serial: Calls.digits(0))
    return try await figures("echo", CallSequence(Calls.check(), check: .serving)) { _ in
      let response = try await client.health.check(.init())
      if response.status != .serving { throw BenchError("the server is not serving") }
    }
      + figures("fetch", CallSequence(Calls.fetch(), existing, check: .oneRecord)) { number in
        let name = "house-" + Calls.digits(number % Calls.recordCount)
        let response = try await client.records.fetchRecords(
          .init(databaseID: Calls.database, recordIDs: [.init(recordName: name)])
        )
        try Self.expectRecord(response.results.first)
      }
      + figures("save", CallSequence(Calls.save(), .fresh, check: .oneRecord)) { number in
        let digits = Calls.digits(number)
        var record = record
        record.recordID?.recordName = "house-" + digits
        record.fields["listing"]?.value = .stringValue("listing-" + digits)
        let response = try await client.records.modifyRecords(
          Calls.saving([record], updates: false)
        )
        try Self.expectRecord(response.results.first)
      }
  }

  private func figures(
    _ name: String,
    _ raw: CallSequence,
    _ call: @escaping TaskLoop.Call
  ) async throws -> [Figure] {
    // The records of the client's calls come after those of the raw ones.
    let (rawFirst, first) = (1_000_000_000, 2_000_000_000)
    let generator = try LoadGenerator(
      bench.context,
      server.address,
      raw.starting(at: rawFirst)
    )
    let loop = TaskLoop(clock: server.address.clock)
    var (figures, made): ([Figure], Int) = ([], 0)
    for inFlight in bench.settings.inFlight {
      let calls = bench.settings.calls(inFlight: inFlight)
      var (rounds, rawRounds): ([Measurement], [Measurement]) = ([], [])
      for round in 1...bench.settings.rounds {
        bench.say("client \(name), \(inFlight) in flight: round \(round)")
        try Interruption.check()
        rawRounds.append(try generator.run(calls: calls, inFlight: inFlight))
        rounds.append(
          try await loop.run(first: first + made, calls: calls, inFlight: inFlight, call)
        )
        made += calls
      }
      figures += Self.figures("client.\(name)", inFlight, rounds, rawRounds)
    }
    return figures
  }

  private static func figures(
    _ name: String,
    _ inFlight: Int,
    _ rounds: [Measurement],
    _ raw: [Measurement]
  ) -> [Figure] {
    let isMany = inFlight == Load.many.inFlight
    let comparison = Figure(
      name: "\(name).n\(inFlight)",
      connections: 1,
      inFlight: inFlight,
      measured: Measurement(medianOf: rounds),
      baseline: Measurement(medianOf: raw),
      score: inFlight == 1
        ? .latency(rounds, against: raw, target: 1.25)
        : .rate(rounds, against: raw, target: isMany ? 0.7 : nil)
    )
    if inFlight == 1 {
      let tail = Score(
        rounds: zip(rounds, raw).map { $0.p99 / $1.p99 },
        unit: "× baseline p99",
        .atMost,
        target: 1.5
      )
      return [
        comparison,
        Figure(name: "\(name).p99.n1", connections: 1, inFlight: 1, score: tail),
      ]
    }
    guard isMany else { return [comparison] }
    let processor = Score(
      rounds: rounds.compactMap { $0.processor?.client },
      unit: "µs of the client a call",
      .atMost,
      target: 10
    )
    return [
      comparison,
      Figure(
        name: "\(name).processor.n\(inFlight)",
        connections: 1,
        inFlight: inFlight,
        score: processor
      ),
    ]
  }

  static func expectRecord(_ result: TidingsV1.RecordResult?) throws {
    guard case .record? = result?.outcome else {
      throw BenchError("a call failed: \(result, default: "no result")")
    }
  }
}
