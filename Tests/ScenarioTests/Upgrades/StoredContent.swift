internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// A store with content of all kinds, of a server in development mode, and what clients see of it.
struct StoredContent {
  /// What clients have kept from before the last changes, and what they see: as JSON, so that versions can be compared.
  struct View: Equatable {
    /// Of the zone, of the database and of the log.
    var tokens: [[UInt8]] = []
    /// By what was asked for.
    var answers: [String: JSONValue] = [:]
  }

  let server: TestServer
  private static let trips = TidingsV1.ZoneID(zoneName: "trips")
  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)
  private static let keyed = TidingsV1.Record("Notes", "keyed", zone: "trips", ["n": 77])

  private func ada() async throws -> Client { try await server.client(as: "ada", device: "laptop") }
  private func ben() async throws -> Client { try await server.client(as: "ben", device: "tablet") }
  /// Another device of ada's, whose changes the first one is notified of.
  private func writer() async throws -> Client {
    try await server.client(as: "ada", device: "phone")
  }

  // MARK: Making it

  /// Makes records with values of all types, a share, subscriptions, notifications, leases, assets, tombstones.
  ///
  /// - Returns: What clients see then.
  /// - Throws: What a call throws.
  func fill() async throws -> View {
    let client = try await ada()
    try await makeAccounts()
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: Self.trips), .init(zoneID: .init(zoneName: "gone"))])
    )
    try await client.declare("Posts", "n INT64 QUERYABLE SORTABLE")
    var random = SplitMix64(seed: 1)
    let asset = try await client.assets().upload(random.bytes(20_000))
    for record in [everything(asset), note("root", in: nil), note("leaf", in: "root")] {
      try await client.save(record)
    }
    try await share()
    try await client.subscribe(
      .init("notes", "Notes", on: [.create, .update, .delete], keys: ["n"])
    )
    try await client.subscribe(.zone("trips", "trips"))
    try await client.subscribe(.database("all"))
    for number in 0..<3 {
      let post = TidingsV1.Record("Posts", "p\(number)", ["n": .init(.int64Value(Int64(number)))])
      _ = try await client.modify([post], in: Self.publicDatabase)
    }
    var view = View()
    view.tokens = try await tokens()
    for number in 0..<5 { try await writer().save(note("n\(number)", in: "root")) }
    _ = try await writer().modify(delete: [.init("n0", zone: "trips")])
    _ = try await client.zones.modifyRecordZones(
      .init(zoneIDsToDelete: [.init(zoneName: "gone")])
    )
    _ = try await writer().modify([Self.keyed], key: "kept key")
    try await work()
    view.answers = try await answers(after: view.tokens)
    return view
  }

  private func makeAccounts() async throws {
    let root = try await server.client(as: "root")
    for (name, byte) in [("ada", 1), ("ben", 2), ("eve", 3)] as [(String, UInt8)] {
      let key = try #require(PublicKey([UInt8](repeating: byte, count: 32)))
      _ = try await TidingsV1.AdminService.Client(root.transport).createUser(
        .init(name: name, publicKey: .init(key: "\(key)"), roles: ["developer"])
      )
    }
  }

  private func share() async throws {
    var share = TidingsV1.Record("cloudkit.share", "cloudkit.zoneshare", zone: "trips")
    share.share = .init(
      rootRecordName: "",
      publicPermission: .none,
      participants: [.init(userRecordName: "ben", permission: .readWrite)]
    )
    let saved = try await ada().save(share)
    let url = try #require(saved.share?.url)
    let accepted = try await TidingsV1.ShareService.Client(try await ben().transport)
      .acceptShares(.init(urls: [url])).results[0]
    guard case .metadata? = accepted.outcome else {
      throw WaitingFailure(description: "not accepted: \(accepted)")
    }
  }

  /// Of three notifications that are leased, one is done and one is released; two others are marked read.
  private func work() async throws {
    let client = try await ada()
    let leased = try await client.notifications.leaseNotifications(
      .init(group: "jobs", limit: 3, visibilityTimeout: .init(seconds: 12 * 3_600))
    ).notifications
    try #require(leased.count == 3)
    for (lease, settlement) in zip(leased, [.done, .released] as [TidingsV1.Settlement]) {
      _ = try await client.notifications.settleNotifications(
        .init(group: "jobs", leaseIDs: [lease.leaseID], settlement: settlement)
      )
    }
    let unread = try await client.feed().notifications
    _ = try await client.notifications.markNotificationsRead(
      .init(notificationIDs: unread.prefix(2).map(\.notificationID))
    )
  }

  private func note(_ name: String, in parent: String?) -> TidingsV1.Record {
    var record = TidingsV1.Record("Notes", name, zone: "trips", ["n": 1, "t": "zero\u{0}in text"])
    if let parent { record.parent = .init(recordID: .init(parent, zone: "trips")) }
    return record
  }

  private func everything(_ asset: TidingsV1.Asset) -> TidingsV1.Record {
    TidingsV1.Record(
      "Everything",
      "all",
      zone: "trips",
      [
        "text": "ä€😀", "number": .init(.int64Value(.min)), "double": 1.5,
        "bytes": .init(.bytesValue([0, 255])),
        "time": .init(.timestampValue(.init(seconds: 1, nanos: 5))),
        "place": .init(.locationValue(.init(latitude: 1, longitude: -2))),
        "other": .init(
          .referenceValue(.init(recordID: .init("root", zone: "trips"), action: .deleteSelf))
        ),
        "photo": .init(.assetValue(asset)),
        "texts": .init(.stringListValue(.init(values: ["a", ""]))),
        "numbers": .init(.int64ListValue(.init(values: [1, .max]))),
        "doubles": .init(.doubleListValue(.init(values: [0.25]))),
      ]
    )
  }

  // MARK: What clients see

  private func tokens() async throws -> [[UInt8]] {
    let client = try await ada()
    return [
      try await zone(Self.trips, after: [], client).changeToken,
      try await client.records.fetchDatabaseChanges(.init()).changeToken,
      try await client.feed().token,
    ]
  }

  /// What clients see that continue from tokens, and what others see.
  ///
  /// - Parameter tokens: As in a view.
  /// - Returns: The answers, without the tokens in them.
  /// - Throws: What a call throws.
  func answers(after tokens: [[UInt8]]) async throws -> [String: JSONValue] {
    let client = try await ada()
    let root = TidingsV1.AdminService.Client(try await server.client(as: "root").transport)
    var answers: [String: JSONValue] = [:]
    let all = try await zone(Self.trips, after: [], client)
    answers["zone"] = try json(all)
    answers["zone, continued"] = try json(try await zone(Self.trips, after: tokens[0], client))
    let theirs = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")
    answers["shared zone"] = try json(
      try await zone(theirs, after: [], try await ben(), in: .init(scope: .shared))
    )
    var changes = try await client.records.fetchDatabaseChanges(.init(changeToken: tokens[1]))
    changes.changeToken = []
    answers["database, continued"] = try json(changes)
    answers["log"] = try json(try await client.feed().notifications)
    answers["log, continued"] = try json(try await client.feed(after: tokens[2]).notifications)
    for notification in try await client.feed().notifications {
      var trace = try await client.notifications.traceNotification(
        .init(notificationID: notification.notificationID)
      )
      // Whoever looks changes it, a server that stops may not have noted who did, and one that is started again does not
      // know when it was published.
      (trace.deliveries, trace.fetched, trace.published) = ([], nil, nil)
      (trace.isCoalesced, trace.isPruned) = (false, false)
      answers["trace \(notification.notificationID)"] = try json(trace)
    }
    answers["subscriptions"] = try json(try await client.subscriptions.fetchSubscriptions(.init()))
    answers["query"] = try json(
      try await client.records.queryRecords(
        .init(
          databaseID: Self.publicDatabase,
          recordType: "Posts",
          sortDescriptors: [.init(fieldName: "n", descending: true)]
        )
      ).records
    )
    answers["schema"] = .string(try await client.schemas.fetchSchema(.init()).text)
    answers["accounts"] = try json(try await root.listUsers(.init()))
    answers["repeated call"] = try json(
      try await client.records.modifyRecords(
        .init(recordsToSave: [Self.keyed], savePolicy: .allKeys),
        options: CallOptions(idempotencyKey: "kept key")
      )
    )
    answers["asset"] = .string(try await assetChecksum(in: all, client))
    return answers
  }

  /// What is wrong with the chains of the audit log.
  func auditProblems() async throws -> [String] {
    let root = TidingsV1.AdminService.Client(try await server.client(as: "root").transport)
    let audit = try await root.fetchAuditLog(.init(limit: 1_000, verifies: true))
    return audit.chains.flatMap(\.problems).map { "\($0)" }
  }

  private func assetChecksum(
    in zone: TidingsV1.ZoneChanges,
    _ client: Client
  ) async throws -> String {
    let record = zone.changedRecords.first { $0.recordID?.recordName == "all" }
    guard case .assetValue(let asset)? = record?.fields["photo"]?.value else { return "" }
    return SHA256.checksum(of: try await client.assets().download(asset)).hexadecimal
  }

  private func zone(
    _ zone: TidingsV1.ZoneID,
    after token: [UInt8],
    _ client: Client,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> TidingsV1.ZoneChanges {
    let page = try #require(
      try await client.records.fetchRecordZoneChanges(
        .init(databaseID: database, zones: [.init(zoneID: zone, changeToken: token)])
      ).zones.first
    )
    #expect(page.error == nil && !page.moreComing)
    return page
  }

  // MARK: As JSON

  private func json(_ zone: TidingsV1.ZoneChanges) throws -> JSONValue {
    var page = TidingsV1.FetchRecordZoneChangesResponse(zones: [zone])
    page.zones[0].changeToken = []
    return try text(page)
  }

  private func json<Value: Message>(_ messages: [Value]) throws -> JSONValue {
    .array(try messages.map { try text($0) })
  }

  private func json<Value: Message>(_ message: Value) throws -> JSONValue { try text(message) }

  private func text<Value: Message>(_ message: Value) throws -> JSONValue {
    try JSONTranscoder(schema: Self.schema.get()).decode(message.encoded(), as: Value.messageName)
  }

  /// Read once: that takes longer than what is done with it.
  private static let schema = Result { try makeSchema() }

  private static func makeSchema() throws -> Schema {
    let files: [FileDescriptor] = [
      .tidingsV1RecordServiceProto, .tidingsV1NotificationServiceProto,
      .tidingsV1SubscriptionServiceProto, .tidingsV1AdminServiceProto,
    ]
    return try Schema(fileDescriptors: files.flatMap(\.serializedWithDependencies))
  }
}
