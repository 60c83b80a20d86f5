import RandomSupport
import TestSupport
import Testing
import TidingsClient
import TidingsFiles
import TidingsJSON
import TidingsKeys
import TidingsProto
import TidingsRPC

@testable import rpcctl

/// What rpcctl does with a server as a whole, against a real one.
@Suite(.endsServers) struct AdministrationVerbTests {
  /// Runs rpcctl with keys against a server that wants them.
  private func run(
    _ secure: SecureServer,
    _ arguments: [String],
    key: String? = nil,
    serverKey: String? = nil,
    format: OutputFormat = .jsonl
  ) async -> RpcctlRun {
    let keyFile = key ?? secure.server.folder.file("data/root.key")
    let keys = ["--key-file", keyFile, "--server-key", serverKey ?? "\(secure.serverKey)"]
    return await RpcctlRun(secure.server, keys + arguments, as: nil, format: format)
  }

  @Test("each bench measures, without errors, and leaves no zone and no subscription behind")
  func bench() async throws {
    let server = try await TestServer.start()
    for arguments in [
      ["rpc", "-n", "20"], ["write", "-n", "20", "--in-flight", "4"],
      ["read", "-n", "20", "--records", "5"],
      ["query", "-n", "20", "--records", "5"], ["push-latency", "-n", "5"],
      ["fanout", "-n", "3", "--subscribers", "3"], ["catchup", "-n", "2", "--records", "450"],
      ["soak", "-n", "30", "--records", "5"],
      ["write", "-n", "10", "-r", "1000", "--in-flight", "4"],
    ] {
      let run = await RpcctlRun(server, ["bench"] + arguments)
      #expect(run.exitCode == .success, "\(arguments): \(run.err)")
      #expect(run.out.contains(#""mode":"\#(arguments[0])""#), "\(run.out)")
      #expect(run.out.contains(#""errors":{}"#), "\(run.out)")
      if arguments[0] == "catchup" { #expect(run.out.contains(#""calls":2,"items":900,"#)) }
      if arguments[0] == "fanout" { #expect(run.out.contains(#""calls":3,"items":9,"#)) }
    }
    for mode in ["push-latency", "fanout"] {
      let run = await RpcctlRun(server, ["--device", "phone", "bench", mode, "-n", "2"])
      #expect(run.exitCode == .success, "\(mode): \(run.err)")
    }
    #expect(await unread(server).isEmpty)
    let client = try await server.client(as: "ada")
    let zones = try await client.zones.fetchRecordZones(.init())
    #expect(zones.results.count == 1)
    let subscriptions = try await client.subscriptions.fetchSubscriptions(.init())
    #expect(subscriptions.results.isEmpty)
  }

  @Test("a bench that is interrupted shows what it has, and removes its zone")
  func interruptedBench() async throws {
    let server = try await TestServer.start()
    let run = Task { await RpcctlRun(server, ["bench", "write", "--duration", "1h"]) }
    let client = try await server.client(as: "ada")
    // Once the zone has records it is under way.
    try await waitUntil("a zone with three changes", pausing: .zero) {
      try await client.zones.fetchRecordZones(.init()).results.contains { result in
        if case .zone(let zone)? = result.outcome { zone.sequenceNumber >= 3 } else { false }
      }
    }
    run.cancel()
    let ended = await run.value
    #expect(ended.exitCode == .interrupted && ended.out.contains(#""mode":"write""#))
    #expect(try await client.zones.fetchRecordZones(.init()).results.count == 1)
  }

  /// The unread notifications in a user's log.
  private func unread(_ server: TestServer) async -> String {
    await RpcctlRun(server, ["fetch-notification-changes", "-o", "name"]).out
  }

  @Test("doctor finds a server in order, and leaves nothing unread behind")
  func doctor() async throws {
    let server = try await TestServer.start()
    let run = await RpcctlRun(server, ["--device", "phone", "doctor"], format: .table)
    #expect(run.exitCode == .success, "\(run.out)")
    #expect(await unread(server).isEmpty)
    #expect(run.lines.allSatisfy { $0.hasPrefix("ok ") }, "\(run.out)")
    #expect(run.out.contains("a notification arrived"))
    let client = try await server.client(as: "ada")
    #expect(try await client.zones.fetchRecordZones(.init()).results.count == 1)
    let production = await RpcctlRun(server, ["doctor", "--environment", "production"])
    #expect(production.out.contains(#"{"check":"push","result":"skipped""#))
  }

  @Test("doctor shows a wrong server key and a key that expires soon")
  func doctorKeys() async throws {
    let secure = try await SecureServer.start()
    let wrong = await RpcctlRun(
      secure.server,
      [
        "--key-file", secure.server.folder.file("data/root.key"), "--server-key",
        "\(KeyPair().publicKey)", "doctor", "--connect-timeout", "20s",
      ],
      as: nil
    )
    #expect(wrong.exitCode == .conditionNotMet)
    #expect(wrong.out.contains(#"{"check":"server","result":"problem""#), "\(wrong.out)")
    #expect(wrong.out.contains("during the handshake: check the server key"), "\(wrong.out)")

    let path = secure.server.folder.file("ann.key")
    let pair = KeyPair()
    try KeyFile.pair(pair).write(to: path, title: "ann")
    let created = await run(
      secure,
      ["users", "create", "ann", "--public-key=\(pair.publicKey)", "--expires", "2d"]
    )
    #expect(created.exitCode == .success, "\(created.err)")
    let soon = await run(secure, ["doctor"], key: path)
    #expect(soon.exitCode == .success, "\(soon.out)")
    #expect(soon.out.contains(#"{"check":"key","result":"warning""#), "\(soon.out)")
  }

  @Test("a key that is rotated still calls until its overlap is over; the new one calls at once")
  func rotate() async throws {
    let secure = try await SecureServer.start()
    let (old, new) = (
      secure.server.folder.file("old.key"), secure.server.folder.file("new.key")
    )
    let pair = KeyPair()
    try KeyFile.pair(pair).write(to: old, title: "ann")
    _ = await run(
      secure,
      ["users", "create", "ann", "--public-key=\(pair.publicKey)", "--label", "laptop"]
    )
    let rotated = await run(secure, ["keys", "rotate", old, "-O", new, "--overlap", "2h"])
    #expect(rotated.exitCode == .success && rotated.lines.count == 2, "\(rotated.err)")
    #expect(rotated.lines.allSatisfy { $0.contains(#""label":"laptop""#) })
    for key in [old, new] {
      let account = await run(secure, ["users", "whoami"], key: key)
      #expect(account.out.contains(#""userRecordName":"ann""#), "\(account.err)")
    }
    let again = await run(secure, ["keys", "rotate", new, "-O", old + "2", "--revoke"])
    #expect(again.exitCode == .success, "\(again.err)")
    let refused = await run(secure, ["users", "whoami"], key: new)
    #expect(refused.exitCode != .success)
  }

  @Test("keys are authorized and revoked by their files too")
  func keyFiles() async throws {
    let secure = try await SecureServer.start()
    let path = secure.server.folder.file("ann.key")
    _ = await run(secure, ["keys", "generate", "-O", path])
    let key = try KeyFile(path: path).publicKey
    _ = await run(secure, ["users", "create", "ann"])
    let authorized = await run(secure, ["keys", "authorize", path, "--user", "ann"])
    #expect(authorized.exitCode == .success && authorized.out.contains(key.json), "\(authorized)")
    let account = await run(secure, ["users", "whoami"], key: path)
    #expect(account.out.contains(#""userRecordName":"ann""#), "\(account.err)")
    let revoked = await run(secure, ["keys", "revoke", path])
    #expect(revoked.exitCode == .success && revoked.out.contains(key.json), "\(revoked)")
    #expect(await run(secure, ["users", "whoami"], key: path).exitCode != .success)
    let folder = secure.server.folder.file("data")
    for (operand, exitCode) in [("none.key", ExitCode.notFound), (folder, .localFailure)] {
      let refused = await run(secure, ["keys", "authorize", operand, "--user", "ann"])
      #expect(refused.exitCode == exitCode && refused.err.contains(operand), "\(refused)")
    }
  }

  @Test("what is not there ends every verb with one exit code")
  func notFound() async throws {
    let server = try await TestServer.start()
    let nothing = server.folder.file("nothing")
    for arguments in [
      ["users", "show", "nobody"], ["users", "update", "nobody", "--display-name", "N"],
      ["users", "restrict", "nobody"], ["users", "roles", "nobody", "editor"],
      ["keys", "list", "nobody"], ["keys", "revoke", "\(KeyPair().publicKey)"],
      ["keys", "authorize", "\(KeyPair().publicKey)", "--user", "nobody"],
      ["keys", "rotate", "\(KeyPair().publicKey)", "-O", nothing], ["keys", "show", nothing],
      ["grants", "check", "nobody", "read", "Houses"],
      ["context", "show", "nowhere"], ["context", "use", "nowhere"],
      ["context", "remove", "nowhere"], ["-c", "nowhere", "fetch-zones"],
      ["tokens", "show", nothing], ["tokens", "inspect", "@" + nothing],
      ["tokens", "reset", nothing],
      ["fetch-records", "none"], ["records", "set", "none", "price=1"],
      ["fetch-zones", "none"], ["zones", "delete", "none"], ["zones", "stats", "none"],
      ["query", "Houses", "--zone", "none"], ["fetch-zone-changes", "none"],
      ["fetch-subscriptions", "none"], ["subscriptions", "delete", "none"],
      ["shares", "show", "tidings://share/default/development/none"],
      ["shares", "show", "--zone", "none"],
      ["assets", "get", String(repeating: "0", count: 64), "-O", nothing],
      ["trace-notification", "999-1"],
    ] {
      let run = await RpcctlRun(
        server,
        arguments,
        environment: ["XDG_CONFIG_HOME": server.folder.path]
      )
      #expect(run.exitCode == .notFound, "\(arguments) \(run)")
    }
    let deleted = await RpcctlRun(server, ["records", "delete", "none"])
    #expect(deleted.exitCode == .success, "\(deleted)")
  }

  @Test("a user is created with a new key pair, or neither")
  func generatedKey() async throws {
    let secure = try await SecureServer.start()
    let path = secure.server.folder.file("ann.key")
    let created = await run(
      secure,
      ["users", "create", "ann", "--generate-key", path, "--label", "laptop"]
    )
    #expect(created.exitCode == .success, "\(created.err)")
    let key = try KeyFile.pair(path: path).publicKey
    #expect(created.out.contains(key.json) && created.out.contains(#""label":"laptop""#))
    #expect(try Folder.mode(path) & 0o777 == 0o600)
    let account = await run(secure, ["users", "whoami"], key: path)
    #expect(account.out.contains(#""userRecordName":"ann""#), "\(account.err)")
    // A file that exists stays as it is, and no user is created for it.
    let kept = await run(secure, ["users", "create", "bob", "--generate-key", path])
    #expect(kept.exitCode == .localFailure && kept.err.contains("not overwritten"), "\(kept)")
    #expect(try KeyFile.pair(path: path).publicKey == key)
    #expect(!(await run(secure, ["users", "list"])).out.contains("bob"))
    // A user that exists gets no other key, and no file is left.
    let other = secure.server.folder.file("other.key")
    let refused = await run(secure, ["users", "create", "ann", "--generate-key", other])
    #expect(refused.err.contains("exists") && !Folder.isFile(other), "\(refused)")
    let unreachable = await RpcctlRun(
      secure.server,
      ["--endpoint", "ipc:///nowhere", "--connect-timeout", "1s"]
        + ["users", "create", "cid", "--generate-key", other],
      as: nil
    )
    #expect(unreachable.exitCode != .success && !Folder.isFile(other), "\(unreachable.err)")
    let dry = await run(secure, ["users", "create", "cid", "--generate-key", other, "--dry-run"])
    #expect(dry.exitCode == .success && !Folder.isFile(other), "\(dry.err)")
    let both = ["--generate-key", other, "--public-key", path]
    #expect(await run(secure, ["users", "create", "cid"] + both).exitCode == .usage)
  }

  @Test("grants check says what the server does", arguments: 1...2)
  func grants(seed: UInt64) async throws {
    let server = try await TestServer.start()
    let administrator = try await server.client(as: "root")
    let administration = TidingsV1.AdminService.Client(administrator.transport)
    _ = try await administration.createUser(.init(name: "ann", roles: ["editor"]))
    _ = try await administration.createUser(.init(name: "bob"))
    var random = SplitMix64(seed: seed)
    var text = "DEFINE SCHEMA\nCREATE ROLE editor;\n"
    for type in 0..<12 {
      let grants = ["_world", "_icloud", "_creator", "editor"].flatMap { role in
        ["READ", "CREATE", "WRITE"].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
          .map { "GRANT \($0) TO \"\(role)\"" }
      }
      text += "RECORD TYPE T\(type) (\((["a INT64"] + grants).joined(separator: ", ")));\n"
    }
    _ = try await administrator.schemas.applySchema(.init(text: text))
    for type in (0..<12).map({ "T\($0)" }) {
      for user in ["ann", "bob"] {
        let check = await RpcctlRun(server, ["grants", "check", user, "create", type], as: "root")
        let client = try await server.client(as: user)
        let record = TidingsV1.Record(type, "\(type)-\(user)", ["a": 1])
        let database = TidingsV1.DatabaseID(scope: .public)
        let saved = try await client.records.modifyRecords(
          .init(databaseID: database, recordsToSave: [record])
        ).results[0]
        #expect((saved.record != nil) == (check.exitCode == .success), "seed \(seed) \(check.out)")
        guard saved.record != nil else { continue }
        // Of the own record, which is one of all.
        let read = await RpcctlRun(server, ["grants", "check", user, "read", type], as: "root")
        let fetched = try await client.records.fetchRecords(
          .init(databaseID: database, recordIDs: [.init("\(type)-\(user)")])
        ).results[0]
        #expect((fetched.record != nil) == (read.exitCode == .success), "seed \(seed) \(read.out)")
        let write = await RpcctlRun(server, ["grants", "check", user, "write", type], as: "root")
        let changed = try await client.records.modifyRecords(
          .init(databaseID: database, recordsToSave: [record], savePolicy: .changedKeys)
        ).results[0]
        #expect(
          (changed.record != nil) == (write.exitCode == .success),
          "seed \(seed) \(write.out)"
        )
      }
    }
  }

  @Test("an asset is there, or not, with 3")
  func assets() async throws {
    let server = try await TestServer.start()
    try server.folder.write(Array("hello".utf8), to: "f")
    let put = await RpcctlRun(server, ["assets", "put", server.folder.file("f")])
    #expect(put.exitCode == .success, "\(put.err)")
    let checksum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    let there = await RpcctlRun(server, ["assets", "stat", checksum])
    #expect(there.exitCode == .success && there.out.contains(#""stored":true"#), "\(there.err)")
    let none = await RpcctlRun(server, ["assets", "stat", String(checksum.reversed())])
    #expect(
      none.exitCode == .conditionNotMet && none.out.contains(#""stored":false"#),
      "\(none.err)"
    )
  }

  @Test("assets verify finds files that are lost or damaged", .embeddedOnly)
  func verifyAssets() async throws {
    let server = try await TestServer.start()
    for (name, content) in [("a", "hello"), ("b", "world"), ("c", "")] {
      try server.folder.write(Array(content.utf8), to: name)
      let saved = await RpcctlRun(
        server,
        ["records", "set", name, "--type", "Photos", "file@\(server.folder.file(name))"]
      )
      #expect(saved.exitCode == .success, "\(saved.err)")
    }
    let good = await RpcctlRun(server, ["assets", "verify", "--content"])
    #expect(good.exitCode == .success && good.out.isEmpty, "\(good.out) \(good.err)")
    #expect(good.err.contains("3 assets, 0 missing or damaged"))

    // Of `a` all is lost, of `b` one byte is another.
    let files = try server.folder.contents("data/assets").filter { $0.value.count == 5 }
    for (path, content) in files {
      let file = server.folder.file("data/assets/" + path)
      if content == Array("hello".utf8) {
        try Folder.remove(file)
      } else {
        try Folder.remove(file)
        try server.folder.write(Array("w0rld".utf8), to: "data/assets/" + path)
      }
    }
    let quick = await RpcctlRun(server, ["assets", "verify"])
    #expect(quick.exitCode == .conditionNotMet && quick.lines.count == 1, "\(quick.out)")
    let deep = await RpcctlRun(server, ["assets", "verify", "--content"])
    #expect(deep.exitCode == .conditionNotMet && deep.lines.count == 2, "\(deep.out)")
    #expect(deep.out.contains(#""recordName":"a","field":"file""#))
    #expect(deep.out.contains("its content has another checksum"))
  }
}

extension PublicKey {
  /// The key as a string of JSON.
  fileprivate var json: String { JSONValue.string(description).description }
}
