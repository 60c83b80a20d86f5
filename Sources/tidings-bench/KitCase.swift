import BenchCore
import TidingsClient
import TidingsKit
import TidingsProto

/// What a program that uses TidingsKit gets, against the same calls through the Swift client.
struct KitCase {
  private let bench: Bench
  private let server: ServerProcess
  private let client: Client
  private let database: CKDatabase

  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    try server.fill(bench.context, count: Calls.recordCount)
    try RawClient(bench.context, endpoint: server.endpoint, metadata: Calls.metadata)
      .declareIndexes(of: ["listing"])
    let client = try await ClientCase.makeClient(server, device: "generator")
    var connection = CKContainer.Connection()
    connection.endpoints = [server.endpoint]
    connection.container = Calls.database.container
    connection.user = "bench"
    connection.device = "kit"
    let container = CKContainer(connection)
    let figures = try await KitCase(
      bench: bench,
      server: server,
      client: client,
      database: container.privateCloudDatabase
    ).figures()
    await client.close()
    return figures
  }

  private func figures() async throws -> [Figure] {
    try await fetch() + save() + query()
  }

  private func fetch() async throws -> [Figure] {
    let (client, database) = (client, database)
    return try await compare("fetch") { number in
      let response = try await client.records.fetchRecords(
        .init(databaseID: Calls.database, recordIDs: [.init(recordName: Self.existing(number))])
      )
      try ClientCase.expectRecord(response.results.first)
    } _: { number in
      try await database.record(for: .init(recordName: Self.existing(number)))
    }
  }

  private func save() async throws -> [Figure] {
    let (client, database) = (client, database)
    let template = Calls.record(Calls.digits(0), serial: Calls.digits(0))
    let about = template.fields["about"]?.value
    guard case .stringValue(let about)? = about else { throw BenchError("a record without text") }
    return try await compare("save") { number in
      var record = template
      record.recordID?.recordName = "house-" + Calls.digits(number)
      record.fields["listing"]?.value = .stringValue("listing-" + Calls.digits(number))
      let response = try await client.records.modifyRecords(
        Calls.saving([record], updates: false)
      )
      try ClientCase.expectRecord(response.results.first)
    } _: { number in
      let record = CKRecord(
        recordType: Calls.recordType,
        recordID: .init(recordName: "house-" + Calls.digits(number))
      )
      record["address"] = "17 Marrow Lane, Hillsborough"
      record["city"] = "city-0001"
      record["price"] = 315_000
      record["bedrooms"] = 4
      record["area"] = 182.5
      record["listing"] = "listing-" + Calls.digits(number)
      record["about"] = about
      record["built"] = 1974
      try await database.save(record)
    }
  }

  /// One record by an indexed field.
  private func query() async throws -> [Figure] {
    let (client, database) = (client, database)
    return try await compare("query") { number in
      let response = try await client.records.queryRecords(
        .init(
          databaseID: Calls.database,
          recordType: Calls.recordType,
          predicate: .init(
            text: "listing == %@",
            arguments: [.init(value: .stringValue(Self.listing(number)))]
          )
        )
      )
      guard response.records.count == 1 else { throw BenchError("a query found no record") }
    } _: { number in
      let predicate = NSPredicate(format: "listing == %@", Self.listing(number))
      let found = try await database.records(
        matching: CKQuery(recordType: Calls.recordType, predicate: predicate)
      )
      guard found.matchResults.count == 1 else { throw BenchError("a query found no record") }
    }
  }

  private static func existing(_ number: Int) -> String {
    "house-" + Calls.digits(number % Calls.recordCount)
  }

  private static func listing(_ number: Int) -> String {
    "listing-" + Calls.digits(number % Calls.recordCount)
  }

  private func compare(
    _ name: String,
    _ plain: @escaping TaskLoop.Call,
    _ kit: @escaping TaskLoop.Call
  ) async throws -> [Figure] {
    let loop = TaskLoop(clock: server.address.clock)
    let inFlight = Load.many.inFlight
    let calls = bench.settings.calls(inFlight: inFlight)
    var (rounds, plainRounds): ([TaskLoop.Outcome], [TaskLoop.Outcome]) = ([], [])
    // Of records that are saved.
    var next = 3_000_000_000
    for round in 1...bench.settings.rounds {
      bench.say("kit \(name): round \(round)")
      try Interruption.check()
      plainRounds.append(
        try await loop.run(first: next, calls: calls, inFlight: inFlight, plain)
      )
      rounds.append(
        try await loop.run(first: next + calls, calls: calls, inFlight: inFlight, kit)
      )
      next += 2 * calls
    }
    return [
      Figure(
        name: "kit.\(name).n\(inFlight)",
        connections: 1,
        inFlight: inFlight,
        measured: .init(medianOf: rounds),
        baseline: .init(medianOf: plainRounds),
        score: .rate(rounds, against: plainRounds, target: 0.5)
      )
    ]
  }
}
