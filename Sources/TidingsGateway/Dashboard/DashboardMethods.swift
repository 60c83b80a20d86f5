internal import TidingsProto
internal import TidingsRPC

/// The methods that a dashboard may call.
///
/// None returns private data of other users (FetchUserData does, for administrators), sends streams, or begins other sessions.
/// The server decides with each call whether its user may call the method.
enum DashboardMethods {
  /// By `SERVICE/METHOD`, without the package.
  static let all: [String: MethodDescriptor] = {
    var all: [String: MethodDescriptor] = [:]
    for method in records + notifications + schemas + accounts + administration {
      let service = method.service.split(separator: ".").last ?? ""
      all["\(service)/\(method.name)"] = method
    }
    return all
  }()

  private static let records: [MethodDescriptor] = {
    typealias Records = TidingsV1.RecordService.Methods
    typealias Zones = TidingsV1.ZoneService.Methods
    typealias Shares = TidingsV1.ShareService.Methods
    return [
      Records.modifyRecords, Records.fetchRecords, Records.queryRecords, Records.explainQuery,
      Records.fetchRecordZoneChanges, Records.fetchDatabaseChanges, Zones.modifyRecordZones,
      Zones.fetchRecordZones, Shares.fetchShareMetadata, Shares.acceptShares, Shares.fetchShares,
      TidingsV1.AssetService.Methods.uploadAsset,
    ]
  }()

  private static let notifications: [MethodDescriptor] = {
    typealias Subscriptions = TidingsV1.SubscriptionService.Methods
    typealias Notifications = TidingsV1.NotificationService.Methods
    typealias Deliveries = TidingsV1.DeliveryService.Methods
    return [
      Subscriptions.modifySubscriptions, Subscriptions.fetchSubscriptions,
      Subscriptions.explainSubscriptions, Notifications.fetchNotificationChanges,
      Notifications.markNotificationsRead, Notifications.modifyBadge,
      Notifications.traceNotification, Deliveries.fetchDeliveryTargets,
      Deliveries.testDeliveryTarget, Deliveries.removeDeliveryTarget, Deliveries.fetchDeadLetters,
      Deliveries.resendDeadLetters,
    ]
  }()

  private static let schemas: [MethodDescriptor] = {
    typealias Schemas = TidingsV1.SchemaService.Methods
    return [Schemas.fetchSchema, Schemas.applySchema, Schemas.deploySchema]
  }()

  private static let accounts: [MethodDescriptor] = {
    typealias Accounts = TidingsV1.AccountService.Methods
    return [
      Accounts.fetchAccountStatus, Accounts.fetchUserRecordID, Accounts.fetchUsers,
      TidingsRpcV1.ServerService.Methods.fetchServerInfo,
    ]
  }()

  private static let administration: [MethodDescriptor] = {
    typealias Administration = TidingsV1.AdminService.Methods
    return [
      Administration.createUser, Administration.updateUser, Administration.listUsers,
      Administration.authorizeKey, Administration.revokeKey, Administration.assignRoles,
      Administration.createWebToken, Administration.listWebTokens, Administration.revokeWebToken,
      Administration.fetchAuditLog, Administration.fetchStatistics, Administration.fetchMetrics,
      Administration.listConnections, Administration.listDevices,
      Administration.fetchClusterStatus,
    ]
  }()
}
