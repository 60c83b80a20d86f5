#if PostgreSQL
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// A PostgreSQL server that is restored to an earlier time, from a base backup and its log.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct PostgresRestoreTests {
  @Test("what was saved before the time is there, and tokens from before and after it expire")
  func pointInTime() async throws {
    // Others go back with it.
    let cluster = try PostgresCluster()
    guard cluster.folder != nil else { return }
    let uri = try cluster.makeDatabaseURI()
    let server = try await TestServer.startLasting(environment: ["RPCD_DATABASE": uri])
    let client = try await server.client(as: "ada", device: "phone")
    let writer = try await server.client(as: "ada", device: "laptop")
    try await client.subscribe(.init("all", "Houses"))
    try await writer.save(.init("Houses", "before the backup"))
    try cluster.backUp()
    try await writer.save(.init("Houses", "after the backup"))
    let early = try await changes(client, after: [])
    let administrator = PostgresConnection(try PostgresAddress(uri))
    let point = try administrator.prepare("SELECT pg_create_restore_point('tidings') IS NULL")
    _ = try point.step()
    point.reset()
    try await writer.save(.init("Houses", "after the point"))
    let late = try await changes(client, after: early.token)
    #expect(late.names == ["after the point"])
    try await server.stop()
    try cluster.restore()

    let run = try ServerProcess(arguments: ["restored"], environment: ["RPCD_DATABASE": uri])
    #expect(try await run.waitForExit() == .code(0), "\(run.seen.value.errors)")
    let next = try await server.restarted()
    let again = try await next.client(as: "ada", device: "phone")
    for token in [early.token, late.token] {
      await #expect(throws: Expired.self) { try await changes(again, after: token) }
    }
    let all = try await changes(again, after: [])
    #expect(all.names == ["after the backup", "before the backup"])
    let log = try await again.feed(pageLimit: 50)
    #expect(
      log.notifications.compactMap(\.recordID?.recordName) == [
        "before the backup", "after the backup",
      ]
    )
    // It goes on from there: numbers that were given after the point are given again, to other changes.
    let later = try await next.client(as: "ada", device: "laptop")
    try await later.save(.init("Houses", "after the restore"))
    #expect(try await changes(again, after: all.token).names == ["after the restore"])
    let end = try await again.feed(pageLimit: 50)
    #expect(end.notifications.last?.recordID?.recordName == "after the restore")
  }

  private struct Expired: Error {}

  private func changes(
    _ client: Client,
    after token: [UInt8]
  ) async throws -> (names: [String], token: [UInt8]) {
    let zones = try await client.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init(), changeToken: token)])
    ).zones
    let zone = try #require(zones.first)
    if let error = zone.error {
      #expect(error.code == .changeTokenExpired)
      throw Expired()
    }
    return (zone.changedRecords.map { $0.recordID?.recordName ?? "" }.sorted(), zone.changeToken)
  }
}
#endif
