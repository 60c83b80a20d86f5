internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

/// What senders ask for.
extension DeliveryMethods {
  /// Registers the methods of DeliveryService for senders.
  func registerSenders(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.DeliveryService.Methods
    calls.register(Methods.leaseDeliveries, .write, on: loop, keeping: .never) { [self] call in
      try requireSender(call.caller, Methods.leaseDeliveries)
      return try leaseDeliveries(call)
    }
    calls.register(
      Methods.settleDeliveries,
      .write,
      on: loop,
      handler: { [self] call in
        try requireSender(call.caller, Methods.settleDeliveries)
        return .answered(try settleDeliveries(call))
      }
    )
    loop.whenStopping { [senders, unowned loop] in senders.stop(on: loop) }
    reads.registerCall(Methods.awaitDeliveries, on: loop) { [self] call, loop in
      try requireSender(try CallerIdentity.caller(of: call), Methods.awaitDeliveries)
      let arena = Arena()
      let request = try TidingsV1.AwaitDeliveriesRequest(decoding: call.body.bytes, in: arena)
      let wait = min(
        try request.timeout.duration("timeout", least: .zero, default: Self.waitDefault),
        .milliseconds(engine.limits.changeWaitMillisecondsMax)
      )
      let token = call.token
      var end = loop.now.advanced(by: wait)
      if let deadline = call.deadline { end = min(end, deadline - Self.deadlineMargin) }
      try senders.wait(token, after: request.generation, until: end, on: loop)
    }
  }

  private static let waitDefault = Duration.seconds(30)
  private static let deadlineMargin = Duration.milliseconds(100)
  private static let leaseDefault = Duration.seconds(60)
  private static let leaseMax = Duration.seconds(3_600)
  private static let pauseMax = Duration.seconds(7 * 86_400)

  private func leaseDeliveries(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.LeaseDeliveriesRequest(decoding: call.body.bytes, in: call.arena)
    // What is committed from now on is looked for by the next call.
    let generation = senders.generation
    let timeout = try request.visibilityTimeout.duration(
      "visibility_timeout",
      least: .seconds(1),
      default: Self.leaseDefault
    )
    guard timeout <= Self.leaseMax else {
      throw ItemError(.invalidArguments, "visibility_timeout is longer than an hour")
    }
    let page = try engine.leaseDeliveries(limit: Int(clamping: request.limit), for: timeout)
    let now = engine.deliveryTime
    var response = WireWriter(capacity: page.items.count * 512 + 64)
    for item in page.items {
      var delivery = TidingsV1.Delivery(
        leaseID: item.leaseID,
        deliveryID: item.deliveryID,
        targetID: item.target.idText,
        userName: item.target.user,
        address: try item.target.address.map { try Self.address($0).current(at: now) },
        isTest: item.notification == nil,
        attemptCount: UInt32(clamping: item.attempts),
        created: .init(item.created),
        targetAdded: .init(item.target.created)
      ).encoded()
      if let id = item.notification {
        delivery += Self.notification(
          TidingsV1.Delivery.FieldNumber.notification,
          item.body,
          id,
          item.subscriptionID
        )
      }
      response.add(TidingsV1.LeaseDeliveriesResponse.FieldNumber.deliveries, delivery)
    }
    let end = TidingsV1.LeaseDeliveriesResponse(
      moreComing: page.moreComing,
      nextDue: page.nextDue.map { .init(whole: $0) },
      generation: generation
    )
    response.append(end.encoded())
    return response.bytes
  }

  private func settleDeliveries(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.SettleDeliveriesRequest(decoding: call.body.bytes, in: call.arena)
    try engine.limits.check(itemCount: request.settlements.count)
    let outcomes = try request.settlements.map { try outcome(of: $0) }
    var lost: UInt32 = 0
    var effects = CallEffects()
    for (settlement, outcome) in zip(request.settlements, outcomes) {
      let isOpen = try engine.settleDelivery(
        settlement.leaseID,
        as: outcome,
        error: settlement.error
      )
      if !isOpen { lost += 1 }
      // Who waits for the next one that is due has to know.
      switch outcome {
      case .retry, .postponed, .targetGone: effects.deliveriesChanged = true
      case .sent, .givenUp: break
      }
    }
    return CallAnswer(
      TidingsV1.SettleDeliveriesResponse(lostCount: lost).encoded(in: call.arena),
      effects: effects
    )
  }

  private func outcome(of settlement: TidingsV1.DeliverySettlement) throws -> DeliveryOutcome {
    switch settlement.outcome {
    case .sent: .sent
    case .retryAfter(let pause): .retry(try Self.pause(pause))
    case .givenUp: .givenUp
    case .targetGone: .targetGone(try settlement.targetAdded.map { try $0.model })
    case .postponed(let pause): .postponed(try Self.pause(pause))
    case nil: throw ItemError(.invalidArguments, "a settlement has no outcome")
    }
  }

  private static func pause(_ duration: GoogleProtobuf.Duration) throws -> Duration {
    min(
      try GoogleProtobuf.Duration?(duration).duration("a pause", least: .zero, default: .zero),
      pauseMax
    )
  }

  /// Refuses callers who are no sender; in development mode everybody is one.
  private func requireSender(_ caller: Caller, _ method: MethodDescriptor) throws {
    guard callerMode == .authenticated, try !engine.isSender(caller.user) else { return }
    throw caller.user.isEmpty
      ? ItemError(.notAuthenticated, "the key of this connection has no account, and so no roles")
      : ItemError(.permissionFailure, "\(method.name) needs the role 'sender'")
  }
}

extension GoogleProtobuf.Duration? {
  fileprivate func duration(
    _ member: String,
    least: Duration,
    default standard: Duration
  ) throws(ItemError) -> Duration {
    guard let self else { return standard }
    // What is too long must not overflow.
    let seconds = min(max(self.seconds, -1), 1 << 30)
    let duration = Duration.seconds(seconds) + .nanoseconds(Int64(self.nanos))
    guard duration >= least else {
      throw ItemError(.invalidArguments, "\(member) is shorter than \(least)")
    }
    return duration
  }
}

extension GoogleProtobuf.Duration {
  fileprivate init(whole duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}
