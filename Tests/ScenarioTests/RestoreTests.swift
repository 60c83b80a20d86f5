internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQLite

@testable import rpcctl

/// A restore makes a whole store, or none; and what stores are besides their records can be replaced.
@Suite(.endsServers, .embeddedOnly) struct RestoreTests {
  /// Tries to start a server on a folder.
  ///
  /// - Returns: What it wrote when it refused.
  private func refusal(_ folder: TemporaryFolder) async throws -> String {
    let process = try ServerProcess(
      arguments: [
        "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data", folder.file("data"),
      ]
    )
    let seen = try await process.seen.wait("rpcd to refuse or to be ready") {
      $0.exit != nil || $0.output.contains("rpcd ready")
    }
    process.send(9)
    #expect(seen.exit == .code(1))
    return seen.errors
  }

  private func expectWhole(_ folder: TemporaryFolder, _ world: BackupWorld) async throws {
    let server = try await TestServer.start(in: folder, arguments: ["--verify"])
    let client = try await server.client(as: "ada")
    #expect(try await client.fetch([.init("photo")]).first?.record != nil)
    #expect(try await client.assets().download(world.asset) == world.photo)
    await client.close()
    try await server.stop()
  }

  @Test("a restore that is killed at any time leaves no store, and is repeated")
  func killed() async throws {
    let world = try await BackupWorld.make(megabytes: 12)
    #expect(await world.backUp().exitCode == .success)
    var random = SplitMix64(seed: Seed.make("killed"))
    let disk = try DiskFaults()
    func start(into folder: TemporaryFolder) throws -> ServerProcess {
      try ServerProcess(
        arguments: ["restore", world.path, "--data", folder.file("data")],
        environment: disk.environment
      )
    }
    // How often a restore writes and syncs.
    let database = "restoring/tidings.sqlite$"
    try disk.set([.observe(.write, of: database), .observe(.sync, of: "/data")])
    let whole = try TemporaryFolder()
    #expect(try await start(into: whole).waitForExit() == .code(0))
    let writeCount = disk.hits.count { $0.call == "write" }
    let syncCount = disk.hits.count - writeCount
    var (unfinished, folder) = (0, try TemporaryFolder())
    for round in 0..<8 {
      // The disk holds up one of them, the first time one that is not near the end.
      let step = random.below(round == 0 ? writeCount : writeCount + syncCount)
      let isWrite = step < writeCount
      try disk.set(
        isWrite
          ? .hold(database, at: .write, after: step) : .hold("/data", after: step - writeCount)
      )
      let heldCount = disk.heldCount
      let process = try start(into: folder)
      try await waitUntil("a step of the restore", pausing: .milliseconds(2)) {
        disk.heldCount > heldCount || process.seen.value.exit != nil
      }
      process.send(9)
      let exit = try await process.waitForExit()
      if try Folder.status(folder.file("data/tidings.sqlite")) != nil {
        // The database has its name when all is there, whatever became of the process then.
        try await expectWhole(folder, world)
        folder = try TemporaryFolder()
        continue
      }
      #expect(exit == .signal(9))
      unfinished += 1
      if Folder.isThere(folder.file("data/restoring")) {
        #expect(try await refusal(folder).contains("interrupted"))
        #expect(try Folder.status(folder.file("data/tidings.sqlite")) == nil)
      }
    }
    #expect(unfinished > 0, "\(writeCount) writes and \(syncCount) syncs")
    let restore = try await RestoreRun(world.path, into: folder)
    #expect(restore.exit == .code(0), "\(restore.errors)")
    #expect(try Folder.names(folder.file("data")).sorted() == ["assets", "lock", "tidings.sqlite"])
    try await expectWhole(folder, world)
  }

  @Test("a restore that ends between the assets and the database is no store, and is repeated")
  func halfPlaced() async throws {
    let world = try await BackupWorld.make()
    await world.backUp()
    let folder = try TemporaryFolder()
    for path in ["data", "data/restoring", "data/assets", "data/assets/incoming", "data/assets/ab"]
    {
      try Folder.make(folder.file(path))
    }
    try folder.write([], to: "data/restoring/placing")
    try folder.write([1], to: "data/restoring/tidings.sqlite")
    try folder.write([1], to: "data/assets/ab/cd")
    #expect(try await refusal(folder).contains("interrupted"))
    let initialized = try ServerProcess(arguments: ["init", "--data", folder.file("data")])
    #expect(try await initialized.waitForExit() == .code(1))
    let restore = try await RestoreRun(world.path, into: folder)
    #expect(restore.exit == .code(0), "\(restore.errors)")
    #expect(try Folder.status(folder.file("data/assets/ab/cd")) == nil)
    try await expectWhole(folder, world)
  }

  @Test("a folder that holds data is left as it is; keys may be there")
  func occupied() async throws {
    let world = try await BackupWorld.make()
    await world.backUp()
    for name in ["tidings.sqlite", "tidings.sqlite-wal", "assets/ab"] {
      let folder = try TemporaryFolder()
      try Folder.make(folder.file("data"))
      if name.hasPrefix("assets") { try Folder.make(folder.file("data/assets")) }
      try folder.write([7], to: "data/" + name)
      let restore = try await RestoreRun(world.path, into: folder)
      #expect(restore.exit == .code(1))
      #expect(restore.errors.contains(name.split(separator: "/")[0]), "\(restore.errors)")
      var left = try folder.contents("data")
      left["lock"] = nil
      #expect(left == [name: [7]], "\(left.keys.sorted())")
    }
    let running = try await RestoreRun(world.path, into: world.server.folder)
    #expect(
      running.exit == .code(1) && running.errors.contains("another rpcd"),
      "\(running.errors)"
    )

    let secure = try await SecureServer.start()
    let keys = try TemporaryFolder()
    try Folder.make(keys.file("data"))
    for name in ["server.key", "server.pub"] {
      try keys.write(try secure.server.folder.read("data/" + name), to: "data/" + name)
    }
    let restore = try await RestoreRun(world.path, into: keys)
    #expect(restore.exit == .code(0), "\(restore.errors)")
  }

  @Test("rotate-secret gives a store a new identity: tokens expire, keys of pushes change")
  func rotateSecret() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1"))
    try await client.subscribe(.init("all", "Houses"))
    let channel = try #require(
      try await client.notifications.registerDevice(.init()).channels.first
    )
    let token = try await client.feed().token
    let (incarnation, secret) = (
      try StoreFile.value("incarnation", in: server.folder),
      try StoreFile.value("secret", in: server.folder)
    )
    func rotate(_ folder: TemporaryFolder) async throws -> (ServerProcess.Exit, String) {
      let process = try ServerProcess(arguments: ["rotate-secret", "--data", folder.file("data")])
      let exit = try await process.waitForExit()
      return (exit, process.seen.value.output + process.seen.value.errors)
    }
    let (refused, words) = try await rotate(server.folder)
    #expect(refused == .code(1) && words.contains("another rpcd"), "\(words)")
    try await server.stop()
    let (exit, text) = try await rotate(server.folder)
    #expect(exit == .code(0), "\(text)")
    let renewed = try StoreFile.value("incarnation", in: server.folder)
    #expect(renewed != incarnation && text.contains(renewed.hexadecimal))
    #expect(try StoreFile.value("secret", in: server.folder) != secret)
    let file = try server.folder.contents("data").values.joined()
    let hasSecret = Array(file).contains(sequence: secret)
    #expect(!hasSecret, "the old secret is still in the folder")

    let again = try await TestServer.start(in: server.folder)
    let reader = try await again.client(as: "ada")
    let old = await failure { _ = try await reader.feed(after: token) }
    #expect(old?.code == .outOfRange, "\(String(describing: old))")
    let new = try #require(try await reader.notifications.registerDevice(.init()).channels.first)
    #expect(new.key != channel.key)
    #expect(try await reader.fetch([.init("h1")]).first?.record != nil)

    let empty = try TemporaryFolder()
    let (none, reason) = try await rotate(empty)
    #expect(none == .code(1) && reason.contains("no data folder"), "\(reason)")
    #expect(!Folder.isThere(empty.file("data")))
  }
}

extension [UInt8] {
  fileprivate func contains(sequence part: [UInt8]) -> Bool {
    indices.contains { self[$0] == part[0] && self[$0...].starts(with: part) }
  }
}
