import BenchCore
import TidingsProto
import TidingsProtobuf
import TidingsRPC

// The calls that are made at their limits.
extension LimitClient {
  private typealias Records = TidingsV1.RecordService.Methods
  private typealias Subscriptions = TidingsV1.SubscriptionService.Methods
  private typealias Notifications = TidingsV1.NotificationService.Methods
  private typealias Schemas = TidingsV1.SchemaService.Methods
  private typealias Shares = TidingsV1.ShareService.Methods
  private static let container = "bench"

  func fetch(_ count: Int, keys: [String]?) throws {
    let response: TidingsV1.FetchRecordsResponse = try client.call(
      Records.fetchRecords,
      TidingsV1.FetchRecordsRequest(
        databaseID: Calls.database,
        recordIDs: LimitCall.ids(count),
        desiredKeys: keys.map { .init(keys: $0) }
      )
    )
    guard response.results.count == count else { throw BenchError("records are missing") }
  }

  /// Saves records with a change tag that is not theirs.
  func conflict(_ count: Int) throws {
    let response: TidingsV1.ModifyRecordsResponse = try client.call(
      Records.modifyRecords,
      TidingsV1.ModifyRecordsRequest(
        databaseID: Calls.database,
        recordsToSave: (0..<count).map { LimitCall.record($0, "A", [:]) }
      )
    )
    guard response.results.count == count else { throw BenchError("conflicts are missing") }
  }

  func zones(saving names: [String] = [], deleting deleted: [String] = []) throws {
    let response: TidingsV1.ModifyRecordZonesResponse = try client.call(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: Calls.database,
        zonesToSave: names.map { .init(zoneID: .init(zoneName: $0)) },
        zoneIDsToDelete: deleted.map { .init(zoneName: $0) }
      )
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchError("zones: \(error.message)")
    }
  }

  /// Declares a field of a type, with its index, and waits until that is built.
  func declare(_ type: String, _ field: String) throws {
    try apply("DEFINE SCHEMA RECORD TYPE \(type) (\(field));")
    for _ in 0..<1_000 {
      let schema: TidingsV1.FetchSchemaResponse = try client.call(
        Schemas.fetchSchema,
        TidingsV1.FetchSchemaRequest(container: Self.container, environment: .development)
      )
      if !schema.indexes.isEmpty, schema.indexes.allSatisfy({ $0.state == .ready }) { return }
    }
    throw BenchError("an index is not built")
  }

  func declareTypes(_ count: Int, fields: Int) throws {
    let types = (0..<count).map { type in
      let fields = (0..<fields).map { "f\($0) INT64" }
      return "RECORD TYPE T\(type) (\(fields.joined(separator: ", ")));"
    }
    try apply("DEFINE SCHEMA " + types.joined(separator: " "))
  }

  private func apply(_ text: String) throws {
    let _: TidingsV1.ApplySchemaResponse = try client.call(
      Schemas.applySchema,
      TidingsV1.ApplySchemaRequest(container: Self.container, text: text)
    )
  }

  func fetchSubscriptions() throws {
    let response: TidingsV1.FetchSubscriptionsResponse = try client.call(
      Subscriptions.fetchSubscriptions,
      TidingsV1.FetchSubscriptionsRequest(databaseID: Calls.database, wantsHealth: true)
    )
    guard !response.results.isEmpty else { throw BenchError("subscriptions are missing") }
  }

  func unsubscribe(_ count: Int) throws {
    let _: TidingsV1.ModifySubscriptionsResponse = try client.call(
      Subscriptions.modifySubscriptions,
      TidingsV1.ModifySubscriptionsRequest(
        databaseID: Calls.database,
        subscriptionIDsToDelete: (0..<count).map { "subscription-\($0)" }
      )
    )
  }

  func explain(_ count: Int) throws {
    let _: TidingsV1.ExplainSubscriptionsResponse = try client.call(
      Subscriptions.explainSubscriptions,
      TidingsV1.ExplainSubscriptionsRequest(
        databaseID: Calls.database,
        subscriptionIDs: (0..<count).map { "subscription-\($0)" },
        recordAfter: LimitCall.record(0, "A", [:])
      )
    )
  }

  func registerDevice() throws {
    let response: TidingsV1.RegisterDeviceResponse = try client.call(
      Notifications.registerDevice,
      TidingsV1.RegisterDeviceRequest(container: Self.container, environment: .development)
    )
    guard !response.channels.isEmpty else { throw BenchError("channels are missing") }
  }

  func rotateChannels() throws {
    let _: TidingsV1.RotateChannelsResponse = try client.call(
      Notifications.rotateChannels,
      TidingsV1.RotateChannelsRequest(container: Self.container, environment: .development)
    )
  }

  func query() throws {
    let response: TidingsV1.QueryRecordsResponse = try client.call(
      Records.queryRecords,
      TidingsV1.QueryRecordsRequest(databaseID: Calls.database, recordType: "A", limit: 400)
    )
    guard !response.records.isEmpty else { throw BenchError("records are missing") }
  }

  func fetchChanges() throws {
    let _: TidingsV1.FetchRecordZoneChangesResponse = try client.call(
      Records.fetchRecordZoneChanges,
      TidingsV1.FetchRecordZoneChangesRequest(
        databaseID: Calls.database,
        zones: [.init(zoneID: .init(zoneName: "_defaultZone"))],
        limit: 400
      )
    )
  }

  /// Lets two thousand notifications be stored for the user; another device saves.
  func firedTwoThousandTimes() throws {
    try subscribe([LimitCall.subscription(0, "TRUEPREDICATE")])
    let records = (0..<2_000).map { LimitCall.record($0, "A", [:]) }
    for start in stride(from: 0, to: records.count, by: 400) {
      try modify(Calls.saving(Array(records[start..<start + 400]), updates: true), by: sibling)
    }
  }

  private func fetchedIDs(limit: Int) throws -> [String] {
    let response: TidingsV1.FetchNotificationChangesResponse = try client.call(
      Notifications.fetchNotificationChanges,
      TidingsV1.FetchNotificationChangesRequest(
        container: Self.container,
        environment: .development,
        limit: UInt32(limit),
        wantsUserInfo: true,
        wantsBadge: true
      )
    )
    return response.notifications.map(\.notificationID)
  }

  func fetchNotifications() throws { _ = try fetchedIDs(limit: 400) }

  func markNotificationsRead() throws {
    let _: TidingsV1.MarkNotificationsReadResponse = try client.call(
      Notifications.markNotificationsRead,
      TidingsV1.MarkNotificationsReadRequest(
        container: Self.container,
        environment: .development,
        notificationIDs: try fetchedIDs(limit: 400)
      )
    )
  }

  func leaseAndSettle() throws {
    let leased: TidingsV1.LeaseNotificationsResponse = try client.call(
      Notifications.leaseNotifications,
      TidingsV1.LeaseNotificationsRequest(
        container: Self.container,
        environment: .development,
        group: "workers",
        limit: 400
      )
    )
    let _: TidingsV1.SettleNotificationsResponse = try client.call(
      Notifications.settleNotifications,
      TidingsV1.SettleNotificationsRequest(
        container: Self.container,
        environment: .development,
        group: "workers",
        leaseIDs: leased.notifications.map(\.leaseID),
        settlement: .done,
        marksRead: true
      )
    )
  }

  func share(_ count: Int, participants: Int) throws {
    let zone = TidingsV1.ZoneID(zoneName: "z")
    let people = (0..<participants).map {
      TidingsV1.Participant(
        userRecordName: "user-\($0)",
        role: .privateUser,
        permission: .readWrite
      )
    }
    let roots = (0..<count).map { LimitCall.record($0, "A", [:], zone: "z") }
    let shares = (0..<count).map { number in
      TidingsV1.Record(
        recordID: .init(recordName: "share-\(number)", zoneID: zone),
        recordType: "cloudkit.share",
        share: .init(
          rootRecordName: "record-\(number)",
          publicPermission: .readOnly,
          participants: people
        )
      )
    }
    try save(roots + shares)
  }

  func acceptShares() throws {
    let fetched: TidingsV1.FetchRecordsResponse = try client.call(
      Records.fetchRecords,
      TidingsV1.FetchRecordsRequest(
        databaseID: Calls.database,
        recordIDs: (0..<200).map {
          .init(recordName: "share-\($0)", zoneID: .init(zoneName: "z"))
        }
      )
    )
    let urls = fetched.results.compactMap { result -> String? in
      guard case .record(let record)? = result.outcome else { return nil }
      return record.share?.url
    }
    let response: TidingsV1.AcceptSharesResponse = try other.call(
      Shares.acceptShares,
      TidingsV1.AcceptSharesRequest(urls: urls)
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchError("accepting shares: \(error.message)")
    }
  }
}
