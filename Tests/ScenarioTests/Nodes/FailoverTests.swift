#if PostgreSQL
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsSQL

/// A standby takes over from the PostgreSQL server.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.canMake,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct FailoverTests {
  /// The changes of a user's database after a token; empty: from the beginning.
  private func changes(
    _ client: Client,
    after token: [UInt8] = []
  ) async throws -> TidingsV1.FetchDatabaseChangesResponse {
    try await client.records.fetchDatabaseChanges(.init(changeToken: token))
  }

  private func errors(of world: NodeWorld) -> String {
    world.nodes.map { $0.process.seen.value.errors }.joined()
  }

  @Test("a synchronous standby has everything: no save is lost or doubled, and tokens stay valid")
  func synchronousStandby() async throws {
    let seed = Seed.make("FailoverTests.synchronousStandby")
    let cluster = try PostgresCluster(standby: .synchronous)
    let world = try await NodeWorld(2, on: try cluster.makeDatabaseURI())
    let writers = try await CountingWriters(world.nodes)
    try await writers.wait(forMore: 100)
    let client = try await world.nodes[1].client(as: "ada")
    let token = try await changes(client).changeToken
    try cluster.failOver()
    try await writers.wait(forMore: 100)
    _ = try await writers.stop()
    try await writers.verify(on: world.nodes[0], seed)
    #expect(!(try await changes(client, after: token).changedZoneIDs.isEmpty))
    #expect(!errors(of: world).contains("LOST COMMITS"))
  }

  @Test("a standby that was behind makes what clients keep expire, and everything goes on")
  func standbyBehind() async throws {
    let cluster = try PostgresCluster(standby: .asynchronous)
    let world = try await NodeWorld(2, on: try cluster.makeDatabaseURI())
    let client = try await world.nodes[1].client(as: "ada")
    try await client.saveHouse("kept")
    try cluster.awaitStandby()
    try cluster.cutStream()
    try await client.saveHouse("lost")
    let token = try await changes(client).changeToken
    try cluster.failOver()
    // The nodes connect to the server that was promoted.
    try await waitUntil("the token to expire", pausing: .milliseconds(20)) {
      let error = await failure { _ = try await changes(client, after: token) }
      return "\(error as Any)".contains("token")
    }
    let found = try await client.fetch([.init("kept"), .init("lost")])
    #expect(found[0].record != nil && found[1].record == nil)
    try await client.saveHouse("lost")
    #expect(try await changes(client).changedZoneIDs.count == 1)
    #expect(errors(of: world).contains("THE DATABASE HAS LOST COMMITS"), "\(errors(of: world))")
  }

  @Test(
    "a commit that the synchronous standby does not have is not acknowledged, whatever ends its session"
  )
  func standbyThatDoesNotAnswer() async throws {
    let cluster = try PostgresCluster(standby: .synchronous)
    let world = try await NodeWorld(1, on: try cluster.makeDatabaseURI())
    let client = try await world.nodes[0].client(as: "ada")
    try await client.saveHouse("first")
    try cluster.cutStream()
    let acknowledged = Observed(false)
    let save = Task {
      try await client.saveHouse("second")
      acknowledged.update { $0 = true }
    }
    let database = try world.database()
    try await waitForSession(database, "wait_event = 'SyncRep' AND query LIKE 'COMMIT%'") {
      try #require(!acknowledged.value)
    }
    // The commit stays, though the standby does not have it.
    try database.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    )
    try await waitForSession(database, "wait_event = 'SyncRep' AND query LIKE '%emit_message%'") {
      try #require(!acknowledged.value)
    }
    try cluster.resumeStream()
    try await save.value
    #expect(try await client.fetch([.init("second")])[0].record != nil)
  }

  /// Waits until there is such a session.
  private func waitForSession(
    _ database: PostgresConnection,
    _ condition: String,
    meanwhile check: () throws -> Void
  ) async throws {
    let select = try database.prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND \(condition)"
    )
    var count: Int64 = 0
    try await waitUntil("a session with \(condition)") {
      try check()
      try select.forEachRow { count = select.int64(0) }
      return count > 0
    }
  }
}
#endif
