internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsSQLite

/// A folder whose database, log or state is missing, cut or older than the rest is not served, and
/// nothing in it is changed.
@Suite(.endsServers, .embeddedOnly) struct LostFilesTests {
  private static let database = "data/tidings.sqlite"
  private static let log = "data/tidings.sqlite-wal"
  private static let state = "data/store.state"

  private static let ports = ["--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0"]

  /// The folder of a server that has stopped, or crashed, after acknowledged saves.
  ///
  /// With `isLogFull` the log holds nothing but these saves: an earlier run made the tables.
  private func makeFolder(
    crashed: Bool,
    isLogFull: Bool = false,
    saves: Int = 30
  ) async throws -> TemporaryFolder {
    var server = try await TestServer.start()
    if isLogFull {
      try await server.stop()
      server = try await TestServer.start(in: server.folder)
    }
    let client = try await server.client(as: "ada")
    for index in 0..<saves { try await client.save(.init("Houses", "h\(index)", ["n": 1])) }
    _ = try await client.assets().upload([1, 2, 3])
    if crashed { try await server.crash() } else { try await server.stop() }
    return server.folder
  }

  private func remove(_ folder: TemporaryFolder, _ names: String...) throws {
    for name in names { try Folder.remove(folder.file(name)) }
  }

  private func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: folder.file("data"), toPath: copy.file("data"))
    return copy
  }

  private func run(
    _ arguments: [String]
  ) async throws -> (exit: ServerProcess.Exit, output: String, errors: String) {
    let process = try ServerProcess(arguments: arguments)
    // A server that starts all the same is stopped.
    _ = try await process.seen.wait("rpcd to end or start") {
      $0.exit != nil || $0.output.contains("ready")
    }
    if process.seen.value.output.contains("rpcd ready") { process.send(9) }
    let exit = try await process.waitForExit()
    return (exit, process.seen.value.output, process.seen.value.errors)
  }

  /// rpcd and `rpcd init` refuse a folder with these words, and leave all as it is.
  private func expectRefusal(_ folder: TemporaryFolder, _ words: String...) async throws {
    let before = try folder.contents("data")
    for verb in [Self.ports, ["init"]] {
      let (exit, _, errors) = try await run(verb + ["--data", folder.file("data")])
      #expect(exit == .code(1))
      for word in words + ["Nothing was changed", "restore a backup", "accept-loss"] {
        #expect(errors.contains(word), "\(word): \(errors)")
      }
    }
    let after = try folder.contents("data")
    let names = Set(before.keys).union(after.keys)
    for name in names where name != "lock" && !name.hasSuffix("-shm") {
      // SQLite makes an empty log where there is none.
      let isSame = (before[name] ?? []) == (after[name] ?? [])
      #expect(isSame, "\(name) was changed")
    }
  }

  private func expectSaves(_ folder: TemporaryFolder, _ count: Int) async throws {
    let server = try await TestServer.start(in: folder)
    let ids = (0..<count).map { TidingsV1.RecordID("h\($0)") }
    let found = try await server.client(as: "ada").fetch(ids).compactMap(\.record)
    #expect(found.count == count)
    try await server.client(as: "ada").save(.init("Houses", "new"))
    try await server.stop()
  }

  // MARK: Without a database

  @Test("a log without a database is not thrown away")
  func logAlone() async throws {
    let folder = try await makeFolder(crashed: true)
    try remove(folder, Self.database, Self.state)
    try await expectRefusal(folder, "no database", "a log of commits")
    try folder.write([], to: Self.database)
    try await expectRefusal(folder, "no database", "a log of commits")
  }

  @Test("assets without a database are not removed")
  func assetsAlone() async throws {
    let folder = try await makeFolder(crashed: false)
    try remove(folder, Self.database, Self.state)
    try await expectRefusal(folder, "no database", "files of assets (1)")
  }

  @Test(
    "an audit log, or the state, without a database is a lost database",
    arguments: [false, true]
  )
  func recordsAlone(audit: Bool) async throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.file("data"))
    if audit {
      try folder.write(Array("{}\n".utf8), to: "data/audit.log")
    } else {
      let other = try await makeFolder(crashed: false)
      try folder.write(try other.read(Self.state), to: Self.state)
    }
    try await expectRefusal(
      folder,
      "no database",
      audit ? "an audit log" : "the state of a store (run 2"
    )
  }

  @Test("keys, and an empty database that init made, are no loss")
  func initialized() async throws {
    let folder = try TemporaryFolder()
    _ = try await SecureServer.initialize(folder)
    let server = try await TestServer.start(in: folder)
    #expect(!server.process.seen.value.errors.contains("state file"))
    try await server.stop()
    // The database is gone, the keys are there.
    let keys = try TemporaryFolder()
    try Folder.make(keys.file("data"))
    for name in ["server.key", "server.pub"] {
      try FileManager.default.copyItem(
        atPath: folder.file("data/\(name)"),
        toPath: keys.file("data/\(name)")
      )
    }
    try await TestServer.start(in: keys).stop()
  }

  // MARK: Lost logs

  @Test("a log that is missing, empty or damaged at its begin is noticed")
  func lostLog() async throws {
    let folder = try await makeFolder(crashed: true)
    let bytes = try folder.read(Self.log)
    try remove(folder, Self.log)
    try await expectRefusal(folder, "the log of acknowledged commits", "is missing")
    try folder.write([], to: Self.log)
    try await expectRefusal(folder, "is missing")
    for location in [0, 9, 13, 17, 31] {
      var damaged = bytes
      damaged[location] ^= 4
      try folder.write(damaged, to: Self.log)
      try await expectRefusal(folder, "damaged in its first bytes")
    }
    try folder.write(bytes, to: Self.log)
    try await expectSaves(folder, 30)
  }

  @Test("a log that is cut by a commit or more is noticed")
  func cutLog() async throws {
    let folder = try await makeFolder(crashed: true, isLogFull: true)
    let bytes = try folder.read(Self.log)
    for length in [32, 33, bytes.count / 2, bytes.count - 4120, bytes.count - 1] {
      try folder.write(Array(bytes[..<length]), to: Self.log)
      try await expectRefusal(folder, "lost commits: it ends at frame")
    }
    try folder.write(bytes, to: Self.log)
    try await expectSaves(folder, 30)
  }

  @Test(
    "one wrong bit in the log of a crashed server: all is there, or it is refused with the reason"
  )
  func flippedBit() async throws {
    let seed = Seed.make("flippedBit")
    var random = SplitMix64(seed: seed)
    let folder = try await makeFolder(crashed: true, isLogFull: true)
    let bytes = try folder.read(Self.log)
    for _ in 0..<12 {
      var damaged = bytes
      let location = random.below(random.oneIn(4) ? 64 : bytes.count)
      damaged[location] ^= 1 << UInt8(random.below(8))
      let one = try copy(folder)
      try one.write(damaged, to: Self.log)
      let (exit, _, errors) = try await run(Self.ports + ["--data", one.file("data")])
      if exit == .code(1) {
        let words = [
          "lost commits: it ends at frame", "damaged in its first bytes", "does not continue",
        ]
        #expect(words.contains { errors.contains($0) }, "seed \(seed), byte \(location): \(errors)")
      } else {
        #expect(location >= 32, "seed \(seed), byte \(location)")
        try await expectSaves(one, 30)
      }
    }
  }

  // MARK: Older copies

  @Test(
    "an older copy of the database, with or without its log, is noticed",
    arguments: [false, true]
  )
  func olderCopy(crashed: Bool) async throws {
    let folder = try await makeFolder(crashed: crashed)
    let older = try copy(folder)
    var server = try await TestServer.start(in: folder)
    try await server.client(as: "ada").save(.init("Houses", "later"))
    try await server.stop()
    try folder.write(try older.read(Self.database), to: Self.database)
    if crashed { try folder.write(try older.read(Self.log), to: Self.log) }
    try await expectRefusal(folder, "older copy")
    // It is also noticed when the newer server crashed.
    let other = try copy(older)
    server = try await TestServer.start(in: other)
    try await server.client(as: "ada").save(.init("Houses", "later"))
    try await server.crash()
    try other.write(try older.read(Self.database), to: Self.database)
    try remove(other, Self.log)
    if crashed { try other.write(try older.read(Self.log), to: Self.log) }
    try await expectRefusal(other, crashed ? "does not continue" : "is missing")
  }

  @Test("a copy that was made while the server ran is older when it has stopped")
  func copyOfRunning() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h0"))
    let older = try copy(server.folder)
    try await client.save(.init("Houses", "h1"))
    try await server.stop()
    let folder = server.folder
    for name in [Self.database, Self.log] { try folder.write(try older.read(name), to: name) }
    try await expectRefusal(folder, "lost commits")
  }

  @Test("the database of another store is refused, with both incarnations")
  func otherStore() async throws {
    let folder = try await makeFolder(crashed: false)
    let other = try await makeFolder(crashed: false)
    try folder.write(try other.read(Self.database), to: Self.database)
    try await expectRefusal(folder, "belongs to another store", "incarnation")
  }

  // MARK: Accepting

  @Test("an accepted loss gives a new incarnation: old tokens expire, and the rest is there")
  func accepted() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h0"))
    let token = try await changes(after: [], client).changeToken
    try await client.save(.init("Houses", "h1"))
    let incarnation = try await client.server.fetchServerInfo(.init()).incarnation
    try await server.crash()
    let folder = server.folder
    let data = folder.file("data")
    let log = try folder.read(Self.log)
    // Behind the last commit frames of an earlier log may follow.
    let end = LogInspection(fileBytes: UInt64(log.count)) { offset, count in
      Array(log.dropFirst(Int(offset)).prefix(count))
    }.committedFrames
    try folder.write(Array(log[..<(32 + 4120 * Int(end - 1))]), to: Self.log)
    try await expectRefusal(folder, "lost commits")
    let (exit, output, errors) = try await run(["accept-loss", "--data", data])
    #expect(exit == .code(0), "\(errors)")
    for words in ["lost commits", "last acknowledged commit: 2", "new incarnation"] {
      #expect(output.contains(words), "\(output)")
    }
    let again = try await run(["accept-loss", "--data", data])
    #expect(again.exit == .code(1) && again.errors.contains("nothing is known to be lost"))
    let next = try await TestServer.start(in: folder)
    let reader = try await next.client(as: "ada")
    #expect(try await reader.server.fetchServerInfo(.init()).incarnation != incarnation)
    #expect(try await reader.fetch([.init("h0")])[0].record != nil)
    #expect(try await changes(after: token, reader).error?.code == .changeTokenExpired)
  }

  private func changes(
    after token: [UInt8],
    _ client: Client
  ) async throws -> TidingsV1.ZoneChanges {
    let zone = TidingsV1.ZoneChangesOptions(zoneID: .init(zoneName: ""), changeToken: token)
    return try await client.records.fetchRecordZoneChanges(.init(zones: [zone])).zones[0]
  }

  @Test("an accepted loss of the database keeps its log and its assets aside")
  func acceptedDatabase() async throws {
    let folder = try await makeFolder(crashed: true)
    let log = try folder.read(Self.log)
    try remove(folder, Self.database)
    let (exit, output, errors) = try await run(["accept-loss", "--data", folder.file("data")])
    #expect(exit == .code(0) && output.contains("wal.lost-1"), "\(errors)\(output)")
    #expect(try folder.read(Self.log + ".lost-1") == log)
    let server = try await TestServer.start(
      in: folder,
      arguments: ["--limit", "asset-retention-hours=1"]
    )
    try await server.client(as: "ada").save(.init("Houses", "h0"))
    try await server.stop()
    #expect(try folder.contents("data/assets").count == 1)
  }
}
