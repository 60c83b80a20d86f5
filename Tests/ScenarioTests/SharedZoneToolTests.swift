internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// Zones of others on the command line, as OWNER/ZONE, and what a shared database does not have.
@Suite(.endsServers) struct SharedZoneToolTests {
  @Test("subscriptions of the shared database are of the database: others are reported so")
  func subscriptions() async throws {
    let world = try await SharingWorld()
    try await world.shareTrip()
    for arguments in [
      ["--zone-changes", "ada/trips"], ["--query", "Notes", "--zone", "ada/trips"],
      ["--query", "Notes"], ["--owner", "ada", "--zone-changes", "trips"],
      ["--owner", "ada", "--zone-changes", "ada/trips"],
    ] {
      let run = await RpcctlRun(
        world.server,
        ["subscriptions", "create", "--database", "shared"] + arguments,
        as: "ben"
      )
      #expect(run.exitCode == .itemsFailed, "\(arguments): \(run.err)")
      let reported = run.out + run.err
      #expect(
        reported.contains("BAD_DATABASE") && reported.contains("--database-changes"),
        "\(reported)"
      )
    }
    let whole = await RpcctlRun(
      world.server,
      ["subscriptions", "create", "--database", "shared", "--database-changes"],
      as: "ben"
    )
    #expect(whole.exitCode == .success, "\(whole.err)")
    // A kind that the database does not have is refused as that, whatever else is wrong with it.
    let zoneless = TidingsV1.Subscription(subscriptionID: "z", type: .recordZone)
    let refused = try await world.ben.subscriptions.modifySubscriptions(
      .init(databaseID: SharingWorld.shared, subscriptionsToSave: [zoneless])
    ).results[0]
    #expect(refused.error?.code == .badDatabase)
  }

  @Test("one's own name as the owner of a zone means one's own zone, in subscriptions too")
  func ownZone() async throws {
    let world = try await SharingWorld()
    try await world.ada.save(SharingWorld.record("n"))
    var subscription = TidingsV1.Subscription.zone("z", "trips")
    subscription.zoneID?.ownerName = "ada"
    let saved = try await world.ada.subscribe(subscription)
    #expect(saved.zoneID?.zoneName == "trips")
    let elsewhere = try await world.server.client(as: "ada", device: "phone")
    try await elsewhere.save(SharingWorld.record("m"))
    #expect(try await world.ada.feed().notifications.map(\.subscriptionID) == ["z"])
    subscription.zoneID?.ownerName = "cleo"
    let refused = try await world.ada.subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: [subscription])
    ).results[0]
    #expect(refused.error?.code == .invalidArguments)
  }

  @Test("a query for what the schema does not have says so on standard error, and succeeds")
  func warnings() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1", ["price": 5]))
    for (arguments, words) in [
      (["Hosues"], "did you mean 'Houses'?"), (["Houses", "--where", "price = '5'"], "INT64"),
      (["Houses", "--sort", "prcie"], "did you mean 'price'?"),
    ] {
      for verb in ["query", "explain"] {
        let run = await RpcctlRun(server, [verb] + arguments)
        #expect(run.exitCode == .success, "\(run.err)")
        #expect((verb == "query" ? run.err : run.out).contains(words), "\(run.err)\(run.out)")
      }
    }
    let empty = await RpcctlRun(server, ["query", "Houses", "--where", "price = 6"])
    #expect(empty.exitCode == .success && empty.err.isEmpty && empty.out.isEmpty)
  }
}
