internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A server on which ada has one of everything that clients can fetch and save, and shares some of it.
struct RoundTripWorld {
  /// Records of one zone that are sent back.
  struct Zone: Sendable {
    let name: String
    /// Empty: ada's own.
    var owner = ""
    let records: [String]
  }

  let server: TestServer
  let gateway: ServerProcess
  let baseURL: String
  private let ada: Client
  private let ben: Client

  static let zones: [Zone] = [
    .init(name: "_defaultZone", records: ["a", "b", "c"]),
    .init(name: "attic", records: ["root", "all", "a", "b", "c"]),
    .init(name: "trips", records: ["trip", "day", "share"]),
    .init(name: "board", records: ["note", "cloudkit.zoneshare"]),
  ]
  /// As ben, who administers the share of the trip, has them.
  static let shared: [Zone] = [.init(name: "trips", owner: "ada", records: ["trip", "share"])]

  init(seed: UInt64) async throws {
    server = try await TestServer.start()
    gateway = try ServerProcess(
      "rpcgw",
      arguments: ["--rpc", server.rpcEndpoint, "--listen", "127.0.0.1:0"]
    )
    let line = try await gateway.waitForReadyLine()
    baseURL = String(try #require(line.split(separator: " ").last))
    ada = try await server.client(as: "ada")
    ben = try await server.client(as: "ben")
    var random = SplitMix64(seed: seed)
    try await fillRecords(&random)
    try await share()
    try await subscribe(&random)
    _ = try await TidingsV1.AccountService.Client(ada.transport).updateDirectoryEntry(
      .init(entry: .init(displayName: "Ada L.", emailAddress: "ada@example.org"))
    )
  }

  // MARK: What there is

  private func fillRecords(_ random: inout SplitMix64) async throws {
    _ = try await ada.zones.modifyRecordZones(
      .init(zonesToSave: ["attic", "trips", "board"].map { .init(zoneID: .init(zoneName: $0)) })
    )
    let asset = try await ada.assets().upload(random.bytes(1_000))
    try await save([.init("Thing", "root", zone: "attic"), .init("Note", "note", zone: "board")])
    // The schema learns every field.
    let all = RoundTripValues.all(&random, zone: "attic", asset: asset)
    try await save([.init("Thing", "all", zone: "attic", all)])
    for zone in ["", "attic"] {
      let records = ["a", "b", "c"].map { name in
        var record = TidingsV1.Record("Thing", name, zone: zone)
        for field in RoundTripValues.all(&random, zone: zone, asset: asset) where random.oneIn(2) {
          record.fields[field.key] = field.value
        }
        if !zone.isEmpty, random.oneIn(2) {
          record.parent = .init(recordID: .init("root", zone: zone))
        }
        return record
      }
      try await save(records)
    }
  }

  /// A share with all that it can have, and one of a zone.
  private func share() async throws {
    var trip = TidingsV1.Record("Trip", "day", zone: "trips", ["day": 1])
    trip.parent = .init(recordID: .init("trip", zone: "trips"))
    var share = TidingsV1.Record("cloudkit.share", "share", zone: "trips", ["title": "Summer"])
    share.share = .init(
      rootRecordName: "trip",
      participants: [
        .init(userRecordName: "ben", role: .administrator, permission: .readWrite),
        .init(userRecordName: "cleo", permission: .readOnly),
        .init(permission: .readWrite, participantID: "open"),
        .init(
          permission: .readOnly,
          participantID: "short",
          expires: .init(seconds: 4_000_000_000)
        ),
        .init(permission: .readOnly, participantID: "taken"),
      ],
      allowsAccessRequests: true
    )
    var board = TidingsV1.Record("cloudkit.share", "cloudkit.zoneshare", zone: "board")
    board.share = .init(publicPermission: .readOnly)
    try await save([.init("Trip", "trip", zone: "trips", ["name": "Rome"]), trip, share, board])
    let saved = try #require(try await stored("share").share)
    let invitation = try #require(saved.oneTimeURL(for: "taken"))
    for (name, url) in [("ben", saved.url), ("dora", invitation)] {
      _ = try await server.client(as: name).shares.accept(url)
    }
    for name in ["eve", "finn"] {
      _ = try await server.client(as: name).shares.requestAccess([saved.url])
    }
    var blocking = try await stored("share")
    blocking.share?.blockedUserRecordNames = ["mallory", "finn"]
    try await save([blocking])
    let full = try #require(try await stored("share").share)
    #expect(full.participants.count == 6 && full.requesters.map(\.userRecordName) == ["eve"])
    #expect(full.blockedUserRecordNames.count == 2 && full.oneTimeURL(for: "open") != nil)
  }

  private func subscribe(_ random: inout SplitMix64) async throws {
    for (index, predicate) in RoundTripValues.predicates.enumerated() {
      let changes = random.pick(RoundTripValues.changes)
      var subscription = TidingsV1.Subscription(
        "query\(index)",
        "Thing",
        where: predicate,
        on: changes,
        once: random.oneIn(3),
        zone: random.pick(["", "attic", "_defaultZone"])
      )
      if random.oneIn(2) { subscription.notificationInfo = RoundTripValues.info(&random) }
      try await ada.subscribe(subscription)
    }
    try await ada.subscribe(.zone("zone", "attic"))
    try await ada.subscribe(.zone("zone-type", "attic", type: "Thing"))
    try await ada.subscribe(.database("database"))
    try await ada.subscribe(.database("database-type", type: "Trip"))
    let theirs = TidingsV1.Subscription.database("theirs", type: "Trip")
    let result = try await ben.subscriptions.modifySubscriptions(
      .init(databaseID: .init(scope: .shared), subscriptionsToSave: [theirs])
    ).results.first
    try #require(result?.subscription != nil, "\(String(describing: result))")
  }

  private func save(_ records: [TidingsV1.Record]) async throws {
    for result in try await ada.modify(records, policy: .changedKeys) {
      try #require(result.record != nil, "\(result)")
    }
  }

  private func stored(_ name: String) async throws -> TidingsV1.Record {
    try #require(try await ada.fetch([.init(name, zone: "trips")]).first?.record)
  }

  // MARK: What is compared

  /// All of it, without what a save changes: change tags and who saved when.
  func state() async throws -> [String: String] {
    var state: [String: String] = [:]
    for (client, zones, scope) in [
      (ada, Self.zones, TidingsV1.DatabaseScope.private), (ben, Self.shared, .shared),
    ] {
      for zone in zones {
        let ids = zone.records.map { name in
          TidingsV1.RecordID(
            recordName: name,
            zoneID: .init(zoneName: zone.name, ownerName: zone.owner)
          )
        }
        let results = try await client.records.fetchRecords(
          .init(databaseID: .init(scope: scope), recordIDs: ids)
        ).results
        for (name, result) in zip(zone.records, results) {
          var record = try #require(result.record, "\(result)")
          (record.changeTag, record.modified) = ("", nil)
          let path = "\(zone.owner)/\(zone.name)/\(name)"
          for (field, value) in record.fields { state["\(path).\(field)"] = "\(value)" }
          record.fields = [:]
          state[path] = "\(record)"
        }
      }
      for result in try await client.subscriptions.fetchSubscriptions(
        .init(databaseID: .init(scope: scope))
      ).results { state["subscription \(result.subscriptionID)"] = "\(result)" }
      for result in try await client.zones.fetchRecordZones(
        .init(databaseID: .init(scope: scope))
      ).results {
        guard case .zone(var zone)? = result.outcome else { continue }
        zone.sequenceNumber = 0
        state["zone \(scope) \(zone.zoneID?.zoneName ?? "")"] = "\(zone)"
      }
    }
    let accounts = TidingsV1.AccountService.Client(ada.transport)
    state["ada"] = "\(try await accounts.fetchDirectoryEntry(.init()))"
    return state
  }

  /// What programs receive of it.
  func task(numbersAsStrings: Bool) -> String {
    func json(_ zones: [Zone]) -> String {
      let texts = zones.map {
        #"{"name": "\#($0.name)", "owner": "\#($0.owner)", "records": \#($0.records)}"#
      }
      return "[\(texts.joined(separator: ", "))]"
    }
    return
      #"{"baseURL": "\#(baseURL)", "rpc": "\#(server.rpcEndpoint)", "numbersAsStrings": \#(numbersAsStrings), "zones": \#(json(Self.zones)), "shared": \#(json(Self.shared))}"#
  }
}
