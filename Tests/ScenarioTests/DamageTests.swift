internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsSQLite

/// A damaged database is not opened, and not made worse.
@Suite(.endsServers, .embeddedOnly) struct DamageTests {
  private static let file = "data/tidings.sqlite"

  /// The folder of a server that has stopped, or crashed, with something in its database.
  private func makeFolder(crashed: Bool) async throws -> TemporaryFolder {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.subscribe(.init("all", "Houses"))
    for _ in 0..<10 {
      let records = (0..<100).map {
        TidingsV1.Record("Houses", "h\($0)", ["n": 1, "city": "Oslo"])
      }
      _ = try await client.modify(records)
    }
    if crashed { try await server.crash() } else { try await server.stop() }
    return server.folder
  }

  private func expectRefusal(_ folder: TemporaryFolder, _ words: String...) async throws {
    let before = try folder.contents("data")
    let process = try ServerProcess(
      arguments: [
        "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data", folder.file("data"),
      ])
    #expect(try await process.waitForExit() == .code(1))
    let seen = process.seen.value
    #expect(seen.output == "")
    for word in words { #expect(seen.errors.contains(word), "\(seen.errors)") }
    let after = try folder.contents("data")
    for (name, bytes) in before where name != "lock" && !name.hasSuffix("-shm") {
      let isSame = after[name] == bytes
      #expect(isSame, "\(name) was changed")
    }
  }

  private func expectDamaged(_ folder: TemporaryFolder) async throws {
    try await expectRefusal(folder, "damaged", "tidings.sqlite", "backup", "Nothing was changed")
  }

  @Test("random bytes in place of the database")
  func randomBytes() async throws {
    let seed = Seed.make("randomBytes")
    var random = SplitMix64(seed: seed)
    let folder = try await makeFolder(crashed: false)
    try folder.write(random.bytes(20_000), to: Self.file)
    try await expectDamaged(folder)
  }

  @Test("a truncated database", arguments: [50, 4096, 10_000])
  func truncated(length: Int) async throws {
    let folder = try await makeFolder(crashed: false)
    let bytes = try folder.read(Self.file)
    #expect(bytes.count > 20_000)
    try folder.write(Array(bytes[..<length]), to: Self.file)
    try await expectDamaged(folder)
  }

  @Test("a page that holds something else", arguments: [false, true])
  func overwrittenPage(crashed: Bool) async throws {
    let folder = try await makeFolder(crashed: false)
    if crashed {
      // A log that was not moved yet lies beside the damaged file, and must stay as it is.
      let server = try await TestServer.start(in: folder)
      try await server.client(as: "ada").save(.init("Cars", "c1"))
      try await server.crash()
      #expect(try folder.contents("data").keys.contains("tidings.sqlite-wal"))
    }
    var bytes = try folder.read(Self.file)
    let page = 4096
    for index in 5 * page..<6 * page { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try folder.write(bytes, to: Self.file)
    try await expectDamaged(folder)
  }

  @Test("an empty database file beside a store's state is a lost database, not a new store")
  func emptyFile() async throws {
    let folder = try await makeFolder(crashed: false)
    try folder.write([], to: Self.file)
    try await expectRefusal(folder, "no database", "or an empty one", "accept-loss")
  }

  @Test("a store of a newer version is refused, with both versions")
  func newerSchema() async throws {
    let folder = try await makeFolder(crashed: false)
    let connection = try SQLiteConnection(path: folder.file(Self.file))
    try connection.execute("INSERT INTO migrations VALUES (99, 'future')")
    try await expectRefusal(folder, "newer version", "99")
  }

  @Test("a second server on the same folder is refused at once, the first goes on")
  func secondServer() async throws {
    let server = try await TestServer.start()
    let data = server.folder.file("data")
    try FileManager.default.createSymbolicLink(
      atPath: server.folder.file("link"),
      withDestinationPath: data
    )
    for removesLock in [false, true] {
      // The lock is the folder's own, whatever is removed in it and however it is reached.
      if removesLock { try FileManager.default.removeItem(atPath: data + "/lock") }
      for path in [data, server.folder.file("link"), data + "/."] {
        for verb in [[], ["init"], ["accept-loss"]] as [[String]] {
          let ports = ["--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0"]
          let second = try ServerProcess(
            arguments: verb + ["--data", path] + (verb.isEmpty ? ports : [])
          )
          _ = try await second.seen.wait("rpcd to end or start") {
            $0.exit != nil || $0.output.contains("ready")
          }
          if second.seen.value.output.contains("ready") { second.send(9) }
          #expect(try await second.waitForExit() == .code(1))
          #expect(second.seen.value.errors.contains("another rpcd uses the data folder"))
          #expect(second.seen.value.output == "")
        }
      }
    }
    try await server.client(as: "ada").save(.init("Houses", "h1"))
  }
}
