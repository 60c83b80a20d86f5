internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A disk whose syncs take long: what reads does not wait for the commits of others.
///
/// How long anything takes is never looked at: the disk holds a commit up until the test has the answers that must not
/// wait for it.
@Suite(.endsServers, .embeddedOnly) struct SlowDiskTests {
  private static let log = "tidings.sqlite-wal$"

  private func house(_ name: String, _ number: Int) -> TidingsV1.Record {
    .init("Houses", name, ["n": .init(integerLiteral: Int64(number))])
  }

  private func number(_ name: String, _ client: Client) async throws -> TidingsV1.FieldValue? {
    try await client.fetch([.init(name)]).first?.record?.fields["n"]
  }

  private func names(_ client: Client) async throws -> [String] {
    try await client.records.queryRecords(
      .init(recordType: "Houses", predicate: .init(text: "n > 0"))
    ).records.compactMap(\.recordID?.recordName)
  }

  /// Saves four times on a slow disk: from then on the server commits on a thread of its own.
  private func slowDown(_ disk: DiskFaults, _ client: Client) async throws {
    try disk.set(.slow(Self.log, by: .milliseconds(50)))
    for index in 1...4 { try await client.save(house("h", index)) }
  }

  /// Lets a disk hold up a commit with some of four saves, while the others wait for it, and looks what is answered.
  ///
  /// - Parameters:
  ///   - server: Slow already, with `h` as its only record.
  ///   - disk: Its disk.
  ///   - release: What the disk does from then on.
  /// - Returns: How the saves ended: `nil`, or why they failed.
  /// - Throws: When a lookup fails.
  private func saveWhileHeld(
    _ server: TestServer,
    _ disk: DiskFaults,
    release: [DiskFaults.Rule]
  ) async throws -> [RPCError?] {
    // A server that waits for the disk answers nothing: that is to be seen soon.
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.user = "ada"
    configuration.timeout = .seconds(60)
    let reader = try await Client(configuration)
    #expect(try await names(reader) == ["h"])
    var writers: [Client] = []
    for _ in 0..<4 { writers.append(try await server.client(as: "ada", retries: false)) }
    try disk.set(.hold(Self.log))
    let ends = Observed<[RPCError?]>([])
    return try await withThrowingTaskGroup(of: Void.self) { group in
      // The saves end in any case.
      defer { try? disk.clear() }
      for (index, writer) in writers.enumerated() {
        let record = house("w\(index)", index + 1)
        group.addTask {
          let refusal = await failure { try await writer.save(record) }
          ends.update { $0.append(refusal) }
        }
      }
      try await waitUntil("the disk to hold up a commit", pausing: .milliseconds(2)) {
        disk.heldCount > 0 || !ends.value.isEmpty
      }
      for _ in 0..<20 {
        #expect(try await number("h", reader) == 4)
        #expect(try await number("w0", reader) == nil)
        #expect(try await names(reader) == ["h"])
        #expect(try await reader.health.check(.init()).status == .serving)
      }
      #expect(ends.value.isEmpty, "acknowledged before the disk had it")
      try disk.set(release)
      try await group.waitForAll()
      return ends.value
    }
  }

  @Test("while the disk holds up a commit, lookups and queries are answered from what is durable")
  func reads() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    try await slowDown(disk, server.client(as: "ada"))
    let ends = try await saveWhileHeld(server, disk, release: [])
    #expect(ends.count == 4 && ends.allSatisfy { $0 == nil }, "\(ends)")
    try await server.crash()
    let client = try await server.restarted().client(as: "ada")
    #expect(try await number("h", client) == 4)
    for index in 0..<4 {
      #expect(try await number("w\(index)", client) == .init(integerLiteral: Int64(index + 1)))
    }
  }

  @Test("a commit beside the loop whose sync failed is acknowledged to nobody, and the server ends")
  func failedSync() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    try await slowDown(disk, server.client(as: "ada"))
    let ends = try await saveWhileHeld(server, disk, release: [.fail(.sync, of: Self.log)])
    #expect(ends.count == 4)
    for end in ends { #expect(end?.code == .unavailable, "\(String(describing: end))") }
    #expect(
      ends.contains { $0?.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")) == true },
      "\(ends)"
    )
    #expect(try await server.process.waitForExit() == .code(1))
    #expect(server.process.seen.value.errors.contains("a sync failed"))
    #expect(disk.failures.count == 1)
    try disk.clear()
    let client = try await server.restarted().client(as: "ada")
    #expect(try await number("h", client) == 4)
    // Whether the others took effect is not known; a next save does.
    try await client.save(house("w0", 9))
    #expect(try await number("w0", client) == 9)
  }

  @Test("a call that takes long begins, though others write all the time")
  func longCall() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    let ada = try await server.client(as: "ada", retries: false)
    try await slowDown(disk, ada)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // There is one that waits for the store whenever a commit ends.
      for index in 0..<16 {
        let writer = try await server.client(as: "writer-\(index)")
        group.addTask {
          var number = 0
          while !Task.isCancelled {
            number += 1
            do {
              try await writer.save(house("w\(index)", number))
            } catch  where Task.isCancelled {}
          }
        }
      }
      defer { group.cancelAll() }
      let results = try await ada.modify((0..<400).map { house("long-\($0)", $0) })
      #expect(results.count == 400 && results.allSatisfy { $0.record != nil })
    }
  }
}
