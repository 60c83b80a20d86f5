#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsPostgres
internal import TidingsSQL

@testable import rpcctl

/// The audit log in the tables of a PostgreSQL database.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct PostgresAuditTests {
  private let uri: String

  init() throws { uri = try PostgresCluster.shared().makeDatabaseURI() }

  private var environment: [String: String] { ["RPCD_DATABASE": uri] }

  private func keys(_ folder: TemporaryFolder) -> [String] {
    let data = folder.file("data")
    return ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/root.key"]
  }

  @Test("what an administrator did is in the log after kill -9, also for another data folder")
  func crash() async throws {
    let secure = try await SecureServer.start(environment: environment)
    let folder = secure.server.folder
    for number in 0..<5 { _ = try await secure.createUser("user\(number)") }
    // With its answer, nothing is left to write.
    try await secure.server.crash()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("data")).allSatisfy {
        !$0.hasSuffix(".log")
      }
    )

    let other = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: other.file("data"),
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    for name in ["server.key", "server.pub", "root.key"] {
      try FileManager.default.copyItem(
        atPath: folder.file("data/\(name)"),
        toPath: other.file("data/\(name)")
      )
    }
    let again = try await TestServer.start(in: other, environment: environment)
    let run = await RpcctlRun(again, keys(other) + ["audit", "--result", "done"], as: nil)
    for number in 0..<5 { #expect(run.out.contains("user user\(number)"), "\(run.out)\(run.err)") }
    let filtered = await RpcctlRun(again, keys(other) + ["audit", "--limit", "2"], as: nil)
    #expect(filtered.lines.count == 2, "\(filtered.out)")
    let verified = await RpcctlRun(again, keys(other) + ["audit", "--verify"], as: nil)
    #expect(verified.exitCode == .success, "\(verified.err)")
    #expect(
      verified.out.contains(#""chain":"audit","first":1"#) || verified.out.contains(#""lines":5"#),
      "\(verified.out)"
    )
  }

  @Test("a call that is not kept leaves no line, and one whose line is changed is found")
  func transactions() async throws {
    let secure = try await SecureServer.start(environment: environment)
    _ = try await secure.createUser("ada")
    let keys = keys(secure.server.folder)
    // Refused: in the log of what was refused, not of what was done.
    let again = await RpcctlRun(secure.server, keys + ["users", "create", "ada"], as: nil)
    #expect(again.exitCode != .success)
    let connection = PostgresConnection(try PostgresAddress(uri))
    let lines = try connection.prepare(
      "SELECT count(*), count(*) FILTER (WHERE convert_from(line, 'UTF8')::json->>'action' = 'CreateUser') FROM audit_lines WHERE kind = 'audit'"
    )
    try lines.forEachRow { #expect(lines.int64(0) == 1 && lines.int64(1) == 1) }
    _ = try await secure.createUser("bob")
    try connection.execute(
      """
      UPDATE audit_lines SET line = convert_to(replace(convert_from(line, 'UTF8'), 'user ada', 'user eve'), 'UTF8')
      WHERE kind = 'audit' AND position = 1
      """
    )
    let verified = await RpcctlRun(secure.server, keys + ["audit", "--verify"], as: nil)
    #expect(verified.exitCode == .conditionNotMet, "\(verified.out)")
    #expect(
      verified.err.contains("audit_lines of audit, line 2: the line before it was changed"),
      "\(verified.err)"
    )
  }

  @Test("lines are copied to syslog's socket once they are committed")
  func syslog() async throws {
    let path = try TemporaryFolder().file("log")
    let socket = try SupervisorSocket(name: path)
    let secure = try await SecureServer.start(
      arguments: ["--audit-syslog", path],
      environment: environment
    )
    _ = try await secure.createUser("ada")
    try await socket.messages.wait("the line") { $0.contains { $0.contains("CreateUser") } }
    let line = socket.messages.value.first { $0.contains("CreateUser") } ?? ""
    #expect(line.hasPrefix("<85>") && line.contains(#""previous":""#), "\(line)")
  }

  @Test("backends that are killed lose no line and double none")
  func backends() async throws {
    let secure = try await SecureServer.start(environment: environment)
    // Each call meets at most one cut, after which it is run again.
    for number in 0..<30 {
      async let killing: Void = blocking { [uri] in
        let kill = try PostgresConnection(try PostgresAddress(uri)).prepare(
          """
          SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """
        )
        try kill.forEachRow {}
      }
      _ = try await secure.createUser("user\(number)")
      try await killing
    }
    let run = await RpcctlRun(
      secure.server,
      keys(secure.server.folder) + ["audit", "--verify"],
      as: nil
    )
    #expect(run.exitCode == .success && run.out.contains(#""lines":30"#), "\(run.out)\(run.err)")
  }
}
#endif
