internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// A server whose users have something of everything, and whose store is moved.
struct MovedWorld {
  /// What clients see.
  struct View {
    var records: [TidingsV1.Record] = []
    var shared: [TidingsV1.Record] = []
    var subscriptions: [TidingsV1.Subscription] = []
    var notifications: [TidingsV1.Notification] = []
    var accounts: [TidingsV1.Account] = []
    var schema = ""
    var photo: [UInt8] = []
    /// Oldest first.
    var auditedActions: [String] = []
    var auditChains: [TidingsV1.AuditChain] = []
  }

  /// What clients keep.
  struct Positions {
    var zone: [UInt8] = []
    var shared: [UInt8] = []
    var database: [UInt8] = []
    var log: [UInt8] = []
  }

  /// What follows positions.
  struct Changes {
    var zone: [String] = []
    var shared: [String] = []
    var zones: [String] = []
    var log: [String] = []
    var zoneNotificationCount = 0
    var notificationIDs: [String] = []
    var tags: [String] = []
  }

  private static let shared = TidingsV1.DatabaseID(scope: .shared)
  private static let trips = TidingsV1.ZoneID(zoneName: "trips")

  private(set) var server: TestServer
  private var moves = StoreMoves()
  private let serverKey: PublicKey
  private let administrator: KeyPair
  private let ada = KeyPair()
  private let ben = KeyPair()
  private var asset = TidingsV1.Asset()

  init() async throws {
    let folder = try TemporaryFolder()
    administrator = try await SecureServer.initialize(folder)
    serverKey = try KeyFile(path: folder.file("data/server.pub")).publicKey
    server = try await .startLasting(in: folder)
    let root = try await client(administrator)
    for (name, pair) in [("ada", ada), ("ben", ben)] {
      _ = try await TidingsV1.AdminService.Client(root.transport).createUser(
        .init(name: name, publicKey: .init(key: "\(pair.publicKey)"), roles: ["developer"])
      )
    }
  }

  private func client(_ pair: KeyPair, device: String = "") async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = ClientKeys(pair, server: serverKey)
    configuration.device = device
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    return try await Client(configuration)
  }

  /// Moves the store to the other database.
  mutating func move() async throws {
    try await server.stop()
    server = try await server.restarted(environment: try await moves.move(server.folder))
  }

  // MARK: What happens

  /// Makes records with values of all types, a share, subscriptions, notifications, tombstones.
  mutating func fill() async throws {
    let client = try await client(ada, device: "laptop")
    let made = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: Self.trips), .init(zoneID: .init(zoneName: "gone"))])
    )
    try #require(made.results.count == 2)
    var random = SplitMix64(seed: 1)
    asset = try await client.assets().upload(random.bytes(2_500_000))
    try await save([all("all"), note("root", in: nil), note("leaf", in: "root")], by: client)
    var share = TidingsV1.Record("cloudkit.share", "s", zone: "trips")
    share.share = .init(
      rootRecordName: "",
      publicPermission: .none,
      participants: [.init(userRecordName: "ben", permission: .readWrite)]
    )
    share.recordID?.recordName = "cloudkit.zoneshare"
    try await save([share], by: client)
    let stored = try await client.fetch([.init("cloudkit.zoneshare", zone: "trips")])
    let url = try #require(stored[0].record?.share?.url)
    let accepted = try await TidingsV1.ShareService.Client(try await self.client(ben).transport)
      .acceptShares(.init(urls: [url])).results[0]
    guard case .metadata? = accepted.outcome else {
      throw WaitingFailure(description: "not accepted: \(accepted)")
    }
    try await client.subscribe(
      .init("notes", "Notes", on: [.create, .update, .delete], keys: ["n"])
    )
    try await client.subscribe(.zone("trips", "trips"))
    _ = try await client.zones.modifyRecordZones(
      .init(zoneIDsToDelete: [.init(zoneName: "gone")])
    )
    for number in 0..<4 { try await save([note("n\(number)", in: "root")], by: writer()) }
    _ = try await writer().modify(delete: [.init("n0", zone: "trips")])
    let unread = try await client.feed().notifications
    _ = try await client.notifications.markNotificationsRead(
      .init(notificationIDs: unread.prefix(2).map(\.notificationID))
    )
  }

  /// Another device of ada's, whose changes the first one is notified of.
  private func writer() async throws -> Client { try await client(ada, device: "phone") }

  private func save(_ records: [TidingsV1.Record], by client: Client) async throws {
    for result in try await client.modify(records) {
      try #require(result.record != nil, "\(result)")
    }
  }

  private func note(_ name: String, in parent: String?) -> TidingsV1.Record {
    var record = TidingsV1.Record("Notes", name, zone: "trips", ["n": 1, "t": "zero\u{0}in text"])
    if let parent { record.parent = .init(recordID: .init(parent, zone: "trips")) }
    return record
  }

  private func all(_ name: String) -> TidingsV1.Record {
    TidingsV1.Record(
      "Everything",
      name,
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

  /// Changes something.
  ///
  /// - Returns: The names of the records that were changed, and those in the order of their notifications.
  func change(_ round: Int) async throws -> (zone: [String], log: [String]) {
    let names = (0..<3).map { "new-\(round)-\($0)" }
    for name in names { try await save([note(name, in: "root")], by: writer()) }
    return (names, names)
  }

  // MARK: What clients see

  func view() async throws -> View {
    var view = View()
    let client = try await client(ada, device: "laptop")
    view.records = try await zone(Self.trips, after: [], client).changedRecords
    let theirs = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")
    view.shared = try await zone(theirs, after: [], try await self.client(ben), in: Self.shared)
      .changedRecords
    view.subscriptions = try await client.subscriptions.fetchSubscriptions(.init()).results
      .compactMap(\.subscription)
    view.notifications = try await client.feed().notifications
    view.schema = try await client.schemas.fetchSchema(.init()).text
    view.photo = try await client.assets().download(asset)
    let root = TidingsV1.AdminService.Client(try await self.client(administrator).transport)
    view.accounts = try await root.listUsers(.init()).accounts
    let audit = try await root.fetchAuditLog(.init(limit: 1_000, verifies: true))
    view.auditedActions = audit.entries.map(\.action)
    view.auditChains = audit.chains
    return view
  }

  func positions() async throws -> Positions {
    var positions = Positions()
    let client = try await client(ada, device: "laptop")
    positions.zone = try await zone(Self.trips, after: [], client).changeToken
    let theirs = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")
    positions.shared = try await zone(
      theirs,
      after: [],
      try await self.client(ben),
      in: Self.shared
    )
    .changeToken
    positions.database = try await client.records.fetchDatabaseChanges(.init()).changeToken
    positions.log = try await client.feed().token
    return positions
  }

  /// What a client that kept positions gets.
  func changes(after positions: Positions) async throws -> Changes {
    var changes = Changes()
    let client = try await client(ada, device: "laptop")
    let records = try await zone(Self.trips, after: positions.zone, client).changedRecords
    changes.zone = records.map { $0.recordID?.recordName ?? "" }.sorted()
    changes.tags = records.map(\.changeTag)
    let theirs = TidingsV1.ZoneID(zoneName: "trips", ownerName: "ada")
    changes.shared = try await zone(
      theirs,
      after: positions.shared,
      try await self.client(ben),
      in: Self.shared
    ).changedRecords.map { $0.recordID?.recordName ?? "" }.sorted()
    changes.zones = try await client.records.fetchDatabaseChanges(
      .init(changeToken: positions.database)
    ).changedZoneIDs.map(\.zoneName)
    let notifications = try await client.feed(after: positions.log).notifications
    changes.notificationIDs = notifications.map(\.notificationID)
    // Those of the zone name no record.
    changes.log = notifications.filter { $0.subscriptionID == "notes" }
      .map { $0.recordID?.recordName ?? "" }
    changes.zoneNotificationCount = notifications.count { $0.subscriptionID == "trips" }
    return changes
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
    if let error = page.error { throw RPCError(.outOfRange, "\(error)") }
    #expect(!page.moreComing)
    return page
  }
}
