import BenchCore
import TidingsEngine
import TidingsModel
import TidingsProto
import TidingsProtobuf
import TidingsRPC
import TidingsSQL
import TidingsSQLite

/// A query by an indexed equality that finds 50 of a million records, against the same SELECT through
/// SQLite's C interface: over the wire, and in this process on the server's file.
struct QueryCase {
  private static let hits = 50
  private static let callsPerRound = 2_000

  private let bench: Bench
  private let count: Int
  private var cities: Int { max(count / Self.hits, 1) }

  static func run(_ bench: Bench) throws -> [Figure] {
    try QueryCase(bench: bench, count: bench.settings.records).run()
  }

  private func run() throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let client = try RawClient(
      bench.context,
      endpoint: server.endpoint,
      metadata: Calls.metadata
    )
    bench.say("query: filling rpcd with \(count) records")
    let build = try fill(client)
    bench.say("query: filling SQLite with \(count) rows")
    let folder = try bench.makeFolder()
    defer { folder.remove() }
    let bare = try BareTable(path: folder.path + "/bare.sqlite")
    try bare.fill(count: count) { number in
      let record = record(number)
      return (record.recordID?.recordName ?? "", city(of: number), record.encoded())
    }
    let reader = try EngineReader(
      SQLiteConnection(
        path: server.databasePath,
        cacheBytes: BareTable.cacheBytes,
        readsOnly: true
      ),
      limits: Limits()
    )
    return try compare(client, server.address.clock, bare, reader) + [
      Figure(
        name: "query.build",
        score: Score(
          rounds: [Double(build) / Double(count) / 1000],
          unit: "µs a record",
          .atMost
        )
      )
    ]
  }

  // MARK: Records

  private func city(of number: Int) -> String { "city-" + Calls.digits(number % cities) }

  private func record(_ number: Int) -> TidingsV1.Record {
    let digits = Calls.digits(number)
    var record = Calls.record(digits, serial: digits)
    record.fields["city"] = .init(value: .stringValue(city(of: number)))
    return record
  }

  /// Saves the records, then declares the index.
  ///
  /// - Returns: How long building took, in nanoseconds.
  private func fill(_ client: RawClient) throws -> UInt64 {
    for start in stride(from: 0, to: count, by: 400) {
      let records = (start..<min(start + 400, count)).map { record($0) }
      let response = try client.call(
        TidingsV1.RecordService.Methods.modifyRecords,
        Calls.saving(records, updates: false),
        TidingsV1.ModifyRecordsResponse.self
      )
      for case .error(let error)? in response.results.map(\.outcome) {
        throw BenchError("filling the server: \(error.message)")
      }
      try Interruption.check()
    }
    bench.say("query: building the index")
    let started = Clock.now()
    try client.declareIndexes(of: ["city"])
    while try !isServed(client) { try Interruption.check() }
    return Clock.now() - started
  }

  private func isServed(_ client: RawClient) throws -> Bool {
    try client.call(
      TidingsV1.RecordService.Methods.explainQuery,
      TidingsV1.ExplainQueryRequest(query: request(0, limit: 1)),
      TidingsV1.ExplainQueryResponse.self
    ).indexField == "city"
  }

  // MARK: Queries

  private func request(_ city: Int, limit: UInt32) -> TidingsV1.QueryRecordsRequest {
    TidingsV1.QueryRecordsRequest(
      databaseID: Calls.database,
      recordType: Calls.recordType,
      predicate: .init(
        text: "city = %@",
        arguments: [.init(value: .stringValue("city-" + Calls.digits(city)))]
      ),
      limit: limit
    )
  }

  private func compare(
    _ client: RawClient,
    _ clock: ProcessClock,
    _ bare: BareTable,
    _ reader: EngineReader
  ) throws -> [Figure] {
    var (wire, engine, baseline) = ([Measurement](), [Measurement](), [Measurement]())
    for round in 0...bench.settings.rounds {
      bench.say("query: round \(round) of \(bench.settings.rounds)")
      var bytes: [UInt8] = []
      let bareRound = try measure(round) { city in
        try bare.bodies(of: "city-" + Calls.digits(city), into: &bytes)
      }
      let engineRound = try measure(round) { city in
        bytes.removeAll(keepingCapacity: true)
        return try records(of: city, reader, into: &bytes)
      }
      let wireRound = try measure(round, clock) { city in
        try client.answer(
          TidingsV1.RecordService.Methods.queryRecords,
          request(city, limit: UInt32(Self.hits))
        ) { body in body.count > Self.hits * 200 ? Self.hits : 0 }
      }
      // The first round warms up.
      if round == 0 { continue }
      baseline.append(bareRound)
      engine.append(engineRound)
      wire.append(wireRound)
    }
    return [("query.wire", wire), ("query.engine", engine)].map { name, rounds in
      Figure(
        name: name,
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: rounds),
        baseline: Measurement(medianOf: baseline),
        score: .latency(rounds, against: baseline, target: 3)
      )
    }
  }

  private func measure(
    _ round: Int,
    _ clock: ProcessClock? = nil,
    _ query: (Int) throws -> Int
  ) throws -> Measurement {
    try Interruption.check()
    var latencies: [UInt64] = []
    let watch = Stopwatch(clock)
    for call in 0..<Self.callsPerRound {
      // A stride that meets all cities, in no order of the file.
      let city = (round * Self.callsPerRound + call) &* 7_919 % cities
      let started = Clock.now()
      let found = try query(city)
      latencies.append(Clock.now() - started)
      guard found == min(Self.hits, count) else {
        throw BenchError("a query found \(found) records")
      }
    }
    return watch.measurement(latencies)
  }

  private func records(
    of city: Int,
    _ reader: EngineReader,
    into bytes: inout [UInt8]
  ) throws -> Int {
    let query = RecordQuery(
      database: DatabaseID(
        container: Calls.database.container,
        environment: .development,
        scope: .private,
        owner: "bench"
      ),
      recordType: Calls.recordType,
      predicate: try Predicate(
        text: "city = %@",
        arguments: [.string("city-" + Calls.digits(city))]
      )
    )
    // For a closure that escapes; with the room that the bytes have.
    var found: [UInt8] = []
    swap(&found, &bytes)
    defer { swap(&found, &bytes) }
    return try reader.withSnapshot {
      try reader.records(
        matching: query,
        for: "bench",
        limit: Self.hits,
        at: SteadyTime(milliseconds: 0)
      ) { found += $0 }.report.recordsMatched
    }
  }
}
