import BenchCore
import TidingsProto
import TidingsRPC

/// From a save to the notification seen, against the save alone and a bare PUB and SUB.
///
/// Both sockets of the probe belong to one thread, which waits for the push before it takes the
/// save's reply.
enum PushCase {
  /// The subscriber's device; the saves come from another.
  static let metadata = ["tidings-user": "bench", "tidings-device": "subscriber"]

  static func run(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let topic = try subscribe(bench, server)
    let probe = try PushProbe(
      bench.context,
      endpoint: server.endpoint,
      pushEndpoint: server.pushEndpoint,
      topic: topic,
      Calls.save(type: Calls.watchedType),
      numbers: .fresh
    )
    _ = try probe.callsToMessages(count: 10)
    let bare = try bench.startBare("bare-publisher", "\(probe.bodyBytes)")
    defer { bare.stop() }
    let bareProbe = try PushProbe(
      bench.context,
      endpoint: try bare.endpoint("rpc"),
      pushEndpoint: try bare.endpoint("push"),
      topic: PushProbe.bareTopic,
      Calls.check(),
      numbers: .fresh
    )
    let saves = try LoadGenerator(
      bench.context,
      endpoint: server.endpoint,
      connections: 1,
      Calls.save(),
      numbers: .fresh.starting(at: 1_000_000_000),
      check: .oneRecord
    )
    return try measure(bench, probe, bareProbe, saves)
  }

  private static func measure(
    _ bench: Bench,
    _ probe: PushProbe,
    _ bareProbe: PushProbe,
    _ saves: LoadGenerator
  ) throws -> [Figure] {
    let (calls, warmup) = (bench.settings.calls, bench.settings.warmup)
    var (pushes, published, saved): ([Measurement], [Measurement], [Measurement]) = ([], [], [])
    _ = try saves.run(calls: warmup, inFlight: 1)
    _ = try bareProbe.publishedToReceived(count: warmup)
    _ = try probe.callsToMessages(count: warmup)
    for round in 1...bench.settings.rounds {
      bench.say("push: round \(round) of \(bench.settings.rounds)")
      saved.append(try saves.run(calls: calls, inFlight: 1))
      published.append(try bareProbe.publishedToReceived(count: calls))
      pushes.append(try probe.callsToMessages(count: calls))
    }
    let ratios = pushes.indices.map { pushes[$0].p50 / (saved[$0].p50 + published[$0].p50) }
    return [
      Figure(
        name: "push",
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: pushes),
        score: Score(
          rounds: ratios,
          unit: "× (save + bare push) p50",
          .atMost,
          target: 1.3
        )
      ),
      Figure(
        name: "push.save",
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: saved)
      ),
      Figure(
        name: "push.bare",
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: published)
      ),
    ]
  }

  /// Saves a subscription to all new records of the watched type.
  ///
  /// - Returns: The topic of its channel.
  static func subscribe(_ bench: Bench, _ server: ServerProcess) throws -> [UInt8] {
    let client = try RawClient(bench.context, endpoint: server.endpoint, metadata: metadata)
    let subscription = TidingsV1.Subscription(
      subscriptionID: "bench",
      type: .query,
      recordType: Calls.watchedType,
      predicate: .init(text: "city == 'city-0001'"),
      firesOnRecordCreation: true,
      notificationInfo: .init(alertBody: "A house", desiredKeys: ["price"])
    )
    let response = try client.call(
      TidingsV1.SubscriptionService.Methods.modifySubscriptions,
      TidingsV1.ModifySubscriptionsRequest(
        databaseID: Calls.database,
        subscriptionsToSave: [subscription]
      ),
      TidingsV1.ModifySubscriptionsResponse.self
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchError("saving the subscription: \(error.message)")
    }
    let registration = try client.call(
      TidingsV1.NotificationService.Methods.registerDevice,
      TidingsV1.RegisterDeviceRequest(container: Calls.database.container),
      TidingsV1.RegisterDeviceResponse.self
    )
    guard let topic = registration.channels.first?.topic else {
      throw BenchError("the server named no channel")
    }
    return topic
  }
}
