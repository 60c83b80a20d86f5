internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Field = TidingsV1.RegisterDeviceResponse.FieldNumber

/// NotificationService.
struct NotificationMethods {
  let engine: Engine
  let reads: ReadDispatch
  let maintenance: MaintenanceTurns
  /// Pushes are sealed.
  let sealsPushes: Bool
  /// Finds how an event was published.
  let publication: (_ channel: Int64, _ sequence: Int64) -> Publication?

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.NotificationService.Methods
    calls.register(Methods.registerDevice, .read, on: loop) { [self] in try registerDevice($0) }
    registerChanges(on: loop)
    registerWork(calls, on: loop)
    calls.register(Methods.markNotificationsRead, .write, on: loop, keeping: .never) { [self] in
      try markNotificationsRead($0)
    }
    calls.register(
      Methods.rotateChannels,
      .write,
      on: loop,
      handler: { [self] in .answered(try rotateChannels($0)) }
    )
    calls.register(Methods.modifyBadge, .write, on: loop) { [self] in try modifyBadge($0) }
    calls.register(Methods.traceNotification, .read, on: loop) { [self] in
      try traceNotification($0)
    }
  }

  private func registerDevice(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.RegisterDeviceRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let container = try containerName(request.container)
    let environment = try request.environment.model
    let channels = try engine.pushChannels(
      for: call.caller,
      container: container,
      environment: environment
    )
    let controlTopic = try engine.controlTopic(
      of: call.caller.user,
      container: container,
      environment: environment
    )
    var response = WireWriter(capacity: channels.count * 128)
    for channel in channels {
      try engine.pace.decisionStep()
      let message = TidingsV1.Channel(
        position: .init(
          channelID: String(channel.channel),
          sequenceNumber: UInt64(clamping: channel.head)
        ),
        topic: channel.topic,
        key: pushKey(of: channel.topic),
        subscriptionID: channel.subscriptionID,
        originTag: channel.originTag
      )
      response.add(Field.channels, message.encoded(in: call.arena))
    }
    let rest = TidingsV1.RegisterDeviceResponse(
      pushEndpoint: call.loop.advertisedPushEndpoint(forConnection: call.connection) ?? "",
      controlTopic: controlTopic,
      incarnation: engine.incarnation,
      controlKey: pushKey(of: controlTopic),
      readMarkNumber: UInt64(
        clamping: try engine.newestReadMark(
          of: call.caller.user,
          container: container,
          environment: environment
        )
      ),
      controlOriginTag: engine.originTag(of: call.caller, topic: controlTopic)
    )
    response.append(rest.encoded(in: call.arena))
    return response.bytes
  }

  /// What opens the pushes on a topic; empty when they are not sealed.
  private func pushKey(of topic: [UInt8]) -> [UInt8] {
    sealsPushes ? engine.pushKey(of: topic).bytes : []
  }

  private func rotateChannels(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.RotateChannelsRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let container = try containerName(request.container)
    let environment = try request.environment.model
    try engine.pace.requirePauses()
    let user = call.caller.user
    let controlTopic = try engine.controlTopic(
      of: user,
      container: container,
      environment: environment
    )
    let topics = try engine.rotateOwnChannels(
      of: user,
      container: container,
      environment: environment
    )
    var effects = CallEffects()
    // Devices listen to the old one still: it says a last word.
    effects.announcedTopics.insert(controlTopic)
    effects.retiredTopics = topics + [controlTopic]
    return CallAnswer(
      TidingsV1.RotateChannelsResponse(channelCount: UInt32(topics.count)).encoded(in: call.arena),
      effects: effects
    )
  }

  private func markNotificationsRead(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.MarkNotificationsReadRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(itemCount: request.notificationIDs.count)
    let errors = try engine.markRead(
      request.notificationIDs,
      for: call.caller,
      container: try containerName(request.container),
      environment: try request.environment.model
    )
    let results = zip(request.notificationIDs, errors).map { id, error in
      TidingsV1.NotificationResult(
        notificationID: id,
        outcome: error.map { .error(.init($0)) } ?? .markedRead(true)
      )
    }
    return TidingsV1.MarkNotificationsReadResponse(results: results).encoded(in: call.arena)
  }
}
