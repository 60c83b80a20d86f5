internal import RandomSupport
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsBackup
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQLite
internal import TidingsSeal

@testable import rpcctl

/// A backup of a running server is whole and consistent, or is not there.
@Suite(.endsServers, .embeddedOnly) struct BackupTests {
  @Test("a backup ends under steady writes, and holds each call whole or not at all")
  func underWrites() async throws {
    let world = try await BackupWorld.make(megabytes: 2)
    let (client, isDone) = (world.client, Observed(false))
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "pairs"))])
    )
    let acknowledged = Observed(0)
    let writer = Task {
      while !isDone.value {
        let number = acknowledged.value
        _ = try await client.modify(
          [
            .init("Pair", "left\(number)", zone: "pairs"),
            .init("Pair", "right\(number)", zone: "pairs"),
          ],
          atomic: true
        )
        acknowledged.update { $0 += 1 }
      }
    }
    _ = try await acknowledged.wait("the first pairs") { $0 >= 20 }
    let before = acknowledged.value
    let token = try await pairs(client).token
    let run = await world.backUp("--rate", "1048576")
    let during = acknowledged.value - before
    isDone.update { $0 = true }
    try await writer.value
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(during > 0, "no call was answered during the backup")
    #expect(try StoreFile.openToOthers(world.server.folder.path) == [])
    #expect(try Folder.status(world.partPath) == nil)

    let folder = try TemporaryFolder()
    let restore = try await RestoreRun(world.path, into: folder)
    #expect(restore.exit == .code(0), "\(restore.errors)")
    #expect(try StoreFile.openToOthers(folder.path) == [])
    let restored = try await TestServer.start(in: folder, arguments: ["--verify"])
    let reader = try await restored.client(as: "ada")
    let names = try await pairs(reader).names
    let numbers = Set(names.filter { $0.hasPrefix("left") }.compactMap { Int($0.dropFirst(4)) })
    #expect(names.count == 2 * numbers.count, "a pair is torn")
    #expect(numbers.isSuperset(of: 0..<before), "an acknowledged pair is missing")
    #expect(numbers == Set(0..<numbers.count), "a pair is missing in between")
    #expect(try await reader.assets().download(world.asset) == world.photo)
    let old = try await zone(token, reader)
    #expect(old.error?.code == .changeTokenExpired, "\(String(describing: old.error))")
    try await reader.save(.init("Houses", "later"))
  }

  private func zone(_ token: [UInt8], _ client: Client) async throws -> TidingsV1.ZoneChanges {
    let response = try await client.records.fetchRecordZoneChanges(
      .init(zones: [.init(zoneID: .init(zoneName: "pairs"), changeToken: token)])
    )
    return try #require(response.zones.first)
  }

  private func pairs(_ client: Client) async throws -> (names: Set<String>, token: [UInt8]) {
    var (names, token) = (Set<String>(), [UInt8]())
    while true {
      let page = try await zone(token, client)
      names.formUnion(page.changedRecords.map { $0.recordID?.recordName ?? "" })
      token = page.changeToken
      if !page.moreComing { return (names, token) }
    }
  }

  @Test("neither a backup nor what is restored from it opens the server's pushes")
  func secrets() async throws {
    let world = try await BackupWorld.make()
    let folder = world.server.folder
    try await world.client.subscribe(.init("all", "Houses"))
    let channel = try #require(
      try await world.client.notifications.registerDevice(.init()).channels.first
    )
    let secret = try StoreFile.value("secret", in: folder)
    // As the server derives it.
    func key(_ secret: [UInt8]) -> [UInt8] {
      SealingKey(secret: secret, name: "channel-key".utf8 + channel.topic).bytes
    }
    #expect(key(secret) == channel.key)

    await world.backUp()
    #expect(!contains(try folder.read("x.backup"), secret))
    let other = try TemporaryFolder()
    #expect(try await RestoreRun(world.path, into: other).exit == .code(0))
    let restored = try StoreFile.value("secret", in: other)
    #expect(restored.count == 32 && restored != secret && restored.contains { $0 != 0 })
    #expect(
      try StoreFile.value("incarnation", in: other) != StoreFile.value("incarnation", in: folder)
    )
    #expect(!contains(try other.read("data/tidings.sqlite"), secret))
    let server = try await TestServer.start(in: other)
    let client = try await server.client(as: "ada")
    let again = try #require(
      try await client.notifications.registerDevice(.init()).channels.first
    )
    #expect(again.topic == channel.topic && again.key == key(restored))
    for other in [restored, Array(repeating: 0, count: 32)] { #expect(key(other) != channel.key) }
  }

  @Test("the database of a backup, taken out by hand, does not run without a secret")
  func withoutSecret() async throws {
    let world = try await BackupWorld.make()
    await world.backUp()
    var (decoder, database) = (BackupDecoder(), [UInt8]())
    decoder.append(try world.server.folder.read("x.backup"))
    while let section = try decoder.nextSection() {
      if case .pages(_, let bytes) = section { database += bytes }
    }
    let folder = try TemporaryFolder()
    try Folder.make(folder.file("data"))
    try folder.write(database, to: "data/tidings.sqlite")
    #expect(try StoreFile.value("secret", in: folder) == Array(repeating: 0, count: 32))
    let server = try await TestServer.start(in: folder)
    try await server.stop()
    #expect(try StoreFile.value("secret", in: folder).contains { $0 != 0 })
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
  }

  @Test("a backup that is cut, changed or none at all is refused, and leaves no store")
  func damagedFiles() async throws {
    let world = try await BackupWorld.make()
    await world.backUp()
    var random = SplitMix64(seed: Seed.make("damagedFiles"))
    let bytes = try world.server.folder.read("x.backup")
    var wrong: [(name: String, bytes: [UInt8])] = [
      ("empty", []), ("another file", Array("SQLite format 3\0".utf8) + bytes.dropFirst(16)),
      ("cut by its end", Array(bytes.dropLast(40))), ("longer", bytes + [0]),
    ]
    for _ in 0..<4 {
      let count = Int.random(in: 1..<bytes.count, using: &random)
      wrong.append(("cut to \(count)", Array(bytes[..<count])))
      var changed = bytes
      let index = Int.random(in: 0..<bytes.count, using: &random)
      changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      wrong.append(("a bit of byte \(index)", changed))
    }
    let folder = try TemporaryFolder()
    for (name, bytes) in wrong {
      try folder.write(bytes, to: "wrong.backup")
      let restore = try await RestoreRun(folder.file("wrong.backup"), into: folder)
      #expect(restore.exit == .code(1), "\(name): \(restore.output)")
      #expect(restore.errors.contains("wrong.backup"), "\(name): \(restore.errors)")
      #expect(!Folder.isThere(folder.file("data")), "\(name)")
    }
    let missing = try await RestoreRun(folder.file("none.backup"), into: folder)
    #expect(missing.exit == .code(1) && missing.errors.contains("none.backup"))
  }

  @Test(
    "a backup that is killed, interrupted or loses its server leaves no file that is taken for one"
  )
  func brokenOff() async throws {
    let world = try await BackupWorld.make(megabytes: 3)
    for signal in [9, 2] as [Int32] {
      let (process, _) = try await world.startBackup()
      process.send(signal)
      #expect(try await process.waitForExit() != .code(0))
      #expect(try Folder.status(world.path) == nil)
      guard try Folder.status(world.partPath) != nil else { continue }
      #expect(signal == 9, "what was interrupted is not removed")
      let restore = try await RestoreRun(world.partPath, into: try TemporaryFolder())
      #expect(restore.exit == .code(1) && restore.errors.contains("incomplete"))
    }
    // Whoever went away does not keep others from theirs.
    var run = await world.backUp()
    try await waitUntil("the server to take another backup", pausing: .milliseconds(100)) {
      guard run.exitCode == .failedCall(.resourceExhausted) else { return true }
      run = await world.backUp()
      return false
    }
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(try Folder.status(world.partPath) == nil)
    try Folder.remove(world.path)
    let (process, proxy) = try await world.startBackup()
    try await world.server.crash()
    proxy.end()
    #expect(try await process.waitForExit() != .code(0))
    #expect(try Folder.status(world.path) == nil && Folder.status(world.partPath) == nil)
  }

  @Test("a file that exists is replaced with --force alone, and wrong options are refused")
  func arguments() async throws {
    let world = try await BackupWorld.make()
    try world.server.folder.write([1, 2, 3], to: "x.backup")
    let refused = await world.backUp()
    #expect(refused.exitCode == .localFailure && refused.err.contains("--force"), "\(refused.err)")
    #expect(try world.server.folder.read("x.backup") == [1, 2, 3])
    #expect(await world.backUp("--rate", "10").exitCode == .usage)
    #expect(await RpcctlRun(world.server, ["backup"]).exitCode == .usage)
    let folder = await RpcctlRun(world.server, ["backup", world.server.folder.path, "--force"])
    #expect(folder.exitCode == .localFailure && folder.err.contains("folder"))
    let dry = await world.backUp("--force", "--dry-run")
    #expect(dry.exitCode == .success)
    #expect(try world.server.folder.read("x.backup") == [1, 2, 3])
    let replaced = await world.backUp("--force")
    #expect(replaced.exitCode == .success, "\(replaced.err)")
    #expect(try world.server.folder.read("x.backup").count > 300_000)
  }

  @Test("one backup runs at a time, a server that stops does not wait for it")
  func oneAtATime() async throws {
    let world = try await BackupWorld.make(megabytes: 8)
    // Who takes nothing more holds it up: there is no credit for all of it.
    let administration = TidingsV1.AdminService.Client(world.client.transport)
    var stream = administration.createBackup(.init()).makeAsyncIterator()
    #expect(try await stream.next()?.chunk.isEmpty == false)
    for verb in [["backup", world.path], ["server", "check"]] {
      let second = await RpcctlRun(world.server, verb)
      #expect(second.exitCode == .failedCall(.resourceExhausted), "\(second.err)")
    }
    #expect(try Folder.status(world.path) == nil && Folder.status(world.partPath) == nil)
    let begin = ContinuousClock.now
    #expect(try await world.server.stop() == .code(0))
    #expect(ContinuousClock.now - begin < .seconds(5), "it waited for the backup")
  }

  @Test("only administrators back up, check and count, and it is in the audit log")
  func rights() async throws {
    let secure = try await SecureServer.start()
    let client = try await secure.client(try await secure.createUser("ada"))
    let methods = TidingsV1.AdminService.Client(client.transport)
    #expect(
      await failure { for try await _ in methods.createBackup(.init()) {} }?.code
        == .permissionDenied
    )
    #expect(
      await failure { for try await _ in methods.checkStore(.init()) {} }?.code == .permissionDenied
    )
    #expect(
      await failure { _ = try await methods.fetchStatistics(.init()) }?.code == .permissionDenied
    )
    let root = try await secure.client()
    let administration = TidingsV1.AdminService.Client(root.transport)
    var bytes = 0
    for try await response in administration.createBackup(.init()) { bytes += response.chunk.count }
    #expect(bytes > 100_000)
    let slow = await failure {
      for try await _ in administration.createBackup(.init(bytesPerSecondMax: 1)) {}
    }
    #expect(slow?.code == .invalidArgument)
    let entries = try await administration.fetchAuditLog(.init()).entries
      .filter { $0.action == "CreateBackup" }
    #expect(entries.contains { $0.refused && $0.userName == "ada" }, "\(entries)")
    #expect(entries.contains { $0.userName == "root" && $0.detail.contains("\(bytes) bytes") })
    await root.close()
    await client.close()
  }

  @Test("assets that are forgotten while a backup runs are in it, and go afterwards")
  func heldAssets() async throws {
    let world = try await BackupWorld.make(
      megabytes: 3,
      arguments: ["--limit", "asset-retention-hours=0"]
    )
    let file = world.server.folder.file(BackupWorld.filePath(world.asset))
    let (process, proxy) = try await world.startBackup()
    _ = try await world.client.modify(delete: [.init("photo")])
    proxy.allow(.max / 2)
    #expect(try await process.waitForExit() == .code(0), "\(process.seen.value.errors)")
    try await waitUntil("the file of the asset to go") { try Folder.status(file) == nil }
    let folder = try TemporaryFolder()
    #expect(try await RestoreRun(world.path, into: folder).exit == .code(0))
    let restored = try await TestServer.start(in: folder)
    let reader = try await restored.client(as: "ada")
    #expect(try await reader.assets().download(world.asset) == world.photo)
  }
}
