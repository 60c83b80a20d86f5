#if PostgreSQL
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// A client that has used a store continues with its copy: nothing it keeps expires, and it misses nothing.
@Suite(
  .endsServers,
  .embeddedOnly,
  .enabled(if: PostgresCluster.isAvailable, "no PostgreSQL server can be started here")
) struct MovedStoreTests {
  @Test("answers are the model's, however often the store is moved")
  func oracle() async throws {
    let seed = Seed.make("oracle")
    var session = try await OracleSession(OracleManner(seed: seed), moves: StoreMoves())
    var generator = OracleGenerator(seed: seed)
    let count = 280
    for number in 1...count {
      var operation = generator.next(session.oracle)
      switch number % 70 {
      // Also what a crash leaves is moved.
      case 0: operation.action = .restart(killing: number % 140 == 0)
      case 1, 69: operation.action = .compareEverything
      default: break
      }
      if number == count { operation.action = .compareEverything }
      if let complaint = try await session.perform(operation) {
        Issue.record(
          "operation \(number) was not answered as the model answers it: \(operation)\n\(complaint)"
        )
        break
      }
    }
    try await session.end()
  }

  @Test(
    "records, shares, assets, accounts and what clients keep of them live on in the copy, and back"
  )
  func everything() async throws {
    var world = try await MovedWorld()
    try await world.fill()
    for round in 0..<2 {
      let (view, positions) = (try await world.view(), try await world.positions())
      try await world.move()
      let copied = try await world.view()
      #expect(copied.records == view.records, "round \(round)")
      #expect(copied.shared == view.shared)
      #expect(copied.subscriptions == view.subscriptions)
      #expect(copied.notifications == view.notifications)
      #expect(copied.accounts == view.accounts)
      #expect(copied.schema == view.schema)
      #expect(copied.photo == view.photo)
      #expect(copied.auditedActions.starts(with: view.auditedActions))
      for (chain, old) in zip(copied.auditChains, view.auditChains) {
        #expect(chain.problems == [] && chain.remarks == [], "\(chain)")
        #expect(chain.lineCount >= old.lineCount && chain.headNumber >= old.headNumber)
      }
      #expect(view.notifications.count > 3 && view.auditedActions.contains("CreateUser"))

      // What happens after the copy, and nothing else, follows the tokens from before it.
      let names = try await world.change(round)
      let new = try await world.changes(after: positions)
      #expect(new.zone == names.zone.sorted())
      #expect(new.shared == names.zone.sorted())
      #expect(new.log == names.log && new.zoneNotificationCount == names.log.count)
      #expect(new.zones == ["trips"])
      // Numbers continue too: no name of an earlier notification or tag of an earlier record is used again.
      #expect(Set(new.notificationIDs).isDisjoint(with: view.notifications.map(\.notificationID)))
      #expect(Set(new.tags).isDisjoint(with: view.records.map(\.changeTag)))
    }
    try await world.server.stop()
  }

  @Test(
    "assets whose files are missing or damaged are counted, and do not keep the rest from being copied"
  )
  func damagedAssets() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    var assets: [TidingsV1.Asset] = []
    for number in 0..<3 as Range<UInt8> {
      let asset = try await client.assets().upload([UInt8](repeating: number, count: 70_000))
      try await client.save(.init("Houses", "h\(number)", ["photo": .init(.assetValue(asset))]))
      assets.append(asset)
    }
    try await server.stop()
    try Folder.remove(server.folder.file(BackupWorld.filePath(assets[0])))
    try server.folder.overwrite([9], at: 69_000, in: BackupWorld.filePath(assets[1]))
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    let run = try await CopyRun(.toDatabase, uri, server.folder.file("data"))
    #expect(run.exit == .code(0), "\(run.errors)")
    #expect(run.output.contains("assets: 1\n"), "\(run.output)")
    #expect(run.output.contains("missing or damaged before: 2"), "\(run.output)")
    let next = try await TestServer.start(environment: ["RPCD_DATABASE": uri])
    let reader = try await next.client(as: "ada")
    #expect(try await reader.assets().download(assets[2]) == [UInt8](repeating: 2, count: 70_000))
    for asset in assets.prefix(2) {
      let failure = await failure { _ = try await reader.assets().download(asset) }
      #expect(failure?.code == .dataLoss)
    }
  }

  @Test("after rpcd restored, tokens from after the restored time expire")
  func restored() async throws {
    let cluster = try PostgresCluster.shared()
    let uri = try cluster.makeDatabaseURI()
    let server = try await TestServer.startLasting(environment: ["RPCD_DATABASE": uri])
    let client = try await server.client(as: "ada")
    for name in ["a", "b"] { try await client.save(.init("Houses", name)) }
    func token(after old: [UInt8]) async throws -> [UInt8] {
      let zones = try await client.records.fetchRecordZoneChanges(
        .init(zones: [.init(zoneID: .init(zoneName: ""), changeToken: old)])
      ).zones
      let page = try #require(zones.first)
      if let error = page.error { throw RPCError(.outOfRange, "\(error.code.rawValue)") }
      return page.changeToken
    }
    let kept = try await token(after: [])
    let refused = try ServerProcess(arguments: ["restored"], environment: ["RPCD_DATABASE": uri])
    #expect(try await refused.waitForExit() == .code(1))
    #expect(refused.seen.value.errors.contains("in use by rpcd"))
    try await server.stop()

    // The same start of the server was known at the earlier time: nothing else shows that its tokens are ahead.
    let run = try ServerProcess(arguments: ["restored"], environment: ["RPCD_DATABASE": uri])
    #expect(try await run.waitForExit() == .code(0), "\(run.seen.value.errors)")
    #expect(run.seen.value.output.contains("incarnation: "))
    let next = try await server.restarted()
    let failure = await failure { _ = try await token(after: kept) }
    #expect(failure?.code == .outOfRange)
    let fresh = try await token(after: [])
    #expect(try await token(after: fresh) == fresh)
    try await next.stop()

    let empty = try ServerProcess(
      arguments: ["restored"],
      environment: ["RPCD_DATABASE": try cluster.makeDatabaseURI()]
    )
    #expect(try await empty.waitForExit() == .code(1))
    #expect(empty.seen.value.errors.contains("contains no store"))
  }
}
#endif
