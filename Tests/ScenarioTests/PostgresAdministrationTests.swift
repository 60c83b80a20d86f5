#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing

@testable import rpcctl

/// What administrators do with a store that is in a PostgreSQL database.
@Suite(
  .endsServers,
  .enabled(if: PostgresCluster.isAvailable, "no PostgreSQL server can be started here")
) struct PostgresAdministrationTests {
  @Test("a backup and a check are refused with what to use instead; statistics count")
  func verbs() async throws {
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    let server = try await TestServer.start(environment: ["RPCD_DATABASE": uri])
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1"))
    for arguments in [["server", "check"], ["server", "backup", server.folder.file("x.backup")]] {
      let run = await RpcctlRun(server, arguments)
      #expect(run.exitCode != .success && run.err.contains("pg_basebackup"), "\(run.err)")
    }
    #expect(!FileManager.default.fileExists(atPath: server.folder.file("x.backup")))
    let run = await RpcctlRun(server, ["server", "statistics"])
    #expect(run.exitCode == .success && run.out.contains(#""records":"1""#), "\(run.out)\(run.err)")
  }
}
#endif
