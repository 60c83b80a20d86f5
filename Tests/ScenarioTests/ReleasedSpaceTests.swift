internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsSQLite

@testable internal import rpcctl

/// The space of what was removed is given back to the file system.
@Suite(.endsServers, .embeddedOnly) struct ReleasedSpaceTests {
  private static let records = 500
  private static let recordBytes = 60_000
  /// What the zone takes, at least.
  private static let zoneBytes = records * recordBytes
  private static let zone = TidingsV1.ZoneID(zoneName: "attic")

  private func databaseBytes(_ server: TestServer) throws -> Int {
    let path = server.folder.file("data/tidings.sqlite")
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  private func freeBytes(_ client: Client) async throws -> UInt64 {
    try await client.server.fetchServerInfo(.init()).counters?.freeBytes ?? 0
  }

  /// Fills the zone, with records of another zone before, between and behind.
  ///
  /// - Returns: The number of those.
  private func fill(_ client: Client) async throws -> Int {
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: Self.zone)])
    )
    let bytes = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 7, count: Self.recordBytes)))
    var kept = 0
    for start in stride(from: 0, to: Self.records, by: 20) {
      let results = try await client.modify(
        (start..<start + 20).map { .init("Boxes", "b\($0)", zone: "attic", ["bytes": bytes]) }
      )
      #expect(results.allSatisfy { $0.error == nil })
      try await keep(kept, client)
      kept += 1
    }
    return kept
  }

  private func keep(_ number: Int, _ client: Client) async throws {
    try await client.save(
      .init("Notes", "n\(number)", ["n": .init(.int64Value(Int64(number)))])
    )
  }

  private func expectKept(_ count: Int, _ client: Client) async throws {
    for start in stride(from: 0, to: count, by: 200) {
      let numbers = Array(start..<min(start + 200, count))
      let results = try await client.fetch(numbers.map { .init("n\($0)") })
      #expect(
        results.map { $0.record?.fields["n"] } == numbers.map { .init(.int64Value(Int64($0))) }
      )
    }
  }

  private func deleteZone(_ client: Client) async throws {
    let results = try await client.zones.modifyRecordZones(.init(zoneIDsToDelete: [Self.zone]))
      .results
    #expect(results.allSatisfy { $0.outcome == .deleted(true) }, "\(results)")
  }

  /// Rows of the zone are still there; space may be given back meanwhile.
  private func isBeingRemoved(_ server: TestServer) throws -> Bool {
    try DatabaseLook(server.folder).count("zone_removals") > 0
  }

  private func waitForRemoval(_ server: TestServer) async throws {
    try await waitUntil("the rows of the deleted zone to be removed") {
      try !isBeingRemoved(server)
    }
  }

  /// Leaves free pages in the store of a server that has ended, which nothing gives back meanwhile.
  private func freePages(_ server: TestServer) throws {
    let connection = try SQLiteConnection(path: server.folder.file("data/tidings.sqlite"))
    try connection.execute(
      "CREATE TABLE attic (bytes BLOB); INSERT INTO attic VALUES (zeroblob(\(Self.zoneBytes)))"
    )
    try connection.moveWholeLog()
    try connection.execute("DROP TABLE attic")
  }

  @Test("after a large zone was deleted the file shrinks, while saves go on and through a crash")
  func shrinks() async throws {
    var server = try await TestServer.startLasting()
    var client = try await server.client(as: "ada")
    var kept = try await fill(client)
    try await deleteZone(client)
    try await waitUntil("the rows of the deleted zone to be removed", pausing: .zero) {
      try await keep(kept, client)
      kept += 1
      return try !isBeingRemoved(server)
    }
    try await waitUntil("a quarter of the space to be given back", pausing: .zero) {
      try await keep(kept, client)
      kept += 1
      return try await freeBytes(client) <= Self.zoneBytes * 3 / 4
    }
    // In the middle of it, and the next server goes on.
    try await server.crash()
    server = try await server.restarted()
    client = try await server.client(as: "ada")
    try await expectKept(kept, client)
    try await waitUntil("the file to shrink", pausing: .zero) {
      try await keep(kept, client)
      kept += 1
      return try databaseBytes(server) <= Self.zoneBytes / 3
    }
    try await expectKept(kept, client)
    try await server.stop()
    let connection = try SQLiteConnection(path: server.folder.file("data/tidings.sqlite"))
    try connection.check(thorough: true)
  }

  @Test("a backup that is written meanwhile is whole")
  func backup() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let kept = try await fill(client)
    try await deleteZone(client)
    try await waitForRemoval(server)
    let file = server.folder.file("all.backup")
    let backup = await RpcctlRun(server, ["backup", file, "--rate", "20000000"])
    #expect(backup.exitCode == .success, "\(backup.err)")
    try await waitUntil("space to be given back") {
      try await freeBytes(client) < Self.zoneBytes * 9 / 10
    }
    let folder = try TemporaryFolder()
    let restoration = try ServerProcess(
      "rpcd",
      arguments: ["restore", file, "--data", folder.file("data")]
    )
    #expect(try await restoration.waitForExit() == .code(0), "\(restoration.seen.value.errors)")
    let restored = try await TestServer.start(in: folder)
    try await expectKept(kept, try await restored.client(as: "ada"))
  }

  @Test("a stopped store is compacted at once, and the next server continues with it")
  func compact() async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada")
    let kept = 20
    for number in 0..<kept { try await keep(number, client) }
    let arguments = ["compact", "--data", server.folder.file("data")]
    let refused = try ServerProcess("rpcd", arguments: arguments)
    #expect(try await refused.waitForExit() == .code(1))
    #expect(refused.seen.value.errors.contains("another rpcd uses the data folder"))
    // With a log that is not moved.
    try await server.crash()
    try freePages(server)
    #expect(try databaseBytes(server) > Self.zoneBytes)
    let compaction = try ServerProcess("rpcd", arguments: arguments)
    #expect(try await compaction.waitForExit() == .code(0), "\(compaction.seen.value.errors)")
    #expect(compaction.seen.value.output.contains("bytes before"))
    #expect(try databaseBytes(server) < Self.zoneBytes / 5)
    let next = try await server.restarted()
    let again = try await next.client(as: "ada")
    try await expectKept(kept, again)
    try await keep(kept, again)
    #expect(try await freeBytes(again) < 1_000_000)
  }
}
