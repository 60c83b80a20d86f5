internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Subscriptions that could never fire, as the schema is, are refused in both environments.
@Suite(.endsServers) struct SubscriptionMismatchTests {
  private typealias Subscription = TidingsV1.Subscription

  private func refusal(
    _ subscription: Subscription,
    by client: Client,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> TidingsV1.ItemError? {
    try await client.subscriptions.modifySubscriptions(
      .init(databaseID: database, subscriptionsToSave: [subscription])
    ).results[0].error
  }

  @Test("unknown types and fields, and values that a field cannot have, are refused by name")
  func refusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1", ["price": 5, "city": "Berlin"]))
    _ = try await client.schemas.deploySchema(.init())
    var texts = Subscription("texts", "Houses")
    texts.notificationInfo = .init(alertLocalizationArgs: ["citty"])
    for database in [nil, TidingsV1.DatabaseID(environment: .production)] {
      for (subscription, words) in [
        (Subscription("a", "Hosues"), "did you mean 'Houses'?"),
        (Subscription("b", "Planets"), "record type 'Planets' is not in the schema"),
        (.database("c", type: "Hosues"), "did you mean 'Houses'?"),
        (.zone("d", "_defaultZone", type: "Hosues"), "did you mean 'Houses'?"),
        (Subscription("e", "Houses", where: "prcie > 5"), "did you mean 'price'?"),
        (Subscription("f", "Houses", where: "price = '5'"), "INT64"),
        (Subscription("g", "Houses", where: "NOT city = 5"), "STRING"),
        (Subscription("h", "Houses", where: "creationDate > '2020-01-01'"), "TIMESTAMP"),
        (Subscription("i", "Houses", keys: ["price", "citty"]), "did you mean 'city'?"),
        (texts, "did you mean 'city'?"),
      ] {
        let error = try await refusal(subscription, by: client, in: database)
        #expect(error?.code == .invalidArguments, "\(subscription.subscriptionID)")
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      }
      let good = Subscription("good", "Houses", where: "price > 5 AND city = 'Ulm'", keys: ["city"])
      #expect(try await refusal(good, by: client, in: database) == nil)
    }
    // The same again is no new subscription: it stays, whatever became of the type.
    #expect(try await client.subscriptions.fetchSubscriptions(.init()).results.count == 1)
  }

  @Test("where nothing is in the schema yet an application may subscribe before its first save")
  func emptySchema() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    #expect(try await refusal(.init("s", "Houses", where: "price > 5"), by: client) == nil)
    let misfit = Subscription("t", "Houses", where: "recordName = 5")
    #expect(try await refusal(misfit, by: client)?.code == .invalidArguments)
    try await client.save(.init("Houses", "h1", ["price": 6]))
    #expect(try await refusal(.init("s", "Houses", where: "price > 5"), by: client) == nil)
    #expect(try await refusal(.init("u", "Cars"), by: client)?.code == .invalidArguments)
  }

  @Test("a refusal names no type that only others' private saves need")
  func hiddenTypes() async throws {
    let secure = try await SecureServer.start()
    let dev = try await secure.client(try await secure.createUser("dev", roles: ["developer"]))
    let ben = try await secure.client(try await secure.createUser("ben", roles: []))
    try await dev.save(.init("Diary", "d", ["secret": 1]))
    _ = try await dev.modify([.init("News", "n", ["day": 1])], in: .init(scope: .public))
    let known = try await refusal(.init("a", "Diary", where: "secret = 1"), by: ben)
    let unknown = try await refusal(.init("a", "Diaty", where: "secret = 1"), by: ben)
    #expect(known?.code == .invalidArguments && unknown?.code == known?.code)
    #expect(known?.message.replacing("Diary", with: "Diaty") == unknown?.message)
    #expect(try await refusal(.init("b", "Diaty"), by: dev)?.message.contains("'Diary'") == true)
    #expect(try await refusal(.init("c", "News", where: "day = 1"), by: ben) == nil)
  }
}
