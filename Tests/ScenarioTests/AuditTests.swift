import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsRPC

@testable import rpcctl

/// Nobody keeps others' deeds out of the audit log, and what was written shows whether it was changed.
@Suite(.endsServers) struct AuditTests {
  private typealias Administration = TidingsV1.AdminService.Client

  /// Connects with many keys that nobody admitted, until the server has refused them.
  private func flood(_ secure: SecureServer, keys count: Int) async throws {
    let sockets = try (0..<count).map { _ in
      try RawSocket(
        .dealer,
        connectedTo: secure.server.rpcEndpoint,
        keys: secure.keys(KeyPair())
      )
    }
    let root = try await secure.administration()
    try await waitUntil("\(count) refused handshakes", pausing: .milliseconds(20)) {
      let refused: UInt64 = try await root.fetchAuditLog(.init(limit: 1_000)).entries
        .filter { $0.action == "handshake" }.reduce(0) { $0 + $1.count }
      return refused >= count
    }
    withExtendedLifetime(sockets) {}
  }

  @Test("a flood of handshakes does not hide who tries to administer")
  func flood() async throws {
    let secure = try await SecureServer.start()
    let pair = try await secure.createUser("eve")
    try await flood(secure, keys: 100)
    let eve = Administration(try await secure.client(pair).transport)
    await #expect(throws: RPCError.self) {
      _ = try await eve.createUser(.init(name: "mallory", roles: ["admin"]))
    }
    let entries = try await secure.administration().fetchAuditLog(.init(limit: 1_000)).entries
    let attempt = entries.first { $0.action == "CreateUser" && $0.refused }
    #expect(attempt?.userName == "eve" && attempt?.publicKey == "\(pair.publicKey)")
    // Nor does it take the lines of what was done.
    #expect(entries.contains { $0.action == "CreateUser" && !$0.refused && $0.userName == "root" })
    // A few a minute, however long the flood takes here.
    #expect(entries.count { $0.action == "handshake" } < 40)
  }

  @Test(
    "deeds, changes of schemas and refusals have files of their own, each with a chain over restarts",
    .embeddedOnly
  )
  func files() async throws {
    let secure = try await SecureServer.start()
    let data = secure.server.folder.file("data")
    let pair = try await secure.createUser("dev", roles: ["developer"])
    let developer = try await secure.client(pair)
    _ = try await TidingsV1.SchemaService.Client(developer.transport)
      .applySchema(.init(text: "DEFINE SCHEMA RECORD TYPE Note ( n INT64 );"))
    await #expect(throws: RPCError.self) {
      _ = try await Administration(developer.transport).listUsers(.init())
    }
    let heads = try await secure.administration().fetchAuditLog(.init()).chains
    #expect(heads.map(\.name) == ["audit", "schemas", "refusals"])
    try await secure.server.stop()
    let text = { (name: String) in
      String(decoding: try secure.server.folder.read("data/\(name).log"), as: UTF8.self)
    }
    #expect(try text("audit").contains("CreateUser") && !text("audit").contains("ApplySchema"))
    #expect(try text("schemas").contains("ApplySchema"))
    #expect(try text("refusals").contains("ListUsers"))

    let again = try await TestServer.start(in: secure.server.folder)
    let keys = ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/root.key"]
    let created = await RpcctlRun(again, keys + ["users", "create", "ada"], as: nil)
    #expect(created.exitCode == .success, "\(created.err)")
    again.process.send(SIGKILL)
    try await again.process.waitForExit()
    let third = try await TestServer.start(in: secure.server.folder)
    _ = await RpcctlRun(third, keys + ["users", "create", "bob"], as: nil)
    let verified = await RpcctlRun(third, keys + ["audit", "--verify"], as: nil)
    #expect(verified.exitCode == .success, "\(verified.err)")
    #expect(verified.lines.count == 3 && verified.out.contains(#""chain":"refusals""#))
    // A line may be lost with the moment of the crash.
    let done = await RpcctlRun(third, keys + ["audit", "--result", "done"], as: nil)
    #expect(done.out.contains("user bob") && done.out.contains("user dev"), "\(done.out)")
    #expect(!done.out.contains("ListUsers"))
  }

  @Test(
    "a line that was changed, removed, inserted or cut off is named, by the server and without it",
    .embeddedOnly
  )
  func tampering() async throws {
    let secure = try await SecureServer.start()
    let data = secure.server.folder.file("data")
    for number in 0..<6 { _ = try await secure.createUser("user\(number)") }
    let keys = ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/root.key"]
    func verify(_ arguments: String...) async -> RpcctlRun {
      await RpcctlRun(secure.server, keys + ["audit", "--verify"] + arguments, as: nil)
    }
    var whole = await verify()
    try await waitUntil("6 lines in the audit log", pausing: .zero) {
      guard !whole.out.contains(#""lines":6"#) else { return true }
      whole = await verify()
      return false
    }
    let kept = String(whole.out[try #require(whole.out.firstRange(of: /audit=6:[0-9a-f]{64}/))])
    #expect(await verify("--folder", data, "--head", kept).exitCode == .success)

    let lines = try secure.server.folder.read("data/audit.log").split(separator: 0x0A).map {
      Array($0)
    }
    func store(_ lines: some Sequence<[UInt8]>) throws {
      try secure.server.folder.write(lines.flatMap { $0 + [0x0A] }, to: "data/audit.log")
    }
    var changed = lines
    changed[2] = Array(
      String(decoding: changed[2], as: UTF8.self).replacing("user2", with: "userX").utf8
    )
    let inserted =
      lines[..<3] + [Array(#"{"time":"2026","action":"RevokeKey"}"#.utf8)] + lines[3...]
    for (edited, words) in [
      (changed, "audit.log, line 4: the line before it was changed"),
      (Array(lines[..<2] + lines[3...]), "audit.log, line 3: lines 3 to 3 are missing before it"),
      (Array(inserted), "audit.log, line 4: it is no line of rpcd: it was inserted"),
    ] {
      try store(edited)
      for run in [await verify(), await verify("--folder", data)] {
        #expect(run.exitCode == .conditionNotMet && run.err.contains(words), "\(run.err)")
      }
    }
    // The end can be cut off unnoticed, unless a head was kept.
    try store(lines[..<4])
    #expect(await verify("--folder", data).exitCode == .success)
    // The server that wrote them misses them.
    let missed = await verify()
    #expect(missed.exitCode == .conditionNotMet && missed.err.contains("line 6"), "\(missed.err)")
    let cut = await verify("--folder", data, "--head", kept)
    #expect(
      cut.exitCode == .conditionNotMet
        && cut.err.contains("line 6, whose checksum was kept, is missing")
    )
    let empty = try TemporaryFolder()
    #expect(await verify("--folder", empty.path).exitCode == .localFailure)
    for arguments in [["--head", kept], ["--folder", data, "--head", "x"]] {
      let run = await RpcctlRun(secure.server, keys + ["audit", "--verify"] + arguments, as: nil)
      #expect(run.exitCode == .usage, "\(run.err)")
    }
  }

  @Test(
    "lines are copied to syslog's socket, and the server does not wait for one that nobody reads"
  )
  func syslog() async throws {
    let path = try TemporaryFolder().file("log")
    let socket = try SupervisorSocket(name: path)
    let secure = try await SecureServer.start(arguments: ["--audit-syslog", path])
    _ = try await secure.createUser("ada")
    try await socket.messages.wait("the line") { $0.contains { $0.contains("CreateUser") } }
    let line = socket.messages.value.first { $0.contains("CreateUser") } ?? ""
    #expect(line.hasPrefix("<85>") && line.contains(#""previous":""#), "\(line)")
    let chains = try await secure.administration().fetchAuditLog(.init()).chains
    #expect(chains.first?.headNumber == 1)

    let wrong = try ServerProcess(arguments: [
      "--data", secure.server.folder.file("x"), "--audit-syslog", "no",
    ])
    #expect(try await wrong.waitForExit() == .code(2))
    let absent = try await SecureServer.start(arguments: ["--audit-syslog", "/nowhere/log"])
    _ = try await absent.createUser("ada")
    #expect(absent.server.process.seen.value.errors.contains("not copied"))
  }
}
