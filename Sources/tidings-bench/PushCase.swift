import BenchCore
import TidingsClient
import TidingsProto
import TidingsRPC
import TidingsSeal

/// From a save to the notification seen, against the save alone and a bare PUB and SUB.
///
/// Seen on a SUB socket, where both sockets of the probe belong to one thread that waits for the push
/// before it takes the save's reply; and by a program that iterates over the Swift client's stream.
enum PushCase {
  private struct Rounds {
    var pushes: [Measurement] = []
    var streamed: [Measurement] = []
    var published: [Measurement] = []
    var saved: [Measurement] = []
  }

  static func run(_ bench: Bench) async throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    let channel = try subscribe(bench, server)
    let probe = try PushProbe(
      bench.context,
      server.address,
      topic: channel.topic,
      .notification(SealingKey(channel.key)),
      CallSequence(Calls.save(type: Calls.watchedType), check: .oneRecord)
    )
    _ = try probe.callsToMessages(count: 10)
    let bare = try bench.startBare("bare-publisher", "\(probe.bodyBytes)")
    defer { bare.stop() }
    let bareProbe = try PushProbe(
      bench.context,
      try bare.address(),
      topic: PushProbe.bareTopic,
      .other,
      CallSequence(Calls.check(), check: .baseline)
    )
    let saves = try LoadGenerator(
      bench.context,
      server.address,
      CallSequence(Calls.save(), .fresh.starting(at: 1_000_000_000), check: .oneRecord)
    )
    // Another user's: each of the two has only its own pushes to take.
    let user = Calls.otherUser
    _ = try subscribe(bench, server, as: user)
    let client = try await ClientCase.makeClient(server, as: user, device: "subscriber")
    var stream = try StreamProbe(
      bench.context,
      server.address,
      client.notificationStream(),
      CallSequence(
        Calls.save(
          type: Calls.watchedType,
          as: ["tidings-user": user, "tidings-device": "generator"]
        ),
        .fresh.starting(at: 2_000_000_000),
        check: .oneRecord
      )
    )
    let rounds = try await measure(bench, probe, bareProbe, saves, &stream)
    await client.close()
    return figures(rounds)
  }

  private static func measure(
    _ bench: Bench,
    _ probe: PushProbe,
    _ bareProbe: PushProbe,
    _ saves: LoadGenerator,
    _ stream: inout StreamProbe
  ) async throws -> Rounds {
    let (calls, warmup) = (bench.settings.calls, bench.settings.warmup)
    _ = try saves.run(calls: warmup, inFlight: 1)
    _ = try bareProbe.publishedToReceived(count: warmup)
    _ = try probe.callsToMessages(count: warmup)
    _ = try await stream.callsToNotifications(count: warmup)
    var rounds = Rounds()
    for round in 1...bench.settings.rounds {
      bench.say("push: round \(round) of \(bench.settings.rounds)")
      rounds.saved.append(try saves.run(calls: calls, inFlight: 1))
      rounds.published.append(try bareProbe.publishedToReceived(count: calls))
      rounds.pushes.append(try probe.callsToMessages(count: calls))
      rounds.streamed.append(try await stream.callsToNotifications(count: calls))
    }
    return rounds
  }

  private static func figures(_ rounds: Rounds) -> [Figure] {
    func figure(_ name: String, _ measured: [Measurement], target: Double? = nil) -> Figure {
      Figure(
        name: name,
        connections: 1,
        inFlight: 1,
        measured: Measurement(medianOf: measured),
        score: target.map { target in
          Score(
            rounds: measured.indices.map { round in
              measured[round].p50 / (rounds.saved[round].p50 + rounds.published[round].p50)
            },
            unit: "× (save + bare push) p50",
            .atMost,
            target: target
          )
        }
      )
    }
    return [
      figure("push", rounds.pushes, target: 1.5),
      figure("push.stream", rounds.streamed, target: 1.5),
      figure("push.save", rounds.saved),
      figure("push.bare", rounds.published),
    ]
  }

  /// Saves subscriptions, each of which all new records of the watched type fire.
  ///
  /// - Returns: The channel of one of them.
  static func subscribe(
    _ bench: Bench,
    _ server: ServerProcess,
    as user: String = "bench",
    count: Int = 1
  ) throws -> TidingsV1.Channel {
    // The saves come from another device.
    let metadata = ["tidings-user": user, "tidings-device": "subscriber"]
    let client = try RawClient(bench.context, endpoint: server.endpoint, metadata: metadata)
    let subscriptions = (0..<count).map { number in
      TidingsV1.Subscription(
        subscriptionID: "bench-\(number)",
        type: .query,
        recordType: Calls.watchedType,
        predicate: .init(text: "city == 'city-0001' AND price > \(number)"),
        firesOnRecordCreation: true,
        notificationInfo: .init(alertBody: "A house", desiredKeys: ["price"])
      )
    }
    let response = try client.call(
      TidingsV1.SubscriptionService.Methods.modifySubscriptions,
      TidingsV1.ModifySubscriptionsRequest(
        databaseID: Calls.database,
        subscriptionsToSave: subscriptions
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
    guard let channel = registration.channels.first else {
      throw BenchError("the server named no channel")
    }
    return channel
  }
}
