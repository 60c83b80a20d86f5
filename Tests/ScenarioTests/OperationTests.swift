internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// What operators do with a server while it runs.
@Suite(.endsServers) struct OperationTests {
  /// Where the feed of the default zone ends.
  private func token(_ client: Client) async throws -> [UInt8] {
    try await client.records.fetchRecordZoneChanges(.init(zones: [.init(zoneID: .init())]))
      .zones.first?.changeToken ?? []
  }

  /// A call that the server answers when the default zone changes, in a minute at the latest.
  private func wait(
    _ client: Client,
    after token: [UInt8]
  ) async throws -> TidingsV1.FetchRecordZoneChangesResponse {
    try await client.records.fetchRecordZoneChanges(
      .init(
        zones: [.init(zoneID: .init(), changeToken: token)],
        maxWait: .init(seconds: 60)
      )
    )
  }

  private func objects(_ run: RpcctlRun) throws -> [JSONObject] {
    #expect(run.exitCode == .success, "\(run.err)")
    return try run.lines.map { try #require(try JSONValue(parsing: String($0)).object) }
  }

  @Test("sessions show who is connected with what under way, and a kick ends them")
  func sessions() async throws {
    let secure = try await SecureServer.start()
    let administration = try await secure.administration()
    let pair = KeyPair()
    _ = try await administration.createUser(
      .init(name: "ada", publicKey: .init(key: pair.publicKey.description), roles: ["developer"])
    )
    // What ends with its connection is not sent again.
    var configuration = ClientConfiguration(endpoint: secure.server.rpcEndpoint)
    configuration.keys = secure.keys(pair)
    configuration.device = "laptop"
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    configuration.retryCountMax = 0
    let ada = try await Client(configuration)
    try await ada.save(.init("Notes", "n", ["a": 1]))
    let end = try await token(ada)
    let waiting = Task { await failure { _ = try await wait(ada, after: end) } }
    func connections(of user: String = "") async throws -> [TidingsV1.Connection] {
      try await administration.listConnections(.init(userName: user)).connections
    }
    try await waitUntil("the call to wait") {
      try await connections(of: "ada").first?.callsOpen == 1
    }
    let all = try await connections()
    #expect(Set(all.map(\.userName)) == ["root", "ada"])
    let own = try #require(all.first { $0.userName == "ada" })
    #expect(own.publicKey == pair.publicKey.description && own.deviceID == "laptop")
    #expect(own.since != nil && !own.isSubscriber)
    let page = try await administration.listConnections(.init(limit: 1))
    #expect(page.connections.count == 1 && page.moreComing)

    let ended = try await administration.endConnections(.init(which: .userName("ada")))
    #expect(ended.count == 1)
    #expect(await waiting.value?.code == .unavailable)
    try await waitUntil("the connection to be gone") {
      try await !connections().contains { $0.number == own.number }
    }
    // It keeps nobody out.
    try await ada.save(.init("Notes", "m", ["a": 1]))
    let again = try #require(try await connections(of: "ada").first)
    #expect(again.number != own.number && again.callsOpen == 0)
    #expect(
      try await administration.endConnections(
        .init(which: .publicKey(pair.publicKey.description))
      ).count == 1
    )
    let root = try #require(try await connections(of: "root").first)
    // The connection of the call stays.
    let mine = try await administration.endConnections(.init(which: .number(root.number)))
    #expect(mine.count == 0)
    let nothing = await failure { _ = try await administration.endConnections(.init()) }
    #expect(nothing?.code == .invalidArgument)

    let refused = TidingsV1.AdminService.Client(try await secure.client(pair).transport)
    for code in [
      await failure { _ = try await refused.listConnections(.init()) }?.code,
      await failure { _ = try await refused.endConnections(.init(which: .userName("root"))) }?.code,
      await failure { _ = try await refused.listDevices(.init(userName: "root")) }?.code,
      await failure { _ = try await refused.drain(.init(action: .drain)) }?.code,
      await failure { _ = try await refused.setLogLevel(.init()) }?.code,
      await failure { _ = try await refused.setRetention(.init(resets: true)) }?.code,
      await failure { _ = try await refused.resetDevelopment(.init()) }?.code,
    ] {
      #expect(code == .permissionDenied)
    }
    let devices = try await administration.listDevices(.init(userName: "ada")).devices
    #expect(devices.map(\.deviceID) == ["laptop"] && devices[0].lastWrite != nil)
    let audit = try await administration.fetchAuditLog(.init(limit: 100)).entries
    let done = audit.filter { !$0.refused }.map { "\($0.action) \($0.detail)" }
    #expect(done.contains("EndConnections user ada, connections ended: 1"), "\(done)")
    #expect(audit.contains { $0.refused && $0.action == "Drain" })
  }

  @Test("subscribers are sessions too, and receive again after they were ended")
  func subscribers() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "phone")
    try await client.subscribe(.init("all", "Notes"))
    let stream = Collector(client)
    let writer = try await server.client(as: "ada", device: "laptop")
    try await writer.save(.init("Notes", "a", ["a": 1]))
    try await stream.wait(for: 1)
    func subscriber() async throws -> JSONObject? {
      try objects(await RpcctlRun(server, ["sessions", "list"]))
        .first { $0["isSubscriber"] == .bool(true) }
    }
    try await waitUntil("the subscriber's connection") { try await subscriber() != nil }
    let own = try #require(try await subscriber())
    let number = try #require(own["number"]?.string)
    let kicked = await RpcctlRun(server, ["server", "kick", "--number", number])
    #expect(kicked.out == "{\"ended\":1}\n")
    try await writer.save(.init("Notes", "b", ["a": 1]))
    #expect(try await stream.wait(for: 2).compactMap(\.recordID?.recordName) == ["a", "b"])
    try await waitUntil("another connection of the subscriber") {
      try await subscriber()?["number"]?.string.map { $0 != number } ?? false
    }
    try await stream.stop()
    let devices = try objects(await RpcctlRun(server, ["devices", "list", "ada"]))
    #expect(devices.compactMap { $0["deviceId"]?.string } == ["laptop", "phone"])
    #expect(devices.allSatisfy { $0["lastWrite"]?.string?.count == 10 })
    let both = await RpcctlRun(server, ["server", "kick", "--number", "1", "--user", "ada"])
    #expect(both.exitCode == .usage)
  }

  @Test("a server that drains lets calls end and takes no new ones, until it is resumed or stops")
  func drain() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop", retries: false)
    try await client.save(.init("Notes", "a", ["a": 1]))
    let level = await RpcctlRun(server, ["server", "log-level", "info"])
    #expect(
      level.out == #"{"level":"info","slowCallMilliseconds":1000,"previous":"warning"}"# + "\n"
    )
    let end = try await token(client)
    let waiting = Task { try await wait(client, after: end) }
    try await waitUntil("the call to wait") {
      try objects(await RpcctlRun(server, ["sessions", "list"]))
        .contains { $0["callsOpen"] == .integer(1) && $0["deviceId"] == .string("laptop") }
    }
    let drained = await RpcctlRun(server, ["server", "drain"])
    #expect(drained.exitCode == .success, "\(drained.err)")
    #expect(drained.out == #"{"state":"DRAINED","callsOpen":0}"# + "\n")
    // What waited for a change is answered, not cut off.
    #expect(try await waiting.value.zones.first?.changedRecords == [])
    let refusal = await failure { try await client.save(.init("Notes", "b", ["a": 1])) }
    #expect(refusal?.code == .unavailable && refusal?.message.contains("drains") == true)
    let status = await RpcctlRun(server, ["status"])
    #expect(status.exitCode == .localFailure)
    #expect(status.out.contains(#""health":"NOT_SERVING""#))
    #expect(status.out.contains("SERVER_STATE_DRAINED"), "\(status.out)")
    // What may be repeated is, until the server takes it.
    let patient = Task { try await server.client(as: "ada").fetch([.init("a")]) }
    let resumed = await RpcctlRun(server, ["server", "drain", "--resume"])
    #expect(resumed.out.contains(#""state":"SERVING""#), "\(resumed.out)")
    try await client.save(.init("Notes", "b", ["a": 1]))
    #expect(try await patient.value.first?.record != nil)
    #expect(await RpcctlRun(server, ["server", "health"]).exitCode == .success)
    #expect(server.process.seen.value.errors.contains(" info draining "))

    let stopped = await RpcctlRun(server, ["server", "drain", "--stop"])
    #expect(stopped.exitCode == .success, "\(stopped.err)")
    #expect(try await server.process.waitForExit() == .code(0))
    let next = try await server.restarted()
    let found = try await next.client(as: "ada").fetch([.init("a"), .init("b")])
    #expect(found.allSatisfy { $0.record != nil })
  }

  @Test("a stream that is open is waited for, and patience has an end")
  func drainingStream() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let folder = try TemporaryFolder()
    try folder.write([UInt8](repeating: 7, count: 12 << 20), to: "asset")
    let asset = try await client.uploadAsset(fileAt: folder.file("asset"))
    var stream = client.assetCalls.downloadAsset(
      .init(asset: asset)
    ).makeAsyncIterator()
    #expect(try await stream.next()?.chunk.isEmpty == false)
    let draining = await RpcctlRun(server, ["server", "drain", "--no-wait"])
    #expect(draining.out == #"{"state":"DRAINING","callsOpen":1}"# + "\n")
    var bytes = 0
    while let message = try await stream.next() { bytes += message.chunk.count }
    #expect(bytes > 11 << 20)
    #expect(await RpcctlRun(server, ["server", "drain"]).out.contains("DRAINED"))
    #expect(await RpcctlRun(server, ["server", "drain", "--resume"]).exitCode == .success)

    var second = client.assetCalls.downloadAsset(
      .init(asset: asset)
    ).makeAsyncIterator()
    #expect(try await second.next() != nil)
    let stop = ["server", "drain", "--stop", "--patience", "50ms"]
    #expect(await RpcctlRun(server, stop).exitCode == .success)
    #expect(try await server.process.waitForExit() == .code(0))
  }

  @Test("the log level is shown and set, and words that are none are refused")
  func logLevel() async throws {
    let server = try await TestServer.start()
    let level = ["server", "log-level"]
    #expect(
      await RpcctlRun(server, level).out == #"{"level":"warning","slowCallMilliseconds":1000}"#
        + "\n"
    )
    #expect(await RpcctlRun(server, level + ["debug"]).exitCode == .success)
    #expect(
      await RpcctlRun(server, level).out == #"{"level":"debug","slowCallMilliseconds":1000}"# + "\n"
    )
    #expect(await RpcctlRun(server, level + ["loud"]).exitCode == .usage)
    let client = try await server.client(as: "ada")
    let refusal = await failure {
      _ = try await TidingsV1.AdminService.Client(client.transport)
        .setLogLevel(.init(level: .init(rawValue: 9)))
    }
    #expect(refusal?.code == .invalidArgument)
  }

  @Test("the retention is set at run time, counts at once, outlasts a restart, and is rolled back")
  func retention() async throws {
    let limits = ["--limit", "tombstone-retention-days=60"]
    let server = try await TestServer.start(arguments: limits)
    let client = try await server.client(as: "ada", device: "laptop")
    try await client.subscribe(.init("all", "Notes"))
    let other = try await server.client(as: "ada", device: "phone")
    func notifications(
      _ client: Client,
      after token: [UInt8] = []
    ) async throws -> TidingsV1.FetchNotificationChangesResponse {
      try await client.notifications.fetchNotificationChanges(.init(changeToken: token))
    }
    let start = try await notifications(client).changeToken
    for name in ["a", "b", "c"] { try await other.save(.init("Notes", name, ["a": 1])) }
    func retention(_ server: TestServer, _ arguments: String...) async throws -> String {
      let run = await RpcctlRun(server, ["server", "retention"] + arguments)
      #expect(run.exitCode == .success, "\(run.err)")
      return run.out
    }
    func text(_ tombstones: Int, _ notifications: Int, _ max: Int, _ names: String) -> String {
      #"{"tombstoneRetentionDays":\#(tombstones),"notificationRetentionDays":\#(notifications),"#
        + #""notificationsMax":\#(max),"setNames":[\#(names)]}"# + "\n"
    }
    #expect(try await retention(server) == text(60, 30, 10_000_000, ""))
    let names = #""notification-retention-days","tombstone-retention-days""#
    #expect(
      try await retention(server, "--notifications", "0", "--tombstones", "7")
        == text(7, 0, 10_000_000, names)
    )
    // What is too old is forgotten: all but the newest.
    var refusal: RPCError?
    try await waitUntil("the token to expire", pausing: .milliseconds(20)) {
      refusal = await failure { _ = try await notifications(client, after: start) }
      return refusal != nil
    }
    #expect(refusal?.code == .outOfRange && refusal?.message.contains("0 days") == true)
    let refused = await RpcctlRun(server, ["server", "retention", "--tombstones", "5000"])
    #expect(refused.exitCode.rawValue == 67, "\(refused.err)")
    #expect(
      refused.err.contains("tombstone_retention_days is 5000") && refused.err.contains("3650")
    )

    try await server.crash()
    let next = try await server.restarted()
    #expect(try await retention(next) == text(7, 0, 10_000_000, names))
    let status = await RpcctlRun(next, ["status"])
    #expect(status.out.contains(#""tombstoneRetentionDays":7"#), "\(status.out)")
    #expect(try await retention(next, "--reset") == text(60, 30, 10_000_000, ""))
    let maximum = try await retention(next, "--reset", "--notifications-max", "1000")
    #expect(maximum == text(60, 30, 1000, #""notifications-max""#))
  }
}
