internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Subscriptions and tokens that cannot be used are refused, with a reason and a remedy.
@Suite(.endsServers) struct BadSubscriptionTests {
  private func save(
    _ subscriptions: [TidingsV1.Subscription],
    with client: Client
  ) async throws
    -> [TidingsV1.SubscriptionResult]
  {
    try await client.subscriptions.modifySubscriptions(.init(subscriptionsToSave: subscriptions))
      .results
  }

  @Test("a bad predicate is refused with the column of what is wrong")
  func badPredicate() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for (text, column) in [
      ("price >", 8), ("price > > 3", 9), ("price ! 3", 7), ("(price > 3", 11), ("price > 'a", 9),
    ] {
      let error = try await save([.init("s", "Houses", where: text)], with: client)[0].error
      #expect(error?.code == .invalidArguments, "\(text)")
      #expect(
        error?.message.contains("column \(column)") == true,
        "\(text): \(error?.message ?? "")"
      )
    }
    let deep = String(repeating: "(", count: 10_000) + "a = 1"
    let error = try await save([.init("s", "Houses", where: deep)], with: client)[0].error
    #expect(error?.code == .invalidArguments)
    let nots = TidingsV1.Predicate(
      nodes: [.init(node: .constant(true))]
        + Array(repeating: .init(node: .not(true)), count: 10_000)
    )
    var subscription = TidingsV1.Subscription("s", "Houses")
    for predicate in [
      nots, .init(), .init(text: "a = 1", nodes: [.init(node: .constant(true))]),
      .init(nodes: [.init(node: .andCount(2))]), .init(nodes: [.init(node: .andCount(.max))]),
      .init(nodes: [.init()]), .init(nodes: [.init(node: .not(false))]),
      .init(nodes: [.init(node: .comparison(.init(fieldName: "a", operator: .init(rawValue: 99))))]
      ),
      .init(text: "a = %@"), .init(text: "a = %@", arguments: [.null]),
      .init(text: "a = %@", arguments: [.init(.doubleValue(.nan))]),
    ] {
      subscription.predicate = predicate
      let error = try await save([subscription], with: client)[0].error
      #expect(error?.code == .invalidArguments, "\(String(describing: error))")
    }
    #expect(try await client.subscriptions.fetchSubscriptions(.init()).results == [])
    #expect(try await client.health.check(.init()).status == .serving)
  }

  @Test("one bad subscription in a call leaves the others their own results")
  func badAmongGood() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    let results = try await save(
      [
        .init("good", "Houses"),
        .init(
          "bad",
          "Houses",
          where: "built > %@",
          arguments: [.init(.timestampValue(.init(seconds: .max)))]
        ),
        .init("alsoGood", "Cars"),
      ],
      with: client
    )
    #expect(results.map { $0.error?.code } == [nil, .invalidArguments, nil])
    let listed = try await client.subscriptions.fetchSubscriptions(.init()).results
    #expect(listed.map(\.subscriptionID) == ["alsoGood", "good"])
  }

  @Test("an equivalent subscription is refused, and the answer names the one that exists")
  func duplicate() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.subscribe(.init("first", "Houses", where: "price > 3 AND city = 'Oslo'"))
    for text in ["city == 'Oslo' && price > 3", "NOT (price <= 3 OR city != 'Oslo')", "x = 1"] {
      let result = try await save([.init("second", "Houses", where: text)], with: client)[0]
      guard text.hasPrefix("city") else { continue }
      #expect(result.error?.code == .serverRejectedRequest, "\(text)")
      #expect(result.error?.existingSubscriptionID == "first", "\(text)")
    }
    let again = try await save(
      [.init("first", "Houses", where: "price > 3 AND city = 'Oslo'")],
      with: client
    )[0]
    #expect(again.subscription?.subscriptionID == "first")
    let other = try await server.client(as: "bob")
    try await other.subscribe(.init("mine", "Houses", where: "price > 3 AND city = 'Oslo'"))
  }

  @Test("subscriptions that could never fire or break a grammar are refused one by one")
  func badSubscriptions() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for subscription in [
      TidingsV1.Subscription("s", "Houses", on: []), .init("", "Houses"), .init("\u{fc}", "Houses"),
      .init("s", ""), .init("s", "Ho uses"), .init("s", "Houses", keys: (0...32).map { "k\($0)" }),
      .init("s", "Houses", keys: ["no word"]), .init(String(repeating: "s", count: 256), "Houses"),
    ] {
      let error = try await save([subscription], with: client)[0].error
      #expect(error?.code == .invalidArguments, "\(String(describing: error))")
    }
    let results = try await client.subscriptions.modifySubscriptions(
      .init(subscriptionIDsToDelete: ["unknown"])
    ).results
    #expect(results[0].error?.code == .unknownItem)
  }

  @Test("a token that is damaged, cut or another's is refused")
  func badTokens() async throws {
    let seed = Seed.make("badTokens")
    var random = SplitMix64(seed: seed)
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await client.subscribe(.init("all", "Houses"))
    try await device.save(.init("Houses", "h1"))
    let token = try await client.feed().token

    var bad = (0..<token.count).dropFirst().map { Array(token[..<$0]) }
    bad += token.indices.map { index in
      var copy = token
      copy[index] ^= 1 << UInt8(random.below(8))
      return copy
    }
    bad += (0..<200).map { _ in random.bytes(1 + random.below(80)) }
    bad += [token + [0], token + token]
    for bytes in bad {
      let error = await failure { _ = try await client.feed(after: bytes) }
      let isRefused = error?.code == .invalidArgument || error?.code == .outOfRange
      #expect(isRefused, "seed \(seed): \(String(describing: error))")
    }
    let bob = try await server.client(as: "bob")
    let error = await failure { _ = try await bob.feed(after: token) }
    #expect(error?.code == .invalidArgument)
    let elsewhere = await failure {
      _ = try await client.notifications.fetchNotificationChanges(
        .init(container: "other", changeToken: token)
      )
    }
    #expect(elsewhere?.code == .invalidArgument)
    let otherServer = try await TestServer.start()
    let stranger = try await otherServer.client(as: "ada")
    let restored = await failure { _ = try await stranger.feed(after: token) }
    #expect(restored?.code == .outOfRange, "\(String(describing: restored))")
    #expect(try await client.feed(after: token).notifications == [])

    // A stream does not repeat what repeating does not fix.
    var iterator = bob.notificationStream(after: token).makeAsyncIterator()
    await #expect(throws: RPCError.self) { _ = try await iterator.next() }
  }
}
