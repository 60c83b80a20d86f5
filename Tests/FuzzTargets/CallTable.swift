internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// A method with what reads its messages.
struct CallTableEntry: Sendable {
  let method: MethodDescriptor
  /// Decodes a request, encodes it and decodes that again.
  let checkRequest: @Sendable ([UInt8]) throws -> Void
  /// Decodes a response.
  let checkResponse: @Sendable ([UInt8]) throws -> Void
}

/// All methods of the contract.
///
/// Inputs name them by their place: append only.
enum CallTable {
  static let entries: [CallTableEntry] = [
    entry(
      TidingsRpcV1.HealthService.Methods.check,
      TidingsRpcV1.CheckRequest.self,
      TidingsRpcV1.CheckResponse.self
    ),
    entry(
      TidingsRpcV1.HealthService.Methods.watch,
      TidingsRpcV1.WatchRequest.self,
      TidingsRpcV1.WatchResponse.self
    ),
    entry(
      TidingsRpcV1.ReflectionService.Methods.listServices,
      TidingsRpcV1.ListServicesRequest.self,
      TidingsRpcV1.ListServicesResponse.self
    ),
    entry(
      TidingsRpcV1.ReflectionService.Methods.fetchFileDescriptorSet,
      TidingsRpcV1.FetchFileDescriptorSetRequest.self,
      TidingsRpcV1.FetchFileDescriptorSetResponse.self
    ),
    entry(
      TidingsRpcV1.ServerService.Methods.fetchServerInfo,
      TidingsRpcV1.FetchServerInfoRequest.self,
      TidingsRpcV1.FetchServerInfoResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.fetchAccountStatus,
      TidingsV1.FetchAccountStatusRequest.self,
      TidingsV1.FetchAccountStatusResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.fetchUserRecordID,
      TidingsV1.FetchUserRecordIDRequest.self,
      TidingsV1.FetchUserRecordIDResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.fetchUsers,
      TidingsV1.FetchUsersRequest.self,
      TidingsV1.FetchUsersResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.fetchDirectoryEntry,
      TidingsV1.FetchDirectoryEntryRequest.self,
      TidingsV1.FetchDirectoryEntryResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.updateDirectoryEntry,
      TidingsV1.UpdateDirectoryEntryRequest.self,
      TidingsV1.UpdateDirectoryEntryResponse.self
    ),
    entry(
      TidingsV1.AccountService.Methods.listDirectory,
      TidingsV1.ListDirectoryRequest.self,
      TidingsV1.ListDirectoryResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.createUser,
      TidingsV1.CreateUserRequest.self,
      TidingsV1.CreateUserResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.updateUser,
      TidingsV1.UpdateUserRequest.self,
      TidingsV1.UpdateUserResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.listUsers,
      TidingsV1.ListUsersRequest.self,
      TidingsV1.ListUsersResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.authorizeKey,
      TidingsV1.AuthorizeKeyRequest.self,
      TidingsV1.AuthorizeKeyResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.revokeKey,
      TidingsV1.RevokeKeyRequest.self,
      TidingsV1.RevokeKeyResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.assignRoles,
      TidingsV1.AssignRolesRequest.self,
      TidingsV1.AssignRolesResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.fetchAuditLog,
      TidingsV1.FetchAuditLogRequest.self,
      TidingsV1.FetchAuditLogResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.createBackup,
      TidingsV1.CreateBackupRequest.self,
      TidingsV1.CreateBackupResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.fetchStatistics,
      TidingsV1.FetchStatisticsRequest.self,
      TidingsV1.FetchStatisticsResponse.self
    ),
    entry(
      TidingsV1.AdminService.Methods.checkStore,
      TidingsV1.CheckStoreRequest.self,
      TidingsV1.CheckStoreResponse.self
    ),
    entry(
      TidingsV1.AssetService.Methods.uploadAsset,
      TidingsV1.UploadAssetRequest.self,
      TidingsV1.UploadAssetResponse.self
    ),
    entry(
      TidingsV1.AssetService.Methods.downloadAsset,
      TidingsV1.DownloadAssetRequest.self,
      TidingsV1.DownloadAssetResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.registerDevice,
      TidingsV1.RegisterDeviceRequest.self,
      TidingsV1.RegisterDeviceResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.fetchNotificationChanges,
      TidingsV1.FetchNotificationChangesRequest.self,
      TidingsV1.FetchNotificationChangesResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.markNotificationsRead,
      TidingsV1.MarkNotificationsReadRequest.self,
      TidingsV1.MarkNotificationsReadResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.modifyBadge,
      TidingsV1.ModifyBadgeRequest.self,
      TidingsV1.ModifyBadgeResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.traceNotification,
      TidingsV1.TraceNotificationRequest.self,
      TidingsV1.TraceNotificationResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.leaseNotifications,
      TidingsV1.LeaseNotificationsRequest.self,
      TidingsV1.LeaseNotificationsResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.settleNotifications,
      TidingsV1.SettleNotificationsRequest.self,
      TidingsV1.SettleNotificationsResponse.self
    ),
    entry(
      TidingsV1.NotificationService.Methods.rotateChannels,
      TidingsV1.RotateChannelsRequest.self,
      TidingsV1.RotateChannelsResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.modifyRecords,
      TidingsV1.ModifyRecordsRequest.self,
      TidingsV1.ModifyRecordsResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.fetchRecords,
      TidingsV1.FetchRecordsRequest.self,
      TidingsV1.FetchRecordsResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.queryRecords,
      TidingsV1.QueryRecordsRequest.self,
      TidingsV1.QueryRecordsResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.explainQuery,
      TidingsV1.ExplainQueryRequest.self,
      TidingsV1.ExplainQueryResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
      TidingsV1.FetchRecordZoneChangesRequest.self,
      TidingsV1.FetchRecordZoneChangesResponse.self
    ),
    entry(
      TidingsV1.RecordService.Methods.fetchDatabaseChanges,
      TidingsV1.FetchDatabaseChangesRequest.self,
      TidingsV1.FetchDatabaseChangesResponse.self
    ),
    entry(
      TidingsV1.SchemaService.Methods.fetchSchema,
      TidingsV1.FetchSchemaRequest.self,
      TidingsV1.FetchSchemaResponse.self
    ),
    entry(
      TidingsV1.SchemaService.Methods.applySchema,
      TidingsV1.ApplySchemaRequest.self,
      TidingsV1.ApplySchemaResponse.self
    ),
    entry(
      TidingsV1.SchemaService.Methods.deploySchema,
      TidingsV1.DeploySchemaRequest.self,
      TidingsV1.DeploySchemaResponse.self
    ),
    entry(
      TidingsV1.ShareService.Methods.fetchShareMetadata,
      TidingsV1.FetchShareMetadataRequest.self,
      TidingsV1.FetchShareMetadataResponse.self
    ),
    entry(
      TidingsV1.ShareService.Methods.acceptShares,
      TidingsV1.AcceptSharesRequest.self,
      TidingsV1.AcceptSharesResponse.self
    ),
    entry(
      TidingsV1.ShareService.Methods.requestShareAccess,
      TidingsV1.RequestShareAccessRequest.self,
      TidingsV1.RequestShareAccessResponse.self
    ),
    entry(
      TidingsV1.ShareService.Methods.fetchShares,
      TidingsV1.FetchSharesRequest.self,
      TidingsV1.FetchSharesResponse.self
    ),
    entry(
      TidingsV1.SubscriptionService.Methods.modifySubscriptions,
      TidingsV1.ModifySubscriptionsRequest.self,
      TidingsV1.ModifySubscriptionsResponse.self
    ),
    entry(
      TidingsV1.SubscriptionService.Methods.fetchSubscriptions,
      TidingsV1.FetchSubscriptionsRequest.self,
      TidingsV1.FetchSubscriptionsResponse.self
    ),
    entry(
      TidingsV1.SubscriptionService.Methods.explainSubscriptions,
      TidingsV1.ExplainSubscriptionsRequest.self,
      TidingsV1.ExplainSubscriptionsResponse.self
    ),
    entry(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest.self,
      TidingsV1.ModifyRecordZonesResponse.self
    ),
    entry(
      TidingsV1.ZoneService.Methods.fetchRecordZones,
      TidingsV1.FetchRecordZonesRequest.self,
      TidingsV1.FetchRecordZonesResponse.self
    ),
    entry(
      TidingsV1.GatewayService.Methods.fetchWebCredential,
      TidingsV1.FetchWebCredentialRequest.self,
      TidingsV1.FetchWebCredentialResponse.self
    ),
    entry(
      TidingsV1.GatewayService.Methods.renewWebAuthToken,
      TidingsV1.RenewWebAuthTokenRequest.self,
      TidingsV1.RenewWebAuthTokenResponse.self
    ),
    entry(
      TidingsV1.GatewayService.Methods.fetchSessionHandle,
      TidingsV1.FetchSessionHandleRequest.self,
      TidingsV1.FetchSessionHandleResponse.self
    ),
    entry(
      TidingsV1.GatewayService.Methods.beginSignIn,
      TidingsV1.BeginSignInRequest.self,
      TidingsV1.BeginSignInResponse.self
    ),
    entry(
      TidingsV1.GatewayService.Methods.completeSignIn,
      TidingsV1.CompleteSignInRequest.self,
      TidingsV1.CompleteSignInResponse.self
    ),
  ]

  /// The method that a byte stands for.
  static func entry(_ byte: UInt8) -> CallTableEntry { entries[Int(byte) % entries.count] }

  private static func entry<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _: Request.Type,
    _: Response.Type
  ) -> CallTableEntry {
    CallTableEntry(
      method: method,
      checkRequest: { try check($0, as: Request.self) },
      checkResponse: { _ = try Response(decoding: $0) }
    )
  }

  private static func check<Value: Message>(_ bytes: [UInt8], as _: Value.Type) throws {
    guard let value = try? Value(decoding: bytes) else { return }
    let again = try Value(decoding: value.encoded())
    // What is not equal when it is decoded twice has a NaN in it.
    let hasNaN = try Value(decoding: bytes) != value
    try require(again == value || hasNaN, "encoded it is another message: \(value)")
  }
}
