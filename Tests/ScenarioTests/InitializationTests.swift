import Foundation
import RandomSupport
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsRPC
import TidingsSQLite

@testable import rpcctl

/// `rpcd init` makes a data folder whose callers prove who they are.
@Suite(.endsServers) struct InitializationTests {
  private func run(_ arguments: [String]) async throws -> (ServerProcess.Exit, String, String) {
    let process = try ServerProcess(arguments: arguments)
    let exit = try await process.waitForExit()
    return (exit, process.seen.value.output, process.seen.value.errors)
  }

  private func mode(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("a wrong option is reported with the right one, and whose help to read")
  func wrongOption() async throws {
    let (exit, _, errors) = try await run(["init", "--admin-key-file", "x"])
    #expect(exit == .code(2))
    #expect(errors.contains("did you mean --admin-key?\nTry 'rpcd init --help'."), "\(errors)")
  }

  @Test("the printed commands work, secrets are their owner's, and nothing is made twice")
  func initialize() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    let (exit, output, errors) = try await run(["init", "--data", data, "--admin", "ada"])
    #expect(exit == .code(0), "\(errors)")
    for file in ["server.key", "ada.key"] { #expect(try mode("\(data)/\(file)") == 0o600) }
    let serverKey = try KeyFile(path: "\(data)/server.pub").publicKey
    #expect(output.contains("server public key: \(serverKey)\n"))
    #expect(output.contains("--key-file \(data)/ada.key"))
    let secret = try String(contentsOfFile: "\(data)/ada.key", encoding: .utf8)
    #expect(!output.contains(secret.split(separator: " ").last ?? ""))

    let server = try await TestServer.start(in: folder)
    let run = await RpcctlRun(
      server,
      ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/ada.key", "status"],
      as: nil
    )
    #expect(run.exitCode == .success, "\(run.err)")
    try await server.stop()

    let again = try await self.run(["init", "--data", data, "--admin", "eve"])
    #expect(again.0 == .code(1) && again.2.contains("administrator already"), "\(again.2)")
    #expect(!FileManager.default.fileExists(atPath: "\(data)/eve.key"))
    #expect(try KeyFile(path: "\(data)/server.pub").publicKey == serverKey)
  }

  @Test("with a public key no secret of the administrator is on the server")
  func publicKeyOnly() async throws {
    let folder = try TemporaryFolder()
    let (data, pair) = (folder.file("data"), KeyPair())
    let (exit, _, errors) = try await run([
      "init", "--data", data, "--admin", "ada", "--admin-public-key", "\(pair.publicKey)",
    ])
    #expect(exit == .code(0), "\(errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(data)/ada.key"))
    let server = try await TestServer.start(in: folder)
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.connectTimeout = .seconds(60)
    configuration.keys = ClientKeys(
      pair,
      server: try KeyFile(path: "\(data)/server.pub").publicKey
    )
    let users = TidingsV1.AdminService.Client(try await Client(configuration).transport)
    #expect(try await users.listUsers(.init()).accounts.map(\.name) == ["ada"])
  }

  @Test("data of development mode stays, and --development goes back, aloud")
  func fromDevelopment() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    let first = try await TestServer.start(in: folder)
    _ = try await first.client(as: "ada").records.modifyRecords(
      .init(recordsToSave: [.init(recordID: .init(recordName: "a"), recordType: "Note")])
    )
    try await first.stop()
    #expect(first.process.seen.value.errors.contains("development mode"))
    #expect(try await run(["init", "--data", data, "--admin", "ada"]).0 == .code(0))

    let secure = try await TestServer.start(in: folder)
    #expect(!secure.process.seen.value.errors.contains("development mode"))
    var configuration = ClientConfiguration(endpoint: secure.rpcEndpoint)
    configuration.connectTimeout = .seconds(60)
    configuration.keys = ClientKeys(
      try KeyFile.pair(path: "\(data)/ada.key"),
      server: try KeyFile(path: "\(data)/server.pub").publicKey
    )
    let records = try await Client(configuration).records
    let fetched = try await records.fetchRecords(.init(recordIDs: [.init(recordName: "a")]))
    #expect(fetched.results.first?.record?.recordType == "Note", "\(fetched)")
    try await secure.stop()

    let again = try await TestServer.start(in: folder, arguments: ["--development"])
    _ = try await again.client(as: "ada").health.check(.init())
    #expect(again.process.seen.value.errors.contains("every local user is an administrator"))
  }

  @Test("a lost server key does not open the server to everybody")
  func lostServerKey() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    #expect(try await run(["init", "--data", data]).0 == .code(0))
    try FileManager.default.removeItem(atPath: "\(data)/server.key")
    let endpoints = [
      "--rpc", "ipc://\(folder.file("rpc"))", "--push", "ipc://\(folder.file("push"))",
    ]
    let (exit, _, errors) = try await run(["--data", data] + endpoints)
    #expect(exit == .code(1) && errors.contains("put the file back"), "\(errors)")
    let open = try await TestServer.start(in: folder, arguments: ["--development"])
    try await open.stop()
  }

  @Test("a start that is refused after a crash leaves what the crash left")
  func refusedAfterCrash() async throws {
    let folder = try TemporaryFolder()
    let key = "\(folder.file("data"))/server.key"
    _ = try await SecureServer.initialize(folder)
    let server = try await TestServer.start(in: folder)
    try await server.crash()
    try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
    let endpoints = [
      "--rpc", "ipc://\(folder.file("rpc"))", "--push", "ipc://\(folder.file("push"))",
    ]
    for _ in 0..<2 {
      let (exit, _, errors) = try await run(["--data", folder.file("data")] + endpoints)
      #expect(exit == .code(1) && errors.contains("put the file back"), "\(errors)")
    }
    try FileManager.default.moveItem(atPath: key + ".away", toPath: key)
    try await TestServer.start(in: folder).stop()
  }

  @Test("a public part that is missing is rewritten, and one of another pair is refused")
  func serverPublicKey() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    _ = try await SecureServer.initialize(folder)
    let key = try KeyFile(path: "\(data)/server.pub").publicKey
    try FileManager.default.removeItem(atPath: "\(data)/server.pub")
    let server = try await TestServer.start(in: folder)
    #expect(try KeyFile(path: "\(data)/server.pub").publicKey == key)
    #expect(try mode("\(data)/server.pub") == 0o644)
    try await server.stop()
    try FileManager.default.removeItem(atPath: "\(data)/server.pub")
    try KeyFile.publicKey(KeyPair().publicKey).write(to: "\(data)/server.pub", title: "other")
    let (exit, _, errors) = try await run(["--data", data])
    #expect(exit == .code(1) && errors.contains("not the public part"), "\(errors)")
  }

  private func coreLimit(_ limits: String) -> [Substring]? {
    limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }?
      .split(separator: " ").dropFirst(4).prefix(2).map(\.self)
  }

  @Test("a server with a key leaves no core dump, unless allowed")
  func coreDumps() async throws {
    let own = coreLimit(try String(contentsOfFile: "/proc/self/limits", encoding: .utf8))
    let secure = try await SecureServer.start()
    #expect(coreLimit(try secure.server.process.processFile("limits")) == ["0", "0"])
    for server in [
      try await SecureServer.start(arguments: ["--core-dumps"]).server,
      try await TestServer.start(),
    ] {
      #expect(coreLimit(try server.process.processFile("limits")) == own)
    }
  }

  @Test("the log warns before the last administrator's key expires, and when it has", .embeddedOnly)
  func expiringAdministrator() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    _ = try await SecureServer.initialize(folder)
    for (days, words) in [
      (20.0, nil), (3, "the last key of an administrator expires at"), (-1, "init"),
    ] {
      let expires = Int64((Date().timeIntervalSince1970 + days * 86_400) * 1_000)
      try SQLiteConnection(path: "\(data)/tidings.sqlite")
        .execute("UPDATE account_keys SET expires = \(expires)")
      let server = try await TestServer.start(in: folder)
      if let words {
        try await server.process.seen.wait("a warning") { $0.errors.contains(words) }
      }
      try await server.stop()
      #expect(server.process.seen.value.errors.contains("administrat") == (words != nil))
    }
    // Nor does a lost server key open it to everybody now.
    try FileManager.default.removeItem(atPath: "\(data)/server.key")
    let endpoints = [
      "--rpc", "ipc://\(folder.file("rpc"))", "--push", "ipc://\(folder.file("push"))",
    ]
    let (exit, _, errors) = try await run(["--data", data] + endpoints)
    #expect(exit == .code(1) && errors.contains("put the file back"), "\(errors)")
  }

  @Test("a server key that others can read, or that is not there, stops the start")
  func badServerKey() async throws {
    let folder = try TemporaryFolder()
    let data = folder.file("data")
    #expect(try await run(["init", "--data", data]).0 == .code(0))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644],
      ofItemAtPath: "\(data)/server.key"
    )
    let open = try await run(["--data", data])
    #expect(open.0 == .code(1) && open.2.contains("chmod 600"), "\(open.2)")
    let missing = try await run(["--data", data, "--server-key-file", "\(data)/none"])
    #expect(missing.0 == .code(1) && missing.2.contains("none"), "\(missing.2)")
  }

  @Test("an init that was cut short at any step can be repeated, and a whole one changes nothing")
  func repeated() async throws {
    let made = try TemporaryFolder()
    let arguments = ["init", "--data", made.file("data"), "--admin", "ada"]
    #expect(try await run(arguments).0 == .code(0))
    let whole = try made.contents("data")
    let (exit, output, errors) = try await run(arguments)
    #expect(exit == .code(0) && output.contains("ada.key"), "\(errors)")
    for name in ["ada.key", "server.key", "server.pub"] {
      #expect(try made.contents("data")[name] == whole[name])
    }
    // What there is after each step, with files that are cut as a power loss leaves them.
    let keys = ["ada.key", "server.key", "server.pub"]
    for cut in 0...keys.count {
      for part in [nil, "", ".part"] as [String?] where cut < keys.count || part == nil {
        let hasDatabase = part == ""
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        for name in keys[..<cut] {
          try folder.write(whole[name] ?? [], to: "data/\(name)")
          let mode = name == "server.pub" ? 0o644 : 0o600
          try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: "\(data)/\(name)"
          )
        }
        if let part {
          let bytes = part.isEmpty ? [] : Array((whole[keys[cut]] ?? []).prefix(90))
          try folder.write(bytes, to: "data/\(keys[cut])\(part)")
        }
        // The database was made, without an administrator.
        if hasDatabase {
          try await TestServer.start(in: folder, arguments: ["--development"]).stop()
        }
        let (exit, _, errors) = try await run(["init", "--data", data, "--admin", "ada"])
        #expect(exit == .code(0), "\(cut) keys, part \(part ?? "none"): \(errors)")
        for name in keys[..<cut] { #expect(try folder.contents("data")[name] == whole[name]) }
        #expect(try folder.contents("data").keys.allSatisfy { !$0.hasSuffix(".part") })
        let server = try await TestServer.start(in: folder)
        let status = await RpcctlRun(
          server,
          ["--server-key", "\(data)/server.pub", "--key-file", "\(data)/ada.key", "status"],
          as: nil
        )
        #expect(status.exitCode == .success, "\(status.err)")
        try await server.stop()
      }
    }
  }

  @Test("an init that is killed at any moment can be repeated")
  func killed() async throws {
    let seed = Seed.make("initKilled")
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let arguments = ["init", "--data", folder.file("data"), "--admin", "ada"]
      for _ in 0..<3 {
        let process = try ServerProcess(arguments: arguments)
        // A random pause, so that each kill comes at another point of the init.
        try await Task.sleep(for: .milliseconds(random.below(100)))
        process.send(9)
        try await process.waitForExit()
      }
      let (exit, _, errors) = try await run(arguments)
      #expect(exit == .code(0), "seed \(seed): \(errors)")
      let server = try await TestServer.start(in: folder)
      #expect(!server.process.seen.value.errors.contains("development"))
      try await server.stop()
    }
  }

  @Test("wrong arguments of init are reported")
  func usage() async throws {
    let data = try TemporaryFolder().file("data")
    for (arguments, words) in [
      (["--admin-public-key", "short"], "40 characters"),
      (["--admin", "no good"], "is not valid"),
      (["--admin-key", "a", "--admin-public-key", "\(KeyPair().publicKey)"], "cannot be combined"),
      (["what"], "no operands"),
    ] {
      let (exit, _, errors) = try await run(["init", "--data", data] + arguments)
      #expect(exit != .code(0) && errors.contains(words), "\(errors)")
    }
  }
}
