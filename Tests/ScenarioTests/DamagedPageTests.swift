internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQLite

/// Damage that is found while the server runs ends calls that need the damaged page, never the server.
@Suite(.endsServers, .embeddedOnly) struct DamagedPageTests {
  private static let file = "data/tidings.sqlite"
  private static let recordsCount = 400

  /// A server on a damaged database.
  ///
  /// It is so long that it is not looked through at the start.
  ///
  /// - Parameters:
  ///   - name: A table or an index of which a page is overwritten.
  ///   - leaf: The page's place among the leaves.
  /// - Returns: The server, and clients of two users.
  /// - Throws: Why it cannot be made.
  private func makeServer(
    damaging name: String,
    leaf: Int
  ) async throws -> (server: TestServer, ada: Client, bob: Client) {
    var server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "phone")
    try await ada.subscribe(.init("all", "Houses", keys: ["text"]))
    let writer = try await server.client(as: "ada", device: "laptop")
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "x", count: 300)))
    for start in stride(from: 0, to: Self.recordsCount, by: 100) {
      let saved = try await writer.modify(
        (start..<start + 100).map { .init("Houses", self.name($0), ["text": text]) }
      )
      #expect(saved.allSatisfy { $0.record != nil })
    }
    try await server.client(as: "bob").save(.init("Houses", "b"))
    try await server.stop()
    try damage(server.folder, name, leaf: leaf)
    server = try await server.restarted()
    return (
      server, try await server.client(as: "ada", device: "phone"),
      try await server.client(as: "bob", device: "phone")
    )
  }

  private func name(_ number: Int) -> String { "h\(1000 + number)" }

  private func damage(_ folder: TemporaryFolder, _ name: String, leaf: Int) throws {
    let connection = try SQLiteConnection(path: folder.file(Self.file))
    let pages = DatabasePages(of: try folder.read(Self.file))
    let leaves = try pages.leaves(of: name, connection)
    try #require(leaves.count > max(1, leaf), "\(name) has \(leaves.count) leaves")
    try connection.execute(
      """
      CREATE TABLE padding (bytes BLOB);
      INSERT INTO padding VALUES (zeroblob(\(SQLiteConnection.quickCheckBytesMax + 1)));
      """
    )
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let page = leaves[leaf]
    let noise = page.map { UInt8(truncatingIfNeeded: $0 &* 31 | 0x80) }
    try folder.overwrite(noise, at: page.lowerBound, in: Self.file)
  }

  private func expectDamage(_ error: RPCError?, _ what: String) {
    #expect(error?.code == .dataLoss, "\(what): \(String(describing: error))")
    let message = error?.message ?? ""
    #expect(message.contains("operator"), "\(what): \(message)")
    #expect(!message.contains("/") && !message.contains("sqlite"), "\(what): \(message)")
  }

  /// Another user is served meanwhile.
  private func expectService(_ bob: Client, _ number: Int) async throws {
    try await bob.save(.init("Trees", "t\(number)"))
    #expect(try await bob.fetch([.init("t\(number)")])[0].record != nil)
    #expect(try await bob.feed().notifications.isEmpty)
    let zones = try await bob.records.fetchDatabaseChanges(.init())
    #expect(!zones.changedZoneIDs.isEmpty)
  }

  private func expectWhole(_ server: TestServer, logged words: String...) async throws {
    #expect(try await server.stop() == .code(0))
    let log = server.process.seen.value.errors
    for word in words { #expect(log.contains(word), "\(log)") }
    // However often it was met.
    #expect(log.split(separator: "\n").count < 30, "\(log)")
  }

  /// The first page of the events is the first that a feed needs: it fails before it has begun.
  @Test(
    "a damaged page of the notifications, or of their index, is DATA_LOSS each time",
    arguments: [("events", 0), ("events", 1), ("events_by_number", 0), ("events_by_number", 1)]
  )
  func events(table: String, leaf: Int) async throws {
    let (server, ada, bob) = try await makeServer(damaging: table, leaf: leaf)
    for number in 0..<12 {
      expectDamage(await failure { _ = try await ada.feed() }, "fetch \(number)")
      try await expectService(bob, number)
    }
    try await expectWhole(server, logged: "damaged")
  }

  @Test("a damaged page of records is DATA_LOSS for those who need it, in reads and writes")
  func records() async throws {
    let (server, ada, bob) = try await makeServer(damaging: "records", leaf: 1)
    let ids = (0..<Self.recordsCount).map { TidingsV1.RecordID(name($0)) }
    for number in 0..<6 {
      let fetched = await failure { _ = try await ada.fetch(ids) }
      expectDamage(fetched, "fetch \(number)")
      let query = await failure {
        _ = try await ada.records.queryRecords(
          .init(recordType: "Houses", predicate: .init(text: "TRUEPREDICATE"))
        )
      }
      expectDamage(query, "query \(number)")
      let changes = await failure {
        _ = try await ada.records.fetchRecordZoneChanges(
          .init(zones: [.init(zoneID: .init(zoneName: ""))])
        )
      }
      expectDamage(changes, "changes \(number)")
      let saved = await failure {
        _ = try await ada.modify(ids.map { .init("Houses", $0.recordName) })
      }
      expectDamage(saved, "save \(number)")
      try await expectService(bob, number)
    }
    try await expectWhole(server, logged: "damaged")
  }

  @Test("calls in the same turn as one that meets damage, reading or writing, succeed at once")
  func sameTurn() async throws {
    let (server, ada, _) = try await makeServer(damaging: "records", leaf: 1)
    let bob = try await server.client(as: "bob", device: "phone", retries: false)
    let ids = (0..<Self.recordsCount).map { TidingsV1.RecordID(name($0)) }
    // Calls of one turn come from several connections; one of them always fails.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for number in 0..<40 {
            expectDamage(await failure { _ = try await ada.fetch(ids) }, "\(number)")
            let saved = await failure {
              _ = try await ada.modify(ids.map { .init("Houses", $0.recordName) })
            }
            expectDamage(saved, "save \(number)")
          }
        }
      }
      for writer in 0..<3 {
        group.addTask {
          for number in 0..<100 {
            let saved = try await bob.save(.init("Trees", "w\(writer)n\(number)", ["n": 1]))
            let found = try await bob.fetch([.init("w\(writer)n\(number)")])[0].record
            #expect(found?.changeTag == saved.changeTag)
          }
        }
      }
      try await group.waitForAll()
    }
    try await expectWhole(server, logged: "damaged")
  }
}
