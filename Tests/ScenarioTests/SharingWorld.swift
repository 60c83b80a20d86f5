internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// An owner, ada, with a zone `trips`, and others with whom she shares.
struct SharingWorld {
  typealias Record = TidingsV1.Record

  static let shared = TidingsV1.DatabaseID(scope: .shared)

  let server: TestServer
  let ada: Client
  let ben: Client
  let cleo: Client

  init(arguments: [String] = []) async throws {
    try await self.init(.start(arguments: arguments))
  }

  init(_ server: TestServer) async throws {
    try await self.init(continuing: server)
    let made = try await ada.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "trips"))])
    )
    try #require(made.results.count == 1)
  }

  /// The same world on a server that has its data.
  init(continuing server: TestServer) async throws {
    self.server = server
    ada = try await server.client(as: "ada", device: "laptop")
    ben = try await server.client(as: "ben", device: "phone")
    cleo = try await server.client(as: "cleo")
  }

  /// A record of ada's zone, with a parent.
  static func record(
    _ name: String,
    in parent: String? = nil,
    type: String = "Notes",
    _ fields: [String: TidingsV1.FieldValue] = [:]
  ) -> Record {
    var record = Record(type, name, zone: "trips", fields)
    if let parent { record.parent = .init(recordID: .init(parent, zone: "trips")) }
    return record
  }

  /// The same for others.
  static func theirs(
    _ name: String,
    in parent: String? = nil,
    _ fields: [String: TidingsV1.FieldValue] = [:]
  ) -> Record {
    var record = record(name, in: parent, fields)
    record.recordID?.zoneID?.ownerName = "ada"
    return record
  }

  static func theirID(
    _ name: String,
    zone: String = "trips",
    owner: String = "ada"
  )
    -> TidingsV1.RecordID
  {
    .init(recordName: name, zoneID: .init(zoneName: zone, ownerName: owner))
  }

  static func ids(_ names: String...) -> [TidingsV1.RecordID] {
    names.map { .init($0, zone: "trips") }
  }

  /// A share of a record, of the whole zone without one.
  static func share(
    _ name: String,
    of root: String = "",
    anyone: TidingsV1.ParticipantPermission = .none,
    with participants: [(String, TidingsV1.ParticipantPermission)] = []
  ) -> Record {
    var record = Record("cloudkit.share", name, zone: "trips")
    record.share = .init(
      rootRecordName: root,
      publicPermission: anyone,
      participants: participants.map { .init(userRecordName: $0.0, permission: $0.1) }
    )
    return record
  }

  /// Saves `trip` with `day` and `stop` below it, and beside it `diary`; shares `trip` with ben.
  @discardableResult
  func shareTrip(
    _ permission: TidingsV1.ParticipantPermission = .readWrite,
    accepted: Bool = true
  ) async throws -> String {
    let results = try await ada.modify([
      Self.record("stop", in: "day"), Self.record("day", in: "trip"), Self.record("trip"),
      Self.record("diary"), Self.share("s", of: "trip", with: [("ben", permission)]),
    ])
    for result in results { try #require(result.record != nil, "\(result)") }
    let url = try await url("s")
    if accepted { try await accept(url, by: ben) }
    return url
  }

  func stored(_ name: String) async throws -> Record {
    try #require(try await ada.fetch([.init(name, zone: "trips")])[0].record)
  }

  func url(_ share: String) async throws -> String {
    try #require(try await stored(share).share?.url)
  }

  /// Accepts, which must not be refused.
  @discardableResult
  func accept(_ url: String, by client: Client) async throws -> TidingsV1.ShareMetadata {
    let result = try await Self.acceptance(of: url, by: client)
    guard case .metadata(let metadata)? = result.outcome else {
      throw WaitingFailure(description: "not accepted: \(result)")
    }
    return metadata
  }

  static func acceptance(of url: String, by client: Client) async throws -> TidingsV1.ShareResult {
    try await TidingsV1.ShareService.Client(client.transport)
      .acceptShares(.init(urls: [url])).results[0]
  }

  /// Changes ada's stored share, which must not be refused.
  func change(_ name: String, _ change: (inout TidingsV1.Share) -> Void) async throws {
    var record = try await stored(name)
    var share = try #require(record.share)
    change(&share)
    record.share = share
    let result = try await ada.modify([record])[0]
    try #require(result.record != nil, "\(result)")
  }

  /// Which of the records somebody else can read, and else why not.
  static func seen(_ names: [String], by client: Client) async throws -> [String] {
    let results = try await client.records.fetchRecords(
      .init(databaseID: shared, recordIDs: names.map { theirID($0) })
    ).results
    return results.map { result in
      if let record = result.record {
        return "\(record.recordID?.zoneID?.ownerName ?? "")/\(record.recordID?.recordName ?? "")"
      }
      return result.error.map { "\($0.code.rawValue)" } ?? "?"
    }
  }

  static func code(_ result: TidingsV1.RecordResult) -> Int32 { result.error?.code.rawValue ?? 0 }
}

extension Client {
  /// Saves and deletes records in the shared database.
  func modifyShared(
    _ saves: [TidingsV1.Record] = [],
    delete: [String] = [],
    atomic: Bool? = nil,
    key: String? = nil
  ) async throws -> [TidingsV1.RecordResult] {
    try await modify(
      saves,
      delete: delete.map { SharingWorld.theirID($0) },
      atomic: atomic,
      key: key,
      in: SharingWorld.shared
    )
  }
}
