import TestSupport
import Testing
import TidingsClient
import TidingsProto

@testable import rpcctl

/// Times keep their nanoseconds through everything that a server does with them.
@Suite(.endsServers) struct TimePrecisionTests {
  private static let time = "2026-01-02T03:04:05.123456789Z"
  /// A nanosecond more.
  private static let later = "2026-01-02T03:04:05.123456790Z"

  @Test("saved, fetched, queried, sorted, exported, imported, and after a restart")
  func everywhere() async throws {
    var server = try await TestServer.startLasting()
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) async -> RpcctlRun { await RpcctlRun(server, arguments) }

    let fields = [
      "\"t\":{\"timestamp\":\"\(Self.time)\"}", "\"t\":{\"timestamp\":\"\(Self.later)\"}",
    ]
    for (name, field) in zip(["b", "a"], fields) {
      let record = #"{"recordType":"T","recordName":"\#(name)","fields":{\#(field)}}"#
      let saved = await run("modify-records", "--save", record)
      #expect(saved.exitCode == .success, "\(saved.err)")
    }
    func check() async {
      #expect(await run("fetch-records", "b").out.contains(Self.time))
      #expect(await run("fetch-records", "a").out.contains(Self.later))
      let names = await run("query", "T", "--sort", "t", "-o", "jsonl")
      #expect(names.lines.map { $0.contains(Self.time) } == [true, false], "\(names.out)")
      for (condition, name) in [
        ("t = @\(Self.time)", "b"), ("t > @\(Self.time)", "a"), ("t < @\(Self.later)", "b"),
        ("t >= @2026-01-02T03:04:05.123456790Z", "a"), ("t = @2026-01-02T03:04:05.12345679Z", "a"),
      ] {
        let found = await run("query", "T", "--where", condition)
        #expect(found.lines.count == 1, "\(condition): \(found.out) \(found.err)")
        #expect(found.out.contains("\"recordName\":\"\(name)\""), "\(condition): \(found.out)")
      }
      #expect(await run("query", "T", "--where", "t = @2026-01-02T03:04:05.123Z").lines.isEmpty)
    }
    await check()
    let client = try await server.client(as: "ada")
    let learned = try await client.schemas.fetchSchema(.init()).text
    _ = try await client.schemas.applySchema(
      .init(text: learned.replacing("TIMESTAMP", with: "TIMESTAMP QUERYABLE SORTABLE"))
    )
    try await waitUntil("the index to be built") {
      try await client.schemas.fetchSchema(.init()).indexes.map(\.state) == [.ready]
    }
    await client.close()
    await check()

    let exported = await run("export", "-O", folder.file("all"))
    #expect(exported.exitCode == .success, "\(exported.err)")
    let before = await run("fetch-records", "a", "b").out
    for name in ["a", "b"] { _ = await run("records", "delete", name) }
    let imported = await run("import", folder.file("all"))
    #expect(imported.exitCode == .success, "\(imported.err)")
    await check()
    #expect(before.contains(Self.time))

    try await server.crash()
    server = try await server.restarted()
    await check()
  }

  @Test("what the server dates is the same however it is asked, also after a restart")
  func serverTimes() async throws {
    var server = try await TestServer.startLasting()
    var client = try await server.client(as: "ada")
    let zone = TidingsV1.ZoneID(zoneName: "z")
    let made = try await client.zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: zone)]))
    guard case .zone(let saved)? = made.results.first?.outcome else {
      Issue.record("the zone was not saved: \(made)")
      return
    }
    let created = try #require(saved.created)
    _ = try await client.records.modifyRecords(
      .init(recordsToSave: [.init(recordID: .init(recordName: "r", zoneID: zone), recordType: "T")])
    )
    let record = try #require(try await client.fetch([.init(recordName: "r", zoneID: zone)]).first)
    let stored = try #require(record.record?.created?.timestamp)
    // Which of a million nanoseconds it is: not always 0.
    #expect([created, stored].contains { $0.nanos % 1_000_000 != 0 })
    await client.close()
    try await server.crash()
    server = try await server.restarted()
    client = try await server.client(as: "ada")
    let zones = try await client.zones.fetchRecordZones(.init(zoneIDs: [zone]))
    guard case .zone(let fetched)? = zones.results.first?.outcome else {
      Issue.record("the zone is not there: \(zones)")
      return
    }
    #expect(fetched.created == created)
    let again = try await client.fetch([.init(recordName: "r", zoneID: zone)]).first
    #expect(again?.record?.created?.timestamp == stored)
    await client.close()
  }

  @Test("a subscription fires for its nanosecond alone")
  func subscriptions() async throws {
    let server = try await TestServer.start()
    func run(_ arguments: String...) async -> RpcctlRun { await RpcctlRun(server, arguments) }
    let condition = "t = @\(Self.time)"
    let saved = await run("modify-subscriptions", "--query", "T", "--where", condition, "--id", "s")
    #expect(saved.exitCode == .success, "\(saved.err)")
    for (name, time) in [
      ("other", Self.later), ("cut", "2026-01-02T03:04:05.123Z"), ("it", Self.time),
    ] {
      let record =
        #"{"recordType":"T","recordName":"\#(name)","fields":{"t":{"timestamp":"\#(time)"}}}"#
      #expect(await run("modify-records", "--save", record).exitCode == .success)
    }
    let log = await run("fetch-notification-changes")
    #expect(log.out.contains("\"it\""), "\(log.out) \(log.err)")
    #expect(!log.out.contains("\"other\"") && !log.out.contains("\"cut\""), "\(log.out)")
  }
}
