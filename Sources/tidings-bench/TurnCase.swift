import BenchCore
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// How long single calls at their limits keep the server's loop from everybody else: the most time of a processor
/// that one of its turns took.
enum TurnCase {
  static func run(_ bench: Bench) throws -> [Figure] {
    try LimitCall.all.filter { $0.name.hasPrefix(bench.settings.turns) }.map { call in
      let rounds = try (1...min(bench.settings.rounds, roundsMax)).map { round in
        bench.say("turns, \(call.name): round \(round)")
        return try Self.round(call, bench)
      }
      return Figure(
        name: "turns.\(call.name)",
        connections: 1,
        inFlight: 1,
        score: Score(rounds: rounds, unit: "ms of processor time", .atMost, target: 10)
      )
    }
  }

  private static let roundsMax = 3

  private static func round(_ call: LimitCall, _ bench: Bench) throws -> Double {
    let server = try bench.startServer()
    defer { server.stop() }
    try call.prepare(LimitClient(bench.context, server))
    // What was needed beforehand does not count.
    try server.restart()
    let client = try LimitClient(bench.context, server)
    var refusal = ""
    do { try call.run(client) } catch { refusal = ", refused: \(error)" }
    let counters = try client.counters()
    bench.say(
      "  \(Double(counters.longestTurnProcessorMicroseconds) / 1_000) ms, with the disk "
        + "\(Double(counters.longestTurnMicroseconds) / 1_000) ms\(refusal)"
    )
    return Double(counters.longestTurnProcessorMicroseconds) / 1_000
  }
}

/// One user's connection to a server.
struct LimitClient {
  let client: RawClient
  /// Of another device of the user.
  let sibling: RawClient
  /// Another user's.
  let other: RawClient

  init(_ context: RawContext, _ server: ServerProcess) throws {
    client = try RawClient(context, endpoint: server.endpoint, metadata: Calls.metadata)
    sibling = try RawClient(
      context,
      endpoint: server.endpoint,
      metadata: ["tidings-user": "bench", "tidings-device": "sibling"]
    )
    other = try RawClient(
      context,
      endpoint: server.endpoint,
      metadata: ["tidings-user": Calls.otherUser, "tidings-device": "generator"]
    )
  }

  func counters() throws -> TidingsRpcV1.Counters {
    let info: TidingsRpcV1.FetchServerInfoResponse = try client.call(
      TidingsRpcV1.ServerService.Methods.fetchServerInfo,
      TidingsRpcV1.FetchServerInfoRequest()
    )
    return info.counters ?? .init()
  }

  /// Saves records; in pieces, if they are to leave the call's limits alone.
  func save(
    _ records: [TidingsV1.Record],
    to database: TidingsV1.DatabaseID = Calls.database,
    atATime count: Int = 400
  ) throws {
    for start in stride(from: 0, to: records.count, by: count) {
      try modify(
        .init(
          databaseID: database,
          recordsToSave: Array(records[start..<min(start + count, records.count)]),
          savePolicy: .changedKeys
        )
      )
    }
  }

  func modify(_ request: TidingsV1.ModifyRecordsRequest, by caller: RawClient? = nil) throws {
    let response: TidingsV1.ModifyRecordsResponse = try (caller ?? client).call(
      TidingsV1.RecordService.Methods.modifyRecords,
      request
    )
    for case .error(let error)? in response.results.map(\.outcome)
    where error.code != .batchRequestFailed {
      throw BenchError("a call at its limits: \(error.message)")
    }
  }

  func subscribe(
    _ subscriptions: [TidingsV1.Subscription],
    to database: TidingsV1.DatabaseID = Calls.database
  ) throws {
    for start in stride(from: 0, to: subscriptions.count, by: 400) {
      let response: TidingsV1.ModifySubscriptionsResponse = try client.call(
        TidingsV1.SubscriptionService.Methods.modifySubscriptions,
        TidingsV1.ModifySubscriptionsRequest(
          databaseID: database,
          subscriptionsToSave: Array(subscriptions[start..<min(start + 400, subscriptions.count)])
        )
      )
      for case .error(let error)? in response.results.map(\.outcome) {
        throw BenchError("subscriptions at their limits: \(error.message)")
      }
    }
  }
}
