internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Pages of feeds and of the log, smaller ones on a network that loses large answers.
extension PageLimits {
  func databaseChanges(
    _ request: TidingsV1.FetchDatabaseChangesRequest,
    _ client: Client,
    _ options: CallOptions
  ) async throws(RPCError) -> TidingsV1.FetchDatabaseChangesResponse {
    let records = client.records
    return try await page(of: request, \.limit) { request throws(RPCError) in
      try await records.fetchDatabaseChanges(request, options: options)
    }
  }

  /// Of several zones, all together have at most as many records as one page may have.
  func zoneChanges(
    _ request: TidingsV1.FetchRecordZoneChangesRequest,
    _ client: Client,
    _ options: CallOptions
  ) async throws(RPCError) -> TidingsV1.FetchRecordZoneChangesResponse {
    let records = client.records
    return try await page(of: request, \.limit) { request throws(RPCError) in
      try await records.fetchRecordZoneChanges(request, options: options)
    }
  }

  func notificationChanges(
    _ request: TidingsV1.FetchNotificationChangesRequest,
    _ client: Client,
    _ options: CallOptions
  ) async throws(RPCError) -> TidingsV1.FetchNotificationChangesResponse {
    let notifications = client.notifications
    return try await page(of: request, \.limit) { request throws(RPCError) in
      try await notifications.fetchNotificationChanges(request, options: options)
    }
  }
}
