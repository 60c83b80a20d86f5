internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A server, its clients, and the model.
struct OracleSession {
  /// A client's position in the feed of a zone.
  struct ZoneLocation {
    var reader: OracleZoneReader
    var token: [UInt8] = []
  }

  struct LocationKey: Hashable {
    var user: String
    var database: Oracle.Database
    var zone = ""
    var slot: Int
  }

  struct DatabaseLocation {
    var reader: OracleDatabaseReader
    var token: [UInt8] = []
  }

  struct OpenQuery {
    var reader: OracleQueryReader
    var cursor: [UInt8]
    var caller: Oracle.Caller
    /// Indexes were dropped since: the one that served it may be among them.
    var mayExpire = false
  }

  /// The first difference; empty while all answers were the model's.
  var complaint = ""
  var oracle = Oracle()
  var notificationTokens: [String: (bytes: [UInt8], moment: Int, marks: Int)] = [:]
  var zoneLocations: [LocationKey: ZoneLocation] = [:]
  var databaseLocations: [LocationKey: DatabaseLocation] = [:]
  var openQueries: [Int: OpenQuery] = [:]

  private var server: TestServer
  /// Where the store is moved between two servers; `nil`: it stays where it is.
  private var moves: StoreMoves?
  private var clients: [Oracle.Caller: Client] = [:]

  init(_ manner: OracleManner, moves: StoreMoves? = nil) async throws {
    self.moves = moves
    server = try await .startLasting(arguments: manner.arguments)
    for caller in OracleGenerator.callers {
      clients[caller] = try await server.client(as: caller.user, device: caller.device)
    }
    let schemas = clients.values.first?.schemas
    _ = try await schemas?.applySchema(.init(text: Oracle.firstSchema))
  }

  /// Ends the server.
  func end() async throws { try await server.crash() }

  /// Does it, and compares the answers with the model's.
  ///
  /// - Returns: What is different; `nil`: nothing.
  mutating func perform(_ operation: OracleOperation) async throws -> String? {
    let (caller, database) = (operation.caller, operation.database)
    guard let client = clients[caller] else { return "no client" }
    do {
      switch operation.action {
      case .modify(let change, let mishap): try await modify(change, mishap)
      case .burst(let changes): try await burst(changes)
      case .fetch(let ids, let keys): try await fetch(ids, keys, client, database)
      case .saveZones(let names): try await saveZones(names, client, caller, database)
      case .deleteZones(let names, let reason):
        try await deleteZones(names, reason, client, caller, database)
      case .subscribe(let all): try await subscribe(all, client, caller, database)
      case .unsubscribe(let id): try await unsubscribe(id, client, caller, database)
      case .list: try await list(client, caller, database)
      case .readNotifications(let fromStart, let limit):
        try await readNotifications(fromStart, limit, client, caller)
      case .markRead(let ids): try await markRead(ids, client, caller)
      case .readZones(let reads, let limit, let count):
        try await readZones(reads, limit, count, client, caller, database)
      case .readDatabase(let slot, let limit, let count):
        try await readDatabase(slot, limit, count, client, caller, database)
      case .readWithForeignToken(let zone):
        try await readWithForeignToken(zone, client, caller, database)
      case .query(let query, let slot, let keys, let limit, let count):
        try await open(query, slot, keys, limit, count, client, caller)
      case .turnPages(let slot, let keys, let limit, let count):
        try await turnPages(slot, keys, limit, count)
      case .declare(let indexes): try await declare(indexes, client)
      case .restart(let killing): try await restart(killing: killing)
      case .compareEverything: try await compareEverything()
      }
    } catch let error as RPCError {
      let server = server.process.seen.value
      complain(
        "the call failed: \(error); the server: \(String(describing: server.exit)) \(server.errors)"
      )
    }
    return complaint.isEmpty ? nil : complaint
  }

  func client(of caller: Oracle.Caller) throws -> Client {
    guard let client = clients[caller] else { throw WaitingFailure(description: "no client") }
    return client
  }

  mutating func restart(killing: Bool) async throws {
    if killing { try await server.crash() } else { try await server.stop() }
    server = try await server.restarted(environment: try await moves?.move(server.folder))
  }

  // MARK: Complaints

  mutating func complain(_ text: String) {
    if complaint.isEmpty { complaint = text }
  }

  mutating func compare<Answer: Equatable>(
    _ what: String,
    _ answer: Answer,
    _ expected: Answer
  ) {
    if answer != expected { complain("\(what)\n  got      \(answer)\n  expected \(expected)") }
  }

  /// Compares lists, and reports the first members that differ.
  mutating func compare<Member: Equatable>(
    _ what: String,
    _ answer: [Member],
    _ expected: [Member],
    _ brief: (Member) -> String
  ) {
    guard answer != expected else { return }
    let different = zip(answer, expected).first { $0 != $1 }
    complain(
      different.map { "\(what)\n  got      \(brief($0.0))\n  expected \(brief($0.1))" }
        ?? "\(what): got \(answer.count), expected \(expected.count)"
    )
  }

  /// Records were changed: queries whose pages are being turned take note.
  mutating func noteChange() {
    for slot in openQueries.keys { openQueries[slot]?.reader.observe(oracle) }
  }
}
