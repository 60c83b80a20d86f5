import BenchCore
import CZeroMQ
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Saves that fire a channel with one, a thousand and a hundred thousand subscribers, each another
/// user: what a save costs must not depend on how many share the channel.
enum SubscribersCase {
  private static let counts = [1, 1_000, 100_000]
  private static let database = TidingsV1.DatabaseID(
    container: "bench",
    environment: .development,
    scope: .public
  )

  static func run(_ bench: Bench) throws -> [Figure] {
    // A server for each: what one count leaves in the store must not weigh on the next.
    let servers = try counts.map { _ in try bench.startServer() }
    defer { for server in servers { server.stop() } }
    let generators = try zip(servers, counts).map { server, count in
      bench.say("subscribers: \(count) users subscribe")
      try subscribe(bench, server, users: count)
      return try LoadGenerator(
        bench.context,
        server.address,
        CallSequence(Calls.save(type: Calls.watchedType, in: database), check: .oneRecord)
      )
    }
    var rounds: [Load: [[Measurement]]] = [:]
    for generator in generators {
      _ = try generator.run(calls: bench.settings.warmup, inFlight: 64)
    }
    for round in 1...bench.settings.rounds {
      bench.say("subscribers: round \(round) of \(bench.settings.rounds)")
      for load in Load.allCases {
        let calls = bench.settings.calls(inFlight: load.rawValue) / 4
        // Each count comes first, second and last in turn.
        var measured = [Measurement?](repeating: nil, count: counts.count)
        for position in counts.indices {
          let index = (position + round) % counts.count
          measured[index] = try generators[index].run(
            calls: max(calls, 1),
            inFlight: load.rawValue
          )
        }
        rounds[load, default: []].append(measured.compactMap(\.self))
      }
    }
    return Load.allCases.flatMap { figures($0, rounds[$0] ?? []) }
  }

  private enum Load: Int, CaseIterable {
    case alone = 1
    case many = 64
  }

  private static func figures(_ load: Load, _ rounds: [[Measurement]]) -> [Figure] {
    counts.indices.map { index in
      let (measured, alone) = (rounds.map { $0[index] }, rounds.map { $0[0] })
      return Figure(
        name: "subscribers.\(counts[index]).n\(load.rawValue)",
        connections: 1,
        inFlight: load.rawValue,
        measured: Measurement(medianOf: measured),
        score: index == 0
          ? nil
          : Score(
            rounds: zip(measured, alone).map { many, one in
              load == .alone ? many.p50 / one.p50 : one.perSecond / many.perSecond
            },
            unit: load == .alone ? "× with 1 subscriber, p50" : "× with 1 subscriber, time a save",
            .atMost,
            target: 1.3
          )
      )
    }
  }

  /// Lets so many users save the same subscription, many calls at a time.
  private static func subscribe(_ bench: Bench, _ server: ServerProcess, users: Int) throws {
    let socket = try RawSocket(bench.context, kind: ZMQ_DEALER)
    try socket.connect(server.endpoint)
    let request = TidingsV1.ModifySubscriptionsRequest(
      databaseID: database,
      subscriptionsToSave: [
        .init(
          subscriptionID: "bench",
          type: .query,
          recordType: Calls.watchedType,
          predicate: .init(text: "city == 'city-0001'"),
          firesOnRecordCreation: true,
          notificationInfo: .init(alertBody: "A house", desiredKeys: ["price"])
        )
      ]
    ).encoded()
    let frames = FrameSlots(count: 2)
    var (sent, answered) = (0, 0)
    while answered < users {
      try Interruption.check()
      while sent < users, sent - answered < 256 {
        let header = TidingsRpcV1.RequestHeader(
          callID: UInt64(sent + 1),
          method: TidingsV1.SubscriptionService.Methods.modifySubscriptions.fullName,
          metadata: ["tidings-user": "subscriber-\(sent)", "tidings-device": "one"]
        )
        try socket.send(header.encoded(), more: true)
        try socket.send(request)
        sent += 1
      }
      _ = try socket.receive(into: frames.start, waits: true)
      _ = try socket.receive(into: frames.start + 1, waits: true)
      let response = try TidingsV1.ModifySubscriptionsResponse(decoding: Array(frames[1]))
      guard case .subscription? = response.results.first?.outcome else {
        throw BenchError(
          "saving a subscription: \(RawClient.failure(header: frames[0], body: frames[1]))"
        )
      }
      answered += 1
    }
  }
}
