#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// What administrators ask of a node concerns the one that they call.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct NodeAdministrationTests {
  private func administration(
    _ world: NodeWorld,
    _ index: Int
  ) async throws -> TidingsV1.AdminService.Client {
    .init(try await world.nodes[index].client(as: "root").transport)
  }

  @Test("each node describes itself, also when it is drained")
  func information() async throws {
    let world = try await NodeWorld(2)
    for round in 0..<2 {
      for (index, node) in world.nodes.enumerated() {
        let info = try await node.client(as: "ada").server.fetchServerInfo(.init())
        #expect(info.nodeName == "node-\(index)")
        #expect(info.rpcEndpoint == node.rpcEndpoint && info.pushEndpoint == node.pushEndpoint)
        #expect(info.limits?.itemsPerCallMax ?? 0 > 0 && info.started != nil)
        #expect(info.state == (index == 1 && round == 1 ? .drained : .serving))
      }
      let (leader, follower) = (
        try await world.nodes[0].client(as: "ada"), try await world.nodes[1].client(as: "ada")
      )
      if round == 0 {
        let before = try await leader.server.fetchServerInfo(.init()).counters?.commits ?? 0
        try await follower.save(.init("Houses", "h"))
        let counted = try await follower.server.fetchServerInfo(.init()).counters
        #expect(counted?.commits == 0 && counted?.calls ?? 0 > 0)
        #expect(try await leader.server.fetchServerInfo(.init()).counters?.commits ?? 0 > before)
        _ = try await administration(world, 1).drain(.init(action: .drain))
      }
    }
  }

  @Test("who waits for a change at a node that is drained goes on waiting at another one")
  func waits() async throws {
    let world = try await NodeWorld(2)
    let ada = try await world.nodes[1].client(as: "ada", or: [world.nodes[0]])
    try await ada.saveHouse("h0")
    let token =
      try await ada.records.fetchRecordZoneChanges(.init(zones: [.init(zoneID: .init())]))
      .zones.first?.changeToken ?? []
    let page = Task {
      try await ada.records.fetchRecordZoneChanges(
        .init(
          zones: [.init(zoneID: .init(), changeToken: token)],
          maxWait: .init(seconds: 60)
        )
      )
    }
    let (leader, follower) = (
      try await administration(world, 0), try await administration(world, 1)
    )
    try await waitUntil("the call to wait at the leader") {
      try await leader.listConnections(.init()).connections.contains { $0.callsOpen >= 2 }
    }
    _ = try await follower.drain(.init(action: .drain))
    try await waitUntil("the other node to be drained") {
      try await follower.drain(.init()).state == .drained
    }
    try await world.nodes[0].client(as: "ada").saveHouse("h1")
    let names = try await page.value.zones.first?.changedRecords.map { $0.recordID?.recordName }
    #expect(names == ["h1"])
  }

  @Test("the log level is that of the node that is called")
  func logLevel() async throws {
    let world = try await NodeWorld(2)
    let set = try await administration(world, 1).setLogLevel(.init(level: .debug))
    #expect(set.level == .debug && set.previous == .warning && set.nodeName == "node-1")
    let other = try await administration(world, 0).setLogLevel(.init())
    #expect(other.level == .warning && other.nodeName == "node-0")
    #expect(try await administration(world, 1).setLogLevel(.init()).level == .debug)
    let error = await failure {
      _ = try await administration(world, 1).setLogLevel(.init(level: .init(rawValue: 99)))
    }
    #expect(error?.code == .invalidArgument, "\(error as Any)")
    let log = try await administration(world, 1).fetchAuditLog(.init(limit: 100)).entries
    #expect(log.contains { $0.action == "SetLogLevel" && $0.detail.contains("at the node node-1") })
  }

  @Test("metrics are those of the node that is called; one that follows has no store")
  func metrics() async throws {
    let world = try await NodeWorld(2)
    let ada = try await world.nodes[1].client(as: "ada")
    for number in 0..<3 { try await ada.saveHouse("h\(number)") }
    func families(_ index: Int) async throws -> [String: [TidingsV1.Metric]] {
      let found = try await administration(world, index).fetchMetrics(.init())
      #expect(found.nodeName == "node-\(index)")
      return Dictionary(uniqueKeysWithValues: found.families.map { ($0.name, $0.metrics) })
    }
    let (leader, follower) = (try await families(0), try await families(1))
    let store = [
      "tidings_commit_seconds", "tidings_records_saved_total", "tidings_work_pending",
      "tidings_database_bytes",
    ]
    for name in store {
      #expect(leader[name]?.isEmpty == false, "\(name)")
      #expect(follower[name] == nil, "\(name)")
    }
    #expect(leader["tidings_records_saved_total"]?.first?.value == 3)
    #expect(leader["tidings_leader"]?.first?.value == 1)
    #expect(follower["tidings_leader"]?.first?.value == 0)
    // What it handed on was handled by the other one.
    #expect(follower["tidings_rpc_calls_forwarded_total"]?.first?.value ?? 0 >= 3)
    func handled(_ families: [String: [TidingsV1.Metric]]) -> Double {
      let saves = (families["tidings_rpc_handled_total"] ?? []).filter { metric in
        metric.labels.contains { $0.value == "ModifyRecords" }
      }
      return saves.reduce(0) { $0 + $1.value }
    }
    #expect(handled(leader) >= 3 && handled(follower) == 0)
    for families in [leader, follower] {
      #expect(families["process_resident_memory_bytes"]?.first?.value ?? 0 > 0)
      #expect(families["tidings_queue_depth"]?.isEmpty == false)
      #expect(families["tidings_build_info"]?.isEmpty == false)
    }
  }

  @Test("connections are listed and ended at the node that is called")
  func connections() async throws {
    let world = try await NodeWorld(2)
    let client = try await world.nodes[1].client(as: "ada", device: "laptop")
    try await client.save(.init("Houses", "h"))
    let (leader, follower) = (
      try await administration(world, 0), try await administration(world, 1)
    )
    let listed = try await follower.listConnections(.init(userName: "ada"))
    #expect(listed.nodeName == "node-1" && listed.connections.map(\.deviceID) == ["laptop"])
    #expect(try await leader.listConnections(.init(userName: "ada")).connections == [])
    #expect(try await leader.endConnections(.init(which: .userName("ada"))).count == 0)
    #expect(try await follower.endConnections(.init(which: .userName("ada"))).count == 1)
    // The client connects again by itself.
    #expect(try await client.fetch([.init("h")])[0].record != nil)
  }

  @Test("at a node that follows, connections have the users of their keys, and others may not ask")
  func keys() async throws {
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    let environment = ["RPCD_DATABASE": uri]
    let secure = try await SecureServer.start(
      arguments: ["--node-name", "one"],
      environment: environment
    )
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("data"),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    for name in ["data/server.key", "data/server.pub"] {
      try FileManager.default.copyItem(
        atPath: secure.server.folder.file(name),
        toPath: folder.file(name)
      )
    }
    let follower = try await TestServer.start(
      in: folder,
      arguments: ["--node-name", "two"],
      environment: environment
    )
    func client(_ pair: KeyPair) async throws -> Client {
      var configuration = ClientConfiguration(endpoint: follower.rpcEndpoint)
      configuration.keys = ClientKeys(pair, server: secure.serverKey)
      configuration.timeout = .seconds(600)
      configuration.connectTimeout = .seconds(60)
      return try await Client(configuration)
    }
    let root = TidingsV1.AdminService.Client(try await client(secure.administrator).transport)
    let pair = KeyPair()
    _ = try await root.createUser(
      .init(name: "ada", publicKey: .init(key: "\(pair.publicKey)"), roles: [])
    )
    let ada = try await client(pair)
    _ = try await ada.records.fetchDatabaseChanges(.init())
    let listed = try await root.listConnections(.init()).connections
    #expect(
      listed.contains { $0.userName == "ada" && $0.publicKey == "\(pair.publicKey)" },
      "\(listed)"
    )
    let administration = TidingsV1.AdminService.Client(ada.transport)
    for call in [
      { _ = try await administration.listConnections(.init()) },
      { _ = try await administration.setLogLevel(.init(level: .debug)) },
      { _ = try await administration.endConnections(.init(which: .userName("root"))) },
    ] as [() async throws -> Void] {
      let error = await failure(call)
      #expect(error?.code == .permissionDenied, "\(error as Any)")
    }
    #expect(try await root.setLogLevel(.init()).level == .warning)
    #expect(
      try await root.endConnections(.init(which: .publicKey("\(pair.publicKey)"))).count == 1
    )
  }

  @Test("a node with another server key, or with none, neither follows nor leads")
  func otherServerKey() async throws {
    let environment = ["RPCD_DATABASE": try PostgresCluster.shared().makeDatabaseURI()]
    let secure = try await SecureServer.start(
      arguments: ["--node-name", "one"],
      environment: environment
    )
    func refusal(_ arguments: [String]) async throws -> String {
      let process = try ServerProcess(
        arguments: arguments + ["--rpc", "tcp://127.0.0.1:*", "--push", "tcp://127.0.0.1:*"],
        environment: environment
      )
      #expect(try await process.waitForExit() == .code(1))
      return process.seen.value.errors
    }
    let (folder, key) = (try TemporaryFolder(), KeyPair())
    let path = folder.file("other.key")
    try KeyFile.pair(key).write(to: path, title: "another")
    let strangers = [
      ["--data", folder.file("a"), "--server-key-file", path],
      ["--data", folder.file("b"), "--development"],
    ]
    for stranger in strangers {
      let refused = try await refusal(stranger)
      #expect(refused.contains("have the server key \(secure.serverKey)"), "\(refused)")
    }
    // Nor when nobody leads.
    try await secure.server.stop()
    for stranger in strangers {
      let refused = try await refusal(stranger)
      #expect(refused.contains("copy their server.key"), "\(refused)")
    }
    let again = try await secure.server.restarted()
    #expect(try await again.stop() == .code(0))
  }
}
#endif
