import BenchCore
import TidingsProto
import TidingsRPC

/// What operations cost in a database with so many subscriptions, each with a predicate of its own.
enum SubscriptionsGrowth {
  private static let perCall = 400
  private static let perUser = 10_000
  private static let database = TidingsV1.DatabaseID(
    container: "bench",
    environment: .development,
    scope: .public
  )

  static func run(_ bench: Bench, sizes: [Int]) throws -> [GrowthCurve] {
    var curves = GrowthCurves(.subscriptions)
    var probe = try GrowthProbe(bench)
    defer { probe.server.stop() }
    var filled = 0
    for size in sizes {
      bench.say("growth: \(size) subscriptions")
      while filled < size {
        let end = min(size, filled + perCall, (filled / perUser + 1) * perUser)
        try subscribe(bench, probe, filled..<end)
        filled = end
      }
      let (start, next) = try probe.start(size)
      probe = next
      curves.add("start", handlesAll: true, start)
      curves.add(
        "save that fires one",
        try probe.load(size, saves(city: CallTemplate.namePlaceholder, size))
      )
      curves.add("save that fires none", try probe.load(size, saves(city: "nowhere", size)))
      var late = 0
      curves.add(
        "new subscription",
        try probe.each(size, count: 20) {
          late += 1
          let name = "late-\(size)-\(late)"
          try save(probe.client, [subscription(name, city: name)])
        }
      )
    }
    return curves.curves
  }

  private static func saves(city: String, _ size: Int) -> CallSequence {
    var record = Calls.record(
      CallTemplate.namePlaceholder,
      serial: CallTemplate.serialPlaceholder,
      type: Calls.watchedType
    )
    record.fields["city"] = .init(value: .stringValue("city-" + city))
    return CallSequence(
      Calls.save([record], updates: true, in: database),
      .existing(size),
      check: .oneRecord
    )
  }

  private static func subscribe(_ bench: Bench, _ probe: GrowthProbe, _ numbers: Range<Int>) throws
  {
    try Interruption.check()
    let client = try RawClient(
      bench.context,
      endpoint: probe.server.endpoint,
      metadata: ["tidings-user": "watcher-\(numbers.lowerBound / perUser)"]
    )
    try save(
      client,
      numbers.map { subscription("s\($0)", city: Calls.digits($0)) }
    )
  }

  private static func subscription(_ name: String, city: String) -> TidingsV1.Subscription {
    TidingsV1.Subscription(
      subscriptionID: name,
      type: .query,
      recordType: Calls.watchedType,
      predicate: .init(
        text: "city == %@ AND price < 500000",
        arguments: [.init(value: .stringValue("city-" + city))]
      ),
      firesOnRecordCreation: true,
      firesOnRecordUpdate: true
    )
  }

  private static func save(_ client: RawClient, _ subscriptions: [TidingsV1.Subscription]) throws {
    let response = try client.call(
      TidingsV1.SubscriptionService.Methods.modifySubscriptions,
      TidingsV1.ModifySubscriptionsRequest(
        databaseID: database,
        subscriptionsToSave: subscriptions
      ),
      TidingsV1.ModifySubscriptionsResponse.self
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchError("saving a subscription: \(error.message)")
    }
  }
}
