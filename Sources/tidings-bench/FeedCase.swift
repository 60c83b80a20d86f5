import BenchCore
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// A zone's change feed from its beginning to its end, page by page, through the Swift client.
enum FeedCase {
  private static let zone = TidingsV1.ZoneID(zoneName: "feed")
  private static let recordCount = 200_000
  private static let recordBytes = 238
  private static let pageRecords = 200

  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let clock = server.address.clock
    bench.say("feed: saving \(recordCount) records")
    try fill(bench, server)
    let client = try await ClientCase.makeClient(server, device: "reader")
    var (decoded, ahead, encoded): ([Measurement], [Measurement], [Measurement]) = ([], [], [])
    // The first round also brings the zone into memory.
    for round in 0...min(bench.settings.rounds, 5) {
      bench.say("feed: round \(round)")
      try Interruption.check()
      let measurements = (
        try await readEncoded(client, clock), try await readDecoded(client, clock),
        try await readDecoded(client, clock, readsAhead: true)
      )
      if round > 0 {
        encoded.append(measurements.0)
        decoded.append(measurements.1)
        ahead.append(measurements.2)
      }
    }
    await client.close()
    return [
      figure("feed.client", decoded, target: 150_000),
      figure("feed.ahead", ahead, target: 400_000),
      figure("feed.encoded", encoded, target: nil),
    ]
  }

  /// Pages as a program gets them.
  private static func readDecoded(
    _ client: Client,
    _ clock: ProcessClock,
    readsAhead: Bool = false
  ) async throws -> Measurement {
    var latencies: [UInt64] = []
    let watch = Stopwatch(clock)
    var (started, count) = (watch.start, 0)
    let changes = client.recordZoneChanges(
      in: zone.zoneName,
      of: Calls.database,
      pageLimit: pageRecords,
      readsAhead: readsAhead
    )
    for try await page in changes {
      count += page.changedRecords.count
      let now = Clock.now()
      latencies.append(now - started)
      started = now
    }
    try check(count)
    return watch.measurement(latencies)
  }

  /// The same pages, of which only the tokens are read.
  private static func readEncoded(
    _ client: Client,
    _ clock: ProcessClock
  ) async throws -> Measurement {
    var latencies: [UInt64] = []
    let watch = Stopwatch(clock)
    var (started, count) = (watch.start, 0)
    var options = TidingsV1.ZoneChangesOptions(zoneID: zone, limit: UInt32(pageRecords))
    var isAtEnd = false
    while !isAtEnd {
      let request = TidingsV1.FetchRecordZoneChangesRequest(
        databaseID: Calls.database,
        zones: [options]
      )
      let response = try await client.transport.unary(
        TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
        request.encoded(),
        options: CallOptions()
      )
      guard let page = EncodedPage(response) else { throw BenchError("a page cannot be read") }
      options.changeToken = page.changeToken
      isAtEnd = !page.moreComing
      count += page.recordCount
      let now = Clock.now()
      latencies.append(now - started)
      started = now
    }
    try check(count)
    return watch.measurement(latencies)
  }

  private static func check(_ count: Int) throws {
    guard count == recordCount else {
      throw BenchError("the feed returned \(count) of \(recordCount) records")
    }
  }

  private static func figure(
    _ name: String,
    _ rounds: [Measurement],
    target: Double?
  ) -> Figure {
    Figure(
      name: name,
      connections: 1,
      inFlight: 1,
      measured: Measurement(medianOf: rounds),
      score: Score(
        rounds: rounds.map { $0.perSecond * Double(pageRecords) },
        unit: "records/s",
        .atLeast,
        target: target
      )
    )
  }

  private static func fill(_ bench: Bench, _ server: ServerProcess) throws {
    let client = try RawClient(
      bench.context,
      endpoint: server.endpoint,
      metadata: Calls.metadata
    )
    _ = try client.call(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: Calls.database,
        zonesToSave: [.init(zoneID: zone)]
      ),
      TidingsV1.ModifyRecordZonesResponse.self
    )
    var records: [TidingsV1.Record] = []
    for number in 0..<recordCount {
      let digits = Calls.digits(number)
      var record = Calls.record(digits, serial: digits, bytes: recordBytes)
      record.recordID?.zoneID = zone
      records.append(record)
      guard records.count == pageRecords else { continue }
      let response = try client.call(
        TidingsV1.RecordService.Methods.modifyRecords,
        Calls.saving(records, updates: false),
        TidingsV1.ModifyRecordsResponse.self
      )
      for case .error(let error)? in response.results.map(\.outcome) {
        throw BenchError("filling the server: \(error.message)")
      }
      records = []
    }
  }
}
