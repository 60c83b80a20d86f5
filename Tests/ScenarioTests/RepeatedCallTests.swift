internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Calls whose answers are lost, and which the client repeats, when another device has changed something in between.
@Suite(.endsServers) struct RepeatedCallTests {
  /// A server, a device whose connection can lose answers, and another device of the same user.
  private struct World {
    let server: TestServer
    let proxy: CallProxy
    let phone: Client
    let laptop: Client

    init() async throws {
      server = try await TestServer.start()
      proxy = try CallProxy(to: server.rpcEndpoint)
      var configuration = ClientConfiguration(endpoint: proxy.endpoint)
      configuration.user = "ada"
      configuration.device = "phone"
      // No call ends because it takes long.
      configuration.timeout = .seconds(600)
      configuration.connectTimeout = .seconds(600)
      phone = try await Client(configuration)
      laptop = try await server.client(as: "ada", device: "laptop")
      // Its connection is there.
      _ = try await phone.fetch([.init("none")])
    }

    /// Makes a call of the phone whose answer is lost.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - isDone: Whether it took effect.
    ///   - between: What happens before it is repeated.
    /// - Returns: What the repetition is answered.
    /// - Throws: Why that failed.
    func losingAnswer<Answer: Sendable>(
      of call: @escaping @Sendable (Client) async throws -> Answer,
      until isDone: @Sendable (Client) async throws -> Bool,
      between: @Sendable (Client) async throws -> Void
    ) async throws -> Answer {
      proxy.swallow(.toClients)
      let answer = Task { [phone] in try await call(phone) }
      try await waitUntil("the call to take effect") { try await isDone(laptop) }
      try await between(laptop)
      // A connection of which something has vanished carries nothing more: the answer is that of a repetition.
      try await waitUntil("the answer to be swallowed") { proxy.swallowedBytes > 0 }
      proxy.swallow([])
      proxy.cut()
      let result = try await answer.value
      #expect(proxy.connectionCount > 1)
      return result
    }

    /// Ends the connections.
    func close() async {
      await phone.close()
      await laptop.close()
    }
  }

  private static let trips = TidingsV1.ZoneID(zoneName: "Trips")

  @Test(
    "the deletion of a zone succeeds once, whether another device creates the zone again or not",
    arguments: [true, false]
  )
  func zoneDeletion(isCreatedAgain: Bool) async throws {
    let world = try await World()
    let saving = TidingsV1.ModifyRecordZonesRequest(zonesToSave: [.init(zoneID: Self.trips)])
    _ = try await world.laptop.zones.modifyRecordZones(saving)
    try await world.laptop.save(.init("Places", "old", zone: "Trips", ["n": 1]))
    let results = try await world.losingAnswer { client in
      try await client.zones.modifyRecordZones(.init(zoneIDsToDelete: [Self.trips])).results
    } until: { client in
      try await Self.isGone(Self.trips, for: client)
    } between: { client in
      guard isCreatedAgain else { return }
      let created = try await client.zones.modifyRecordZones(saving).results
      guard case .zone? = created.first?.outcome else {
        throw WaitingFailure(description: "not created: \(created)")
      }
      try await client.save(.init("Places", "new", zone: "Trips", ["n": 2]))
    }
    #expect(results.map(\.outcome) == [.deleted(true)])
    #expect(try await Self.isGone(Self.trips, for: world.laptop) != isCreatedAgain)
    if isCreatedAgain {
      let found = try await world.laptop.fetch([.init("new", zone: "Trips")])
      #expect(found.first?.record?.fields["n"] == 2)
    }
    await world.close()
  }

  private static func isGone(_ zone: TidingsV1.ZoneID, for client: Client) async throws -> Bool {
    let found = try await client.zones.fetchRecordZones(.init(zoneIDs: [zone])).results
    if case .error? = found.first?.outcome { return true }
    return false
  }

  @Test("the creation of a zone that another device deletes does not bring it back")
  func zoneCreation() async throws {
    let world = try await World()
    let saving = TidingsV1.ModifyRecordZonesRequest(zonesToSave: [.init(zoneID: Self.trips)])
    let results = try await world.losingAnswer { client in
      try await client.zones.modifyRecordZones(saving).results
    } until: { client in
      try await !Self.isGone(Self.trips, for: client)
    } between: { client in
      let request = TidingsV1.ModifyRecordZonesRequest(zoneIDsToDelete: [Self.trips])
      let deleted = try await client.zones.modifyRecordZones(request).results
      #expect(deleted.map(\.outcome) == [.deleted(true)])
    }
    guard case .zone? = results.first?.outcome else {
      throw WaitingFailure(description: "not created: \(results)")
    }
    #expect(try await Self.isGone(Self.trips, for: world.laptop))
    await world.close()
  }

  @Test("a subscription that another device saves again survives the repetition of its deletion")
  func subscriptionDeletion() async throws {
    let world = try await World()
    let subscription = TidingsV1.Subscription.database("changes")
    _ = try await world.laptop.subscribe(subscription)
    let results = try await world.losingAnswer { client in
      try await client.subscriptions.modifySubscriptions(
        .init(subscriptionIDsToDelete: ["changes"])
      ).results
    } until: { client in
      try await client.subscriptions.fetchSubscriptions(.init()).results.isEmpty
    } between: { client in
      _ = try await client.subscribe(subscription)
    }
    #expect(results.map(\.outcome) == [.deleted(true)])
    let left = try await world.laptop.subscriptions.fetchSubscriptions(.init()).results
    #expect(left.map(\.subscriptionID) == ["changes"])
    await world.close()
  }

  @Test("what is saved after a reset of development survives the repetition of the reset")
  func reset() async throws {
    let world = try await World()
    try await world.laptop.save(.init("Places", "old", ["n": 1]))
    _ = try await world.losingAnswer { client in
      try await TidingsV1.AdminService.Client(client.transport).resetDevelopment(.init())
    } until: { client in
      guard try await client.fetch([.init("old")]).first?.record == nil else { return false }
      let reset = try await TidingsV1.AdminService.Client(client.transport)
        .resetDevelopment(.init(dryRun: true))
      return !reset.isRunning
    } between: { client in
      try await client.save(.init("Places", "new", ["n": 2]))
    }
    #expect(try await world.laptop.fetch([.init("new")]).first?.record?.fields["n"] == 2)
    await world.close()
  }

  @Test("a user who has the name of an erased one is not erased by the repetition")
  func erasure() async throws {
    let world = try await World()
    let server = world.server
    let ben = try await server.client(as: "ben")
    try await ben.save(.init("Places", "old", ["n": 1]))
    await ben.close()
    let request = TidingsV1.FetchErasureRequest(which: .userName("ben"))
    let erasure = try await world.losingAnswer { client in
      try await TidingsV1.AdminService.Client(client.transport)
        .eraseUser(.init(userName: "ben")).erasure
    } until: { client in
      try await Self.isFinished(request, for: client)
    } between: { _ in
      let successor = try await server.client(as: "ben")
      try await successor.save(.init("Places", "new", ["n": 2]))
      await successor.close()
    }
    let newest = try await TidingsV1.AdminService.Client(world.laptop.transport)
      .fetchErasure(request).erasure
    #expect(erasure?.userName == "ben")
    #expect(erasure?.erasureID.isEmpty == false && erasure?.erasureID == newest?.erasureID)
    let successor = try await server.client(as: "ben")
    #expect(try await successor.fetch([.init("new")]).first?.record?.fields["n"] == 2)
    await successor.close()
    await world.close()
  }

  private static func isFinished(
    _ request: TidingsV1.FetchErasureRequest,
    for client: Client
  ) async throws -> Bool {
    do {
      let erasure = try await TidingsV1.AdminService.Client(client.transport)
        .fetchErasure(request).erasure
      return erasure?.finished != nil
    } catch {
      // It has not begun.
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  @Test("marking notifications read and saving what is there keep no answers")
  func keptAnswers() async throws {
    let world = try await World()
    let saving = TidingsV1.ModifyRecordZonesRequest(zonesToSave: [.init(zoneID: Self.trips)])
    _ = try await world.phone.zones.modifyRecordZones(saving)
    _ = try await world.phone.subscribe(.database("changes"))
    // There is none of this name: that it is refused is an answer, too.
    let marking = TidingsV1.MarkNotificationsReadRequest(notificationIDs: ["1-1"])
    let before = try await Self.storedBytes(world.phone)
    for _ in 0..<10 {
      _ = try await world.phone.zones.modifyRecordZones(saving)
      _ = try await world.phone.subscribe(.database("changes"))
      _ = try await world.phone.notifications.markNotificationsRead(marking)
      let unknown = TidingsV1.ModifyRecordZonesRequest(
        zoneIDsToDelete: [.init(zoneName: "Unknown")]
      )
      _ = try await world.phone.zones.modifyRecordZones(unknown)
    }
    #expect(try await Self.storedBytes(world.phone) == before)
    await world.close()
  }

  private static func storedBytes(_ client: Client) async throws -> UInt64 {
    let account = TidingsV1.AccountService.Client(client.transport)
    return try await account.fetchAccountStatus(.init()).usage.reduce(0) { $0 + $1.bytes }
  }
}
