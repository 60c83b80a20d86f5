internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

extension NotificationMethods {
  /// Answers TraceNotification.
  func traceNotification(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.TraceNotificationRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let trace = try engine.trace(
      request.notificationID,
      for: call.caller,
      container: try containerName(request.container),
      environment: try request.environment.model
    )
    var response = TidingsV1.TraceNotificationResponse(trace)
    response.notification = try TidingsV1.Notification(trace.item, in: call.arena)
    let id = trace.item.id
    if let publication = publication(id.channel, id.sequence) {
      response.published = .init(publication.time)
      response.isCoalesced = publication.isCoalesced
      response.isPruned = publication.isPruned
    }
    return response.encoded(in: call.arena)
  }

  /// Answers ModifyBadge.
  func modifyBadge(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.ModifyBadgeRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.setBadge(
      Int(request.badgeValue),
      of: call.caller.user,
      container: try containerName(request.container),
      environment: try request.environment.model
    )
    return TidingsV1.ModifyBadgeResponse(badgeValue: request.badgeValue).encoded(in: call.arena)
  }
}

extension TidingsV1.Notification {
  /// A stored notification, completed for its subscriber.
  init(_ item: NotificationPage.Item, in arena: borrowing Arena) throws {
    self = try item.body.withUnsafeBytes { bytes in
      try storedMessage("notification") { try Self(decoding: bytes.bytes, in: arena) }
    }
    notificationID = item.id.description
    subscriptionID = item.subscriptionID
  }
}

extension TidingsV1.TraceNotificationResponse {
  fileprivate init(_ trace: NotificationTrace) {
    self.init(
      committed: .init(trace.committed),
      fetched: trace.deliveries.first.map { .init($0.fetched) },
      markedRead: trace.read.map { .init($0.time) },
      originDevice: trace.originDevice,
      deliveries: trace.deliveries.map { .init(device: $0.device, fetched: .init($0.fetched)) },
      leases: trace.leases.map { lease in
        .init(
          group: lease.group,
          device: lease.device,
          leased: .init(lease.leased),
          deliveryCount: UInt32(clamping: lease.count),
          settled: lease.settled.map { .init($0) }
        )
      },
      readDevice: trace.read?.device ?? ""
    )
  }
}
