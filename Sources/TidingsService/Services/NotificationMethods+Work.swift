internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire
internal import TidingsZeroMQ

extension NotificationMethods {
  /// Registers the methods with which devices share the work on notifications.
  func registerWork(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.NotificationService.Methods
    calls.register(
      Methods.leaseNotifications,
      .write,
      on: loop,
      repeating: { [self] in try repeatedLeases($0, $1) },
      handler: { [self] in .answered(try leaseNotifications($0)) }
    )
    calls.register(
      Methods.settleNotifications,
      .write,
      on: loop,
      keeping: .never,
      handler: { [self] in .answered(try settleNotifications($0)) }
    )
  }

  private func leaseNotifications(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.LeaseNotificationsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let page = try engine.leaseNotifications(
      of: WorkGroup(
        container: try containerName(request.container),
        environment: try request.environment.model,
        name: request.group
      ),
      for: call.caller,
      limit: Int(request.limit),
      timeout: try request.visibilityTimeout.visibilityTimeout,
      startsAtEnd: request.startsAtEnd
    )
    var effects = CallEffects()
    effects.counters.leases = UInt64(page.items.count)
    effects.counters.leasesRepeated = UInt64(page.items.count { $0.deliveryCount > 1 })
    var response = WireWriter(capacity: page.items.count * 320 + 64)
    for item in page.items {
      // Members that follow an encoded message belong to it: the stored part is not decoded.
      let own = TidingsV1.Notification(
        notificationID: item.id.description,
        subscriptionID: item.subscriptionID
      ).encoded(in: call.arena)
      let lease = TidingsV1.LeasedNotification(
        leaseID: item.leaseID.description,
        expires: .init(item.expires),
        deliveryCount: UInt32(clamping: item.deliveryCount),
        isOwnChange: item.isOwnChange
      ).encoded(in: call.arena)
      let notificationBytes = item.body.count + own.count
      response.addHead(
        TidingsV1.LeaseNotificationsResponse.FieldNumber.notifications,
        bytes: WireSize.field(notificationBytes) + lease.count
      )
      response.addHead(
        TidingsV1.LeasedNotification.FieldNumber.notification,
        bytes: notificationBytes
      )
      response.append(item.body)
      response.append(own)
      response.append(lease)
    }
    let end = TidingsV1.LeaseNotificationsResponse(
      moreComing: page.moreComing,
      nextExpiry: page.nextExpiry.map { .init($0) }
    )
    response.append(end.encoded(in: call.arena))
    // Where nothing was handed out a repeated call may as well look again.
    return CallAnswer(
      response.bytes,
      kept: page.items.isEmpty ? .nothing : .whole,
      effects: effects
    )
  }

  private func settleNotifications(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.SettleNotificationsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(itemCount: request.leaseIDs.count)
    let group = WorkGroup(
      container: try containerName(request.container),
      environment: try request.environment.model,
      name: request.group
    )
    let errors = try engine.settleNotifications(
      request.leaseIDs,
      of: group,
      as: try request.leaseSettlement,
      for: call.caller
    )
    var effects = CallEffects()
    if request.settlement == .released, errors.contains(where: { $0 == nil }) {
      let topic = try engine.controlTopic(
        of: call.caller.user,
        container: group.container,
        environment: group.environment
      )
      effects.releasedTopics.insert(topic)
    }
    if request.settlement == .done {
      effects.counters.leasesSettled = UInt64(errors.count { $0 == nil })
    }
    let results = zip(request.leaseIDs, errors).map { id, error in
      TidingsV1.LeaseResult(
        leaseID: id,
        outcome: error.map { .error(.init($0)) } ?? .settled(true)
      )
    }
    return CallAnswer(
      TidingsV1.SettleNotificationsResponse(results: results).encoded(in: call.arena),
      effects: effects
    )
  }
}

extension TidingsV1.SettleNotificationsRequest {
  fileprivate var leaseSettlement: LeaseSettlement {
    get throws(ItemError) {
      switch settlement {
      case .done: return .done(marksRead: marksRead)
      case .released: return .released
      case .extended: return .extended(try visibilityTimeout.visibilityTimeout)
      default:
        throw ItemError(
          .invalidArguments,
          "settlement \(settlement) is not known: use DONE, RELEASED or EXTENDED"
        )
      }
    }
  }
}

extension GoogleProtobuf.Duration? {
  /// How long notifications are leased.
  fileprivate var visibilityTimeout: VisibilityTimeout {
    get throws(ItemError) {
      guard let self else { return .standard }
      // What is out of range is refused; it must not overflow before.
      let seconds = min(max(self.seconds, -1), 1 << 30)
      return try VisibilityTimeout(.seconds(seconds) + .nanoseconds(Int64(self.nanos)))
    }
  }
}

extension GoogleProtobuf.Duration {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}
