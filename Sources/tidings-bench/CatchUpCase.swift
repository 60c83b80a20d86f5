import BenchCore
import TidingsClient
import TidingsProto

/// A device that was away for a million notifications: how fast it has them, through the Swift client.
enum CatchUpCase {
  private static let batchRecords = 400
  private static let recordBytes = 238

  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let clock = server.address.clock
    _ = try PushCase.subscribe(bench, server)
    let count = bench.settings.notifications
    bench.say("catchup: making \(count) notifications")
    try fill(bench, server, count: count)
    let client = try await ClientCase.makeClient(server, device: "subscriber")
    var (pages, stream): ([Measurement], [Measurement]) = ([], [])
    // The first round also brings the log into memory.
    for round in 0...min(bench.settings.rounds, 3) {
      bench.say("catchup: round \(round)")
      try Interruption.check()
      let measurements = (
        try await readPages(client, clock, count), try await readStream(client, clock, count)
      )
      if round > 0 {
        pages.append(measurements.0)
        stream.append(measurements.1)
      }
    }
    await client.close()
    return [
      figure("catchup", pages, notifications: count, target: 200_000),
      figure("catchup.stream", stream, notifications: count, target: nil),
    ]
  }

  /// Page by page, decoded.
  private static func readPages(
    _ client: Client,
    _ clock: ProcessClock,
    _ expected: Int
  ) async throws -> Measurement {
    var latencies: [UInt64] = []
    let watch = Stopwatch(clock)
    var (started, count) = (watch.start, 0)
    var request = TidingsV1.FetchNotificationChangesRequest(container: Calls.database.container)
    var isAtEnd = false
    while !isAtEnd {
      let page = try await client.notifications.fetchNotificationChanges(request)
      request.changeToken = page.changeToken
      isAtEnd = !page.moreComing
      count += page.notifications.count
      let now = Clock.now()
      latencies.append(now - started)
      started = now
    }
    try check(count, expected)
    return watch.measurement(latencies)
  }

  /// One by one, as a program that iterates gets them.
  private static func readStream(
    _ client: Client,
    _ clock: ProcessClock,
    _ expected: Int
  ) async throws -> Measurement {
    let watch = Stopwatch(clock)
    var count = 0
    for try await _ in client.notificationStream() {
      count += 1
      if count == expected { break }
    }
    try check(count, expected)
    return watch.measurement([Clock.now() - watch.start])
  }

  private static func check(_ count: Int, _ expected: Int) throws {
    guard count == expected else {
      throw BenchError("the log returned \(count) of \(expected) notifications")
    }
  }

  private static func figure(
    _ name: String,
    _ rounds: [Measurement],
    notifications: Int,
    target: Double?
  ) -> Figure {
    Figure(
      name: name,
      connections: 1,
      inFlight: 1,
      measured: Measurement(medianOf: rounds),
      score: Score(
        rounds: rounds.map { round in
          Double(notifications) * round.perSecond / Double(round.calls)
        },
        unit: "notifications/s",
        .atLeast,
        target: target
      )
    )
  }

  private static func fill(_ bench: Bench, _ server: ServerProcess, count: Int) throws {
    let client = try RawClient(bench.context, endpoint: server.endpoint, metadata: Calls.metadata)
    for start in stride(from: 0, to: count, by: batchRecords) {
      try Interruption.check()
      let records = (start..<min(start + batchRecords, count)).map { number in
        let digits = Calls.digits(number)
        return Calls.record(digits, serial: digits, type: Calls.watchedType, bytes: recordBytes)
      }
      let response = try client.call(
        TidingsV1.RecordService.Methods.modifyRecords,
        Calls.saving(records, updates: false),
        TidingsV1.ModifyRecordsResponse.self
      )
      for case .error(let error)? in response.results.map(\.outcome) {
        throw BenchError("filling the server: \(error.message)")
      }
    }
  }
}
