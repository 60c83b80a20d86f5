internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

/// DeliveryService: targets outside of clients.
struct DeliveryMethods {
  let engine: Engine
  let callerMode: CallerMode
  let reads: ReadDispatch
  let senders: WaitingSenders

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.DeliveryService.Methods
    calls.register(Methods.addDeliveryTarget, .write, on: loop, keeping: .never) { [self] in
      try addDeliveryTarget($0)
    }
    calls.register(Methods.fetchDeliveryTargets, .read, on: loop) { [self] in
      try fetchDeliveryTargets($0)
    }
    calls.register(Methods.removeDeliveryTarget, .write, on: loop) { [self] in
      try removeDeliveryTarget($0)
    }
    calls.register(
      Methods.testDeliveryTarget,
      .write,
      on: loop,
      handler: { [self] in .answered(try testDeliveryTarget($0)) }
    )
    calls.register(Methods.fetchDeadLetters, .read, on: loop) { [self] in
      try fetchDeadLetters($0)
    }
    calls.register(
      Methods.resendDeadLetters,
      .write,
      on: loop,
      handler: { [self] in .answered(try resendDeadLetters($0)) }
    )
    registerSenders(calls, on: loop)
  }

  private static let deadLettersMax = 100

  private func addDeliveryTarget(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.AddDeliveryTargetRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    guard !call.caller.device.isEmpty else {
      throw ItemError(
        .invalidArguments,
        "a delivery target belongs to a device: name it in the metadata '\(Metadata.deviceKey)'"
      )
    }
    let address = request.address ?? .init()
    let now = engine.deliveryTime
    var secret = ""
    let status = try engine.addDeliveryTarget(
      identity: try address.identity,
      container: try containerName(request.container),
      environment: try request.environment.model,
      for: call.caller
    ) { previous in
      let previous = try previous.map { try Self.address($0) }
      let completed = try address.completed(replacing: previous, at: now)
      if case .webhook(let webhook)? = completed.kind { secret = webhook.secret }
      return completed.encoded()
    }
    return TidingsV1.AddDeliveryTargetResponse(target: .init(status), webhookSecret: secret)
      .encoded(in: call.arena)
  }

  private func fetchDeliveryTargets(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchDeliveryTargetsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let statuses = try engine.deliveryTargets(
      of: call.caller.user,
      container: try containerName(request.container),
      environment: try request.environment.model
    )
    return TidingsV1.FetchDeliveryTargetsResponse(targets: statuses.map { .init($0) })
      .encoded(in: call.arena)
  }

  private func removeDeliveryTarget(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.RemoveDeliveryTargetRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.removeDeliveryTarget(request.targetID, of: call.caller.user)
    return TidingsV1.RemoveDeliveryTargetResponse().encoded(in: call.arena)
  }

  private func testDeliveryTarget(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.TestDeliveryTargetRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let id = try engine.testDeliveryTarget(request.targetID, of: call.caller.user)
    var effects = CallEffects()
    effects.deliveriesChanged = true
    return CallAnswer(
      TidingsV1.TestDeliveryTargetResponse(deliveryID: id).encoded(in: call.arena),
      effects: effects
    )
  }

  private func fetchDeadLetters(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchDeadLettersRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let limit =
      request.limit == 0
      ? Self.deadLettersMax : min(Int(request.limit), Self.deadLettersMax)
    let letters = try engine.deadLetters(
      ofTarget: request.targetID,
      user: call.caller.user,
      container: try containerName(request.container),
      environment: try request.environment.model,
      after: request.cursor,
      limit: limit + 1
    )
    var response = WireWriter()
    var last = ""
    for letter in letters.prefix(limit) {
      guard response.bytes.count <= engine.limits.answerBytesMax else { break }
      var content = TidingsV1.DeadLetter(
        deadLetterID: letter.idText,
        targetID: letter.target.idText,
        givenUp: .init(letter.givenUp),
        attemptCount: UInt32(clamping: letter.attempts),
        reason: letter.reason
      ).encoded()
      if let id = letter.notification, let body = letter.body {
        content += Self.notification(
          TidingsV1.DeadLetter.FieldNumber.notification,
          body,
          id,
          letter.subscriptionID
        )
      }
      response.add(TidingsV1.FetchDeadLettersResponse.FieldNumber.deadLetters, content)
      last = letter.idText
    }
    if let final = letters.last, final.idText != last {
      response.add(TidingsV1.FetchDeadLettersResponse.FieldNumber.cursor, last.utf8)
    }
    return response.bytes
  }

  private func resendDeadLetters(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.ResendDeadLettersRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(itemCount: request.deadLetterIDs.count)
    var results: [TidingsV1.ResendResult] = []
    for id in request.deadLetterIDs {
      do {
        try engine.resendDeadLetter(id, of: call.caller.user)
        results.append(.init(deadLetterID: id, outcome: .resent(true)))
      } catch let error as ItemError {
        results.append(.init(deadLetterID: id, outcome: .error(.init(error))))
      }
    }
    var effects = CallEffects()
    effects.deliveriesChanged = true
    return CallAnswer(
      TidingsV1.ResendDeadLettersResponse(results: results).encoded(in: call.arena),
      effects: effects
    )
  }

  static func address(_ bytes: [UInt8]) throws -> TidingsV1.DeliveryAddress {
    let arena = Arena()
    return try bytes.withUnsafeBytes {
      try TidingsV1.DeliveryAddress(decoding: $0.bytes, in: arena)
    }
  }

  /// A notification as a member: what is stored, and what differs between subscribers.
  static func notification(
    _ field: Int,
    _ body: [UInt8],
    _ id: NotificationID,
    _ subscriptionID: String
  ) -> [UInt8] {
    let own = TidingsV1.Notification(
      notificationID: id.description,
      subscriptionID: subscriptionID
    ).encoded()
    var member = WireWriter(capacity: body.count + own.count + 16)
    member.addHead(field, bytes: body.count + own.count)
    member.append(body)
    member.append(own)
    return member.bytes
  }
}

extension TidingsV1.DeliveryTarget {
  init(_ status: DeliveryTargetStatus) {
    self.init(status.target)
    waitingCount = UInt32(clamping: status.waiting)
    deadLetterCount = UInt32(clamping: status.deadLetters)
  }

  /// Without counts.
  init(_ target: DeliveryTarget) {
    self.init(
      targetID: target.idText,
      device: target.device,
      address: target.address.flatMap { try? DeliveryMethods.address($0).shown },
      created: .init(target.created),
      failingSince: target.failingSince.map { .init($0) },
      lastError: target.lastError
    )
  }
}
