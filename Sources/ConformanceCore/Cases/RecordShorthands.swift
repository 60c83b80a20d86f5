internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

typealias RecordMethods = TidingsV1.RecordService.Methods
typealias ZoneMethods = TidingsV1.ZoneService.Methods
typealias SubscriptionMethods = TidingsV1.SubscriptionService.Methods

extension TidingsV1.DatabaseID {
  /// The private database of the default container.
  static let privateOne = Self(environment: .development, scope: .private)
}

extension TidingsV1.Record {
  /// A record of the type `Item` with one field.
  init(_ name: String, zone: String = "", tag: String = "", value: Int64 = 0) {
    self.init(
      recordID: .init(name, zone: zone),
      recordType: "Item",
      fields: ["value": .init(value: .int64Value(value))],
      changeTag: tag
    )
  }
}

extension TidingsV1.RecordID {
  init(_ name: String, zone: String = "") {
    self.init(recordName: name, zoneID: zone.isEmpty ? nil : .init(zoneName: zone))
  }
}

extension TidingsV1.RecordResult {
  var record: TidingsV1.Record? { if case .record(let record)? = outcome { record } else { nil } }

  var error: TidingsV1.ItemError? { if case .error(let error)? = outcome { error } else { nil } }

  /// The record, saved.
  func saved() throws(CaseFailure) -> TidingsV1.Record {
    guard let record else { throw CaseFailure("expected a saved record, came \(brief(self))") }
    return record
  }
}

/// What the runner does itself, as another device of the same user.
struct Other: Sendable {
  let client: Client

  @discardableResult
  func save(
    _ records: TidingsV1.Record...,
    policy: TidingsV1.SavePolicy = .allKeys
  ) async throws -> [TidingsV1.Record] {
    try await client.records.modifyRecords(
      .init(databaseID: .privateOne, recordsToSave: records, savePolicy: policy)
    ).results.map { try $0.saved() }
  }

  func delete(_ name: String) async throws {
    _ = try await client.records.modifyRecords(
      .init(databaseID: .privateOne, recordIDsToDelete: [.init(name)])
    )
  }

  func subscribe(_ subscription: TidingsV1.Subscription) async throws {
    let response = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .privateOne, subscriptionsToSave: [subscription])
    )
    guard case .subscription? = response.results.first?.outcome else {
      throw ConformanceError("the server did not save a subscription: \(brief(response))")
    }
  }
}

extension Stage {
  /// The client under test and the runner as two devices of a user whom no other case has.
  func twoDevices() async throws -> (user: String, other: Other, pushes: PushRelay) {
    let (server, pushes) = try await records()
    let user = "user-\(nextNumber())"
    let other = Other(client: try await server.client(as: user, device: "other"))
    try await connect(.init(endpoint: server.rpcEndpoint, user: user, device: "subject"))
    return (user, other, pushes)
  }

  /// Has the client save records.
  func save(
    _ records: TidingsV1.Record...,
    atomic: Bool? = nil,
    policy: TidingsV1.SavePolicy = .ifServerRecordUnchanged
  ) async throws -> [TidingsV1.RecordResult] {
    let response: TidingsV1.ModifyRecordsResponse = try await call(
      RecordMethods.modifyRecords,
      TidingsV1.ModifyRecordsRequest(
        databaseID: .privateOne,
        recordsToSave: records,
        savePolicy: policy,
        atomic: atomic
      )
    )
    try expectEqual("the number of results", records.count, response.results.count)
    return response.results
  }

  /// Has the client fetch a record.
  func fetch(_ id: TidingsV1.RecordID) async throws -> TidingsV1.RecordResult {
    let response: TidingsV1.FetchRecordsResponse = try await call(
      RecordMethods.fetchRecords,
      TidingsV1.FetchRecordsRequest(databaseID: .privateOne, recordIDs: [id])
    )
    try expectEqual("the number of results", 1, response.results.count)
    return response.results[0]
  }

  /// Has the client make a zone.
  func makeZone(_ name: String) async throws {
    let response: TidingsV1.ModifyRecordZonesResponse = try await call(
      ZoneMethods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: .privateOne,
        zonesToSave: [.init(zoneID: .init(zoneName: name))]
      )
    )
    guard case .zone? = response.results.first?.outcome else {
      throw CaseFailure("expected a zone, came \(brief(response))")
    }
  }
}
