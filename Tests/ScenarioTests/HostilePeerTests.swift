internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Users who ask for what is another's, or for more than anybody should get: they are refused, and an
/// honest one is served as before.
@Suite(.endsServers) struct HostilePeerTests {
  /// A server with a user who has a record, a subscription and notifications, and with one who wants
  /// them.
  private struct Fixture {
    let server: TestServer
    let ada: Client
    let device: Client
    let eve: Client

    init(_ arguments: [String] = []) async throws {
      server = try await TestServer.start(arguments: arguments)
      ada = try await server.client(as: "ada", device: "laptop")
      device = try await server.client(as: "ada", device: "server")
      eve = try await server.client(as: "eve", device: "laptop")
    }

    /// Ada can still save and fetch, and the server grew by no more than it should.
    func expectServed(since peak: Int? = nil, growthMax: Int = 64 << 20) async throws {
      let record = try await ada.save(.init("Houses", "after", ["price": 1]))
      #expect(try await ada.fetch([.init("after")])[0].record?.changeTag == record.changeTag)
      #expect(server.process.seen.value.exit == nil)
      guard let peak else { return }
      let growth = try server.process.memoryPeakBytes() - peak
      #expect(growth < growthMax, "grew by \(growth) bytes")
    }
  }

  private func isSettled(_ result: TidingsV1.LeaseResult) -> Bool {
    if case .settled = result.outcome { true } else { false }
  }

  private func isUnknown(_ result: TidingsV1.NotificationResult) -> Bool {
    guard case .error(let error)? = result.outcome else { return false }
    return error.code == .unknownItem
  }

  // MARK: What is another's

  @Test("tokens and cursors of another user, zone, container and store are refused")
  func tokens() async throws {
    let fixture = try await Fixture()
    for name in ["a", "b", "c"] { try await fixture.ada.save(.init("Houses", name, ["price": 1])) }
    _ = try await fixture.eve.save(.init("Houses", "e", ["price": 1]))
    let zone = TidingsV1.ZoneID(zoneName: "_defaultZone")
    func zoneChanges(
      _ client: Client,
      _ token: [UInt8],
      zone: TidingsV1.ZoneID = zone,
      container: String = ""
    ) async throws -> TidingsV1.ZoneChanges {
      try await client.records.fetchRecordZoneChanges(
        .init(
          databaseID: .init(container: container, scope: .private),
          zones: [.init(zoneID: zone, changeToken: token, limit: 1)]
        )
      ).zones[0]
    }
    let refusals: Set<TidingsV1.ErrorCode> = [.changeTokenExpired, .invalidArguments]
    let zoneToken = try await zoneChanges(fixture.ada, []).changeToken
    #expect(try await zoneChanges(fixture.ada, zoneToken).error == nil)
    let other = TidingsV1.ZoneID(zoneName: "other")
    _ = try await fixture.ada.zones.modifyRecordZones(.init(zonesToSave: [.init(zoneID: other)]))
    _ = try await fixture.ada.modify(
      [.init("Houses", "x")],
      in: .init(container: "elsewhere", scope: .private)
    )
    let stranger = try await TestServer.start().client(as: "ada")
    _ = try await stranger.save(.init("Houses", "a"))
    let attempts = [
      try await zoneChanges(fixture.eve, zoneToken),
      try await zoneChanges(fixture.ada, zoneToken, zone: other),
      try await zoneChanges(fixture.ada, zoneToken, container: "elsewhere"),
      try await zoneChanges(stranger, zoneToken),
    ]
    for changes in attempts {
      #expect(refusals.contains(changes.error?.code ?? .unspecified), "\(changes)")
      #expect(changes.changedRecords.isEmpty)
    }

    let databaseToken = try await fixture.ada.records.fetchDatabaseChanges(.init()).changeToken
    let query = TidingsV1.QueryRecordsRequest(
      recordType: "Houses",
      predicate: .init(text: "TRUEPREDICATE"),
      limit: 1
    )
    let cursor = try await fixture.ada.records.queryRecords(query).cursor
    #expect(!cursor.isEmpty)
    for client in [fixture.eve, stranger] {
      let error = await failure {
        _ = try await client.records.fetchDatabaseChanges(.init(changeToken: databaseToken))
      }
      #expect(error?.code == .invalidArgument || error?.code == .outOfRange, "\(error as Any)")
      let refusal = await failure {
        _ = try await client.records.queryRecords(.init(cursor: cursor))
      }
      #expect(refusal?.code == .invalidArgument || refusal?.code == .outOfRange)
    }
    // A cursor says whose database it is; a request that names another one does not change that.
    let page = try await fixture.ada.records.queryRecords(.init(limit: 5, cursor: cursor))
    #expect(page.records.count == 2)
    try await fixture.expectServed()
  }

  @Test(
    "another's notifications can be neither marked, traced, leased, settled nor read from pushes"
  )
  func notifications() async throws {
    let fixture = try await Fixture()
    try await fixture.ada.subscribe(.init("all", "Houses"))
    try await fixture.device.save(.init("Houses", "h1"))
    let notification = try #require(try await fixture.ada.feed().notifications.first)
    let id = notification.notificationID

    let marked = try await fixture.eve.notifications.markNotificationsRead(
      .init(notificationIDs: [id, "1-1", "9999-1"])
    )
    #expect(marked.results.allSatisfy { isUnknown($0) }, "\(marked)")
    #expect(
      await failure {
        _ = try await fixture.eve.notifications.traceNotification(.init(notificationID: id))
      } != nil
    )
    #expect(try await fixture.eve.feed().notifications.isEmpty)

    let leased = try await fixture.ada.notifications.leaseNotifications(.init(group: "g"))
    let lease = try #require(leased.notifications.first?.leaseID)
    _ = try await fixture.eve.notifications.leaseNotifications(.init(group: "g"))
    for settlement in [TidingsV1.Settlement.done, .released, .extended] {
      let settled = try await fixture.eve.notifications.settleNotifications(
        .init(
          group: "g",
          leaseIDs: [lease],
          settlement: settlement,
          visibilityTimeout: settlement == .extended ? .init(seconds: 30) : nil
        )
      )
      #expect(settled.results.allSatisfy { !isSettled($0) }, "\(settled)")
    }
    let mine = try await fixture.ada.notifications.settleNotifications(
      .init(group: "g", leaseIDs: [lease], settlement: .done)
    )
    #expect(mine.results.allSatisfy(isSettled), "\(mine)")

    // Who knows a channel's topic gets its bytes, and no key for them.
    let channels = try await fixture.ada.notifications.registerDevice(.init()).channels
    let others = try await fixture.eve.notifications.registerDevice(.init()).channels
    #expect(!channels.isEmpty && others.isEmpty)
    #expect(try await fixture.eve.subscriptions.fetchSubscriptions(.init()).results.isEmpty)
    #expect(try await fixture.ada.feed().notifications.map(\.notificationID) == [id])
  }

  @Test("the checksum of another's asset gives neither its bytes nor a record that names it")
  func assets() async throws {
    let fixture = try await Fixture()
    let content = [UInt8]("a secret that Eve knows the checksum of".utf8)
    let asset = try await fixture.ada.assets().upload(content)
    try await fixture.ada.save(.init("Houses", "h1", ["photo": .init(.assetValue(asset))]))
    await #expect(throws: (any Error).self) { _ = try await fixture.eve.assets().download(asset) }
    let stolen = try await fixture.eve.modify([
      .init("Houses", "h1", ["photo": .init(.assetValue(asset))])
    ])
    #expect(stolen[0].error != nil, "\(stolen)")
    // Nor does a first chunk show her whether it is there: she has to send it all.
    let begun = try await fixture.eve.assetCalls.uploadAsset(
      .init(asset: asset, chunk: Array(content.prefix(3)))
    )
    #expect(!begun.complete && begun.offset == 3, "\(begun)")
    #expect(try await fixture.ada.assets().download(asset) == content)
    try await fixture.expectServed()
  }

  // MARK: Too much

  @Test("predicates that are deep, wide or hard to match are refused, or cost no more than others")
  func predicates() async throws {
    let fixture = try await Fixture()
    let text = String(repeating: "a", count: 100_000)
    for index in 0..<8 {
      try await fixture.ada.save(.init("Texts", "t\(index)", ["text": .init(.stringValue(text))]))
    }
    let peak = try fixture.server.process.memoryPeakBytes()
    let stars = String(repeating: "*a", count: 500) + "*b"
    let ones = String(repeating: "*?a", count: 300) + "b"
    let words = (0..<60).map { "w\($0)" }.joined(separator: " ")
    for predicate in [
      "text LIKE '\(stars)'", "text LIKE[c] '\(ones)'", "self CONTAINS ALL '\(words)'",
      (0..<900).map { "text LIKE '*\($0)*a*'" }.joined(separator: " OR "),
      "NOT (" + (0..<450).map { "text CONTAINS 'x\($0)'" }.joined(separator: " AND ") + ")",
      String(repeating: "NOT (", count: 5_000) + "a = 1",
      String(repeating: "(", count: 60) + "a = 1" + String(repeating: ")", count: 60),
      "text IN {" + Array(repeating: "'\(text.prefix(50))'", count: 10_000).joined(separator: ",")
        + "}",
      "text LIKE '" + String(repeating: "?", count: 50_000) + "'", "\u{0}", "a = '\u{0}'",
      "ANY text MATCHES '(a+)+$'", "text = '" + String(repeating: "x", count: 3 << 20) + "'",
    ] {
      let request = TidingsV1.QueryRecordsRequest(
        recordType: "Texts",
        predicate: .init(text: predicate)
      )
      // An answer or a refusal: both are right, and come.
      let error = await failure { _ = try await fixture.ada.records.queryRecords(request) }
      let codes: [StatusCode?] = [nil, .invalidArgument]
      #expect(codes.contains(error?.code), "\(predicate.prefix(60)): \(error as Any)")
    }
    try await fixture.expectServed(since: peak)
  }

  @Test("a flood of subscriptions ends at the limit, and others can still subscribe")
  func subscriptions() async throws {
    let fixture = try await Fixture(["--limit", "subscriptions-per-user-max=50"])
    var refused = 0
    for start in stride(from: 0, to: 400, by: 100) {
      let results = try await fixture.eve.subscriptions.modifySubscriptions(
        .init(
          subscriptionsToSave: (start..<start + 100).map {
            .init("s\($0)", "Houses", where: "price = \($0)")
          }
        )
      ).results
      for result in results {
        guard let error = result.error else { continue }
        refused += 1
        #expect(error.code == .limitExceeded, "\(error)")
      }
    }
    #expect(refused == 350)
    try await fixture.ada.subscribe(.init("mine", "Houses"))
    try await fixture.expectServed()
  }

  @Test("who changes a subscription again and again keeps only so many that have ended")
  func endedSubscriptions() async throws {
    let fixture = try await Fixture(["--limit", "ended-subscriptions-per-user-max=5"])
    var errors: [TidingsV1.ErrorCode?] = []
    for number in 0..<8 {
      let results = try await fixture.eve.subscriptions.modifySubscriptions(
        .init(subscriptionsToSave: [.init("s", "Houses", where: "price > \(number)")])
      ).results
      errors.append(results.first?.error?.code)
    }
    #expect(errors == Array(repeating: nil, count: 6) + [.limitExceeded, .limitExceeded])
    // It stays as it is, and others change theirs.
    try await fixture.ada.subscribe(.init("s", "Houses"))
    try await fixture.expectServed()
  }

  @Test(
    "who never reads large answers takes no more memory than is set, and delays nobody without end"
  )
  func slowReader() async throws {
    let fixture = try await Fixture()
    let text = String(repeating: "x", count: 900_000)
    try await fixture.eve.save(.init("Texts", "big", ["text": .init(.stringValue(text))]))
    let peak = try fixture.server.process.memoryPeakBytes()
    let socket = try RawSocket(.dealer, connectedTo: fixture.server.rpcEndpoint)
    var call = RawCall(
      RawCall.fetchRecords,
      TidingsV1.FetchRecordsRequest(recordIDs: [.init("big")]).encoded(),
      as: "eve"
    )
    for number in 0..<3_000 {
      call.header.callID = UInt64(number + 1)
      try await socket.send([call.header.encoded(), call.body])
    }
    // The server goes on hearing what was sent, between the calls of others; all of it would be 2.7 GB.
    for _ in 0..<50 { try await fixture.expectServed() }
    try await fixture.expectServed(since: peak, growthMax: 256 << 20)
    _ = socket
  }

  @Test("uploads that never end are kept apart, and take no memory")
  func endlessUploads() async throws {
    let fixture = try await Fixture()
    let peak = try fixture.server.process.memoryPeakBytes()
    var refusedAt: Int?
    for index in 0..<200 {
      var checksum = [UInt8](repeating: 0, count: 32)
      (checksum[0], checksum[1]) = (UInt8(index & 0xff), UInt8(index >> 8))
      let asset = TidingsV1.Asset(checksum: checksum, size: 50_000_000)
      let error = await failure {
        _ = try await fixture.eve.assetCalls.uploadAsset(.init(asset: asset, chunk: [1]))
      }
      guard let error else { continue }
      #expect(error.code == .resourceExhausted, "\(error)")
      #expect(error.message.contains("unfinished uploads"), "\(error)")
      refusedAt = index
      break
    }
    #expect(refusedAt == 100)
    let content = [UInt8](repeating: 7, count: 5_000)
    let asset = try await fixture.ada.assets().upload(content)
    #expect(try await fixture.ada.assets().download(asset) == content)
    try await fixture.expectServed(since: peak)
  }
}
