internal import TidingsProto
internal import TidingsRPC
internal import TidingsZeroMQ

/// The services that a node that follows hands on: whether they can be called is known here.
enum FollowedServices {
  static let descriptors: [ServiceDescriptor] = [
    TidingsV1.RecordService.descriptor, TidingsV1.ZoneService.descriptor,
    TidingsV1.SubscriptionService.descriptor, TidingsV1.NotificationService.descriptor,
    TidingsV1.AssetService.descriptor, TidingsV1.SchemaService.descriptor,
    TidingsV1.ShareService.descriptor, TidingsV1.AccountService.descriptor,
    TidingsV1.AdminService.descriptor, TidingsV1.GatewayService.descriptor,
    TidingsV1.DeliveryService.descriptor,
    TidingsRpcV1.ServerService.descriptor,
  ]

  /// Methods whose calls may wait for a change.
  static let waitingMethods: [MethodDescriptor] = [
    TidingsV1.RecordService.Methods.fetchDatabaseChanges,
    TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
    TidingsV1.DeliveryService.Methods.awaitDeliveries,
  ]
}
